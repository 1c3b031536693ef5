//! Settlement: finalised payments are found and applied, each exactly once.
//!
//! Every payment names the platform's wallet, so that the history of that
//! wallet has them all. A round reads what was added to it since the cursor,
//! the oldest first, in portions, and moves the cursor when one is applied. Applying a
//! transaction a second time changes nothing, so that a round may be cut off
//! anywhere, repeated, or made by two replicas at once. Payments that are still
//! open are also looked for by their reference keys, a few in each round, in
//! case a node has forgotten a part of the wallet's history.

use super::{
    Inner, Leasing,
    audit::Subject,
    leases::{claim, to_pay},
};
use crate::fault::Fault;
use chain::{MAX_SIGNATURES, SignatureEntry, SignaturePage, SolanaClient};
use futures_util::{StreamExt as _, stream};
use leasing::{Landed, LeaseEvent, LeaseState, Memo, Verdict};
use primitives::{Lamports, PublicKey, Signature, Timestamp};
use serde_json::json;
use store::leasing::{
    Actor, ChainCursor, LeaseRow, LedgerTx, Paying, PaymentStatus, StrayReason, StrayRow,
    ValidatorRow,
};

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
    leasing: Leasing,
    /// The open payment whose reference was looked for last.
    looked_for: Option<(Timestamp, Memo)>,
}

impl Settlement {
    /// A settlement of a market's payments.
    pub fn new(leasing: Leasing) -> Self {
        Self {
            leasing,
            looked_for: None,
        }
    }

    /// Looks once: at what happened to the platform's wallet since the last
    /// round, the oldest first, and for a few open payments.
    pub async fn round(&mut self) -> Result<Settled, Fault> {
        let inner = &*self.leasing.0;
        let client = inner.nodes.client()?;
        let mut settled = Settled::default();
        follow_wallet(inner, &client, &mut settled).await?;
        self.look_for_references(&client, &mut settled).await?;
        Ok(settled)
    }

    async fn look_for_references(
        &mut self,
        client: &SolanaClient,
        settled: &mut Settled,
    ) -> Result<(), Fault> {
        let inner = &*self.leasing.0;
        let after = self.looked_for.as_ref();
        let after = after.map(|(expires_at, memo)| (*expires_at, memo.as_str()));
        let open = inner
            .store
            .ledger()
            .leases_to_pay(Timestamp::MAX, after, REFERENCES);
        let open = open.await?;
        for lease in &open {
            let page = SignaturePage {
                limit: MAX_PER_REFERENCE,
                ..SignaturePage::default()
            };
            let reference = lease.payment.memo.reference();
            let entries = client.signatures(reference, page).await;
            let entries = entries.map_err(Fault::Solana)?;
            let oldest_first: Vec<_> = entries.iter().rev().collect();
            inner.look_at(client, &oldest_first, settled).await?;
        }
        let last = open.last().map(|lease| &lease.payment);
        self.looked_for = last.map(|payment| (payment.expires_at, payment.memo.clone()));
        Ok(())
    }
}

async fn follow_wallet(
    inner: &Inner,
    client: &SolanaClient,
    settled: &mut Settled,
) -> Result<(), Fault> {
    let (wallet, genesis) = (inner.options.platform_wallet, client.genesis());
    let cursor = inner.store.ledger().cursor(wallet, genesis).await?;
    let entries = history(client, wallet, cursor.map(|cursor| cursor.signature)).await?;
    let oldest_first: Vec<_> = entries.iter().rev().collect();
    for portion in oldest_first.chunks(PORTION) {
        let seen = inner.look_at(client, portion, settled).await?;
        if let Some(last) = seen.checked_sub(1).and_then(|last| portion.get(last)) {
            let reached = ChainCursor {
                signature: last.signature,
                slot: last.slot,
            };
            let mut tx = inner.store.ledger().begin().await?;
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

impl Inner {
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
    async fn named_by(&self, entry: &SignatureEntry) -> Result<Vec<LeaseRow>, Fault> {
        let mut leases = Vec::new();
        if entry.failed {
            return Ok(leases);
        }
        let line = entry.memo.as_deref().unwrap_or_default();
        for memo in Memo::mentioned(line).take(MAX_MEMOS) {
            let lease = self.store.ledger().lease_of_memo(memo.as_str()).await?;
            let taken = |lease: &LeaseRow| {
                let paying = lease.payment.paying;
                paying.is_some_and(|paying| paying.signature == entry.signature)
            };
            leases.extend(lease.filter(|lease| !taken(lease)));
        }
        Ok(leases)
    }

    /// Applies a transaction to the payment of a lease, in one transaction of
    /// ours.
    async fn apply(&self, lease: &LeaseRow, landed: &Landed) -> Result<Applied, Fault> {
        let payment = to_pay(&lease.payment)?;
        let surplus = match landed.verdict(&payment) {
            Verdict::Failed | Verdict::PayerIsWallet => return Ok(Applied::Nothing),
            Verdict::WrongMemo => {
                return self.record(lease, landed, StrayReason::Unclear).await;
            }
            Verdict::Short { .. } => return self.record(lease, landed, StrayReason::Short).await,
            Verdict::Paid => Lamports::ZERO,
            Verdict::Surplus { payout, platform } => payout.checked_add(platform).unwrap_or(payout),
        };
        let mut tx = self.store.ledger().begin().await?;
        let validator = tx.lock_validator(lease.validator).await?;
        // As they are now: nobody else changes them before we are done.
        let lease = tx.lease(lease.id).await?;
        let (Some(validator), Some(lease)) = (validator, lease) else {
            return Ok(Applied::Nothing);
        };
        let paying = Paying {
            signature: landed.signature,
            payer: landed.payer,
            slot: landed.slot,
            surplus,
            at: self.now(),
        };
        let taken = lease.payment.paying.map(|paying| paying.signature);
        match lease.payment.status {
            _ if taken == Some(landed.signature) => Ok(Applied::Nothing),
            PaymentStatus::Open => self.activate(tx, &lease, paying, "lease.activated").await,
            PaymentStatus::Expired => self.revive(tx, &lease, &validator, paying, landed).await,
            PaymentStatus::Settled | PaymentStatus::Orphaned => {
                drop(tx);
                self.record(&lease, landed, StrayReason::Doubled).await
            }
            PaymentStatus::Void => self.orphan(tx, &lease, paying, landed).await,
        }
    }

    /// The lease is paid, and its epochs are held.
    async fn activate(
        &self,
        mut tx: LedgerTx,
        lease: &LeaseRow,
        paying: Paying,
        action: &str,
    ) -> Result<Applied, Fault> {
        let Ok(active) = lease.state.after(LeaseEvent::Paid) else {
            return Ok(Applied::Nothing);
        };
        let (memo, status) = (&lease.payment.memo, lease.payment.status);
        let moved = tx
            .move_lease(lease.id, lease.state, active, Some(paying.at), None)
            .await?;
        let settled = tx
            .move_payment(memo, status, PaymentStatus::Settled, Some(&paying))
            .await?;
        if !moved || !settled {
            return Ok(Applied::Nothing);
        }
        let detail = json!({
            "signature": paying.signature,
            "payer": paying.payer,
            "slot": paying.slot,
            "surplus_lamports": paying.surplus,
        });
        let what = Subject::new("lease", &lease.id);
        tx.audit(&self.audit_row(Actor::System, action, what, &detail))
            .await?;
        tx.commit().await?;
        self.pages.forget();
        Ok(Applied::Activated)
    }

    /// A payment that came late: the lease lives if its epochs are still free.
    async fn revive(
        &self,
        mut tx: LedgerTx,
        lease: &LeaseRow,
        validator: &ValidatorRow,
        paying: Paying,
        landed: &Landed,
    ) -> Result<Applied, Fault> {
        if lease.state == LeaseState::Expired && claim(&mut tx, lease, validator).await?.is_ok() {
            return self
                .activate(tx, lease, paying, "lease.late_payment_applied")
                .await;
        }
        // What was claimed of the epochs goes with this transaction.
        drop(tx);
        let mut tx = self.store.ledger().begin().await?;
        tx.lock_validator(lease.validator).await?;
        self.orphan(tx, lease, paying, landed).await
    }

    /// A payment whose lease can no longer be given.
    async fn orphan(
        &self,
        mut tx: LedgerTx,
        lease: &LeaseRow,
        paying: Paying,
        landed: &Landed,
    ) -> Result<Applied, Fault> {
        let (memo, status) = (&lease.payment.memo, lease.payment.status);
        let moved = tx
            .move_payment(memo, status, PaymentStatus::Orphaned, Some(&paying))
            .await?;
        if !moved {
            return Ok(Applied::Nothing);
        }
        self.record_in(tx, lease, landed, StrayReason::Orphaned)
            .await
    }

    async fn record(
        &self,
        lease: &LeaseRow,
        landed: &Landed,
        reason: StrayReason,
    ) -> Result<Applied, Fault> {
        let tx = self.store.ledger().begin().await?;
        self.record_in(tx, lease, landed, reason).await
    }

    /// Records money for a refund, once, if any came.
    async fn record_in(
        &self,
        mut tx: LedgerTx,
        lease: &LeaseRow,
        landed: &Landed,
        reason: StrayReason,
    ) -> Result<Applied, Fault> {
        let gained = |wallet| landed.gained(wallet).unwrap_or(Lamports::ZERO);
        let stray = StrayRow {
            signature: landed.signature,
            memo: lease.payment.memo.clone(),
            reason,
            slot: landed.slot,
            payer: landed.payer,
            payout_gain: gained(lease.payment.payout_wallet),
            platform_gain: gained(lease.payment.platform_wallet),
            seen_at: self.now(),
        };
        if stray.payout_gain == Lamports::ZERO && stray.platform_gain == Lamports::ZERO {
            return Ok(Applied::Nothing);
        }
        if !tx.insert_stray(&stray).await? {
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
        let audit = self.audit_row(Actor::System, "payment.stray", what, &detail);
        tx.audit(&audit).await?;
        tx.commit().await?;
        Ok(Applied::Stray)
    }
}
