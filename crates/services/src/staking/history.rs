//! What a member did so far, by the events of their pool that were followed.

use super::{handle::Staking, staker::StakingPool};
use crate::fault::Fault;
use market::following::{ContractEvent, Fee};
use primitives::{Address, BlockRef, Felt, Timestamp};
use trading::staking::{Action, DeedReader};

/// Events that are read at once.
const PAGE: u32 = 1_000;

/// Pages that are read of one member; what came later is not told.
const MAX_PAGES: usize = 20;

/// Something that a member did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PastDeed {
    /// The height of the block.
    pub block: u64,
    /// The time in that block's header.
    pub time: Timestamp,
    /// The hash of the transaction in which it was done.
    pub transaction: Felt,
    /// What that cost, if it is known.
    pub fee: Option<Fee>,
    /// What was done.
    pub action: Action,
}

impl Staking {
    /// What somebody did in a pool until a block, the oldest first; `None` if the
    /// block is not stored any more.
    pub async fn history(
        &self,
        pool: &StakingPool,
        user: Address,
        at: BlockRef,
    ) -> Result<Option<Vec<PastDeed>>, Fault> {
        let chain = self.inner().store.chain();
        let mut reader = DeedReader::default();
        let (mut deeds, mut after) = (Vec::new(), None);
        for _ in 0..MAX_PAGES {
            let page = chain.events_of(pool.address, Some(user.felt()), at, after, PAGE);
            let Some(page) = page.await? else {
                return Ok(None);
            };
            for event in &page {
                let deed = reader.read(event.transaction_hash, &event.keys, &event.data);
                deeds.extend(deed.map(|deed| PastDeed {
                    block: event.block,
                    time: event.time,
                    transaction: event.transaction_hash,
                    fee: event.fee,
                    action: deed.action,
                }));
            }
            after = page.last().map(ContractEvent::place);
            if page.len() < PAGE as usize {
                break;
            }
        }
        Ok(Some(deeds))
    }
}
