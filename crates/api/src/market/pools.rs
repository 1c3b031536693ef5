//! `GET /v3/pools` and `GET /v3/venues`.

use super::{
    MarketState,
    decimal::Decimal,
    pool_board::{PoolBoard, RankedPool, unrouted},
    pool_body::PoolPage,
    pool_query::{PoolQuery, PoolRequest},
    query::parse,
    reading::RequestReader,
};
use crate::{
    dialect::Dialect,
    http::{
        compression::WantsGzip,
        entity_tag::KnownTags,
        error::{PlainAnswers, QueryAnswers, Rejection, shown},
    },
};
use amm::book::{PoolView, Venue, VenueId};
use axum::{extract::State, http::Uri, response::Response};
use primitives::Impossible;
use serde::Serialize;
use std::{collections::BTreeMap, sync::Arc};
use utoipa::ToSchema;
use utoipa_axum::{router::UtoipaMethodRouter, routes};

pub(super) fn routes() -> [UtoipaMethodRouter<MarketState>; 2] {
    [routes!(list_pools), routes!(list_venues)]
}

/// Pools and their depth
///
/// A page of the pools that match, the largest TVL first. Depth is what happens:
/// the sale is executed on the pool as it is after the newest block, and the
/// price after it is looked at. A page past the end is empty.
#[utoipa::path(
    get,
    path = "/v3/pools",
    operation_id = "listPools",
    tag = "Pools",
    params(PoolQuery),
    responses(
        (status = 200, description = "A page of pools.", body = PoolPage<'static>),
        (status = 304, description = "The caller has it."),
        QueryAnswers,
    ),
)]
async fn list_pools(
    State(state): State<MarketState>,
    known: KnownTags,
    wants: WantsGzip,
    uri: Uri,
) -> Result<Response, Rejection> {
    let mut reading = RequestReader::new(&state);
    let asked = parse::<PoolQuery>(&uri)?.read(&mut reading.problems);
    let venues = reading.snapshot().map(|it| it.pools.registry().venues());
    let problem = venues.and_then(|venues| wrong_venue(&asked, venues));
    if let Some(problem) = problem {
        reading.problems.add(problem);
    }
    let (view, asked) = reading.finish(Some(asked))?;
    let board = state.boards.of(&view.snapshot);
    let text = uri.query().unwrap_or_default().to_owned();
    if let Some(page) = board.pages.find(&text) {
        return Ok(page.answer(&known, wants));
    }
    // Up to a hundred pools are tried out: not on a thread that others wait for.
    let dialect = state.dialect;
    let written = tokio::task::spawn_blocking(move || {
        board.pages.keep(&text, || board.page(&asked, dialect))
    });
    let page = written.await.map_err(|_| Rejection::Internal)??;
    Ok(page.answer(&known, wants))
}

/// What is wrong with the venue that is asked for.
fn wrong_venue(asked: &PoolRequest, venues: &[Venue]) -> Option<String> {
    let name = asked.venue.as_ref()?;
    let is_known = venues.iter().any(|it| it.name.to_lowercase() == *name);
    (!is_known).then(|| {
        let names: Vec<&str> = venues.iter().map(|venue| venue.name.as_str()).collect();
        let names = names.join(", ");
        format!("venue must be one of {names}, not {}", shown(name))
    })
}

impl PoolBoard {
    fn page(&self, asked: &PoolRequest, dialect: Dialect) -> Result<Vec<u8>, Impossible> {
        let matching: Vec<&RankedPool> = self
            .pools
            .iter()
            .filter(|pool| {
                let view = self.snapshot.pools.get(pool.id);
                view.is_some_and(|view| self.fits(&view, asked))
            })
            .collect();
        let skipped = usize::try_from(asked.page.saturating_mul(asked.size)).unwrap_or(usize::MAX);
        let shown = matching.iter().skip(skipped);
        let shown = shown.take(usize::try_from(asked.size).unwrap_or(usize::MAX));
        let total = matching.len() as u64;
        dialect.json(&PoolPage {
            content: shown.filter_map(|pool| self.told(pool)).collect(),
            size: asked.size,
            number: asked.page,
            total_elements: total,
            total_pages: total.div_ceil(asked.size),
        })
    }

    fn fits(&self, view: &PoolView<'_>, asked: &PoolRequest) -> bool {
        let tokens = view.tokens();
        let is_of = |name: &String| view.venue.name.to_lowercase() == *name;
        asked.tokens.iter().all(|token| tokens.contains(token))
            && asked.venue.as_ref().is_none_or(is_of)
            && asked.tradable.is_none_or(|wanted| {
                let (_, reason) = self.standing(view);
                reason.is_none() == wanted
            })
    }
}

/// An exchange whose pools are followed.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct VenueBody<'a> {
    #[schema(example = "Ekubo")]
    name: &'a str,
    /// How its contracts speak and compute.
    #[schema(example = "ekubo")]
    kind: &'static str,
    /// All of its pools that are known, tradable or not.
    #[schema(example = 120)]
    pools: usize,
    /// Those of them that routes pass.
    #[schema(example = 118)]
    tradable_pools: usize,
    /// What lies in its pools.
    #[schema(example = 1_250_000.5)]
    tvl_usd: f64,
    /// What was traded with them in the last 24 hours, each trade once.
    #[schema(value_type = f64, example = 812_345.67)]
    volume_usd_24h: Decimal,
    /// `trading`: routes pass it. `waiting`: they may, but pass none of its pools
    /// yet. `watched`: they may not.
    status: VenueStatus,
    /// Why routes do not pass it, or null.
    #[schema(required, example = "its venue is switched off")]
    reason: Option<String>,
}

/// Whether routes pass a venue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
enum VenueStatus {
    Trading,
    Waiting,
    Watched,
}

/// Venues
///
/// The exchanges whose pools are followed, in the order of the operator's list.
#[utoipa::path(
    get,
    path = "/v3/venues",
    operation_id = "listVenues",
    tag = "Pools",
    responses(
        (status = 200, description = "The venues.", body = Vec<VenueBody<'static>>),
        (status = 304, description = "The caller has them."),
        PlainAnswers,
    ),
)]
async fn list_venues(
    State(state): State<MarketState>,
    known: KnownTags,
    wants: WantsGzip,
) -> Result<Response, Rejection> {
    let (view, ()) = RequestReader::new(&state).finish(Some(()))?;
    let board: Arc<PoolBoard> = state.boards.of(&view.snapshot);
    let page = match board.venues.find("") {
        Some(page) => page,
        None => board
            .venues
            .keep("", || state.dialect.json(&board.venues()))?,
    };
    Ok(page.answer(&known, wants))
}

/// What is counted of a venue's pools.
#[derive(Default)]
struct Count {
    pools: usize,
    tradable: usize,
    tvl: f64,
    reasons: BTreeMap<String, usize>,
}

impl PoolBoard {
    fn venues(&self) -> Vec<VenueBody<'_>> {
        let mut counts: BTreeMap<VenueId, Count> = BTreeMap::new();
        for pool in &self.pools {
            let Some(view) = self.snapshot.pools.get(pool.id) else {
                continue;
            };
            let count = counts.entry(view.pool.venue()).or_default();
            count.pools += 1;
            count.tvl += pool.tvl.unwrap_or(0.0);
            match self.standing(&view).1 {
                None => count.tradable += 1,
                Some(reason) => *count.reasons.entry(reason).or_default() += 1,
            }
        }
        let volumes = self.snapshot.figures.venue_volumes_24h();
        let volumes: BTreeMap<VenueId, u128> = volumes.into_iter().collect();
        let registry = self.snapshot.pools.registry();
        let venues = (0..).map_while(VenueId::at).zip(registry.venues());
        venues
            .map(|(id, venue)| {
                let count = counts.remove(&id).unwrap_or_default();
                told(venue, count, volumes.get(&id).copied().unwrap_or(0))
            })
            .collect()
    }
}

fn told(venue: &Venue, count: Count, volume: u128) -> VenueBody<'_> {
    let commonest = count.reasons.into_iter().max_by_key(|(_, pools)| *pools);
    let (status, reason) = match unrouted(venue) {
        Some(reason) => (VenueStatus::Watched, Some(reason)),
        None if count.tradable > 0 => (VenueStatus::Trading, None),
        None => (VenueStatus::Waiting, commonest.map(|(reason, _)| reason)),
    };
    VenueBody {
        name: &venue.name,
        kind: venue.kind.word(),
        pools: count.pools,
        tradable_pools: count.tradable,
        tvl_usd: count.tvl,
        volume_usd_24h: Decimal::usd(volume),
        status,
        reason,
    }
}
