//! A request to build a quote, and its answer, on the wire.

use crate::http::error::{Problems, Rejection, shown};
use primitives::{Address, Felt, felt_to_hex};
use serde::Deserialize;
use serde::Serialize;
use serde_json::value::RawValue;
use services::{BuildRequest, Built, Taker};
use std::borrow::Cow;
use trading::{Call, Slippage};
use utoipa::ToSchema;
use uuid::Uuid;

/// Which quote is built, and how.
#[derive(ToSchema)]
#[schema(as = BuildRequest, rename_all = "camelCase")]
#[expect(dead_code, reason = "only describes the body, which is read in place")]
pub(super) struct BuildBodyDescription {
    /// The quote.
    #[schema(format = "uuid", example = "6f0c2b1e-8a57-4c0f-9d5e-2b7f3a1c4d60")]
    quote_id: String,
    /// Who will execute the calls; not needed if the quote was asked for with
    /// it, and not allowed with `private`. `0x0` is nobody.
    #[schema(example = "0x1234")]
    taker_address: Option<String>,
    /// How much worse than quoted the trade may be, as a part of 1.
    #[schema(minimum = 0.0, maximum = 1.0, default = 0.05, example = 0.005)]
    slippage: Option<f64>,
    /// Whether the exchange must be allowed to take what is sold. The approval
    /// is left out if the taker's allowance is known to be enough.
    #[schema(default = true)]
    include_approve: Option<bool>,
    /// Whether the private executor is to be the taker.
    #[schema(default = false)]
    private: Option<bool>,
}

/// The same as it is sent: whatever a value is, the others are read too.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BuildBody<'a> {
    #[serde(borrow)]
    quote_id: Option<&'a RawValue>,
    #[serde(borrow)]
    taker_address: Option<&'a RawValue>,
    #[serde(borrow)]
    slippage: Option<&'a RawValue>,
    #[serde(borrow)]
    include_approve: Option<&'a RawValue>,
    #[serde(borrow)]
    private: Option<&'a RawValue>,
}

impl BuildBody<'_> {
    pub(super) fn read(&self) -> Result<BuildRequest, Rejection> {
        let mut problems = Problems::default();
        let quote = self.quote(&mut problems);
        let slippage = self.slippage(&mut problems);
        let approve = truth("includeApprove", self.include_approve, true, &mut problems);
        let taker = self.taker(&mut problems);
        problems.none()?;
        let (Some(quote), Some(slippage)) = (quote, slippage) else {
            // What is missing is a problem that was told.
            return Err(Rejection::Internal);
        };
        Ok(BuildRequest {
            quote,
            taker,
            slippage,
            approve,
        })
    }

    fn quote(&self, problems: &mut Problems) -> Option<Uuid> {
        let Some(raw) = self.quote_id else {
            problems.add("quoteId is required".to_owned());
            return None;
        };
        let id = text(raw).and_then(|text| Uuid::parse_str(&text).ok());
        if id.is_none() {
            problems.add(format!("quoteId must be a UUID, not {}", shown(raw.get())));
        }
        id
    }

    /// The number exactly as it is written.
    fn slippage(&self, problems: &mut Problems) -> Option<Slippage> {
        let Some(raw) = self.slippage else {
            return Some(Slippage::DEFAULT);
        };
        let read = raw.get().parse::<Slippage>();
        let told = |error| {
            format!(
                "slippage must be a number from 0 to 1, {} {error}",
                shown(raw.get())
            )
        };
        read.map_err(|error| problems.add(told(error))).ok()
    }

    fn taker(&self, problems: &mut Problems) -> Taker {
        let given = self.taker_address.and_then(|raw| address(raw, problems));
        let given = given.filter(|taker| taker.felt() != Felt::ZERO);
        let is_private = truth("private", self.private, false, problems);
        match (given, is_private) {
            (Some(_), true) => {
                let problem = "takerAddress and private exclude each other: the taker of a private \
                     swap is the executor";
                problems.add(problem.to_owned());
                Taker::Private
            }
            (None, true) => Taker::Private,
            (Some(taker), false) => Taker::Is(taker),
            (None, false) => Taker::OfQuote,
        }
    }
}

fn text(raw: &RawValue) -> Option<Cow<'_, str>> {
    serde_json::from_str(raw.get()).ok()
}

fn address(raw: &RawValue, problems: &mut Problems) -> Option<Address> {
    let Some(text) = text(raw) else {
        let told = format!("takerAddress must be a text, not {}", shown(raw.get()));
        problems.add(told);
        return None;
    };
    let read = text.parse::<Address>();
    let told = |error| format!("takerAddress {} {error}", shown(&text));
    read.map_err(|error| problems.add(told(error))).ok()
}

fn truth(name: &str, raw: Option<&RawValue>, absent: bool, problems: &mut Problems) -> bool {
    match raw.map(RawValue::get) {
        None => absent,
        Some("true") => true,
        Some("false") => false,
        Some(other) => {
            problems.add(format!(
                "{name} must be true or false, not {}",
                shown(other)
            ));
            absent
        }
    }
}

/// The calls that execute a quote.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BuiltCalls)]
#[serde(rename_all = "camelCase")]
pub(super) struct BuiltBody {
    /// The chain that they are for.
    #[schema(example = "0x534e5f53544f41")]
    chain_id: String,
    /// The calls, to be executed in one transaction.
    calls: Vec<CallBody>,
    /// The contract that executes the calls of a private swap; absent if the
    /// swap is none.
    #[schema(value_type = Option<String>, example = "0x1234")]
    #[serde(skip_serializing_if = "Option::is_none")]
    executor_address: Option<Address>,
}

/// A call of a contract.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Call)]
#[serde(rename_all = "camelCase")]
pub(super) struct CallBody {
    #[schema(value_type = String, example = "0x1234")]
    contract_address: Address,
    #[schema(example = "multi_route_swap")]
    entrypoint: &'static str,
    /// Hexadecimal.
    #[schema(example = json!(["0x49d3", "0xde0b6b3a7640000", "0x0"]))]
    calldata: Vec<String>,
}

impl From<Built> for BuiltBody {
    fn from(built: Built) -> Self {
        Self {
            chain_id: felt_to_hex(built.chain_id),
            calls: built.calls.into_iter().map(CallBody::from).collect(),
            executor_address: built.executor,
        }
    }
}

impl From<Call> for CallBody {
    fn from(call: Call) -> Self {
        Self {
            contract_address: call.to,
            entrypoint: call.entrypoint,
            calldata: call.calldata.into_iter().map(felt_to_hex).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_body_makes_it_panic(
            fields in proptest::collection::vec((
                "quoteId|takerAddress|slippage|includeApprove|private|x",
                r#"null|true|-?[0-9]{1,3}(\.[0-9]{1,40})?([eE][+-]?[0-9]{1,3})?|"[ -!#-\[\]-~]{0,12}"|\[\]|\{\}"#,
            ), 0..6),
        ) {
            let fields: Vec<_> = fields.iter().map(|(key, value)| format!("{key:?}: {value}")).collect();
            let text = format!("{{{}}}", fields.join(", "));
            if let Ok(body) = serde_json::from_str::<BuildBody<'_>>(&text) {
                let _ = body.read();
            }
        }
    }
}
