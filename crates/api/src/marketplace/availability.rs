//! Which epochs of many validators are free.

use super::{
    MarketplaceState, Problem,
    catalog::Slug,
    data::{self, Data},
    gate::Visitor,
    query::{QueryKeys, one},
    refusals::refusals,
};
use crate::http::error::shown;
use axum::{extract::State, response::Response};
use leasing::HORIZON;
use primitives::Ulid;
use serde::{Deserialize, Serialize};
use services::leasing::FreeEpochs;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::UtoipaMethodRouter, routes};

/// Validators that are asked about at once.
const MAX_VALIDATORS: usize = 100;

pub(super) fn routes() -> [UtoipaMethodRouter<MarketplaceState>; 1] {
    [routes!(validators_availability)]
}

/// The next epochs of some validators.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Availability)]
struct AvailabilityBody {
    /// The epoch of now.
    #[schema(example = 800)]
    epoch: i32,
    /// Those that there are, in the order of their ids.
    validators: Vec<FreeBody>,
}

/// The next epochs of a validator.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ValidatorAvailability)]
struct FreeBody {
    /// Its `public_id`.
    #[schema(example = "01KA0XHZ2S8Q6N4C1W7E5R3T9Y")]
    id: String,
    /// One digit for each epoch, from the one of now on: `1` if nothing is booked of
    /// it, `0` if something is, be it a seat.
    #[schema(example = "0011111111", pattern = "^[01]{1,60}$")]
    free: String,
}

impl From<FreeEpochs> for AvailabilityBody {
    fn from(free: FreeEpochs) -> Self {
        let validators = free.validators.into_iter().map(|(id, epochs)| FreeBody {
            id: id.to_string(),
            free: epochs
                .into_iter()
                .map(|free| if free { '1' } else { '0' })
                .collect(),
        });
        Self {
            epoch: free.epoch,
            validators: validators.collect(),
        }
    }
}

/// Which validators, and how far ahead.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
struct AvailabilityQuery {
    /// How many epochs, that of now included.
    #[param(value_type = Option<i32>, minimum = 1, maximum = 60, default = 60, example = 60)]
    epochs: Vec<String>,
    /// `public_id`s, with commas between them or repeated, at most 100. Those that are
    /// not there, or not listed, are left out.
    #[param(value_type = String, required = true, example = "01KA0XHZ2S8Q6N4C1W7E5R3T9Y")]
    validators: Vec<String>,
}

impl AvailabilityQuery {
    fn epochs(&self) -> Result<i32, Problem> {
        let must = format!("a whole number from 1 to {HORIZON}");
        let malformed = Slug::MalformedRequest;
        let epochs: Option<i32> = one("epochs", &self.epochs, malformed, &must)?;
        let epochs = epochs.unwrap_or(HORIZON);
        if !(1..=HORIZON).contains(&epochs) {
            return Err(Problem::new(malformed, format!("epochs must be {must}")));
        }
        Ok(epochs)
    }

    fn ids(&self) -> Result<Vec<Ulid>, Problem> {
        let malformed = |told| Problem::new(Slug::MalformedRequest, told);
        let texts: Vec<&str> = self
            .validators
            .iter()
            .flat_map(|it| it.split(','))
            .collect();
        if !(1..=MAX_VALIDATORS).contains(&texts.len()) {
            let told = format!("validators must be 1 to {MAX_VALIDATORS} ids");
            return Err(malformed(told));
        }
        let read = |text: &str| {
            let wrong = |_| malformed(format!("validators: {} is no ULID", shown(text)));
            text.parse().map_err(wrong)
        };
        texts.into_iter().map(read).collect()
    }
}

refusals!(AvailabilityRefusals: [VISITOR, KEPT], [ChainRpcUnavailable]);

/// Availability of many validators
///
/// Which of the next epochs are free, of up to 100 validators at once. What is left of
/// an epoch whose seats are booked in part is told with each validator.
#[utoipa::path(
    get,
    path = "/v1/validators/availability",
    operation_id = "validatorsAvailability",
    tag = "Validators",
    params(AvailabilityQuery),
    security((), ("bearer" = [])),
    responses(
        (status = 200, description = "Their epochs.", body = Data<AvailabilityBody>),
        AvailabilityRefusals,
    ),
)]
async fn validators_availability(
    State(market): State<MarketplaceState>,
    visitor: Visitor,
    QueryKeys(query): QueryKeys<AvailabilityQuery>,
) -> Result<Response, Problem> {
    let (ids, epochs) = (query.ids()?, query.epochs()?);
    let validators = &market.leasing().validators;
    let free = validators.free_epochs(&ids, epochs, visitor.user()).await?;
    let free = free.ok_or_else(|| Problem::plain(Slug::ChainRpcUnavailable))?;
    Ok(data::ok(AvailabilityBody::from(free)))
}
