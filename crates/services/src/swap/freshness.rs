//! Whether the newest block here is new enough to trade on.
//!
//! A quote of an old block promises what the pools no longer pay. So there is
//! none while blocks are missing, or while nobody says whether any are. A chain
//! that stands still is not old: its node answers, and has no newer block.

use crate::{indexer::ProgressView, snapshot::Snapshot};
use primitives::{SignedDuration, Timestamp};

/// What still counts as new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FreshnessLimits {
    /// Blocks that may be missing between the newest one here and the node's.
    pub max_lag_blocks: u64,
    /// How long ago the node may have answered; in a process without one, the
    /// store that it follows.
    pub max_silence: SignedDuration,
    /// How old the newest block may be. Only for a process that has no node to
    /// ask: it cannot tell a chain that stands still from an indexer that does.
    pub max_block_age: Option<SignedDuration>,
}

/// Why there is nothing to trade on for now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stale {
    /// No block has been read yet.
    Empty,
    /// Blocks are missing.
    Behind {
        /// The newest block here.
        block: u64,
        /// The node's newest block.
        head: u64,
    },
    /// The node does not answer.
    Silent {
        /// For so long; none if it never did.
        seconds: Option<i64>,
    },
    /// The newest block is too old.
    Old {
        /// By its own time.
        seconds: i64,
    },
}

impl FreshnessLimits {
    /// Whether a snapshot is new enough, by what is known of the node.
    pub(super) fn check(
        &self,
        snapshot: &Snapshot,
        seen: &ProgressView,
        now: Timestamp,
    ) -> Result<(), Stale> {
        let (Some(head), Some(at)) = (seen.node_head, seen.answered_at) else {
            return Err(Stale::Silent { seconds: None });
        };
        let silence = now.duration_since(at);
        if silence > self.max_silence {
            let seconds = Some(silence.as_secs());
            return Err(Stale::Silent { seconds });
        }
        let (block, head) = (snapshot.head.number, head.number);
        if head.saturating_sub(block) > self.max_lag_blocks {
            return Err(Stale::Behind { block, head });
        }
        let age = now.duration_since(snapshot.head_time);
        if self.max_block_age.is_some_and(|most| age > most) {
            let seconds = age.as_secs();
            return Err(Stale::Old { seconds });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{recent_blocks::RecentBlocks, trail::Trail};
    use amm::book::Pools;
    use market::figures::Figures;
    use primitives::{BlockRef, Felt};
    use std::sync::Arc;

    const LIMITS: FreshnessLimits = FreshnessLimits {
        max_lag_blocks: 5,
        max_silence: SignedDuration::from_secs(10),
        max_block_age: None,
    };

    fn block(number: u64) -> BlockRef {
        BlockRef {
            number,
            hash: Felt::from(number),
        }
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    /// A block of the second 0.
    fn snapshot(number: u64) -> Snapshot {
        Snapshot {
            shunned: Arc::default(),
            standing: Arc::default(),
            provisional: false,
            head: block(number),
            head_time: at(0),
            tokens: Arc::default(),
            pools: Pools::default(),
            graph: Arc::default(),
            trail: Trail::default(),
            recent: RecentBlocks::default(),
            figures: Figures::default(),
        }
    }

    fn seen(head: u64, second: i64) -> ProgressView {
        ProgressView {
            node_head: Some(block(head)),
            answered_at: Some(at(second)),
            ..ProgressView::default()
        }
    }

    #[test]
    fn some_blocks_may_be_missing_and_not_one_more() {
        let check = |number| LIMITS.check(&snapshot(number), &seen(100, 0), at(0));
        assert_eq!(check(95), Ok(()));
        let behind = Stale::Behind {
            block: 94,
            head: 100,
        };
        assert_eq!(check(94), Err(behind));
        assert_eq!(check(101), Ok(()), "the node was reorganised");
    }

    #[test]
    fn a_node_may_be_silent_for_a_while_and_no_longer() {
        let check = |now| LIMITS.check(&snapshot(7), &seen(7, 100), at(now));
        assert_eq!(check(110), Ok(()));
        let seconds = Some(11);
        assert_eq!(check(111), Err(Stale::Silent { seconds }));
        let never = LIMITS.check(&snapshot(7), &ProgressView::default(), at(0));
        assert_eq!(never, Err(Stale::Silent { seconds: None }));
    }

    #[test]
    fn a_chain_may_stand_still_while_its_node_answers_unless_nobody_can_ask_one() {
        let (day, seen) = (86_400, seen(7, 86_400));
        assert_eq!(LIMITS.check(&snapshot(7), &seen, at(day)), Ok(()));
        let alone = FreshnessLimits {
            max_block_age: Some(SignedDuration::from_secs(60)),
            ..LIMITS
        };
        let old = alone.check(&snapshot(7), &seen, at(day));
        assert_eq!(old, Err(Stale::Old { seconds: day }));
    }
}
