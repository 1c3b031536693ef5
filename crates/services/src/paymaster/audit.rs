//! Every charge of a sponsor, recomputed from the receipts of a node.

use crate::fault::Fault;
use chain::StarknetClient;
use primitives::Felt;
use store::{SponsoredState, Store};

/// What a sponsor was charged in all, and what it should have been.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SponsorAudit {
    /// Transactions that were looked at: final ones, which alone are charged.
    pub charges: u64,
    /// What was charged, in the smallest unit of STRK.
    pub charged: u128,
    /// What the receipts say, and what pools took.
    pub receipts: u128,
    /// Hashes of charges that differ from their receipts, or have none.
    pub wrong: Vec<Felt>,
}

/// Compares every charge of a sponsor with the receipt of its transaction.
pub async fn audit_sponsor(
    store: &Store,
    node: &StarknetClient,
    chain_id: Felt,
    sponsor: &str,
) -> Result<SponsorAudit, Fault> {
    let mut audit = SponsorAudit::default();
    let mut after = None;
    loop {
        let ledger = store.ledger();
        let rows = ledger.charged_sponsored(chain_id, sponsor, after).await?;
        let Some(last) = rows.last() else {
            return Ok(audit);
        };
        after = Some(last.hash);
        let hashes: Vec<_> = rows.iter().map(|row| row.hash).collect();
        let receipts = node.transaction_receipts(&hashes).await?;
        for (row, receipt) in rows.iter().zip(receipts) {
            let charged = match row.state {
                SponsoredState::Final(outcome) => outcome.fee,
                SponsoredState::Open(_) | SponsoredState::Released => 0,
            };
            let fee = receipt.map(|receipt| match receipt.executed.revert_reason {
                None => receipt.fee.saturating_add(row.pool_fee),
                Some(_) => receipt.fee,
            });
            audit.charges += 1;
            audit.charged = audit.charged.saturating_add(charged);
            audit.receipts = audit.receipts.saturating_add(fee.unwrap_or(0));
            if fee != Some(charged) {
                audit.wrong.push(row.hash);
            }
        }
    }
}
