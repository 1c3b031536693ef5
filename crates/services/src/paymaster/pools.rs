//! What private pools take, and what gas costs, at the newest block.

use super::{error::PaymasterError, nodes::AskedNodes, per_block::PerBlock};
use chain::StarknetClient;
use primitives::{Address, BlockRef};

/// Fees of pools and the price of gas, each asked for once in a block.
#[derive(Debug)]
pub(super) struct Pools {
    nodes: AskedNodes,
    fees: PerBlock<Address, Option<u128>>,
    gas: PerBlock<(), u128>,
}

impl Pools {
    pub(super) fn new(nodes: AskedNodes) -> Self {
        Self {
            nodes,
            fees: PerBlock::default(),
            gas: PerBlock::default(),
        }
    }

    /// What a pool takes, if it says so, in the smallest unit of STRK.
    pub(super) async fn fee(
        &self,
        pool: Address,
        at: BlockRef,
    ) -> Result<Option<u128>, PaymasterError> {
        if let Some(fee) = self.fees.get(at, &pool) {
            return Ok(fee);
        }
        let asked = |node: StarknetClient| async move { node.pool_fee(pool, at).await };
        let fee = self.nodes.ask(asked).await??;
        self.fees.put(at, pool, fee);
        Ok(fee)
    }

    /// What a unit of L2 gas costs, in the smallest unit of STRK.
    pub(super) async fn gas_price(&self, at: BlockRef) -> Result<u128, PaymasterError> {
        if let Some(price) = self.gas.get(at, &()) {
            return Ok(price);
        }
        let asked = |node: StarknetClient| async move { node.gas().await };
        let price = self.nodes.ask(asked).await??.l2;
        self.gas.put(at, (), price);
        Ok(price)
    }
}
