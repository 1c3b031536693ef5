//! A validator on the wire.

use super::link::Warning;
use leasing::{RatingSum, Share, Span, format_sol};
use primitives::Lamports;
use serde::Serialize;
use services::leasing::{ValidatorView, ValidatorWarning};
use utoipa::ToSchema;

/// A validator in a list.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Validator)]
pub(super) struct ValidatorBody {
    /// A ULID, by which it is booked.
    #[schema(example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    public_id: String,
    /// Its identity on the chain.
    #[schema(example = "4Nd1mYvKQ2Xv3LwqjPz6yYw1g9oM4n8J7d2c5b6a3XyZ")]
    identity_pubkey: String,
    /// Its vote account with the most stake; null if it had none when last
    /// looked.
    #[schema(required)]
    vote_pubkey: Option<String>,
    /// What people call it.
    #[schema(required, example = "Harbour")]
    name: Option<String>,
    /// `economy`, `standard` or `performance`.
    #[schema(example = "standard")]
    tier: &'static str,
    /// Where it stands.
    #[schema(example = "eu-central-1")]
    region: String,
    /// The price of all of it for one epoch.
    #[schema(value_type = u64, example = 1_500_000_000)]
    price_lamports: Lamports,
    /// The same in SOL, exactly.
    #[schema(example = "1.5")]
    price_sol: String,
    /// Seats; null if none are offered.
    #[schema(required)]
    shared: Option<SharedBody>,
    /// Its stake when last looked.
    #[schema(value_type = u64, example = 120_000_000_000_000_u64)]
    stake_lamports: Lamports,
    /// The epoch of that look.
    #[schema(example = 800)]
    stake_epoch: u64,
    /// Whether it had fallen behind then.
    #[schema(example = false)]
    delinquent: bool,
    /// The share of its leader slots of the last 30 days, or of those that are
    /// known, in which it produced a block, from 0 to 1; null until it is known.
    #[schema(required, example = 0.9987)]
    uptime_30d: Option<f64>,
    /// The credits that its votes earned, of the most that any validator's did
    /// in the same of the last epochs, from 0 to 1; null until it is known.
    #[schema(required, example = 0.9912)]
    effectiveness: Option<f64>,
    /// What its lessees said of it.
    rating: AverageBody,
    /// `listed`; `paused` by its owner or `stopped` by staff, which only they
    /// see.
    #[schema(example = "listed")]
    status: &'static str,
    /// The first of the next 60 epochs of which nothing is booked; null if
    /// there is none.
    #[schema(required, example = 801)]
    next_free_epoch: Option<i32>,
    /// Since when.
    #[schema(format = DateTime, example = "2026-01-31T12:00:00Z")]
    created_at: String,
}

/// The ratings of a validator together.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AverageRating)]
pub(super) struct AverageBody {
    /// The average of the stars, to three places, rounded down; null without
    /// ratings.
    #[schema(required, example = 4.333)]
    average: Option<f64>,
    /// How many ratings there are.
    #[schema(example = 3)]
    count: u64,
}

impl From<RatingSum> for AverageBody {
    fn from(sum: RatingSum) -> Self {
        // At most 5,000.
        let thousandths = sum.average_thousandths();
        let thousandths = thousandths.and_then(|average| u32::try_from(average).ok());
        Self {
            average: thousandths.map(|average| f64::from(average) / 1_000.0),
            count: sum.count,
        }
    }
}

/// Seats of a validator.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SharedOffer)]
pub(super) struct SharedBody {
    /// The price of one seat for one epoch.
    #[schema(value_type = u64, example = 200_000_000)]
    price_lamports: Lamports,
    /// The same in SOL, exactly.
    #[schema(example = "0.2")]
    price_sol: String,
    /// How many there are.
    #[schema(example = 8)]
    seats: u32,
}

/// A validator with its calendar.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ValidatorDetail)]
pub(super) struct DetailBody {
    #[serde(flatten)]
    validator: ValidatorBody,
    /// Where its share of payments goes.
    #[schema(example = "7Kq2mYvKQ2Xv3LwqjPz6yYw1g9oM4n8J7d2c5b6a3XyZ")]
    payout_wallet: String,
    /// Where lessees connect; null if it has not said.
    #[schema(required, example = "https://sign.harbour.example")]
    tee_endpoint: Option<String>,
    /// What can be booked of the next 60 epochs.
    availability: Vec<SpanBody>,
    /// What its owner should know; only after registering and changing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<Warning>,
}

/// Epochs in a row that can be booked in the same way.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AvailableSpan)]
struct SpanBody {
    /// The first of them.
    #[schema(example = 801)]
    from_epoch: i32,
    /// The one after the last.
    #[schema(example = 861)]
    to_epoch: i32,
    /// `exclusive` if all of it is free, and its seats with it; `shared` if only
    /// seats are.
    #[schema(example = "exclusive")]
    kind: &'static str,
    /// The seats that are free; 0 where none are offered.
    #[schema(example = 8)]
    seats_left: u32,
}

fn fraction(share: Share) -> f64 {
    f64::from(share.millionths()) / 1_000_000.0
}

impl From<&ValidatorView> for ValidatorBody {
    fn from(view: &ValidatorView) -> Self {
        let terms = &view.terms;
        Self {
            public_id: view.id.to_string(),
            identity_pubkey: view.identity.to_string(),
            vote_pubkey: view.vote_account.map(|vote| vote.to_string()),
            name: view.name.clone(),
            tier: terms.tier.as_str(),
            region: terms.region.to_string(),
            price_lamports: terms.price,
            price_sol: format_sol(terms.price),
            shared: terms.shared.map(|shared| SharedBody {
                price_lamports: shared.price,
                price_sol: format_sol(shared.price),
                seats: shared.seats,
            }),
            stake_lamports: view.stake,
            stake_epoch: view.stake_epoch,
            delinquent: view.delinquent,
            uptime_30d: view.performance.uptime.map(fraction),
            effectiveness: view.performance.effectiveness.map(fraction),
            rating: view.rating.into(),
            status: view.status.as_str(),
            next_free_epoch: view.next_free_epoch,
            created_at: view.created_at.to_string(),
        }
    }
}

impl From<&ValidatorView> for DetailBody {
    fn from(view: &ValidatorView) -> Self {
        Self {
            payout_wallet: view.payout_wallet.to_string(),
            tee_endpoint: view.endpoint.clone(),
            availability: view.availability.iter().map(SpanBody::from).collect(),
            warnings: view.warnings.iter().map(Warning::from).collect(),
            validator: view.into(),
        }
    }
}

impl From<&Span> for SpanBody {
    fn from(span: &Span) -> Self {
        Self {
            from_epoch: span.from,
            to_epoch: span.to,
            kind: span.mode.as_str(),
            seats_left: span.seats_left,
        }
    }
}

impl From<&ValidatorWarning> for Warning {
    fn from(warning: &ValidatorWarning) -> Self {
        match warning {
            ValidatorWarning::PayoutBelowRent(lack) => Self {
                code: "payout-below-rent",
                message: format!(
                    "the chain would refuse a payment of one epoch: put {} lamports more into {}",
                    lack.missing, lack.wallet
                ),
            },
        }
    }
}
