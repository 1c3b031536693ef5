//! The watch over blocks: how well validators do, from what the cluster says of
//! the blocks that they produced and of the credits that their votes earned.

use super::context::Context;
use crate::fault::Fault;
use chain::{BlockProduction, VoteAccounts};
use leasing::{LedSlots, VoteCredits};
use primitives::{SignedDuration, Timestamp, Ulid};
use std::sync::Arc;
use store::leasing::{Performance, ValidatorRow};

/// Validators that are read and written at once.
const PAGE: u16 = 200;

/// Pages of them in a round, at most.
const MAX_PAGES: usize = 1_000;

/// How long epochs count.
const MEMORY: SignedDuration = SignedDuration::from_hours(24 * 30);

/// Asks the node who produced which blocks.
#[derive(Debug)]
pub struct BlockWatch {
    context: Arc<Context>,
    /// What the cluster said when it was written down last.
    told_at: Option<Timestamp>,
}

impl BlockWatch {
    pub(super) fn new(context: Arc<Context>) -> Self {
        Self {
            context,
            told_at: None,
        }
    }

    /// Looks once, if the cluster has said something new.
    pub async fn round(&mut self) -> Result<(), Fault> {
        let told = self.context.votes.told().await?;
        if self.told_at == Some(told.at) {
            return Ok(());
        }
        let client = self.context.nodes.client()?;
        let produced = client.block_production().await.map_err(Fault::Solana)?;
        let validators = self.validators().await?;
        self.note(&validators, &produced).await?;
        self.write(&validators, &credits(&told.votes)).await?;
        self.told_at = Some(told.at);
        Ok(())
    }

    async fn validators(&self) -> Result<Vec<ValidatorRow>, Fault> {
        let ledger = self.context.store.ledger();
        let mut all: Vec<ValidatorRow> = Vec::new();
        for _ in 0..MAX_PAGES {
            let after = all.last().map(|row| row.id);
            let rows = ledger.validators(after, PAGE).await?;
            let is_last = rows.len() < usize::from(PAGE);
            all.extend(rows);
            if is_last {
                break;
            }
        }
        Ok(all)
    }

    /// The beginning of the time that counts.
    fn oldest(&self) -> Timestamp {
        let oldest = self.context.now().checked_sub(MEMORY);
        oldest.unwrap_or(Timestamp::MIN)
    }

    /// Writes down the slots of the epoch so far, and forgets those that are
    /// too old to count.
    async fn note(
        &self,
        validators: &[ValidatorRow],
        produced: &BlockProduction,
    ) -> Result<(), Fault> {
        let led = |row: &ValidatorRow| Some((row.id, *produced.by_identity.get(&row.identity)?));
        let ledger = self.context.store.ledger();
        for rows in validators.chunks(PAGE.into()) {
            let led: Vec<(Ulid, LedSlots)> = rows.iter().filter_map(led).collect();
            let mut tx = ledger.begin().await?;
            tx.note_blocks(produced.first_slot, &led, self.context.now())
                .await?;
            tx.commit().await?;
        }
        let mut tx = ledger.begin().await?;
        tx.forget_blocks(self.oldest()).await?;
        Ok(tx.commit().await?)
    }

    async fn write(&self, validators: &[ValidatorRow], credits: &VoteCredits) -> Result<(), Fault> {
        let ledger = self.context.store.ledger();
        let led = ledger.led_slots(self.oldest()).await?;
        let changed = |row: &ValidatorRow| {
            let now = Performance {
                uptime: led.get(&row.id).and_then(|led| led.uptime()),
                effectiveness: credits.effectiveness(row.identity),
            };
            (now != row.performance).then_some((row.id, now))
        };
        let changed: Vec<(Ulid, Performance)> = validators.iter().filter_map(changed).collect();
        for some in changed.chunks(PAGE.into()) {
            let mut tx = ledger.begin().await?;
            for (id, now) in some {
                tx.set_performance(*id, *now).await?;
            }
            tx.commit().await?;
        }
        if !changed.is_empty() {
            self.context.pages.forget();
        }
        Ok(())
    }
}

fn credits(votes: &VoteAccounts) -> VoteCredits {
    let mut all = VoteCredits::default();
    for account in votes.current.iter().chain(&votes.delinquent) {
        for earned in &account.epoch_credits {
            let credits = earned.credits.saturating_sub(earned.previous);
            all.note(account.identity, earned.epoch, credits);
        }
    }
    all
}
