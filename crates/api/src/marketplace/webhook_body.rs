//! Webhooks on the wire.

use super::{
    Problem,
    catalog::Slug,
    fields::{Fields, Wish},
};
use crate::http::{error::shown, json::JsonText};
use leasing::{WebhookEvent, WebhookEvents};
use serde::Serialize;
use services::leasing::{WebhookChange, WebhookRow, WebhookWish};
use utoipa::ToSchema;

/// Words of a list that are read.
const MAX_WORDS: usize = 32;

/// A webhook that is to be made.
#[derive(ToSchema)]
#[schema(as = WebhookRequest)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only describes the body, which is read in place")]
pub(super) struct WebhookWishBody {
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
pub(super) struct WebhookPatchBody {
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
pub(super) struct WebhookBody {
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
pub(super) struct NewWebhookBody {
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

pub(super) fn read_wish(text: &JsonText) -> Result<WebhookWish, Problem> {
    let fields = Fields::read(text, Slug::MalformedRequest)?;
    let fields = fields.only(&["url", "events", "description"])?;
    Ok(WebhookWish {
        url: fields.required("url")?,
        events: read_events(&fields)?,
        description: fields.text("description")?,
    })
}

pub(super) fn read_change(text: &JsonText) -> Result<WebhookChange, Problem> {
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
