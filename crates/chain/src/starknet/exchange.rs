//! The terms of the exchange contract that executes routes, and what gas costs.

use super::{
    calls::{View, ask},
    felt::{WireFelt, u128_from_hex},
    venues::Words,
};
use crate::{error::RpcError, jsonrpc::JsonRpc};
use primitives::{Address, BlockRef, Felt, OrImpossible as _};
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

/// The exchange's own fees: for one swap, for more, and for an exact purchase.
const FEES: [&str; 3] = [
    "get_fees_bps_0",
    "get_fees_bps_1",
    "get_swap_exact_token_to_fees_bps",
];

/// What an exchange contract is asked.
#[derive(Debug, Clone, Copy)]
pub struct ExchangeQuestion<'a> {
    /// The contract.
    pub exchange: Address,
    /// The tokens whose weights are asked for.
    pub tokens: &'a [Address],
    /// The recipients of integrators' fees of whom is asked whether the
    /// exchange waives its own.
    pub integrators: &'a [Address],
}

/// What it says; `None` where it has no such view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExchangeAnswer {
    /// Basis points for one swap.
    pub one: Option<u64>,
    /// Basis points for more swaps.
    pub many: Option<u64>,
    /// Basis points for an exact purchase.
    pub exact_out: Option<u64>,
    /// The tokens' weights, in order.
    pub weights: Vec<Option<u64>>,
    /// Whether the fee is waived for the integrators, in order.
    pub waived: Vec<Option<bool>>,
}

/// What a unit of gas costs in a block, in FRI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockGas {
    /// The block.
    pub at: BlockRef,
    /// Gas of the layer below.
    pub l1: u128,
    /// Data on the layer below.
    pub l1_data: u128,
    /// Gas of the chain itself.
    pub l2: u128,
}

#[derive(Serialize)]
pub(super) struct Latest {
    block_id: &'static str,
}

impl Latest {
    pub(super) const BLOCK: Self = Self { block_id: "latest" };
}

#[derive(Deserialize)]
struct PricedHeader {
    block_hash: WireFelt,
    block_number: u64,
    l1_gas_price: Price,
    l1_data_gas_price: Price,
    l2_gas_price: Price,
}

#[derive(Deserialize)]
struct Price {
    #[serde(deserialize_with = "number")]
    price_in_fri: u128,
}

fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u128, D::Error> {
    let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
    u128_from_hex(&text).ok_or_else(|| D::Error::custom("not a number of 128 bits"))
}

pub(super) async fn gas(rpc: &JsonRpc) -> Result<BlockGas, RpcError> {
    let header: PricedHeader = rpc
        .call("starknet_getBlockWithTxHashes", &Latest::BLOCK)
        .await?;
    Ok(BlockGas {
        at: BlockRef {
            number: header.block_number,
            hash: header.block_hash.0,
        },
        l1: header.l1_gas_price.price_in_fri,
        l1_data: header.l1_data_gas_price.price_in_fri,
        l2: header.l2_gas_price.price_in_fri,
    })
}

pub(super) async fn terms(
    rpc: &JsonRpc,
    question: ExchangeQuestion<'_>,
    block_hash: Felt,
) -> Result<ExchangeAnswer, RpcError> {
    let ExchangeQuestion {
        exchange,
        tokens,
        integrators,
    } = question;
    let of = |entrypoint: &'static str, about: &Address| View {
        contract: exchange,
        entrypoint,
        calldata: vec![about.felt()],
    };
    let fees = FEES.iter().map(|name| View::plain(exchange, name));
    let weights = tokens.iter().map(|token| of("get_token_fee_config", token));
    let waived = integrators
        .iter()
        .map(|integrator| of("is_integrator_whitelisted", integrator));
    let views: Vec<View> = fees.chain(weights).chain(waived).collect();
    let said = ask(rpc, &views, block_hash).await?;
    let mut numbers = said.into_iter().map(|said| {
        let felts = said.felts()?;
        Ok(felts.and_then(|felts| Words::new(&[], &felts).u64().ok()))
    });
    let mut next = || {
        let said = numbers.next().or_impossible("each view is answered");
        said.unwrap_or(Ok(None))
    };
    Ok(ExchangeAnswer {
        one: next()?,
        many: next()?,
        exact_out: next()?,
        weights: tokens.iter().map(|_| next()).collect::<Result<_, _>>()?,
        waived: integrators
            .iter()
            .map(|_| Ok(next()?.map(|flag| flag != 0)))
            .collect::<Result<_, _>>()?,
    })
}
