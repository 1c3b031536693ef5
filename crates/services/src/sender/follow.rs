//! What became of what was sent.

use super::{
    SendRefused, Sender, Sighting, admission::AccountView, kept, rise::is_stuck, settle::FinalSend,
};
use chain::{StarknetClient, TransactionReceipt, TransactionStatus};
use metrics::gauge;
use primitives::{BlockRef, OrImpossible as _, U256};
use store::{SendRow, SponsoredProgress};

/// Transactions that are sent in the place of one. After that a person has to
/// look.
const MAX_ATTEMPTS: usize = 8;

/// Where the chain is with an account.
#[derive(Debug, Clone, Copy)]
struct Progress {
    head: BlockRef,
    /// Transactions that it has of the account.
    used: u64,
    /// Those that nothing takes back any more.
    final_used: u64,
}

/// What is open in the ledger, and what the node says of it.
#[derive(Debug)]
struct OpenSend<'a> {
    row: &'a SendRow,
    receipt: Option<TransactionReceipt>,
}

impl Sender {
    /// Looks at everything that is open, once: writes down what has landed for
    /// good, gives to the node again what it has forgotten, sends again for more what
    /// waits for too long, and puts an empty transaction in the place of what the
    /// node does not take any more, so that what was sent after it is not held up.
    /// Tells how far it found what is open still.
    pub async fn follow(&self) -> Result<Vec<Sighting>, SendRefused> {
        let open = self.store.ledger().open_sends(self.account).await?;
        self.ask(|node| self.follow_with(node, &open)).await
    }

    async fn follow_with(
        &self,
        node: StarknetClient,
        open: &[SendRow],
    ) -> Result<Vec<Sighting>, SendRefused> {
        if open.is_empty() {
            let head = node.head().await?;
            self.watch(0, self.balance(&node, head).await?);
            return Ok(Vec::new());
        }
        let AccountView {
            head,
            nonce,
            balance,
        } = self.view(&node).await?;
        let count = u32::try_from(open.len()).unwrap_or(u32::MAX);
        self.watch(count, balance);
        let hashes: Vec<_> = open.iter().map(|row| row.hash).collect();
        let receipts = node.transaction_receipts(&hashes).await?;
        let sends = open.iter().zip(receipts);
        let sends: Vec<_> = sends
            .map(|(row, receipt)| OpenSend { row, receipt })
            .collect();
        let rivals = sends.chunk_by(|one, other| one.row.nonce == other.row.nonce);
        let (landed, missing): (Vec<_>, Vec<_>) =
            rivals.partition(|rivals| rivals.iter().any(|send| send.receipt.is_some()));
        let mut sightings = self.take_note(&landed, head).await?;
        if !missing.is_empty() {
            let progress = Progress {
                head,
                used: nonce,
                final_used: self.final_nonce(&node, head).await?,
            };
            for rivals in missing {
                let rivals: Vec<_> = rivals.iter().map(|send| send.row).collect();
                let found = self.look_for(&node, &rivals, progress).await?;
                sightings.extend(found.and_then(|found| sighting(&rivals, found)));
            }
        }
        Ok(sightings)
    }

    /// Writes down what nothing takes back any more, and tells where the rest is.
    /// Of transactions with one nonce one at most has landed.
    async fn take_note(
        &self,
        landed: &[&[OpenSend<'_>]],
        head: BlockRef,
    ) -> Result<Vec<Sighting>, SendRefused> {
        let (mut final_sends, mut sightings) = (Vec::new(), Vec::new());
        for rivals in landed {
            let mut receipts = rivals
                .iter()
                .filter_map(|send| Some((send.row, send.receipt.as_ref()?)));
            let Some((row, receipt)) = receipts.next() else {
                continue;
            };
            let found = match receipt.block.map(|block| block.number) {
                Some(block_number) if self.is_final(block_number, head) => {
                    final_sends.push(FinalSend {
                        row,
                        receipt,
                        block_number,
                    });
                    continue;
                }
                Some(block_number) => SponsoredProgress::Landed { block_number },
                None => SponsoredProgress::Sent,
            };
            let rows: Vec<_> = rivals.iter().map(|send| send.row).collect();
            sightings.extend(sighting(&rows, found));
        }
        self.settle(&final_sends).await?;
        Ok(sightings)
    }

    fn is_final(&self, block_number: u64, head: BlockRef) -> bool {
        block_number.saturating_add(self.options.depth) <= head.number
    }

    /// Says what the account has, loudly when that is too little for one more.
    fn watch(&self, open: u32, balance: U256) {
        let account = self.account.address.to_string();
        gauge!("stoa_sender_open", "account" => account.clone()).set(f64::from(open));
        gauge!("stoa_sender_balance", "account" => account.clone()).set(f64::from(balance));
        let needed = U256::from(self.options.max_fee);
        let needed = needed.saturating_add(U256::from(self.options.reserve));
        if balance < needed {
            tracing::warn!(%account, %balance, "an account that sends has too little for fees");
        }
    }

    /// Transactions of one nonce, none of which has a receipt: how far they are,
    /// unless they are given up.
    async fn look_for(
        &self,
        node: &StarknetClient,
        rivals: &[&SendRow],
        progress: Progress,
    ) -> Result<Option<SponsoredProgress>, SendRefused> {
        let mut waiting = None;
        for row in rivals {
            match node.transaction_status(row.hash).await? {
                Some(TransactionStatus::Executed(_)) => return Ok(Some(SponsoredProgress::Sent)),
                Some(TransactionStatus::Waiting) => waiting = Some(row.attempt),
                Some(TransactionStatus::Rejected(_)) | None => {}
            }
        }
        let Some(newest) = rivals.last() else {
            return Ok(None);
        };
        if waiting.is_none() && newest.nonce < progress.final_used {
            self.lose(newest.nonce, "an unknown transaction used its nonce")
                .await?;
            return Ok(None);
        }
        let place = (progress.head.number, progress.used);
        if waiting == Some(newest.attempt) {
            if is_stuck(newest, rivals.len(), place, &self.options) {
                self.outbid(node, newest, progress.head).await?;
            }
            return Ok(Some(SponsoredProgress::Sent));
        }
        let waited = self.clock.now().duration_since(newest.created_at);
        // Below, one that the node does not tell of yet may be taken back still.
        if newest.nonce >= progress.used && waited >= self.options.patience {
            let last = waiting.is_none();
            self.give_again(node, newest, (rivals.len(), last), progress)
                .await?;
        }
        Ok(Some(match waiting {
            Some(_) => SponsoredProgress::Sent,
            None => SponsoredProgress::Reserved,
        }))
    }

    /// How many transactions of the account nothing takes back any more.
    async fn final_nonce(&self, node: &StarknetClient, head: BlockRef) -> Result<u64, SendRefused> {
        let Some(number) = head.number.checked_sub(self.options.depth) else {
            return Ok(0);
        };
        let Some(hash) = node.block_hash(number).await? else {
            return Ok(0);
        };
        match self.nonce(node, BlockRef { number, hash }).await {
            // It was not deployed yet.
            Err(SendRefused::NoAccount(_)) => Ok(0),
            nonce => nonce,
        }
    }

    /// Gives the node the same transaction again. If it does not take it any
    /// more, it is the last that could land, and all that come after wait for it, one
    /// takes its place.
    async fn give_again(
        &self,
        node: &StarknetClient,
        row: &SendRow,
        (attempts, last): (usize, bool),
        progress: Progress,
    ) -> Result<(), SendRefused> {
        let kept = kept::from_bytes(&row.broadcast).or_impossible("a kept transaction is read")?;
        match self.give(&kept, row.hash).await {
            // Something in the block in the making has it: that block will tell what.
            Err(SendRefused::NotTaken(error)) if error.is_invalid_nonce() => Ok(()),
            Err(SendRefused::NotTaken(error)) if last && row.nonce == progress.used => {
                tracing::warn!(
                    purpose = row.purpose,
                    error = &error as &dyn std::error::Error,
                    "a transaction is not taken any more, and is replaced by an empty one"
                );
                if attempts >= MAX_ATTEMPTS {
                    return Err(SendRefused::NotTaken(error));
                }
                self.replace(node, row, progress.head).await
            }
            // Its turn comes.
            Err(SendRefused::NotTaken(_)) => Ok(()),
            given => given,
        }
    }
}

/// Where the transactions of one nonce are, in the name of the one that speaks for
/// their purpose.
fn sighting(rivals: &[&SendRow], progress: SponsoredProgress) -> Option<Sighting> {
    let speaks = |row: &&&SendRow| row.purpose.is_some() && !row.superseded;
    let speaker = rivals.iter().rfind(speaks)?;
    Some(Sighting {
        hash: speaker.hash,
        progress,
    })
}
