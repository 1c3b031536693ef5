//! Staking with one staker: what is known of it, and whom to ask for more.

use super::{
    day_rates::{DayRate, DayRates},
    options::StakingOptions,
    staker::Staker,
};
use crate::{fault::Fault, snapshot::Snapshots};
use arc_swap::ArcSwapOption;
use chain::{RpcError, StakerAnswer, StakerQuestion, StarknetClient};
use market::following::Lead;
use primitives::{Address, BlockRef};
use std::sync::Arc;
use store::Store;

/// Staking with one staker. Clones share everything.
#[derive(Debug, Clone)]
pub struct Staking(Arc<Inner>);

#[derive(Debug)]
pub(super) struct Inner {
    pub(super) options: StakingOptions,
    /// In the order of preference.
    pub(super) nodes: Vec<StarknetClient>,
    pub(super) store: Store,
    pub(super) snapshots: Snapshots,
    /// None before it was read.
    pub(super) staker: ArcSwapOption<Staker>,
    pub(super) rates: DayRates,
}

impl Staking {
    /// Staking of which nothing is known yet.
    pub fn new(
        options: StakingOptions,
        nodes: Vec<StarknetClient>,
        store: Store,
        snapshots: Snapshots,
    ) -> Self {
        Self(Arc::new(Inner {
            options,
            nodes,
            store,
            snapshots,
            staker: ArcSwapOption::empty(),
            rates: DayRates::default(),
        }))
    }

    /// What must be followed for members' histories to be known: the pools.
    pub fn leads(pools: impl IntoIterator<Item = Address>, from_block: u64) -> Vec<Lead> {
        let lead = |contract| Lead {
            contract,
            from_block,
            births: Vec::new(),
        };
        pools.into_iter().map(lead).collect()
    }

    /// How it is set up.
    pub fn options(&self) -> &StakingOptions {
        &self.0.options
    }

    /// The staker as it was last read; `None` before that.
    pub fn staker(&self) -> Option<Arc<Staker>> {
        self.0.staker.load_full()
    }

    /// What stakes in a pool earned on the last days, the oldest first.
    pub fn day_rates(&self, pool: Address) -> Vec<DayRate> {
        self.0.rates.of(pool)
    }

    pub(super) fn inner(&self) -> &Inner {
        &self.0
    }
}

impl Inner {
    /// What the first node says of the staker that answers.
    pub(super) async fn ask(&self, at: BlockRef) -> Result<Option<StakerAnswer>, Fault> {
        let question = StakerQuestion {
            contract: self.options.contract,
            staker: self.options.staker,
        };
        let ask = |node: StarknetClient| async move { node.staker(question, at).await };
        self.first_of(ask).await
    }

    /// The answer of the first node that has one.
    pub(super) async fn first_of<T, A>(&self, ask: impl Fn(StarknetClient) -> A) -> Result<T, Fault>
    where
        A: Future<Output = Result<T, RpcError>>,
    {
        let mut last = Fault::NoNode;
        for node in &self.nodes {
            match ask(node.clone()).await {
                Ok(answer) => return Ok(answer),
                Err(error) => last = error.into(),
            }
        }
        Err(last)
    }
}
