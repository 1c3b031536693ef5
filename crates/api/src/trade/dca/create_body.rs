//! A recurring order that is to be created, on the wire.

use super::super::{amount::read_amount, body_reader::BodyReader};
use crate::http::error::{Rejection, shown};
use primitives::{Address, Timestamp};
use serde::Deserialize;
use serde_json::value::RawValue;
use services::Snapshot;
use trading::recurring::{BuyBounds, Frequency, NewOrder};
use utoipa::ToSchema;

/// What is bought again and again.
#[derive(ToSchema)]
#[schema(as = NewOrder, rename_all = "camelCase")]
#[expect(dead_code, reason = "only describes the body, which is read in place")]
pub(super) struct CreateBodyDescription {
    /// Who will execute the calls and own the order.
    #[schema(example = "0x1234")]
    trader_address: String,
    /// The token to be sold.
    #[schema(example = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7")]
    sell_token_address: String,
    /// How much is sold in all: decimal, or hexadecimal after `0x`.
    #[schema(example = "1000000000000000000")]
    sell_amount: String,
    /// How much is sold in a cycle, in the same forms.
    #[schema(example = "0x16345785d8a0000")]
    sell_amount_per_cycle: String,
    /// The token to be bought.
    #[schema(example = "0x53c91253bc9682c04929ca02ed00b3e423f6710d2ee7e0d5ebb06f3ecf368a8")]
    buy_token_address: String,
    /// How far cycles are apart: a duration of ISO 8601, at least a minute. Months
    /// are those of the calendar.
    #[schema(example = "P1D")]
    frequency: String,
    /// When the first cycle is due; if it is not given, with the newest block.
    #[schema(format = "date-time", example = "2026-12-01T00:00:00Z")]
    start_date: Option<String>,
    /// What a cycle must buy; `{}` for whatever the market gives.
    pricing_strategy: PricingStrategyDescription,
}

/// What a cycle must buy.
#[derive(ToSchema)]
#[schema(as = PricingStrategy, rename_all = "camelCase")]
#[expect(
    dead_code,
    reason = "only describes a part of the body, which is read in place"
)]
pub(super) struct PricingStrategyDescription {
    /// At least so much.
    #[schema(example = "0x5f5e100")]
    token_to_min_amount: Option<String>,
    /// At most so much.
    #[schema(example = "0xbebc200")]
    token_to_max_amount: Option<String>,
}

/// The same as it is sent: whatever a value is, the others are read too.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CreateBody<'a> {
    #[serde(borrow)]
    trader_address: Option<&'a RawValue>,
    #[serde(borrow)]
    sell_token_address: Option<&'a RawValue>,
    #[serde(borrow)]
    sell_amount: Option<&'a RawValue>,
    #[serde(borrow)]
    sell_amount_per_cycle: Option<&'a RawValue>,
    #[serde(borrow)]
    buy_token_address: Option<&'a RawValue>,
    #[serde(borrow)]
    frequency: Option<&'a RawValue>,
    #[serde(borrow)]
    start_date: Option<&'a RawValue>,
    #[serde(borrow)]
    pricing_strategy: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PricingStrategy<'a> {
    #[serde(borrow)]
    token_to_min_amount: Option<&'a RawValue>,
    #[serde(borrow)]
    token_to_max_amount: Option<&'a RawValue>,
}

impl CreateBody<'_> {
    pub(super) fn read(&self, snapshot: &Snapshot) -> Result<NewOrder, Rejection> {
        let mut body = BodyReader::default();
        body.required_parsed::<Address>("traderAddress", self.trader_address);
        let mut token = |name, raw| token(&mut body, name, raw, snapshot);
        let sold = token("sellTokenAddress", self.sell_token_address);
        let bought = token("buyTokenAddress", self.buy_token_address);
        let amount = body.amount("sellAmount", self.sell_amount);
        let per_cycle = body.amount("sellAmountPerCycle", self.sell_amount_per_cycle);
        let frequency = body.required_parsed::<Frequency>("frequency", self.frequency);
        let now = snapshot.head_time;
        let start = match self.start_date {
            None => Some(now),
            Some(given) => time(&mut body, "startDate", given),
        };
        let bounds = bounds(&mut body, self.pricing_strategy);
        body.finish()?;
        let (Some(sold), Some(bought), Some(amount), Some(per_cycle)) =
            (sold, bought, amount, per_cycle)
        else {
            // What is missing is a problem that was told.
            return Err(Rejection::Internal);
        };
        let (Some(frequency), Some(start)) = (frequency, start) else {
            return Err(Rejection::Internal);
        };
        NewOrder::new(
            sold, bought, amount, per_cycle, frequency, start, bounds, now,
        )
        .map_err(|bad| Rejection::invalid(bad.to_string()))
    }
}

fn token(
    body: &mut BodyReader,
    name: &str,
    raw: Option<&RawValue>,
    snapshot: &Snapshot,
) -> Option<Address> {
    let address = body.required_parsed::<Address>(name, raw)?;
    let known = snapshot.tokens.by_address(address).is_some();
    let unknown = || format!("{name} {address} is not a known token");
    body.take(known.then_some(address).ok_or_else(unknown))
}

fn time(body: &mut BodyReader, name: &str, raw: &RawValue) -> Option<Timestamp> {
    let text = body.text(name, raw)?;
    let read = text.parse::<Timestamp>();
    let told = |_| {
        format!(
            "{name} must be a time of ISO 8601 such as 2026-12-01T00:00:00Z, not {}",
            shown(&text)
        )
    };
    body.take(read.map_err(told))
}

/// Nothing, nulls, one bound or both.
fn bounds(body: &mut BodyReader, raw: Option<&RawValue>) -> BuyBounds {
    let name = "pricingStrategy";
    let Some(raw) = raw else {
        body.problem(format!("{name} is required; {{}} sets no bounds"));
        return BuyBounds::default();
    };
    let read = serde_json::from_str::<PricingStrategy<'_>>(raw.get());
    // An array would be read as the fields in their order.
    let is_object = raw.get().starts_with('{');
    let Some(strategy) = read.ok().filter(|_| is_object) else {
        let shown = shown(raw.get());
        body.problem(format!("{name} must be an object, not {shown}"));
        return BuyBounds::default();
    };
    let mut bound = |name, raw: Option<&RawValue>| {
        let text = body.text(name, raw?)?;
        body.take(read_amount(name, &text))
    };
    BuyBounds {
        least: bound("tokenToMinAmount", strategy.token_to_min_amount),
        most: bound("tokenToMaxAmount", strategy.token_to_max_amount),
    }
}
