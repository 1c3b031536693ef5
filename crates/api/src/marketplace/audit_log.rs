//! What happened.

use super::{
    MarketplaceState, Problem,
    catalog::Slug,
    data::{self, List, Part, Sizes},
    gate::Member,
    query::{QueryKeys, one},
    refusals::refusals,
};
use axum::{extract::State, response::Response};
use primitives::{OrImpossible as _, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use services::leasing::{AuditFilter, AuditRow};
use std::str::FromStr;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::UtoipaMethodRouter, routes};

/// Rows of a page.
const SIZES: Sizes = Sizes {
    usual: 50,
    most: 200,
};

/// No action and no id is longer.
const MAX_WORD: usize = 64;

pub(super) fn routes() -> [UtoipaMethodRouter<MarketplaceState>; 1] {
    [routes!(list_audit_log)]
}

/// Something that happened.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AuditRow)]
pub(super) struct AuditBody {
    /// A ULID. Rows sort by it.
    #[schema(example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    public_id: String,
    /// When.
    #[schema(format = DateTime, example = "2026-01-31T12:00:00Z")]
    at: String,
    /// Who did it.
    actor: ActorBody,
    /// What was done.
    #[schema(example = "lease.booked")]
    action: String,
    /// The lease, validator, user or other thing that it was done to.
    subject: SubjectBody,
    /// More about it; which fields it has depends on the action.
    #[schema(value_type = Object, example = json!({"mode": "exclusive"}))]
    detail: Box<RawValue>,
}

/// Who did something.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AuditActor)]
struct ActorBody {
    /// `user`, `operator` at the command line, or `system`, which is the program
    /// itself.
    #[schema(example = "user")]
    kind: &'static str,
    /// The user's `public_id`; null for others.
    #[schema(required, example = "01KA0XH1M5D3P7K9F2J4G6B8V0")]
    id: Option<String>,
}

/// What something was done to.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AuditSubject)]
struct SubjectBody {
    /// Such as `lease`, `validator`, `user`, `token`.
    #[schema(example = "lease")]
    kind: String,
    /// Its public id.
    #[schema(example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    id: String,
}

impl From<&AuditRow> for AuditBody {
    fn from(row: &AuditRow) -> Self {
        let (kind, id) = row.actor.parts();
        let detail = RawValue::from_string(row.detail.clone());
        let detail = detail.or_impossible("what is kept of a row is JSON");
        Self {
            public_id: row.id.to_string(),
            at: row.at.to_string(),
            actor: ActorBody {
                kind,
                id: id.map(|id| id.to_string()),
            },
            action: row.action.clone(),
            subject: SubjectBody {
                kind: row.subject_kind.clone(),
                id: row.subject.clone(),
            },
            detail: detail.unwrap_or_else(|_| RawValue::NULL.to_owned()),
        }
    }
}

/// Which rows are looked for.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
struct AuditLogQuery {
    /// Rows with exactly this `action`.
    #[param(value_type = Option<String>, pattern = "^[A-Za-z0-9._-]{1,64}$", example = "lease.booked")]
    action: Vec<String>,
    /// Of the lease, validator, user or token with this id.
    #[param(value_type = Option<String>, pattern = "^[A-Za-z0-9._-]{1,64}$", example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    subject: Vec<String>,
    /// From this time on.
    #[param(value_type = Option<String>, format = DateTime, example = "2026-01-31T00:00:00Z")]
    since: Vec<String>,
    /// Before this time.
    #[param(value_type = Option<String>, format = DateTime, example = "2026-02-01T00:00:00Z")]
    until: Vec<String>,
    /// At most so many.
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50, example = 50)]
    limit: Vec<String>,
    /// `meta.next_cursor` of the page before.
    #[param(value_type = Option<String>, example = "ATAxS0EwWEo4UUczVjFCN1o1TjlEMlQ2TTRS")]
    cursor: Vec<String>,
}

/// An action or an id.
struct Word(String);

impl FromStr for Word {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let letter = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        let is_word = (1..=MAX_WORD).contains(&text.len()) && text.bytes().all(letter);
        is_word.then(|| Self(text.to_owned())).ok_or(())
    }
}

impl AuditLogQuery {
    fn filter(&self) -> Result<AuditFilter, Problem> {
        let malformed = Slug::MalformedRequest;
        let word = |name, values| one(name, values, malformed, "letters, digits, dots and dashes");
        let time = |name, values| {
            one(
                name,
                values,
                malformed,
                "a time such as 2026-01-31T00:00:00Z",
            )
        };
        let action: Option<Word> = word("action", &self.action)?;
        let subject: Option<Word> = word("subject", &self.subject)?;
        let since: Option<Timestamp> = time("since", &self.since)?;
        let until: Option<Timestamp> = time("until", &self.until)?;
        Ok(AuditFilter {
            action: action.map(|Word(action)| action),
            subject: subject.map(|Word(subject)| subject),
            since,
            until,
        })
    }
}

refusals!(AuditRefusals: [MEMBER, KEPT], [InvalidLimit, InvalidCursor, MalformedRequest]);

/// Audit log
///
/// What happened, the newest first. Staff sees everything; others see what they
/// did, and what was done to them, to their leases, and to their validators with
/// those validators' leases.
#[utoipa::path(
    get,
    path = "/v1/audit-log",
    operation_id = "listAuditLog",
    tag = "Audit",
    params(AuditLogQuery),
    responses(
        (status = 200, description = "The rows.", body = List<AuditBody>),
        AuditRefusals,
    ),
)]
async fn list_audit_log(
    State(market): State<MarketplaceState>,
    Member(user): Member,
    QueryKeys(query): QueryKeys<AuditLogQuery>,
) -> Result<Response, Problem> {
    let filter = query.filter()?;
    let scope = format!("audit log of {} {filter:?}", user.id);
    let part = Part::read_of(SIZES, &query.limit, &query.cursor, scope, market.cursors())?;
    let log = &market.leasing().audit_log;
    let page = log.list(&user, &filter, part.after, part.limit).await?;
    let text = part.write(&page, market.cursors(), |row| AuditBody::from(row));
    Ok(data::written(text))
}
