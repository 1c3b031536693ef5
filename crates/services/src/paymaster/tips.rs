//! What most offer those who make blocks.

use super::nodes::AskedNodes;
use crate::fault::Fault;
use primitives::BlockRef;
use std::sync::{Mutex, PoisonError};

/// The tips of the newest block that was looked at.
#[derive(Debug)]
pub(super) struct Tips {
    nodes: AskedNodes,
    kept: Mutex<Option<(BlockRef, u64)>>,
}

impl Tips {
    pub(super) fn new(nodes: AskedNodes) -> Self {
        Self {
            nodes,
            kept: Mutex::default(),
        }
    }

    /// What half of the transactions of a block offer at most. A block without any
    /// says nothing new.
    pub(super) async fn median(&self, at: BlockRef) -> Result<u64, Fault> {
        let before = *self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((block, median)) = before
            && block == at
        {
            return Ok(median);
        }
        let asked = |node: chain::StarknetClient| async move { node.tips(at).await };
        let mut tips = self.nodes.ask(asked).await??;
        tips.sort_unstable();
        let median = tips.get(tips.len() / 2).copied();
        let median = median.unwrap_or_else(|| before.map_or(0, |(_, median)| median));
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = Some((at, median));
        Ok(median)
    }
}
