//! Forgetting the details of old blocks, some at a time, where the operator wants that.

use super::Indexer;
use crate::fault::Fault;

/// Blocks whose details go in one transaction, and one round.
const BATCH: u16 = 256;

impl Indexer {
    /// Forgets the details of some blocks that are older than they are to be kept,
    /// seen from the newest one.
    pub(super) async fn forget_old(&mut self) -> Result<(), Fault> {
        let (Some(keep), Some(tip)) = (self.options.keep_details, self.state.tip) else {
            return Ok(());
        };
        let Ok(before) = tip.time.checked_sub(keep) else {
            return Ok(());
        };
        let chain = self.store.chain();
        let forgotten = chain.forget_details(self.forgotten, before, BATCH).await?;
        self.forgotten = forgotten.or(self.forgotten);
        Ok(())
    }
}
