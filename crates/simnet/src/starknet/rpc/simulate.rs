//! What transactions would do and cost.

use super::broadcast::read;
use super::error::{execution_error, not_executed};
use super::hex::number;
use super::id::BlockId;
use super::render::{state_diff, trace};
use crate::jsonrpc::{Answer, Arguments, Params, RpcError, result};
use crate::starknet::execution::{View, Writes};
use crate::starknet::gas::Prices;
use crate::starknet::node::StarknetNode;
use crate::starknet::process::{self, Charge, Outcome, Reversal};
use crate::starknet::refusal::Refusal;
use crate::starknet::storage::place;
use crate::starknet::trace::Invocation;
use crate::starknet::transaction::Request;
use primitives::Felt;
use primitives::transaction_hash::ResourceBounds;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Transactions in one request.
const MAX_TRANSACTIONS: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Flag {
    SkipValidate,
    SkipFeeCharge,
}

/// What a simulation does as the network would.
#[derive(Debug, Clone, Copy)]
struct Mode {
    validate: bool,
    charge: Charge,
    traced: bool,
}

/// A simulated transaction.
struct Simulated {
    request: Request,
    validation: Option<Invocation>,
    outcome: Outcome,
    /// At which it would be charged.
    prices: Prices,
}

pub(super) fn estimate_fee(node: &StarknetNode, params: Params) -> Answer {
    let mut arguments = params.named(&["request", "simulation_flags", "block_id"])?;
    let flags = flags(&mut arguments)?;
    if flags.contains(&Flag::SkipFeeCharge) {
        return Err(RpcError::invalid_params(
            "simulation_flags: only SKIP_VALIDATE is possible",
        ));
    }
    let mode = Mode {
        validate: !flags.contains(&Flag::SkipValidate),
        charge: Charge::Nothing,
        traced: false,
    };
    let simulated = run(node, &mut arguments, "request", mode)?;
    let mut estimates = Vec::new();
    for (index, one) in simulated.iter().enumerate() {
        match &one.outcome.reversal {
            None => estimates.push(estimate(one)),
            Some(Reversal::Call(failure)) => {
                return Err(not_executed(index, execution_error(failure)));
            }
            Some(other) => return Err(not_executed(index, other.to_string())),
        }
    }
    result(&estimates)
}

pub(super) fn simulate(node: &StarknetNode, params: Params) -> Answer {
    let mut arguments = params.named(&["block_id", "transactions", "simulation_flags"])?;
    let flags = flags(&mut arguments)?;
    let mode = Mode {
        validate: !flags.contains(&Flag::SkipValidate),
        charge: if flags.contains(&Flag::SkipFeeCharge) {
            Charge::Nothing
        } else {
            Charge::Fee
        },
        traced: true,
    };
    let simulated = run(node, &mut arguments, "transactions", mode)?;
    let chain = node.read();
    let now = chain.view(chain.head().number);
    let was_there = |contract| now.class_hash(contract) != Felt::ZERO;
    let answers: Vec<Value> = simulated
        .iter()
        .map(|one| {
            let outcome = &one.outcome;
            let diff = state_diff(
                outcome
                    .effects
                    .writes
                    .iter()
                    .map(|(key, value)| (key, *value)),
                was_there,
                place,
            );
            json!({
                "transaction_trace": trace(&one.request, one.validation.as_ref(), outcome, diff),
                "fee_estimation": estimate(one),
            })
        })
        .collect();
    result(&answers)
}

fn flags(arguments: &mut Arguments) -> Result<Vec<Flag>, RpcError> {
    arguments.required("simulation_flags")
}

/// Runs the transactions one after the other on the state of a block, without
/// any effect on the chain.
fn run(
    node: &StarknetNode,
    arguments: &mut Arguments,
    name: &str,
    mode: Mode,
) -> Result<Vec<Simulated>, RpcError> {
    let id: BlockId = arguments.required("block_id")?;
    let transactions: Vec<Value> = arguments.required(name)?;
    if transactions.len() > MAX_TRANSACTIONS {
        return Err(RpcError::invalid_params(format!(
            "{name}: more than {MAX_TRANSACTIONS} transactions"
        )));
    }
    let requests: Vec<Request> = transactions
        .into_iter()
        .map(|transaction| read(transaction).map(|(request, _)| request))
        .collect::<Result<_, _>>()?;
    let chain = node.read();
    let seen = id.view(&chain, node.now())?;
    let prices = id
        .sealed(&chain)?
        .map_or(chain.open().prices, |block| block.prices);
    let mut earlier = Writes::new();
    let mut simulated = Vec::new();
    for (index, request) in requests.into_iter().enumerate() {
        let view = View {
            earlier: Some(&earlier),
            ..seen
        };
        let (validation, outcome) = step(view, &request, prices, mode)
            .map_err(|refusal| not_executed(index, refusal.to_string()))?;
        earlier.extend(
            outcome
                .effects
                .writes
                .iter()
                .map(|(key, value)| (*key, *value)),
        );
        simulated.push(Simulated {
            request,
            validation,
            outcome,
            prices,
        });
    }
    Ok(simulated)
}

fn step(
    view: View<'_>,
    request: &Request,
    prices: Prices,
    mode: Mode,
) -> Result<(Option<Invocation>, Outcome), Refusal> {
    process::check_sender(view, request)?;
    // As on the network, one who allows nothing only wants to know.
    let charge = if request.signed.terms.bounds == ResourceBounds::default() {
        Charge::Nothing
    } else {
        mode.charge
    };
    if charge == Charge::Fee {
        process::check_fee(view, request, prices)?;
    }
    let validation = if mode.validate {
        process::validate(view, request, mode.traced)?
    } else {
        None
    };
    let outcome = process::apply(view, request, prices, charge, mode.traced)?;
    Ok((validation, outcome))
}

#[derive(Serialize)]
struct EstimateJson {
    #[serde(serialize_with = "number")]
    l1_gas_consumed: u64,
    #[serde(serialize_with = "number")]
    l1_gas_price: u128,
    #[serde(serialize_with = "number")]
    l2_gas_consumed: u64,
    #[serde(serialize_with = "number")]
    l2_gas_price: u128,
    #[serde(serialize_with = "number")]
    l1_data_gas_consumed: u64,
    #[serde(serialize_with = "number")]
    l1_data_gas_price: u128,
    #[serde(serialize_with = "number")]
    overall_fee: u128,
    unit: &'static str,
}

fn estimate(simulated: &Simulated) -> EstimateJson {
    let (prices, resources) = (simulated.prices, simulated.outcome.resources);
    EstimateJson {
        l1_gas_consumed: resources.l1,
        l1_gas_price: prices.l1.fri,
        l2_gas_consumed: resources.l2,
        l2_gas_price: prices.l2.fri,
        l1_data_gas_consumed: resources.l1_data,
        l1_data_gas_price: prices.l1_data.fri,
        overall_fee: resources.fee(prices, simulated.request.signed.terms.tip),
        unit: "FRI",
    }
}
