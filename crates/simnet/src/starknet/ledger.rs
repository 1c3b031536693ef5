//! The chain together with the folder that keeps it: nothing is shown before it
//! is kept.

use super::chain::{Chain, ReorgError};
use super::journal::{Change, Control, Journal, Restored};
use super::refusal::Refusal;
use super::transaction::Request;
use crate::journal::KeepError;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use thiserror::Error;

/// Why the chain was not steered.
#[derive(Debug, Error)]
pub enum SteerError {
    /// It cannot be replaced like this.
    #[error(transparent)]
    Reorg(#[from] ReorgError),
    /// The result cannot be kept.
    #[error(transparent)]
    Keep(#[from] KeepError),
}

/// What is steered from outside, to be read without a lock.
#[derive(Debug, Default)]
pub(crate) struct Steering {
    ahead: AtomicU64,
    paused: AtomicBool,
}

impl Steering {
    /// Seconds by which the node's clock is ahead.
    pub(crate) fn ahead(&self) -> u64 {
        self.ahead.load(Ordering::Relaxed)
    }

    pub(crate) fn is_paused(&self) -> bool {
        self.paused.load(Ordering::Relaxed)
    }

    fn set(&self, control: Control) {
        self.ahead.store(control.ahead, Ordering::Relaxed);
        self.paused.store(control.paused, Ordering::Relaxed);
    }
}

/// A chain that is kept, if there is a folder for it.
#[derive(Debug)]
pub(crate) struct Ledger {
    chain: Chain,
    steering: Arc<Steering>,
    keeper: Option<Keeper>,
}

#[derive(Debug)]
struct Keeper {
    journal: Journal,
    kept_blocks: usize,
    /// Why nothing is kept any more.
    failure: Option<KeepError>,
}

/// Everything that only reads is the chain's.
impl Deref for Ledger {
    type Target = Chain;

    fn deref(&self) -> &Chain {
        &self.chain
    }
}

impl Ledger {
    /// A chain that is lost with the process.
    pub(crate) fn in_memory(chain: Chain) -> Self {
        Self {
            chain,
            steering: Arc::default(),
            keeper: None,
        }
    }

    /// A chain of which `journal` has everything so far.
    pub(crate) fn restored(restored: Restored, journal: Journal, kept_blocks: usize) -> Self {
        let steering = Steering::default();
        steering.set(restored.control);
        Self {
            chain: restored.chain,
            steering: Arc::new(steering),
            keeper: Some(Keeper {
                journal,
                kept_blocks,
                failure: None,
            }),
        }
    }

    pub(crate) fn steering(&self) -> &Arc<Steering> {
        &self.steering
    }

    /// Why nothing changes any more, if it does not.
    pub(crate) fn failure(&self) -> Option<&KeepError> {
        self.keeper.as_ref()?.failure.as_ref()
    }

    /// Appends a block.
    pub(crate) fn mine(&mut self, timestamp: u64, transactions: u32) -> Result<(), KeepError> {
        self.check()?;
        self.chain.mine(timestamp, transactions);
        let durable = self.head().has_outside_transactions();
        self.keep(self.control(), &[Change::Block], durable)
    }

    /// Moves the clock ahead, and appends a block at the new time `now`.
    pub(crate) fn advance(
        &mut self,
        seconds: u64,
        now: u64,
        transactions: u32,
    ) -> Result<(), KeepError> {
        self.check()?;
        self.chain.mine(now, transactions);
        let mut control = self.control();
        control.ahead = control.ahead.saturating_add(seconds);
        self.keep(control, &[Change::Control, Change::Block], true)
    }

    /// Replaces the last `depth` blocks.
    pub(crate) fn reorg(
        &mut self,
        depth: u32,
        timestamp: u64,
        transactions: u32,
    ) -> Result<(), SteerError> {
        self.check()?;
        let left = self.head().number.saturating_sub(depth.into());
        self.chain.reorg(depth, timestamp, transactions)?;
        self.keep(self.control(), &[Change::Reorg(left)], true)?;
        Ok(())
    }

    /// Lets transactions from outside wait that offer less than this. That is not
    /// kept.
    pub(crate) fn congest(&mut self, least_tip: u64) {
        self.chain.congest(least_tip);
    }

    /// Stops making blocks by the wall clock, or goes on.
    pub(crate) fn pause(&mut self, paused: bool) -> Result<(), KeepError> {
        self.check()?;
        let control = Control {
            paused,
            ..self.control()
        };
        self.keep(control, &[Change::Control], true)
    }

    /// Takes a transaction that was checked.
    pub(crate) fn accept(&mut self, request: Request, now: u64) -> Result<(), Refusal> {
        let not_kept = |error: KeepError| Refusal::NotKept(error.reason());
        self.check().map_err(not_kept)?;
        if self.keeper.is_none() {
            return self.chain.accept(request, now);
        }
        self.chain.accept(request.clone(), now)?;
        self.keep(self.control(), &[Change::Taken(&request)], false)
            .map_err(not_kept)
    }

    /// Makes sure that all is kept even if the power fails.
    pub(crate) fn sync(&mut self) -> Result<(), KeepError> {
        match &mut self.keeper {
            Some(keeper) => keeper.journal.sync(),
            None => Ok(()),
        }
    }

    fn check(&self) -> Result<(), KeepError> {
        self.failure().cloned().map_or(Ok(()), Err)
    }

    fn control(&self) -> Control {
        Control {
            ahead: self.steering.ahead(),
            paused: self.steering.is_paused(),
            fork: self.chain.fork(),
        }
    }

    /// Keeps what has just happened to the chain; if that fails, it has not
    /// happened.
    fn keep(
        &mut self,
        control: Control,
        changes: &[Change<'_>],
        durable: bool,
    ) -> Result<(), KeepError> {
        if let Some(keeper) = &mut self.keeper {
            let kept = keeper.journal.keep(&self.chain, control, changes, durable);
            if let Err(error) = kept {
                self.go_back(error.clone());
                return Err(error);
            }
        }
        self.steering.set(control);
        Ok(())
    }

    /// Goes back to what was kept, and changes nothing any more.
    fn go_back(&mut self, error: KeepError) {
        tracing::error!(reason = error.reason(), "the simulated chain stops");
        let Some(keeper) = &mut self.keeper else {
            return;
        };
        keeper.failure = Some(error);
        match keeper.journal.restore(keeper.kept_blocks) {
            Ok(Some(restored)) => self.chain = restored.chain,
            Ok(None) => tracing::error!("nothing of the simulated chain is left in its folder"),
            Err(error) => tracing::error!(%error, "the simulated chain cannot be read back"),
        }
    }

    /// Makes every further write fail.
    #[cfg(test)]
    pub(crate) fn break_for_test(&mut self) {
        if let Some(keeper) = &mut self.keeper {
            keeper.journal.break_for_test();
        }
    }
}
