//! The handle of a running node.

use super::airdrop;
use super::chain::{Chain, Commitment, Rejection, SlotReorgError};
use super::config::{Rules, SolanaConfig};
use super::failure::TransactionError;
use super::journal::Journal;
use super::timeline::Timeline;
use super::validators::SimulatedValidator;
use super::wallet::SolanaKeypair;
use super::wire::Transaction;
use crate::fault::{FaultError, FaultKind, Faults};
use crate::journal::{KeepError, OpenError};
use primitives::{Clock, Lamports, PublicKey, Signature, SolanaHash};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use thiserror::Error;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// WebSocket connections at the same time.
const MAX_CONNECTIONS: usize = 1_024;

/// Why the chain was not steered.
#[derive(Debug, Error)]
pub enum SlotSteerError {
    /// It cannot be replaced like this.
    #[error(transparent)]
    Reorg(#[from] SlotReorgError),
    /// The result cannot be kept.
    #[error(transparent)]
    Keep(#[from] KeepError),
}

/// Why a transaction was not taken.
#[derive(Debug, Error)]
pub(crate) enum SendError {
    #[error(transparent)]
    Rejected(#[from] Rejection),
    #[error(transparent)]
    Keep(#[from] KeepError),
}

/// A simulated Solana node. Clones are handles of the same node.
///
/// Slots pass with the clock by themselves: nothing has to be run.
#[derive(Debug, Clone)]
pub struct SolanaNode(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    ledger: RwLock<Ledger>,
    faults: Mutex<Faults>,
    clock: Arc<dyn Clock>,
    /// Room for connections that stay.
    seats: Arc<Semaphore>,
}

/// The chain together with what keeps it: a change is kept first, then made.
#[derive(Debug)]
struct Ledger {
    chain: Chain,
    journal: Option<Journal>,
    /// Why nothing is kept any more.
    failure: Option<KeepError>,
}

impl SolanaNode {
    /// Makes a world with some epochs behind it. Nothing outlives the process.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a node is made once, from a configuration that nobody needs afterwards"
    )]
    pub fn new(config: SolanaConfig, clock: Arc<dyn Clock>) -> Self {
        let chain = Chain::new(Rules::from(&config), milliseconds(clock.as_ref()));
        Self::with(chain, None, clock)
    }

    /// Goes on with the chain in the data folder, or begins one there. Without
    /// a data folder the same as [`Self::new`].
    pub fn open(config: SolanaConfig, clock: Arc<dyn Clock>) -> Result<Self, OpenError> {
        let Some(folder) = &config.data else {
            return Ok(Self::new(config, clock));
        };
        let rules = Rules::from(&config);
        let now = milliseconds(clock.as_ref());
        let (mut journal, restored) = Journal::open(folder, rules, now)?;
        let chain = if let Some(chain) = restored {
            chain
        } else {
            let chain = Chain::new(rules, now);
            journal.begin(&chain)?;
            chain
        };
        Ok(Self::with(chain, Some(journal), clock))
    }

    fn with(chain: Chain, journal: Option<Journal>, clock: Arc<dyn Clock>) -> Self {
        Self(Arc::new(Inner {
            ledger: RwLock::new(Ledger {
                chain,
                journal,
                failure: None,
            }),
            faults: Mutex::default(),
            clock,
            seats: Arc::new(Semaphore::new(MAX_CONNECTIONS)),
        }))
    }

    /// Why the node takes no transactions any more, if it does not.
    pub fn failure(&self) -> Option<KeepError> {
        let ledger = self.0.ledger.read();
        let ledger = ledger.unwrap_or_else(PoisonError::into_inner);
        ledger.failure.clone()
    }

    /// What the chain is known by.
    pub fn genesis_hash(&self) -> SolanaHash {
        self.look(|chain| chain.world.genesis)
    }

    /// Funded wallets that anyone may use.
    pub fn wallets(&self) -> Vec<SolanaKeypair> {
        self.look(|chain| chain.world.wallets.clone())
    }

    /// The validators with their keys.
    pub fn validators(&self) -> Vec<SimulatedValidator> {
        self.look(|chain| chain.world.validators.all().to_vec())
    }

    /// The newest slot.
    pub fn slot(&self) -> u64 {
        self.look(|chain| chain.head(Commitment::Processed))
    }

    /// Room for a connection that stays, if there is some.
    pub(crate) fn seat(&self) -> Option<OwnedSemaphorePermit> {
        self.0.seats.clone().try_acquire_owned().ok()
    }

    /// Takes lamports from the faucet; answers with the transaction's name.
    pub fn airdrop(&self, to: PublicKey, lamports: Lamports) -> Result<Signature, String> {
        let failed = |error: SendError| error.to_string();
        self.airdrop_with(to, lamports, None).map_err(failed)
    }

    pub(crate) fn airdrop_with(
        &self,
        to: PublicKey,
        lamports: Lamports,
        blockhash: Option<SolanaHash>,
    ) -> Result<Signature, SendError> {
        let transaction = self.look(|chain| airdrop::transaction(chain, to, lamports, blockhash));
        let signature = transaction.id();
        self.send(transaction)?;
        Ok(signature)
    }

    /// Takes a transaction whose signatures were checked.
    pub(crate) fn send(&self, transaction: Transaction) -> Result<(), SendError> {
        let (mut ledger, _) = self.write();
        ledger.check()?;
        let (slot, outcome) = ledger.chain.prepare(&transaction)?;
        ledger.keep(|journal| journal.transaction(slot, &transaction))?;
        ledger.chain.append(slot, transaction, outcome);
        ledger.tidy();
        Ok(())
    }

    /// Makes the next slots pass at once, also while paused.
    pub fn mine(&self, slots: u64) -> Result<(), KeepError> {
        self.steer(|timeline, now| timeline.skip(slots, now))
    }

    /// Makes the slots pass until `count` more epochs have begun.
    pub fn advance_epochs(&self, count: u64) -> Result<(), KeepError> {
        let slots = self.look(|chain| {
            let length = chain.rules.slots_per_epoch;
            let slot = chain.slot();
            let target = (slot / length).saturating_add(count).saturating_mul(length);
            target.saturating_sub(slot)
        });
        self.mine(slots)
    }

    /// Moves the node's clock ahead for good, and the slots with it.
    pub fn advance(&self, seconds: u64) -> Result<(), KeepError> {
        let ms = seconds.saturating_mul(1_000);
        self.steer(|timeline, now| timeline.advance(ms, now))
    }

    /// Stops the slots.
    pub fn pause(&self) -> Result<(), KeepError> {
        self.steer(|timeline, now| timeline.pause(true, now))
    }

    /// Lets the slots go on.
    pub fn resume(&self) -> Result<(), KeepError> {
        self.steer(|timeline, now| timeline.pause(false, now))
    }

    /// Replaces the newest `depth` slots by others without their transactions;
    /// all that are not final, without a depth.
    pub fn reorg(&self, depth: Option<u64>) -> Result<(), SlotSteerError> {
        let (mut ledger, now) = self.write();
        ledger.check()?;
        let (first, timeline) = ledger.chain.plan_reorg(depth)?;
        ledger.keep(|journal| journal.steered(&timeline, Some(first)))?;
        ledger.chain.take_back(first);
        ledger.chain.steer(timeline, now);
        Ok(())
    }

    /// Spoils the next `count` answers to `method`, or to any but the control
    /// methods if it is `*`.
    pub fn fault(&self, method: &str, kind: FaultKind, count: u32) -> Result<(), FaultError> {
        self.faults().arm(method, kind, count)
    }

    /// Forgets the faults that were armed for `method`; all, if it is `*`.
    pub fn clear_faults(&self, method: &str) {
        self.faults().clear(method);
    }

    /// The fault of the next answer to `method`, which is the caller's to make.
    pub(crate) fn take_fault(&self, method: &str) -> Option<FaultKind> {
        self.faults().take(method)
    }

    fn faults(&self) -> MutexGuard<'_, Faults> {
        self.0.faults.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the chain as it is now.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&Chain) -> T) -> T {
        look(&self.read().chain)
    }

    fn read(&self) -> RwLockReadGuard<'_, Ledger> {
        let read = || self.0.ledger.read().unwrap_or_else(PoisonError::into_inner);
        let ledger = read();
        if ledger.chain.is_at(self.now(ledger.chain.timeline())) {
            return ledger;
        }
        drop(ledger);
        drop(self.write());
        read()
    }

    /// The chain as it is now, to be changed, and the node's time.
    fn write(&self) -> (RwLockWriteGuard<'_, Ledger>, u64) {
        let ledger = self.0.ledger.write();
        let mut ledger = ledger.unwrap_or_else(PoisonError::into_inner);
        let now = self.now(ledger.chain.timeline());
        ledger.chain.look(now);
        (ledger, now)
    }

    /// The node's time in milliseconds.
    fn now(&self, timeline: &Timeline) -> u64 {
        milliseconds(self.0.clock.as_ref()).saturating_add(timeline.ahead)
    }

    fn steer(&self, change: impl FnOnce(&mut Timeline, u64)) -> Result<(), KeepError> {
        let (mut ledger, now) = self.write();
        ledger.check()?;
        let mut timeline = ledger.chain.timeline().clone();
        change(&mut timeline, now);
        ledger.keep(|journal| journal.steered(&timeline, None))?;
        let now = self.now(&timeline);
        ledger.chain.steer(timeline, now);
        Ok(())
    }

    /// Makes every further write into the data folder fail.
    #[cfg(test)]
    pub(crate) fn break_for_test(&self) {
        if let Some(journal) = &mut self.write().0.journal {
            journal.break_for_test();
        }
    }
}

impl Ledger {
    fn check(&self) -> Result<(), KeepError> {
        self.failure.clone().map_or(Ok(()), Err)
    }

    /// Keeps a change. If that fails, nothing changes any more.
    fn keep(
        &mut self,
        keep: impl FnOnce(&mut Journal) -> Result<(), KeepError>,
    ) -> Result<(), KeepError> {
        let kept = self.journal.as_mut().map_or(Ok(()), keep);
        if let Err(error) = &kept {
            tracing::error!(reason = error.reason(), "the simulated chain stops");
            self.failure = Some(error.clone());
        }
        kept
    }

    /// A segment that cannot be followed by another is only reported: what it
    /// has is safe.
    fn tidy(&mut self) {
        if let Some(journal) = &mut self.journal
            && let Err(error) = journal.tidy(&self.chain)
        {
            tracing::error!(reason = error.reason(), "the simulated chain stops");
            self.failure = Some(error);
        }
    }
}

impl From<TransactionError> for SendError {
    fn from(error: TransactionError) -> Self {
        Self::Rejected(error.into())
    }
}

fn milliseconds(clock: &dyn Clock) -> u64 {
    u64::try_from(clock.now().as_millisecond()).unwrap_or(0)
}
