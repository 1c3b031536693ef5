//! Webhooks: where people are told of what happens to their leases.

use super::{
    MarketplaceState, Problem,
    body::{Body, NoBody},
    catalog::Slug,
    data::{self, Data},
    fields::{Fields, Wish},
    gate::Member,
    refusals::refusals,
    segment::Segment,
};
use crate::http::{error::shown, json::JsonText};
use axum::{extract::State, http::StatusCode, response::Response};
use leasing::{WebhookEvent, WebhookEvents};
use serde::Serialize;
use services::leasing::{WebhookChange, WebhookError, WebhookRow, WebhookWish};
use utoipa::ToSchema;
use utoipa_axum::{router::UtoipaMethodRouter, routes};

/// Words of a list that are read.
const MAX_WORDS: usize = 32;

pub(super) fn routes() -> [UtoipaMethodRouter<MarketplaceState>; 3] {
    [
        routes!(create_webhook, list_webhooks),
        routes!(get_webhook, change_webhook, delete_webhook),
        routes!(replace_webhook_secret),
    ]
}

/// A webhook that is to be made.
#[derive(ToSchema)]
#[schema(as = WebhookRequest)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only describes the body, which is read in place")]
struct WebhookWishBody {
    /// Where deliveries go: https, without a user or a password, and not to a
    /// private address; at most 2048 characters.
    #[schema(example = "https://hooks.example/stoa")]
    url: String,
    /// What is told, at least one: `lease.activated`, `lease.ending`,
    /// `lease.completed`, `lease.revoked`, `payment.orphaned`,
    /// `extension.lapsed`.
    #[schema(example = json!(["lease.activated", "lease.ending"]))]
    events: Vec<String>,
    /// What its user says of it, 1 to 64 characters, none of control or format.
    #[schema(example = "pager")]
    description: Option<String>,
}

/// What is to be otherwise; what is not given stays.
#[derive(ToSchema)]
#[schema(as = WebhookPatch)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only describes the body, which is read in place")]
struct WebhookPatchBody {
    /// Where deliveries go.
    #[schema(example = "https://hooks.example/stoa")]
    url: Option<String>,
    /// What is told.
    #[schema(example = json!(["lease.revoked"]))]
    events: Option<Vec<String>>,
    /// What its user says of it; null for nothing.
    #[schema(example = "pager")]
    description: Option<String>,
    /// Whether anything is sent. `true` also ends what disabled it; `false` ends
    /// what is pending.
    #[schema(example = true)]
    enabled: Option<bool>,
}

/// A webhook without its secret.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Webhook)]
struct WebhookBody {
    /// A ULID.
    #[schema(example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    public_id: String,
    /// Where deliveries go.
    #[schema(example = "https://hooks.example/stoa")]
    url: String,
    /// What is told.
    #[schema(example = json!(["lease.activated", "lease.ending"]))]
    events: Vec<&'static str>,
    /// What its user says of it.
    #[schema(required, example = "pager")]
    description: Option<String>,
    /// Whether anything is sent.
    #[schema(example = true)]
    enabled: bool,
    /// Why nothing is sent: `asked`, `gone` (it answered 410), `failing` (for too
    /// long), `flooded` (too much waited); null while it is enabled.
    #[schema(required, example = "failing")]
    disabled_reason: Option<&'static str>,
    /// Since when nothing is sent.
    #[schema(required, format = DateTime, example = "2026-01-31T12:00:00Z")]
    disabled_at: Option<String>,
    /// Since when attempts have failed and none was taken; null after one was.
    #[schema(required, format = DateTime, example = "2026-01-31T12:00:00Z")]
    failing_since: Option<String>,
    /// Since when it is there.
    #[schema(format = DateTime, example = "2026-01-31T12:00:00Z")]
    created_at: String,
}

/// A webhook with its secret.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NewWebhook)]
struct NewWebhookBody {
    #[serde(flatten)]
    webhook: WebhookBody,
    /// What deliveries are signed with, as receivers' libraries take it. Shown
    /// once.
    #[schema(example = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=")]
    secret: String,
}

impl From<WebhookRow> for WebhookBody {
    fn from(row: WebhookRow) -> Self {
        Self {
            public_id: row.id.to_string(),
            url: row.url,
            events: row.events.words(),
            description: row.description,
            enabled: row.disabled.is_none(),
            disabled_reason: row.disabled.map(|(reason, _)| reason.as_str()),
            disabled_at: row.disabled.map(|(_, at)| at.to_string()),
            failing_since: row.failing_since.map(|at| at.to_string()),
            created_at: row.created_at.to_string(),
        }
    }
}

impl From<WebhookRow> for NewWebhookBody {
    fn from(row: WebhookRow) -> Self {
        Self {
            secret: row.secret.text(),
            webhook: row.into(),
        }
    }
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

/// The words of a list of events.
fn read_events(fields: &Fields<'_>) -> Result<WebhookEvents, Problem> {
    let known = WebhookEvent::ALL
        .iter()
        .filter(|it| **it != WebhookEvent::Test);
    let known: Vec<_> = known.map(|event| event.as_str()).collect();
    let wrong = |found: &str| {
        let told = format!(
            "events must be a list of some of {}, not {}",
            known.join(", "),
            shown(found)
        );
        Problem::new(Slug::MalformedRequest, told)
    };
    let list = fields.list("events")?;
    if list.len() > MAX_WORDS {
        return Err(wrong("a longer one"));
    }
    let words = list.iter().map(|word| {
        let text = serde_json::from_str::<String>(word.get());
        text.map_err(|_| wrong(word.get()))
    });
    let words: Vec<String> = words.collect::<Result<_, _>>()?;
    let events = WebhookEvents::new(words.iter().map(String::as_str));
    events.map_err(|_| wrong(&words.join(", ")))
}

fn read_wish(text: &JsonText) -> Result<WebhookWish, Problem> {
    let fields = Fields::read(text, Slug::MalformedRequest)?;
    let fields = fields.only(&["url", "events", "description"])?;
    Ok(WebhookWish {
        url: fields.required("url")?,
        events: read_events(&fields)?,
        description: fields.text("description")?,
    })
}

fn read_change(text: &JsonText) -> Result<WebhookChange, Problem> {
    let fields = Fields::read(text, Slug::MalformedRequest)?;
    let fields = fields.only(&["url", "events", "description", "enabled"])?;
    let change = WebhookChange {
        url: fields.text("url")?,
        events: if fields.has("events") {
            Some(read_events(&fields)?)
        } else {
            None
        },
        description: match fields.wish("description")? {
            Wish::Nothing => None,
            Wish::Empty => Some(None),
            Wish::Text(text) => Some(Some(text)),
        },
        enabled: fields.truth("enabled")?,
    };
    if change == WebhookChange::default() {
        let told = "at least one of url, events, description and enabled must be given";
        return Err(Problem::new(Slug::MalformedRequest, told));
    }
    Ok(change)
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

/// Look at a webhook
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
