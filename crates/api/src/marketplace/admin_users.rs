//! What staff does with people.

use super::{
    MarketplaceState, Problem,
    body::Body,
    catalog::Slug,
    data::{self, Data, List, Part},
    fields::Fields,
    gate::Acting,
    query::QueryKeys,
    refusals::refusals,
    segment::Segment,
    users::{UserBody, not_a_profile},
};
use axum::{extract::State, response::Response};
use leasing::Roles;
use primitives::PublicKey;
use serde::Deserialize;
use services::leasing::{AddUserError, NotStaff, Profile, RolesError};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::UtoipaMethodRouter, routes};

pub(super) fn routes() -> [UtoipaMethodRouter<MarketplaceState>; 2] {
    [routes!(list_users, add_user), routes!(set_roles)]
}

fn not_staff() -> Problem {
    Problem::new(Slug::Forbidden, "this needs the role staff")
}

/// Which users are looked for.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
struct UsersQuery {
    /// At most so many.
    #[param(value_type = Option<u16>, minimum = 1, maximum = 50, default = 20, example = 20)]
    limit: Vec<String>,
    /// `meta.next_cursor` of the page before.
    #[param(value_type = Option<String>, example = "ATAxS0EwWEo4UUczVjFCN1o1TjlEMlQ2TTRS")]
    cursor: Vec<String>,
}

refusals!(UsersRefusals: [STAFF, KEPT], [InvalidLimit, InvalidCursor, MalformedRequest, Forbidden]);

/// List users
///
/// For staff: all of them, in the order in which they came.
#[utoipa::path(
    get,
    path = "/v1/admin/users",
    operation_id = "listUsers",
    tag = "Administration",
    params(UsersQuery),
    responses(
        (status = 200, description = "The users.", body = List<UserBody>),
        UsersRefusals,
    ),
)]
async fn list_users(
    State(market): State<MarketplaceState>,
    Acting(user): Acting,
    QueryKeys(query): QueryKeys<UsersQuery>,
) -> Result<Response, Problem> {
    let scope = "users".to_owned();
    let part = Part::read(&query.limit, &query.cursor, scope, market.cursors())?;
    let admin = &market.leasing().admin;
    let page = admin.users(&user, part.after, part.limit).await;
    let page = page.map_err(|error| Problem::of(error, |NotStaff| not_staff()))?;
    let text = part.write(&page, market.cursors(), |user| UserBody::from(user.clone()));
    Ok(data::written(text))
}

/// Somebody who is to be a user.
#[derive(ToSchema)]
#[schema(as = AddUserRequest)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only describes the body, which is read in place")]
struct AddUserWish {
    /// The wallet that they sign in with. This or `email` has to be there.
    #[schema(example = "4Nd1mYvKQ2Xv3LwqjPz6yYw1g9oM4n8J7d2c5b6a3XyZ")]
    address: Option<String>,
    /// 3 to 254 characters with an `@`.
    #[schema(example = "ada@example.com")]
    email: Option<String>,
    /// 1 to 64 characters, none of control or format.
    #[schema(example = "Ada")]
    display_name: Option<String>,
    /// What they may do: `trader`, `validator`, `staff`.
    #[schema(max_items = 3, example = json!(["trader"]))]
    roles: Vec<String>,
}

/// The roles of a field, which is a list of their words.
fn read_roles(fields: &Fields<'_>) -> Result<Roles, Problem> {
    let wrong = || {
        let told = "roles must be a list of trader, validator and staff, each at most once";
        Problem::new(Slug::MalformedRequest, told)
    };
    let words: Vec<String> = fields
        .list("roles")?
        .into_iter()
        .map(|word| serde_json::from_str(word.get()))
        .collect::<Result<_, _>>()
        .map_err(|_| wrong())?;
    let roles = Roles::of_words(words.iter().map(String::as_str));
    let roles = roles.filter(|roles| roles.words().count() == words.len());
    roles.ok_or_else(wrong)
}

refusals!(AddRefusals: [STAFF, BODY, KEPT], [Forbidden]);

/// Make a user
///
/// For staff: somebody who signs in with a wallet, or is known by an e-mail
/// address, with these roles.
#[utoipa::path(
    post,
    path = "/v1/admin/users",
    operation_id = "addUser",
    tag = "Administration",
    request_body = AddUserWish,
    responses(
        (status = 201, description = "The user.", body = Data<UserBody>),
        AddRefusals,
    ),
)]
async fn add_user(
    State(market): State<MarketplaceState>,
    Acting(user): Acting,
    Body(text): Body,
) -> Result<Response, Problem> {
    let fields = Fields::read(&text, Slug::MalformedRequest)?;
    let fields = fields.only(&["address", "email", "display_name", "roles"])?;
    let address = match fields.text("address")? {
        Some(_) => Some(fields.parsed::<PublicKey>("address")?),
        None => None,
    };
    let profile = Profile {
        display_name: fields.text("display_name")?,
        email: fields.text("email")?,
    };
    let roles = read_roles(&fields)?;
    let admin = &market.leasing().admin;
    let added = admin.add_user(&user, address, &profile, roles).await;
    let refused = |error| match error {
        AddUserError::NotStaff => not_staff(),
        AddUserError::Nameless => {
            Problem::new(Slug::MalformedRequest, "address or email has to be there")
        }
        AddUserError::Profile(error) => not_a_profile(error),
    };
    let added = added.map_err(|error| Problem::of(error, refused))?;
    Ok(data::created(UserBody::from(added)))
}

/// What a user may do from now on.
#[derive(ToSchema)]
#[schema(as = RolesRequest)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only describes the body, which is read in place")]
struct RolesWish {
    /// `trader`, `validator`, `staff`: these and no others.
    #[schema(max_items = 3, example = json!(["trader", "validator"]))]
    roles: Vec<String>,
}

refusals!(RolesRefusals: [STAFF, BODY, KEPT], [Forbidden, NotFound]);

/// Set a user's roles
///
/// For staff: these roles and no others, from the user's next request on. Staff
/// cannot take the role `staff` from themselves.
#[utoipa::path(
    put,
    path = "/v1/admin/users/{id}/roles",
    operation_id = "setRoles",
    tag = "Administration",
    params((
        "id" = String, Path,
        description = "The user's `public_id`.",
        example = "01KA0XH1M5D3P7K9F2J4G6B8V0",
    )),
    request_body = RolesWish,
    responses(
        (status = 200, description = "The user.", body = Data<UserBody>),
        RolesRefusals,
    ),
)]
async fn set_roles(
    State(market): State<MarketplaceState>,
    Acting(user): Acting,
    segment: Segment,
    Body(text): Body,
) -> Result<Response, Problem> {
    let fields = Fields::read(&text, Slug::MalformedRequest)?.only(&["roles"])?;
    let roles = read_roles(&fields)?;
    // Who may not look does not learn who is there.
    if !user.roles.staff {
        return Err(not_staff());
    }
    let id = segment.id(Slug::NotFound)?;
    let changed = market.leasing().admin.set_roles(&user, id, roles).await;
    let refused = |error| match error {
        RolesError::NotStaff => not_staff(),
        RolesError::NotFound => Problem::plain(Slug::NotFound),
        RolesError::OwnRole => {
            let told = "you cannot take the role staff from yourself; somebody else of staff can";
            Problem::new(Slug::Forbidden, told)
        }
    };
    let changed = changed.map_err(|error| Problem::of(error, refused))?;
    Ok(data::ok(UserBody::from(changed)))
}
