//! `GET /paymaster/v1/sponsor-activity`.

use super::{TradeState, amount::HexAmount};
use crate::http::{
    error::{Problems, QueryAnswers, Rejection, shown},
    json_answer::Json,
};
use axum::{
    extract::State,
    http::{HeaderMap, HeaderName, Uri},
};
use axum_extra::extract::Query;
use primitives::{Timestamp, U256};
use serde::{Deserialize, Serialize};
use services::paymaster::SponsorReport;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::UtoipaMethodRouter, routes};

const API_KEY: HeaderName = HeaderName::from_static("api-key");

pub(super) fn routes() -> [UtoipaMethodRouter<TradeState>; 1] {
    [routes!(sponsor_activity)]
}

/// The query as it is sent.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
struct ActivityQuery {
    /// From blocks of this time on; a week before now without.
    #[param(value_type = Option<String>, example = "2026-11-01T00:00:00Z")]
    start_date: Vec<String>,
    /// Until blocks of this time; now without.
    #[param(value_type = Option<String>, example = "2026-11-08T00:00:00Z")]
    end_date: Vec<String>,
}

/// What a sponsor paid, and has left.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SponsorActivity)]
#[serde(rename_all = "camelCase")]
struct ActivityBody {
    /// Who the sponsor is.
    #[schema(example = "my app")]
    name: String,
    /// Transactions that are final.
    #[schema(example = 4)]
    tx_count: u64,
    /// Those that did something.
    #[schema(example = 3)]
    succeeded_tx_count: u64,
    /// Those that only cost their fee.
    #[schema(example = 1)]
    reverted_tx_count: u64,
    /// ETH paid: always 0, since no transaction of our days pays in it.
    #[schema(value_type = String, example = "0x0")]
    gas_fees: HexAmount,
    #[schema(value_type = String, example = "0x0")]
    succeeded_gas_fees: HexAmount,
    #[schema(value_type = String, example = "0x0")]
    reverted_gas_fees: HexAmount,
    /// STRK paid, in its smallest unit.
    #[schema(value_type = String, example = "0x9c")]
    strk_gas_fees: HexAmount,
    #[schema(value_type = String, example = "0x9b")]
    succeeded_strk_gas_fees: HexAmount,
    #[schema(value_type = String, example = "0x1")]
    reverted_strk_gas_fees: HexAmount,
    /// ETH credits: always 0.
    #[schema(value_type = String, example = "0x0")]
    remaining_credits: HexAmount,
    /// STRK credits, without what is reserved for transactions under way.
    #[schema(value_type = String, example = "0x8d")]
    remaining_strk_credits: HexAmount,
}

impl ActivityBody {
    fn of(report: SponsorReport) -> Self {
        let SponsorReport { name, activity } = report;
        let amount = |amount: u128| HexAmount(U256::from(amount));
        let (succeeded, reverted) = (activity.succeeded, activity.reverted);
        Self {
            name,
            tx_count: succeeded.count.saturating_add(reverted.count),
            succeeded_tx_count: succeeded.count,
            reverted_tx_count: reverted.count,
            gas_fees: amount(0),
            succeeded_gas_fees: amount(0),
            reverted_gas_fees: amount(0),
            strk_gas_fees: amount(succeeded.fees.saturating_add(reverted.fees)),
            succeeded_strk_gas_fees: amount(succeeded.fees),
            reverted_strk_gas_fees: amount(reverted.fees),
            remaining_credits: amount(0),
            remaining_strk_credits: amount(activity.credits),
        }
    }
}

impl ActivityQuery {
    fn read(&self) -> Result<[Option<Timestamp>; 2], Rejection> {
        let mut problems = Problems::default();
        let start = read_date("startDate", &self.start_date, &mut problems);
        let end = read_date("endDate", &self.end_date, &mut problems);
        if start.zip(end).is_some_and(|(start, end)| start > end) {
            problems.add("startDate must not be after endDate".to_owned());
        }
        problems.none()?;
        Ok([start, end])
    }
}

fn read_date(name: &str, texts: &[String], problems: &mut Problems) -> Option<Timestamp> {
    let text = match texts {
        [] => return None,
        [text] => text,
        _ => {
            problems.add(format!("{name} must be there once"));
            return None;
        }
    };
    let date = text.parse();
    if date.is_err() {
        let words = "must be a date and time such as 2026-11-01T00:00:00Z, not";
        problems.add(format!("{name} {words} {}", shown(text)));
    }
    date.ok()
}

/// Sponsor activity
///
/// Of the sponsor whose key is in the header `api-key`, by the times of blocks, once
/// transactions are final. Every transaction is charged once, by its receipt; reverted ones
/// are charged, too.
#[utoipa::path(
    get,
    path = "/paymaster/v1/sponsor-activity",
    operation_id = "sponsorActivity",
    tag = "Sponsors",
    params(
        ("api-key" = String, Header, description = "The sponsor's key.", example = "demo-sponsor-key"),
        ActivityQuery,
    ),
    responses(
        (status = 200, description = "What the sponsor paid.", body = ActivityBody),
        QueryAnswers,
    ),
)]
async fn sponsor_activity(
    State(state): State<TradeState>,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Json<ActivityBody>, Rejection> {
    let key = headers.get(API_KEY).and_then(|key| key.to_str().ok());
    let key = key.ok_or(Rejection::NoSponsor)?;
    let Query(query) = Query::<ActivityQuery>::try_from_uri(&uri)
        .map_err(|error| Rejection::invalid(error.to_string()))?;
    let dates = query.read();
    // A stranger is told nothing else.
    let [start, end] = match dates {
        Ok(dates) => dates,
        Err(rejection) => {
            let known = state.sponsors.report(key, None, None).await?;
            return Err(known.map_or(Rejection::NoSponsor, |_| rejection));
        }
    };
    let report = state.sponsors.report(key, start, end).await?;
    report
        .map(|report| Json(ActivityBody::of(report)))
        .ok_or(Rejection::NoSponsor)
}
