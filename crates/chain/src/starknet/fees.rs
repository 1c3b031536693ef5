//! What a node expects a transaction to cost.

use super::{
    broadcast::{Broadcast, WireTransaction},
    calls::ByHash,
    felt::WireFelt,
    outcome::amount,
};
use crate::{error::RpcError, jsonrpc::JsonRpc};
use primitives::BlockRef;
use primitives::transaction_hash::{Bound, ResourceBounds, Version};
use serde::{Deserialize, Serialize, de::Error as _};

const METHOD: &str = "starknet_estimateFee";

/// What a transaction uses, and what a unit of it costs, in FRI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct FeeEstimate {
    /// Messages to the base layer.
    #[serde(deserialize_with = "amount")]
    pub l1_gas_consumed: u128,
    /// The price of a unit.
    #[serde(deserialize_with = "amount")]
    pub l1_gas_price: u128,
    /// Published state.
    #[serde(deserialize_with = "amount")]
    pub l1_data_gas_consumed: u128,
    /// The price of a unit.
    #[serde(deserialize_with = "amount")]
    pub l1_data_gas_price: u128,
    /// Computation.
    #[serde(deserialize_with = "amount")]
    pub l2_gas_consumed: u128,
    /// The price of a unit.
    #[serde(deserialize_with = "amount")]
    pub l2_gas_price: u128,
    /// All of it.
    #[serde(deserialize_with = "amount")]
    pub overall_fee: u128,
}

impl FeeEstimate {
    /// Bounds with so many per cent of room in amounts and in prices; `None`
    /// beyond what a transaction can say.
    #[must_use]
    pub fn bounds(&self, room_percent: u32) -> Option<ResourceBounds> {
        let wider = |number: u128| {
            let whole = number.checked_mul(100_u128.checked_add(room_percent.into())?)?;
            Some(whole.div_ceil(100))
        };
        let bound = |consumed, price| {
            Some(Bound {
                max_amount: u64::try_from(wider(consumed)?).ok()?,
                max_price_per_unit: wider(price)?,
            })
        };
        Some(ResourceBounds {
            l1_gas: bound(self.l1_gas_consumed, self.l1_gas_price)?,
            l2_gas: bound(self.l2_gas_consumed, self.l2_gas_price)?,
            l1_data_gas: bound(self.l1_data_gas_consumed, self.l1_data_gas_price)?,
        })
    }
}

#[derive(Serialize)]
struct Question<'a> {
    request: Vec<WireTransaction>,
    simulation_flags: &'a [&'static str],
    block_id: ByHash,
}

/// The estimate for one transaction, as [`estimate_all`] has it.
pub(super) async fn estimate(
    rpc: &JsonRpc,
    broadcast: &Broadcast,
    at: BlockRef,
) -> Result<FeeEstimate, RpcError> {
    let estimates = estimate_all(rpc, &[broadcast], at).await?;
    estimates.into_iter().next().ok_or_else(miscounted)
}

fn miscounted() -> RpcError {
    let counted = serde_json::Error::custom("not as many estimates as transactions");
    RpcError::malformed(METHOD, counted)
}

/// The estimates for transactions one after the other, whose signatures are not
/// looked at, on top of a block.
pub(super) async fn estimate_all(
    rpc: &JsonRpc,
    broadcasts: &[&Broadcast],
    at: BlockRef,
) -> Result<Vec<FeeEstimate>, RpcError> {
    let request = broadcasts
        .iter()
        .map(|broadcast| WireTransaction::new(broadcast, Version::QueryV3));
    let question = Question {
        request: request.collect(),
        simulation_flags: &["SKIP_VALIDATE"],
        block_id: ByHash {
            block_hash: WireFelt(at.hash),
        },
    };
    let estimates: Vec<FeeEstimate> = rpc.call(METHOD, &question).await?;
    if estimates.len() != broadcasts.len() {
        return Err(miscounted());
    }
    Ok(estimates)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(consumed: u128, price: u128) -> FeeEstimate {
        FeeEstimate {
            l1_gas_consumed: 0,
            l1_gas_price: price,
            l1_data_gas_consumed: consumed,
            l1_data_gas_price: price,
            l2_gas_consumed: consumed,
            l2_gas_price: price,
            overall_fee: 0,
        }
    }

    #[test]
    fn bounds_are_never_below_what_is_expected() {
        let bounds = estimate(333, 7).bounds(50).unwrap();
        assert_eq!(
            (bounds.l2_gas.max_amount, bounds.l2_gas.max_price_per_unit),
            (500, 11)
        );
        assert_eq!(bounds.l1_gas.max_amount, 0);
        let bounds = estimate(333, 7).bounds(0).unwrap();
        assert_eq!(
            (
                bounds.l1_data_gas.max_amount,
                bounds.l1_gas.max_price_per_unit
            ),
            (333, 7)
        );
    }

    #[test]
    fn what_no_transaction_can_say_has_no_bounds() {
        assert_eq!(estimate(1 << 64, 1).bounds(0), None);
        assert_eq!(estimate(1, u128::MAX).bounds(1), None);
    }
}
