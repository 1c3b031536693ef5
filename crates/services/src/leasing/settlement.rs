//! Settlement: finalised payments are found and applied, each exactly once.
//!
//! Every payment names the platform's wallet, so that the history of that
//! wallet has them all. A round reads what was added to it since the cursor,
//! the oldest first, in portions, and moves the cursor when one is applied. A
//! transaction that the node lists and cannot show is parked, and asked for
//! again. Applying a transaction a second time changes nothing, so that a round
//! may be cut off anywhere, repeated, or made by two replicas at once. Where a node
//! has forgotten the transaction at the cursor, its slot says where to stop. Payments
//! are also looked for by their reference keys, a few in each round, in case a
//! node has forgotten a part of the wallet's history, or somebody left the
//! wallet out.

use super::{applying::Settled, context::Context, parking::show};
use crate::fault::Fault;
use chain::{MAX_SIGNATURES, SignatureEntry, SignaturePage, SolanaClient};
use futures_util::{StreamExt as _, stream};
use leasing::Memo;
use primitives::{PublicKey, Signature, SignedDuration, Timestamp};
use std::sync::Arc;
use store::leasing::{ChainCursor, NamedPayment};

/// Pages of a history that a round reads at most.
const MAX_PAGES: usize = 200;

/// Entries of a history that are looked at before the cursor moves.
const PORTION: usize = 100;

/// Transactions that are fetched side by side.
const SIDE_BY_SIDE: usize = 8;

/// Payments that a round looks for by their references: open ones, such as were
/// open of late, and refunds that are owed.
const OPEN_REFERENCES: u16 = 10;
const PAST_REFERENCES: u16 = 5;
const OWED_REFERENCES: u16 = 5;

/// How long after their time payments are looked for by their references.
const PAST: SignedDuration = SignedDuration::from_hours(24);

/// Transactions that are looked at for one reference.
const MAX_PER_REFERENCE: u16 = 20;

/// Transactions that waited and are asked for again in a round.
const MAX_RETRIES: u16 = 50;

/// Payments whose references are filled in with one statement.
const FILLED: u16 = 1_000;

/// No memo comes after it.
const LAST_MEMO: &str = "~";

/// A payment, in the order in which they are looked for.
type PaymentCursor = (Timestamp, Memo);

/// Looks for payments.
#[derive(Debug)]
pub struct Settlement {
    context: Arc<Context>,
    /// The payments whose references were looked for last.
    open_until: Option<PaymentCursor>,
    past_until: Option<PaymentCursor>,
    owed_until: Option<PaymentCursor>,
    /// Whether all payments are known to have references.
    filled: bool,
    /// Whether the node has forgotten the transaction at the cursor.
    is_forgotten: bool,
}

impl Settlement {
    pub(super) fn new(context: Arc<Context>) -> Self {
        Self {
            context,
            open_until: None,
            past_until: None,
            owed_until: None,
            filled: false,
            is_forgotten: false,
        }
    }

    /// Looks once: at what happened to the platform's wallet since the last
    /// round, the oldest first, at what could not be shown before, and for a few
    /// payments by their references.
    pub async fn round(&mut self) -> Result<Settled, Fault> {
        let settled = self.look().await;
        let context = &self.context;
        context.settling.note(settled.is_ok(), context.now());
        settled
    }

    async fn look(&mut self) -> Result<Settled, Fault> {
        let client = self.context.nodes.client()?;
        self.fill_references().await?;
        let mut settled = Settled::default();
        self.follow_wallet(&client, &mut settled).await?;
        self.ask_again(&client, &mut settled).await?;
        self.look_for_references(&client, &mut settled).await?;
        Ok(settled)
    }

    async fn fill_references(&mut self) -> Result<(), Fault> {
        while !self.filled {
            let filled = self.context.store.ledger().fill_references(FILLED).await?;
            self.filled = filled < usize::from(FILLED);
        }
        Ok(())
    }

    async fn follow_wallet(
        &mut self,
        client: &SolanaClient,
        settled: &mut Settled,
    ) -> Result<(), Fault> {
        let context = &*self.context;
        let (wallet, genesis) = (context.options.platform_wallet, client.genesis());
        let cursor = context.store.ledger().cursor(wallet, genesis).await?;
        let entries = self.history(client, wallet, cursor).await?;
        let context = &*self.context;
        let oldest_first: Vec<_> = entries.iter().rev().collect();
        for portion in oldest_first.chunks(PORTION) {
            self.look_at(client, portion, settled).await?;
            if let Some(last) = portion.last() {
                let reached = ChainCursor {
                    signature: last.signature,
                    slot: last.slot,
                };
                let mut tx = context.store.ledger().begin().await?;
                tx.advance_cursor(wallet, genesis, reached).await?;
                tx.commit().await?;
            }
        }
        Ok(())
    }

    /// What happened to a wallet since the cursor, the newest first.
    async fn history(
        &mut self,
        client: &SolanaClient,
        wallet: PublicKey,
        cursor: Option<ChainCursor>,
    ) -> Result<Vec<SignatureEntry>, Fault> {
        let (until, since) = cursor.map(|at| (at.signature, at.slot)).unzip();
        let since = since.unwrap_or(0);
        match pages(client, wallet, until, since).await {
            Err(Fault::Solana(error)) if error.is_filter_transaction_not_found() => {
                if !self.is_forgotten {
                    self.is_forgotten = true;
                    tracing::warn!(
                        slot = since,
                        "the node has forgotten the newest transaction of the platform's wallet \
                         that was looked at: what else it forgot while nobody looked is not seen"
                    );
                }
                pages(client, wallet, None, since).await
            }
            read => {
                // One that failed says nothing of it.
                self.is_forgotten &= read.is_err();
                read
            }
        }
    }

    /// Asks for transactions again that the node could not show.
    async fn ask_again(&self, client: &SolanaClient, settled: &mut Settled) -> Result<(), Fault> {
        let context = &*self.context;
        let ledger = context.store.ledger();
        for row in ledger.parked_until(context.now(), MAX_RETRIES).await? {
            match show(client, row.signature).await? {
                Some(landed) => {
                    context.apply(&landed, settled).await?;
                    context.unpark(&row).await?;
                }
                None => context.park_again(&row).await?,
            }
        }
        Ok(())
    }

    async fn look_for_references(
        &mut self,
        client: &SolanaClient,
        settled: &mut Settled,
    ) -> Result<(), Fault> {
        let ledger = self.context.store.ledger();
        // Whatever has a window ends within it from now; what is owed never does.
        let within = self.context.in_future(self.context.options.payment_window);
        let open = ledger
            .payments_open(within, text(self.open_until.as_ref()), OPEN_REFERENCES)
            .await?;
        let since = self.context.now().checked_sub(PAST);
        let since = since.unwrap_or(Timestamp::MIN);
        let past = ledger
            .payments_once_open(since, text(self.past_until.as_ref()), PAST_REFERENCES)
            .await?;
        let after = text(self.owed_until.as_ref()).unwrap_or((within, LAST_MEMO));
        let owed = ledger
            .payments_open(Timestamp::MAX, Some(after), OWED_REFERENCES)
            .await?;
        for named in open.iter().chain(&past).chain(&owed) {
            self.look_for(client, named, settled).await?;
        }
        self.open_until = place(open.last());
        self.past_until = place(past.last());
        self.owed_until = place(owed.last());
        Ok(())
    }

    /// Looks for transactions that have the reference of a payment.
    async fn look_for(
        &self,
        client: &SolanaClient,
        named: &NamedPayment,
        settled: &mut Settled,
    ) -> Result<(), Fault> {
        let page = SignaturePage {
            limit: MAX_PER_REFERENCE,
            ..SignaturePage::default()
        };
        let reference = named.payment.memo().reference();
        let entries = client.signatures(reference, page).await;
        let ledger = self.context.store.ledger();
        let mut unknown = Vec::new();
        for entry in entries.map_err(Fault::Solana)? {
            if !ledger.is_transaction_known(entry.signature).await? {
                unknown.push(entry);
            }
        }
        let oldest_first: Vec<_> = unknown.iter().rev().collect();
        self.look_at(client, &oldest_first, settled).await
    }

    /// Applies transactions, in order. Those that the node cannot show wait.
    async fn look_at(
        &self,
        client: &SolanaClient,
        entries: &[&SignatureEntry],
        settled: &mut Settled,
    ) -> Result<(), Fault> {
        let succeeded = entries.iter().filter(|entry| !entry.failed);
        let asked: Vec<Signature> = succeeded.map(|entry| entry.signature).collect();
        let shown = asked.iter().map(|signature| show(client, *signature));
        // Fetched side by side, applied one after the other.
        let mut shown = stream::iter(shown.collect::<Vec<_>>()).buffered(SIDE_BY_SIDE);
        for signature in &asked {
            match shown.next().await.transpose()?.flatten() {
                Some(landed) => self.context.apply(&landed, settled).await?,
                None => self.context.park(*signature).await?,
            }
        }
        Ok(())
    }
}

fn text(place: Option<&PaymentCursor>) -> Option<(Timestamp, &str)> {
    place.map(|(at, memo)| (*at, memo.as_str()))
}

fn place(named: Option<&NamedPayment>) -> Option<PaymentCursor> {
    named.map(|named| (named.pay_until, named.payment.memo().clone()))
}

/// What happened to a wallet since a transaction, and in no slot before one, the newest
/// first.
async fn pages(
    client: &SolanaClient,
    wallet: PublicKey,
    until: Option<Signature>,
    since: u64,
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
        let is_full = page.len() >= usize::from(MAX_SIGNATURES);
        entries.extend(page);
        if !is_full || entries.last().is_some_and(|entry| entry.slot < since) {
            entries.retain(|entry| entry.slot >= since);
            return Ok(entries);
        }
    }
    tracing::error!(
        wallet = %wallet,
        "the wallet's history since the cursor is too long; older payments are found by reference"
    );
    Ok(entries)
}
