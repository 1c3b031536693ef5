//! What the cluster says of validators: their stake, and when they lead.

use super::{
    MarketplaceState, Problem,
    catalog::Slug,
    data::{self, Data},
    gate::Anyone,
    query::{QueryKeys, Whole, one},
    refusals::{self, refusals},
    segment::Segment,
};
use axum::{extract::State, http::StatusCode, response::Response};
use primitives::{Lamports, Ulid};
use serde::{Deserialize, Serialize};
use services::{
    Refused,
    leasing::{Leader, Leaders, ScheduleError, StakeError, StakeView},
};
use std::collections::BTreeMap;
use utoipa::{IntoParams, ToSchema, openapi};
use utoipa_axum::{router::UtoipaMethodRouter, routes};

pub(super) fn routes() -> [UtoipaMethodRouter<MarketplaceState>; 4] {
    [
        routes!(validator_stake),
        routes!(stake),
        routes!(validator_leader_schedule),
        routes!(leader_schedule),
    ]
}

/// What is staked with an identity.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Stake)]
struct StakeBody {
    /// The validator's public key in base58, with which it produces blocks.
    #[schema(example = "4Nd1mYvKQ2Xv3LwqjPz6yYw1g9oM4n8J7d2c5b6a3XyZ")]
    identity_pubkey: String,
    /// The epoch in which this stake counts.
    #[schema(example = 800)]
    epoch: u64,
    /// The stake of all its vote accounts.
    #[schema(value_type = u64, example = 120_000_000_000_000_u64)]
    activated_stake_lamports: Lamports,
    /// Its part of the cluster's stake, from 0 to 1.
    #[schema(example = 0.0003)]
    stake_share: f64,
    /// Whether it has fallen behind.
    #[schema(example = false)]
    delinquent: bool,
    /// All that vote for the identity, delinquent ones too, in base58.
    vote_accounts: Vec<String>,
}

impl From<StakeView> for StakeBody {
    fn from(view: StakeView) -> Self {
        Self {
            identity_pubkey: view.identity.to_string(),
            epoch: view.epoch,
            activated_stake_lamports: view.stake,
            stake_share: share(view.stake, view.cluster_stake),
            delinquent: view.delinquent,
            vote_accounts: view.vote_accounts.iter().map(ToString::to_string).collect(),
        }
    }
}

/// A part of a whole, to read: a figure, not an amount.
#[expect(clippy::cast_precision_loss, reason = "a share is told roughly")]
fn share(part: Lamports, whole: Lamports) -> f64 {
    if whole == Lamports::ZERO {
        return 0.0;
    }
    part.get() as f64 / whole.get() as f64
}

fn no_stake(error: StakeError) -> Problem {
    Problem::plain(match error {
        StakeError::NotFound => Slug::ValidatorNotFound,
        StakeError::NotAChainValidator => Slug::NotAChainValidator,
    })
}

refusals!(ValidatorStakeRefusals: [COUNTED, KEPT], [
    ValidatorNotFound, NotAChainValidator, ChainRpcUnavailable,
]);

/// Check a validator's stake
///
/// As the cluster tells it now.
#[utoipa::path(
    get,
    path = "/v1/validators/{id}/stake",
    operation_id = "validatorStake",
    tag = "Validators",
    security(()),
    params((
        "id" = String, Path,
        description = "The validator's `public_id`.",
        example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R",
    )),
    responses(
        (status = 200, description = "The stake.", body = Data<StakeBody>),
        ValidatorStakeRefusals,
    ),
)]
async fn validator_stake(
    State(market): State<MarketplaceState>,
    _: Anyone,
    segment: Segment,
) -> Result<Response, Problem> {
    let id = segment.id(Slug::ValidatorNotFound)?;
    let view = market.leasing().stakes.of_validator(id).await;
    let view = view.map_err(|error| Problem::of(error, no_stake))?;
    Ok(data::ok(StakeBody::from(view)))
}

refusals!(StakeRefusals: [COUNTED], [MalformedRequest, NotAChainValidator, ChainRpcUnavailable]);

/// Check the stake of any identity
///
/// The same before registering.
#[utoipa::path(
    get,
    path = "/v1/stake/{identity_pubkey}",
    operation_id = "stake",
    tag = "Validators",
    security(()),
    params((
        "identity_pubkey" = String, Path,
        description = "A validator's identity in base58.",
        example = "4Nd1mYvKQ2Xv3LwqjPz6yYw1g9oM4n8J7d2c5b6a3XyZ",
    )),
    responses(
        (status = 200, description = "The stake.", body = Data<StakeBody>),
        StakeRefusals,
    ),
)]
async fn stake(
    State(market): State<MarketplaceState>,
    _: Anyone,
    Segment(identity): Segment,
) -> Result<Response, Problem> {
    let wrong = |error| {
        let told = format!(
            "the identity {} {error}",
            crate::http::error::shown(&identity)
        );
        Problem::new(Slug::MalformedRequest, told)
    };
    let view = market
        .leasing()
        .stakes
        .of_identity(identity.parse().map_err(wrong)?)
        .await;
    let view = view.map_err(|error| Problem::of(error, no_stake))?;
    Ok(data::ok(StakeBody::from(view)))
}

/// Which epoch is asked about.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
struct EpochQuery {
    /// The current epoch or the next; the current one if it is not given.
    #[param(value_type = Option<i64>, example = 800)]
    epoch: Vec<String>,
}

/// When a validator leads.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LeaderSchedule)]
struct ScheduleBody {
    /// The epoch that was asked about, or the current one.
    #[schema(example = 800)]
    epoch: u64,
    /// The epoch's first slot, counted from the chain's first.
    #[schema(example = 345_600_000)]
    first_slot: u64,
    /// How many slots it has.
    #[schema(example = 432_000)]
    slots_in_epoch: u64,
    /// The slots, counted from the chain's first.
    #[schema(example = json!([345_600_004, 345_600_005]))]
    slots: Vec<u64>,
}

/// When the validators of the marketplace lead.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LeaderSchedules)]
struct SchedulesBody {
    /// The epoch that was asked about, or the current one.
    #[schema(example = 800)]
    epoch: u64,
    /// The epoch's first slot, counted from the chain's first.
    #[schema(example = 345_600_000)]
    first_slot: u64,
    /// How many slots it has.
    #[schema(example = 432_000)]
    slots_in_epoch: u64,
    /// Listed validators that lead in it.
    leaders: Vec<LeaderBody>,
}

/// When one of them leads.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Leader)]
struct LeaderBody {
    /// The validator's `public_id`.
    #[schema(example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    validator_id: String,
    /// The validator's public key in base58, with which it produces blocks.
    #[schema(example = "4Nd1mYvKQ2Xv3LwqjPz6yYw1g9oM4n8J7d2c5b6a3XyZ")]
    identity_pubkey: String,
    /// The slots, counted from the chain's first.
    #[schema(example = json!([345_600_004, 345_600_005]))]
    slots: Vec<u64>,
}

impl From<Leaders> for ScheduleBody {
    fn from(leaders: Leaders) -> Self {
        let slots = leaders.leaders.into_iter().flat_map(|leader| leader.slots);
        Self {
            epoch: leaders.epoch,
            first_slot: leaders.first_slot,
            slots_in_epoch: leaders.slots_in_epoch,
            slots: slots.collect(),
        }
    }
}

impl From<Leaders> for SchedulesBody {
    fn from(leaders: Leaders) -> Self {
        Self {
            epoch: leaders.epoch,
            first_slot: leaders.first_slot,
            slots_in_epoch: leaders.slots_in_epoch,
            leaders: leaders.leaders.into_iter().map(LeaderBody::from).collect(),
        }
    }
}

impl From<Leader> for LeaderBody {
    fn from(leader: Leader) -> Self {
        Self {
            validator_id: leader.validator.to_string(),
            identity_pubkey: leader.identity.to_string(),
            slots: leader.slots,
        }
    }
}

async fn leaders(
    market: &MarketplaceState,
    query: &EpochQuery,
    validator: Option<Ulid>,
) -> Result<Leaders, Problem> {
    let must = "the current epoch or the next";
    let epoch: Option<Whole> = one("epoch", &query.epoch, Slug::InvalidEpochRange, must)?;
    let epoch = epoch.map(|Whole(epoch)| epoch);
    let leaders = market
        .leasing()
        .stakes
        .leader_schedule(epoch, validator)
        .await;
    leaders.map_err(no_schedule)
}

/// A node that does not answer is a bad gateway here.
fn no_schedule(error: Refused<ScheduleError>) -> Problem {
    match error {
        Refused::Rejected(ScheduleError::NotFound) => Problem::plain(Slug::ValidatorNotFound),
        Refused::Rejected(ScheduleError::Epoch) => {
            let told = "leaders are known of the current epoch and the next";
            Problem::new(Slug::InvalidEpochRange, told)
        }
        Refused::Fault(fault) => Problem::from(fault).at_gateway(),
    }
}

impl Problem {
    fn at_gateway(self) -> Self {
        match self.slug() {
            Slug::ChainRpcUnavailable => self.with_status(StatusCode::BAD_GATEWAY),
            _ => self,
        }
    }
}

/// Refusals of a route that answers 502 where others answer 503.
fn through_gateway(slugs: &[&[Slug]]) -> BTreeMap<String, openapi::RefOr<openapi::Response>> {
    let mut answers = refusals::responses(&slugs.concat());
    if let Some(answer) = answers.remove("503") {
        answers.insert("502".to_owned(), answer);
    }
    answers
}

struct ValidatorScheduleRefusals;

impl utoipa::IntoResponses for ValidatorScheduleRefusals {
    fn responses() -> BTreeMap<String, openapi::RefOr<openapi::Response>> {
        let own = [
            Slug::ValidatorNotFound,
            Slug::InvalidEpochRange,
            Slug::ChainRpcUnavailable,
        ];
        through_gateway(&[refusals::COUNTED, refusals::KEPT, &own])
    }
}

/// Leader schedule of a validator
///
/// In the current epoch or the next.
#[utoipa::path(
    get,
    path = "/v1/validators/{id}/leader-schedule",
    operation_id = "validatorLeaderSchedule",
    tag = "Validators",
    security(()),
    params(
        (
            "id" = String, Path,
            description = "The validator's `public_id`.",
            example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R",
        ),
        EpochQuery,
    ),
    responses(
        (status = 200, description = "Its slots.", body = Data<ScheduleBody>),
        ValidatorScheduleRefusals,
    ),
)]
async fn validator_leader_schedule(
    State(market): State<MarketplaceState>,
    _: Anyone,
    segment: Segment,
    QueryKeys(query): QueryKeys<EpochQuery>,
) -> Result<Response, Problem> {
    let id = segment.id(Slug::ValidatorNotFound)?;
    let leaders = leaders(&market, &query, Some(id)).await?;
    Ok(data::ok(ScheduleBody::from(leaders)))
}

struct ScheduleRefusals;

impl utoipa::IntoResponses for ScheduleRefusals {
    fn responses() -> BTreeMap<String, openapi::RefOr<openapi::Response>> {
        let own = [Slug::InvalidEpochRange, Slug::ChainRpcUnavailable];
        through_gateway(&[refusals::COUNTED, refusals::KEPT, &own])
    }
}

/// Leader schedule
///
/// The listed validators that lead in the current epoch or the next.
#[utoipa::path(
    get,
    path = "/v1/leader-schedule",
    operation_id = "leaderSchedule",
    tag = "Validators",
    security(()),
    params(EpochQuery),
    responses(
        (status = 200, description = "Their slots.", body = Data<SchedulesBody>),
        ScheduleRefusals,
    ),
)]
async fn leader_schedule(
    State(market): State<MarketplaceState>,
    _: Anyone,
    QueryKeys(query): QueryKeys<EpochQuery>,
) -> Result<Response, Problem> {
    let leaders = leaders(&market, &query, None).await?;
    Ok(data::ok(SchedulesBody::from(leaders)))
}
