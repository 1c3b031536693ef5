//! Webhooks: where people are told of what happens to their leases.

use super::{
    MarketplaceState, Problem,
    body::{Body, NoBody},
    catalog::Slug,
    data::{self, Data},
    gate::Member,
    refusals::refusals,
    segment::Segment,
    webhook_body::{
        NewWebhookBody, WebhookBody, WebhookPatchBody, WebhookWishBody, read_change, read_wish,
    },
};
use axum::{extract::State, http::StatusCode, response::Response};
use services::leasing::WebhookError;
use utoipa_axum::{router::UtoipaMethodRouter, routes};

pub(super) fn routes() -> [UtoipaMethodRouter<MarketplaceState>; 3] {
    [
        routes!(create_webhook, list_webhooks),
        routes!(get_webhook, change_webhook, delete_webhook),
        routes!(replace_webhook_secret),
    ]
}

pub(super) fn refused(error: WebhookError) -> Problem {
    let malformed = |told: String| Problem::new(Slug::MalformedRequest, told);
    match error {
        WebhookError::Target(error) => malformed(format!("url {error}")),
        WebhookError::Description => {
            let told = "description must have 1 to 64 characters, none of control or format";
            malformed(told.to_owned())
        }
        WebhookError::NotFound => Problem::plain(Slug::NotFound),
        WebhookError::TooMany => {
            let told = "you have as many webhooks as one may have; delete one";
            Problem::new(Slug::Forbidden, told)
        }
        WebhookError::Disabled => {
            Problem::new(Slug::Forbidden, "the webhook is disabled; enable it first")
        }
        WebhookError::Flooded => Problem::new(Slug::Forbidden, "too much waits for the webhook"),
    }
}

refusals!(CreateRefusals: [MEMBER, BODY, KEPT], [Forbidden]);

/// Make a webhook
///
/// An addition to the marketplace. What happens from now on to the caller's
/// leases, and to leases of the caller's validators, is sent there, signed as
/// Standard Webhooks has it, at least once. A user has at most 10. The secret is
/// shown this once.
#[utoipa::path(
    post,
    path = "/v1/webhooks",
    operation_id = "createWebhook",
    tag = "Webhooks",
    request_body = WebhookWishBody,
    responses(
        (status = 201, description = "The webhook.", body = Data<NewWebhookBody>),
        CreateRefusals,
    ),
)]
async fn create_webhook(
    State(market): State<MarketplaceState>,
    Member(user): Member,
    Body(text): Body,
) -> Result<Response, Problem> {
    let wish = read_wish(&text)?;
    let made = market.leasing().webhooks.create(&user, wish).await;
    let made = made.map_err(|error| Problem::of(error, refused))?;
    Ok(data::created(NewWebhookBody::from(made)))
}

refusals!(ListRefusals: [MEMBER, KEPT], []);

/// List webhooks
///
/// The caller's, without their secrets, the oldest first.
#[utoipa::path(
    get,
    path = "/v1/webhooks",
    operation_id = "listWebhooks",
    tag = "Webhooks",
    responses(
        (status = 200, description = "The webhooks.", body = Data<Vec<WebhookBody>>),
        ListRefusals,
    ),
)]
async fn list_webhooks(
    State(market): State<MarketplaceState>,
    Member(user): Member,
) -> Result<Response, Problem> {
    let rows = market.leasing().webhooks.list(&user).await?.into_iter();
    Ok(data::ok(rows.map(WebhookBody::from).collect::<Vec<_>>()))
}

refusals!(GetRefusals: [MEMBER, KEPT], [NotFound]);

/// Get a webhook
///
/// One of the caller's, without its secret.
#[utoipa::path(
    get,
    path = "/v1/webhooks/{id}",
    operation_id = "getWebhook",
    tag = "Webhooks",
    params((
        "id" = String, Path,
        description = "The webhook's `public_id`.",
        example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R",
    )),
    responses(
        (status = 200, description = "The webhook.", body = Data<WebhookBody>),
        GetRefusals,
    ),
)]
async fn get_webhook(
    State(market): State<MarketplaceState>,
    Member(user): Member,
    segment: Segment,
) -> Result<Response, Problem> {
    let id = segment.id(Slug::NotFound)?;
    let row = market.leasing().webhooks.get(&user, id).await;
    let row = row.map_err(|error| Problem::of(error, refused))?;
    Ok(data::ok(WebhookBody::from(row)))
}

refusals!(ChangeRefusals: [MEMBER, BODY, KEPT], [NotFound]);

/// Change a webhook
///
/// Enables one that was disabled, too.
#[utoipa::path(
    patch,
    path = "/v1/webhooks/{id}",
    operation_id = "changeWebhook",
    tag = "Webhooks",
    params((
        "id" = String, Path,
        description = "The webhook's `public_id`.",
        example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R",
    )),
    request_body = WebhookPatchBody,
    responses(
        (status = 200, description = "The webhook as it is now.", body = Data<WebhookBody>),
        ChangeRefusals,
    ),
)]
async fn change_webhook(
    State(market): State<MarketplaceState>,
    Member(user): Member,
    segment: Segment,
    Body(text): Body,
) -> Result<Response, Problem> {
    let change = read_change(&text)?;
    let id = segment.id(Slug::NotFound)?;
    let row = market.leasing().webhooks.change(&user, id, change).await;
    let row = row.map_err(|error| Problem::of(error, refused))?;
    Ok(data::ok(WebhookBody::from(row)))
}

refusals!(DeleteRefusals: [MEMBER, KEPT], [NotFound]);

/// Delete a webhook
///
/// With its deliveries, those that are pending included.
#[utoipa::path(
    delete,
    path = "/v1/webhooks/{id}",
    operation_id = "deleteWebhook",
    tag = "Webhooks",
    params((
        "id" = String, Path,
        description = "The webhook's `public_id`.",
        example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R",
    )),
    responses(
        (status = 204, description = "It is gone."),
        DeleteRefusals,
    ),
)]
async fn delete_webhook(
    State(market): State<MarketplaceState>,
    Member(user): Member,
    segment: Segment,
) -> Result<StatusCode, Problem> {
    let id = segment.id(Slug::NotFound)?;
    let deleted = market.leasing().webhooks.delete(&user, id).await;
    deleted.map_err(|error| Problem::of(error, refused))?;
    Ok(StatusCode::NO_CONTENT)
}

refusals!(SecretRefusals: [MEMBER, BODY, KEPT], [NotFound]);

/// Replace the secret of a webhook
///
/// The new one is shown this once. For a day deliveries have a signature of each.
#[utoipa::path(
    post,
    path = "/v1/webhooks/{id}/secret",
    operation_id = "replaceWebhookSecret",
    tag = "Webhooks",
    params((
        "id" = String, Path,
        description = "The webhook's `public_id`.",
        example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R",
    )),
    responses(
        (status = 200, description = "The webhook.", body = Data<NewWebhookBody>),
        SecretRefusals,
    ),
)]
async fn replace_webhook_secret(
    State(market): State<MarketplaceState>,
    Member(user): Member,
    segment: Segment,
    _: NoBody,
) -> Result<Response, Problem> {
    let id = segment.id(Slug::NotFound)?;
    let row = market.leasing().webhooks.replace_secret(&user, id).await;
    let row = row.map_err(|error| Problem::of(error, refused))?;
    Ok(data::ok(NewWebhookBody::from(row)))
}
