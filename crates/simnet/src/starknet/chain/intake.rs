//! How transactions from outside come into the chain.

use super::Chain;
use crate::starknet::builder::BlockBuilder;
use crate::starknet::mempool::Turn;
use crate::starknet::process::{self, Charge};
use crate::starknet::refusal::Refusal;
use crate::starknet::transaction::Request;

/// A nonce may be this far ahead of the account's.
const MAX_NONCES_AHEAD: u64 = 64;

/// Transactions from outside in one block.
const MAX_IN_BLOCK: usize = 4_096;

impl Chain {
    /// Checks all that can be checked without changing the chain, the signature
    /// included, as it is for one that comes at `now`.
    pub(crate) fn check(&self, request: &Request, now: u64) -> Result<(), Refusal> {
        self.check_again(request)?;
        process::validate(self.view_of_open(now), request, false).map(drop)
    }

    /// Takes a transaction that [`Self::check`] has passed: into the block in the
    /// making if it is its turn, otherwise into the mempool.
    pub(crate) fn accept(&mut self, request: Request, now: u64) -> Result<(), Refusal> {
        // Another one may have come in between.
        self.check_again(&request)?;
        if !self.has_room() || !self.is_due(&request) {
            return self.mempool.add(request, self.open.number);
        }
        self.mempool.check(&request)?;
        let (sender, nonce) = (request.sender, request.signed.terms.nonce);
        self.include(request, now)?;
        // One that waited is replaced.
        self.mempool.take((sender, nonce));
        self.include_from((sender, nonce.saturating_add(1)), now);
        Ok(())
    }

    /// Includes those that wait and whose turn it is now, in the order of their
    /// arrival as far as their nonces allow.
    pub(super) fn include_waiting(&mut self, now: u64) {
        self.mempool.expire(self.open.number);
        loop {
            let turns = self.mempool.turns();
            let included = turns
                .into_iter()
                .filter(|turn| self.include_turn(*turn, now));
            if included.count() == 0 {
                return;
            }
        }
    }

    /// Includes the transaction that waits for this turn, and the sender's next
    /// ones.
    fn include_from(&mut self, (sender, mut nonce): Turn, now: u64) {
        while self.include_turn((sender, nonce), now) {
            nonce = nonce.saturating_add(1);
        }
    }

    /// Includes the transaction that waits for this turn, if its time has come.
    fn include_turn(&mut self, turn: Turn, now: u64) -> bool {
        let Some(request) = self.mempool.get(turn) else {
            return false;
        };
        let view = self.view(self.open.number);
        let fee = process::check_fee(view, request, self.open.prices);
        // Prices may fall again.
        let expensive = matches!(fee, Err(Refusal::Bounds { .. }));
        if expensive || !self.has_room() || !self.is_due(request) {
            return false;
        }
        let Some(request) = self.mempool.take(turn) else {
            return false;
        };
        let hash = request.hash;
        let checked = self.check_again(&request);
        match checked.and_then(|()| self.include(request, now)) {
            Ok(()) => true,
            Err(error) => {
                tracing::debug!(%hash, %error, "a waiting transaction is dropped");
                false
            }
        }
    }

    /// All checks but the signature, which does not change.
    fn check_again(&self, request: &Request) -> Result<(), Refusal> {
        let turn = (request.sender, request.signed.terms.nonce);
        let waits = |waiting: &Request| waiting.hash == request.hash;
        if self.transactions.contains_key(&request.hash)
            || self.mempool.get(turn).is_some_and(waits)
        {
            return Err(Refusal::Duplicate(request.hash));
        }
        let view = self.view(self.open.number);
        process::check_sender(view, request)?;
        let expected = view.nonce(request.sender);
        let given = request.signed.terms.nonce;
        if given.saturating_sub(expected) > MAX_NONCES_AHEAD {
            return Err(Refusal::Nonce { expected, given });
        }
        process::check_fee(view, request, self.open.prices)
    }

    fn has_room(&self) -> bool {
        self.open.transactions.len() < MAX_IN_BLOCK
    }

    fn is_due(&self, request: &Request) -> bool {
        let expected = self.view(self.open.number).nonce(request.sender);
        let terms = &request.signed.terms;
        terms.nonce <= expected && terms.tip >= self.least_tip
    }

    fn include(&mut self, request: Request, now: u64) -> Result<(), Refusal> {
        let hash = request.hash;
        self.open.timestamp = self.open.time(now);
        let mut builder = BlockBuilder {
            contracts: &self.world.contracts,
            state: &mut self.state,
            open: &mut self.open,
        };
        builder.include(request, Charge::Fee)?;
        let place = (self.open.number, self.open.transactions.len() - 1);
        self.transactions.insert(hash, place);
        Ok(())
    }
}
