//! Users.

use super::{
    MarketplaceState, Problem,
    body::Body,
    catalog::Slug,
    data::{self, Data},
    fields::Fields,
    gate::{Member, SignedIn},
    refusals::refusals,
};
use axum::{extract::State, response::Response};
use serde::Serialize;
use services::leasing::{Profile, ProfileError, User};
use utoipa::ToSchema;
use utoipa_axum::{router::UtoipaMethodRouter, routes};

pub(super) fn routes() -> [UtoipaMethodRouter<MarketplaceState>; 2] {
    [routes!(create_user), routes!(me)]
}

/// Somebody.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = User)]
pub(super) struct UserBody {
    /// A ULID.
    #[schema(example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    public_id: String,
    /// The wallet that they sign in with; null if they have none.
    #[schema(required, example = "4Nd1mYvKQ2Xv3LwqjPz6yYw1g9oM4n8J7d2c5b6a3XyZ")]
    address: Option<String>,
    /// What they call themselves.
    #[schema(required, example = "Ada")]
    display_name: Option<String>,
    /// Where they can be reached.
    #[schema(required, example = "ada@example.com")]
    email: Option<String>,
    /// What they may do: `trader`, `validator`, `staff`.
    #[schema(example = json!(["trader", "validator"]))]
    roles: Vec<&'static str>,
    /// Since when.
    #[schema(format = DateTime, example = "2026-01-31T12:00:00Z")]
    created_at: String,
}

impl From<User> for UserBody {
    fn from(user: User) -> Self {
        Self {
            public_id: user.id.to_string(),
            address: user.address.map(|address| address.to_string()),
            display_name: user.display_name,
            email: user.email,
            roles: user.roles.words().collect(),
            created_at: user.created_at.to_string(),
        }
    }
}

/// What a user says of themselves.
#[derive(ToSchema)]
#[schema(as = UserRequest)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only describes the body, which is read in place")]
struct UserWish {
    /// 1 to 64 characters, none of control or format.
    #[schema(example = "Ada")]
    display_name: Option<String>,
    /// 3 to 254 characters with an `@`.
    #[schema(example = "ada@example.com")]
    email: Option<String>,
}

refusals!(CreateUserRefusals: [VISITOR, BODY, KEPT], []);

/// Create the user of a session
///
/// Makes a user of the wallet that signed in, or of whom the issuer of the session
/// vouches for, who may book and register. If they are one already, that one is
/// answered as it is.
#[utoipa::path(
    post,
    path = "/v1/users",
    operation_id = "createUser",
    tag = "Accounts",
    request_body = UserWish,
    responses(
        (status = 201, description = "The user.", body = Data<UserBody>),
        CreateUserRefusals,
    ),
)]
async fn create_user(
    State(market): State<MarketplaceState>,
    SignedIn(caller): SignedIn,
    Body(text): Body,
) -> Result<Response, Problem> {
    let fields = Fields::read(&text, Slug::MalformedRequest)?;
    let fields = fields.only(&["display_name", "email"])?;
    let profile = Profile {
        display_name: fields.text("display_name")?,
        email: fields.text("email")?,
    };
    let user = market.leasing().accounts.provision(&caller, &profile).await;
    let user = user.map_err(|error| Problem::of(error, not_a_profile))?;
    Ok(data::created(UserBody::from(user)))
}

pub(super) fn not_a_profile(error: ProfileError) -> Problem {
    let told = match error {
        ProfileError::DisplayName => {
            "display_name must have 1 to 64 characters, none of control or format"
        }
        ProfileError::Email => "email must have 3 to 254 characters with an @",
        ProfileError::WalletTaken => "the wallet is another user's",
        ProfileError::NoSession => "nobody has signed in",
    };
    Problem::new(Slug::MalformedRequest, told)
}

refusals!(MeRefusals: [MEMBER, KEPT], []);

/// Current user
///
/// The user whose credentials are sent.
#[utoipa::path(
    get,
    path = "/v1/me",
    operation_id = "me",
    tag = "Accounts",
    responses(
        (status = 200, description = "The user.", body = Data<UserBody>),
        MeRefusals,
    ),
)]
async fn me(Member(user): Member) -> Response {
    data::ok(UserBody::from(user))
}
