//! Settlement: finalised payments are found and applied, each exactly once.
//!
//! Every payment names the platform's wallet, so that the history of that
//! wallet has them all. A round reads what was added to it since the cursor,
//! the oldest first, in portions, and moves the cursor when one is applied. Applying a
//! transaction a second time changes nothing, so that a round may be cut off
//! anywhere, repeated, or made by two replicas at once. Payments that are still
//! open are also looked for by their reference keys, a few in each round, in
//! case a node has forgotten a part of the wallet's history.

use super::{audit::Subject, context::Context, leases::claim};
use crate::fault::Fault;
use chain::{MAX_SIGNATURES, SignatureEntry, SignaturePage, SolanaClient};
use futures_util::{StreamExt as _, stream};
use leasing::{Landed, Lease, Memo, Settling, Stray};
use primitives::{PublicKey, Signature, Timestamp};
use serde_json::json;
use std::sync::Arc;
use store::leasing::{Actor, ChainCursor, LedgerTx};

/// Pages of a history that a round reads at most.
const MAX_PAGES: usize = 200;

/// Entries of a history that are looked at before the cursor moves.
const PORTION: usize = 100;

/// Transactions that are fetched side by side.
const SIDE_BY_SIDE: usize = 8;

/// Open payments that a round looks for by their references.
const REFERENCES: u16 = 10;

/// Transactions that are looked at for one reference.
const MAX_PER_REFERENCE: u16 = 20;

/// Memos of one transaction that are looked up.
const MAX_MEMOS: usize = 16;

/// What a round did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Settled {
    /// Leases that became active.
    pub activated: u32,
    /// Payments that were recorded for a refund.
    pub strays: u32,
}

/// What became of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Applied {
    Activated,
    Stray,
    Nothing,
}

/// Looks for payments.
#[derive(Debug)]
pub struct Settlement {
    context: Arc<Context>,
    /// The open payment whose reference was looked for last.
    looked_for: Option<(Timestamp, Memo)>,
}

impl Settlement {
    pub(super) fn new(context: Arc<Context>) -> Self {
        Self {
            context,
            looked_for: None,
        }
    }

    /// Looks once: at what happened to the platform's wallet since the last
    /// round, the oldest first, and for a few open payments.
    pub async fn round(&mut self) -> Result<Settled, Fault> {
        let context = &*self.context;
        let client = context.nodes.client()?;
        let mut settled = Settled::default();
        self.follow_wallet(&client, &mut settled).await?;
        self.look_for_references(&client, &mut settled).await?;
        Ok(settled)
    }

    async fn follow_wallet(
        &self,
        client: &SolanaClient,
        settled: &mut Settled,
    ) -> Result<(), Fault> {
        let context = &*self.context;
        let (wallet, genesis) = (context.options.platform_wallet, client.genesis());
        let cursor = context.store.ledger().cursor(wallet, genesis).await?;
        let entries = history(client, wallet, cursor.map(|cursor| cursor.signature)).await?;
        let oldest_first: Vec<_> = entries.iter().rev().collect();
        for portion in oldest_first.chunks(PORTION) {
            let seen = self.look_at(client, portion, settled).await?;
            if let Some(last) = seen.checked_sub(1).and_then(|last| portion.get(last)) {
                let reached = ChainCursor {
                    signature: last.signature,
                    slot: last.slot,
                };
                let mut tx = context.store.ledger().begin().await?;
                tx.advance_cursor(wallet, genesis, reached).await?;
                tx.commit().await?;
            }
            if seen < portion.len() {
                // The node has an entry and not yet the transaction: next time.
                break;
            }
        }
        Ok(())
    }

    async fn look_for_references(
        &mut self,
        client: &SolanaClient,
        settled: &mut Settled,
    ) -> Result<(), Fault> {
        let context = &*self.context;
        let after = self.looked_for.as_ref();
        let after = after.map(|(expires_at, memo)| (*expires_at, memo.as_str()));
        let open = context
            .store
            .ledger()
            .leases_to_pay(Timestamp::MAX, after, REFERENCES);
        let open = open.await?;
        for lease in &open {
            let page = SignaturePage {
                limit: MAX_PER_REFERENCE,
                ..SignaturePage::default()
            };
            let reference = lease.payment.memo().reference();
            let entries = client.signatures(reference, page).await;
            let entries = entries.map_err(Fault::Solana)?;
            let oldest_first: Vec<_> = entries.iter().rev().collect();
            self.look_at(client, &oldest_first, settled).await?;
        }
        let last = open.last();
        self.looked_for = last.map(|lease| (lease.pay_until, lease.payment.memo().clone()));
        Ok(())
    }
}

/// What happened to a wallet since a transaction, the newest first.
async fn history(
    client: &SolanaClient,
    wallet: PublicKey,
    until: Option<Signature>,
) -> Result<Vec<SignatureEntry>, Fault> {
    let mut entries: Vec<SignatureEntry> = Vec::new();
    for _ in 0..MAX_PAGES {
        let page = SignaturePage {
            before: entries.last().map(|entry| entry.signature),
            until,
            limit: MAX_SIGNATURES,
        };
        let page = client
            .signatures(wallet, page)
            .await
            .map_err(Fault::Solana)?;
        let last = page.len() < usize::from(MAX_SIGNATURES);
        entries.extend(page);
        if last {
            return Ok(entries);
        }
    }
    tracing::error!(
        wallet = %wallet,
        "the wallet's history since the cursor is too long; older payments are found by reference"
    );
    Ok(entries)
}

impl Settlement {
    /// Applies what transactions paid, in order. Tells how many were looked at:
    /// fewer than there are if the node does not have one of them yet.
    async fn look_at(
        &self,
        client: &SolanaClient,
        entries: &[&SignatureEntry],
        settled: &mut Settled,
    ) -> Result<usize, Fault> {
        let mut named = Vec::new();
        for entry in entries {
            named.push(self.named_by(entry).await?);
        }
        let transactions = entries.iter().zip(&named).map(|(entry, leases)| async {
            if leases.is_empty() {
                return Ok(None);
            }
            let landed = client.transaction(entry.signature).await;
            landed.map_err(Fault::Solana)
        });
        // Fetched side by side, applied one after the other.
        let mut transactions =
            stream::iter(transactions.collect::<Vec<_>>()).buffered(SIDE_BY_SIDE);
        for (seen, leases) in named.iter().enumerate() {
            let landed = transactions.next().await.transpose()?.flatten();
            let landed = match (leases.is_empty(), landed) {
                (true, _) => continue,
                (false, Some(landed)) => landed,
                (false, None) => return Ok(seen),
            };
            for lease in leases {
                match self.apply(lease, &landed).await? {
                    Applied::Activated => settled.activated = settled.activated.saturating_add(1),
                    Applied::Stray => settled.strays = settled.strays.saturating_add(1),
                    Applied::Nothing => {}
                }
            }
        }
        Ok(entries.len())
    }

    /// The leases whose payments a transaction names, if it may have paid them
    /// and was not taken for them before.
    async fn named_by(&self, entry: &SignatureEntry) -> Result<Vec<Lease>, Fault> {
        let mut leases = Vec::new();
        if entry.failed {
            return Ok(leases);
        }
        let line = entry.memo.as_deref().unwrap_or_default();
        for memo in Memo::mentioned(line).take(MAX_MEMOS) {
            let lease = self
                .context
                .store
                .ledger()
                .lease_of_memo(memo.as_str())
                .await?;
            leases.extend(lease.filter(|lease| !lease.was_taken(entry.signature)));
        }
        Ok(leases)
    }

    /// Applies a transaction to a lease, in one transaction of ours.
    async fn apply(&self, lease: &Lease, landed: &Landed) -> Result<Applied, Fault> {
        let mut tx = self.context.store.ledger().begin().await?;
        let validator = tx.lock_validator(lease.validator).await?;
        // As they are now: nobody else changes them before we are done.
        let lease = tx.lease(lease.id).await?;
        let (Some(validator), Some(lease)) = (validator, lease) else {
            return Ok(Applied::Nothing);
        };
        match lease.settle(landed, self.context.now()) {
            Settling::Ignored => Ok(Applied::Nothing),
            Settling::Stray(stray) => self.record(tx, &lease, &stray).await,
            Settling::Paid(paid) => self.activate(tx, &lease, &paid, "lease.activated").await,
            Settling::Late(late) => {
                if claim(&mut tx, &lease, &validator).await?.is_ok() {
                    let action = "lease.late_payment_applied";
                    return self.activate(tx, &lease, &late.revived, action).await;
                }
                // What was claimed of the epochs goes with this transaction.
                drop(tx);
                let mut tx = self.context.store.ledger().begin().await?;
                tx.lock_validator(lease.validator).await?;
                if !tx.update_lease(&lease, &late.orphaned).await? {
                    return Ok(Applied::Nothing);
                }
                self.record(tx, &lease, &late.stray).await
            }
        }
    }

    /// Writes down that a lease is paid, and its epochs are held.
    async fn activate(
        &self,
        mut tx: LedgerTx,
        before: &Lease,
        active: &Lease,
        action: &str,
    ) -> Result<Applied, Fault> {
        if !tx.update_lease(before, active).await? {
            return Ok(Applied::Nothing);
        }
        let detail = active.stage.receipt().map(|receipt| {
            json!({
                "signature": receipt.signature,
                "payer": receipt.payer,
                "slot": receipt.slot,
                "surplus_lamports": receipt.surplus,
            })
        });
        let what = Subject::new("lease", &active.id);
        self.context
            .audit(&mut tx, Actor::System, action, what, &json!(detail))
            .await?;
        tx.commit().await?;
        self.context.pages.forget();
        Ok(Applied::Activated)
    }

    /// Records money for a refund, once.
    async fn record(
        &self,
        mut tx: LedgerTx,
        lease: &Lease,
        stray: &Stray,
    ) -> Result<Applied, Fault> {
        if !tx.insert_stray(stray).await? {
            return Ok(Applied::Nothing);
        }
        let detail = json!({
            "signature": stray.signature,
            "reason": stray.reason.as_str(),
            "payer": stray.payer,
            "payout_lamports": stray.payout_gain,
            "platform_lamports": stray.platform_gain,
        });
        let what = Subject::new("lease", &lease.id);
        self.context
            .audit(&mut tx, Actor::System, "payment.stray", what, &detail)
            .await?;
        tx.commit().await?;
        Ok(Applied::Stray)
    }
}
