//! `GET /swap/v3/sources`.

use super::super::TradeState;
use crate::http::{error::Rejection, json_answer::Json};
use amm::book::{ClassStanding, Kind, Verdict};
use axum::extract::State;
use primitives::felt_to_hex;
use serde::Serialize;
use utoipa::ToSchema;

/// Where routes may pass.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Source)]
pub(super) struct SourceBody {
    /// Its name, as `excludeSources` takes it.
    #[schema(example = "Ekubo")]
    name: String,
    #[serde(rename = "type")]
    kind: SourceType,
    /// Its pools that are followed. The plain dialect alone has this and what
    /// follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pools: Option<usize>,
    /// Those of them that routes pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    tradable_pools: Option<usize>,
    /// The classes of its contracts, and what is known of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    classes: Option<Vec<ClassBody>>,
}

/// Code that contracts of a source run.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SourceClass)]
pub(super) struct ClassBody {
    /// The hash of the class; behind a proxy, that of the implementation.
    #[schema(example = "0x5f1a")]
    class_hash: String,
    /// The pools whose contract runs it now.
    pools: usize,
    /// What its swaps say: `undecided`, `learned` or `refuted`.
    #[schema(example = "learned")]
    verdict: &'static str,
    /// The rule that swaps proved, if they did.
    #[schema(example = "ekubo_exact")]
    rule: Option<&'static str>,
    /// The swaps that agreed to the last unit, by the token sold, as far as they
    /// are counted.
    #[schema(example = json!([8, 8]))]
    agreed: [u8; 2],
    /// Whether the operator's list says what to think of it, whatever its swaps say.
    pinned: bool,
}

impl From<&ClassStanding> for ClassBody {
    fn from(standing: &ClassStanding) -> Self {
        let rule = match standing.verdict {
            Verdict::Learned(maths) => Some(maths.word()),
            Verdict::Undecided | Verdict::Refuted => None,
        };
        Self {
            class_hash: felt_to_hex(standing.class),
            pools: standing.pools,
            verdict: standing.verdict.word(),
            rule,
            agreed: standing.agreed,
            pinned: standing.pin.is_some(),
        }
    }
}

/// Whether a source is an exchange, or wraps a token.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum SourceType {
    /// An exchange with pools.
    Dex,
    /// A contract that takes a token and mints another one for it.
    TokenWrapper,
}

impl SourceType {
    const fn of(kind: Kind) -> Self {
        if kind.is_vault() {
            Self::TokenWrapper
        } else {
            Self::Dex
        }
    }
}

/// List sources
///
/// The exchanges whose pools routes may pass. The plain dialect says how many of
/// them routes do pass, and what is known of the code of their contracts.
#[utoipa::path(
    get,
    path = "/swap/v3/sources",
    operation_id = "swapSources",
    tag = "Swap",
    responses(
        (status = 200, description = "The sources.", body = Vec<SourceBody>),
        crate::http::error::PlainAnswers,
    ),
)]
pub(super) async fn swap_sources(
    State(state): State<TradeState>,
) -> Result<Json<Vec<SourceBody>>, Rejection> {
    let snapshot = state.snapshot()?;
    let has_additions = state.dialect.has_additions();
    let venues = snapshot.standing.venues.iter();
    let sources = venues.filter(|venue| venue.is_routed);
    let bodies = sources.map(|venue| SourceBody {
        name: venue.name.clone(),
        kind: SourceType::of(venue.kind),
        pools: has_additions.then(|| venue.pools()),
        tradable_pools: has_additions.then(|| venue.tradable()),
        classes: has_additions.then(|| venue.classes.iter().map(ClassBody::from).collect()),
    });
    Ok(Json(bodies.collect()))
}
