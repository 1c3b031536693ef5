//! Transactions that wait for their turn: their nonce is of the future, their
//! bounds are below today's prices, or the block in the making is full.

use super::refusal::Refusal;
use super::transaction::Request;
use primitives::Felt;
use std::collections::{BTreeMap, HashMap};

/// Transactions that wait.
const MAX_WAITING: usize = 4_096;

/// Blocks that a transaction waits before it is dropped.
const PATIENCE_BLOCKS: u64 = 1_000;

/// A sender's place in line: their address and the nonce.
pub(crate) type Turn = (Felt, u64);

/// Valid transactions of which none is included yet.
#[derive(Debug, Default)]
pub(crate) struct Mempool {
    /// In the order of arrival.
    waiting: BTreeMap<u64, Waiting>,
    turns: HashMap<Turn, u64>,
    arrivals: u64,
}

#[derive(Debug)]
struct Waiting {
    request: Request,
    /// The last block that could include it.
    until: u64,
}

impl Mempool {
    /// Lets a transaction wait from block `now` on.
    pub(crate) fn add(&mut self, request: Request, now: u64) -> Result<(), Refusal> {
        let turn = turn(&request);
        if self.turns.contains_key(&turn) {
            return Err(Refusal::Replacement(turn.1));
        }
        if self.waiting.len() >= MAX_WAITING {
            return Err(Refusal::Full);
        }
        self.arrivals += 1;
        self.turns.insert(turn, self.arrivals);
        let until = now.saturating_add(PATIENCE_BLOCKS);
        self.waiting
            .insert(self.arrivals, Waiting { request, until });
        Ok(())
    }

    /// Lets transactions that were included once wait before all others.
    pub(crate) fn put_back(&mut self, requests: Vec<Request>, now: u64) {
        let later = std::mem::take(&mut self.waiting);
        self.turns.clear();
        let later = later.into_values().map(|waiting| waiting.request);
        for request in requests.into_iter().chain(later) {
            let hash = request.hash;
            if let Err(error) = self.add(request, now) {
                tracing::warn!(%hash, %error, "a transaction is dropped after a reorg");
            }
        }
    }

    /// The turns that are waited for, in the order of arrival.
    pub(crate) fn turns(&self) -> Vec<Turn> {
        self.waiting
            .values()
            .map(|waiting| turn(&waiting.request))
            .collect()
    }

    /// Everything that waits, in the order of arrival.
    pub(crate) fn requests(&self) -> impl Iterator<Item = &Request> {
        self.waiting.values().map(|waiting| &waiting.request)
    }

    pub(crate) fn get(&self, turn: Turn) -> Option<&Request> {
        let arrival = self.turns.get(&turn)?;
        self.waiting.get(arrival).map(|waiting| &waiting.request)
    }

    pub(crate) fn take(&mut self, turn: Turn) -> Option<Request> {
        let arrival = self.turns.remove(&turn)?;
        self.waiting.remove(&arrival).map(|waiting| waiting.request)
    }

    pub(crate) fn by_hash(&self, hash: Felt) -> Option<&Request> {
        self.waiting
            .values()
            .map(|waiting| &waiting.request)
            .find(|request| request.hash == hash)
    }

    /// Drops what waited for too long when block `now` is made.
    pub(crate) fn expire(&mut self, now: u64) {
        self.waiting.retain(|_, waiting| {
            let keep = waiting.until >= now;
            if !keep {
                self.turns.remove(&turn(&waiting.request));
            }
            keep
        });
    }
}

fn turn(request: &Request) -> Turn {
    (request.sender, request.signed.terms.nonce)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::starknet::gas::Prices;
    use crate::starknet::transaction::Deed;

    fn request(sender: u64, nonce: u64) -> Request {
        let sender = Felt::from(sender);
        let hash = sender * Felt::from(1_000_000) + Felt::from(nonce);
        Request::of_actor(
            hash,
            &Deed::plain(sender, Vec::new()),
            nonce,
            Prices::of_block(0, 0),
        )
    }

    #[test]
    fn transactions_are_found_by_turn_and_by_hash_until_they_are_taken() {
        let mut mempool = Mempool::default();
        mempool.add(request(1, 5), 0).unwrap();
        let turn = (Felt::ONE, 5);
        let hash = mempool.get(turn).unwrap().hash;
        assert!(mempool.by_hash(hash).is_some());
        assert_eq!(mempool.add(request(1, 5), 0), Err(Refusal::Replacement(5)));
        assert!(mempool.take(turn).is_some());
        assert!(mempool.get(turn).is_none());
        assert!(mempool.by_hash(hash).is_none());
    }

    #[test]
    fn the_number_of_waiting_transactions_is_limited() {
        let mut mempool = Mempool::default();
        for nonce in 0..u64::try_from(MAX_WAITING).unwrap() {
            mempool.add(request(1, nonce), 0).unwrap();
        }
        assert_eq!(mempool.add(request(2, 0), 0), Err(Refusal::Full));
    }

    #[test]
    fn transactions_that_come_back_are_first_in_line() {
        let mut mempool = Mempool::default();
        mempool.add(request(1, 1), 0).unwrap();
        mempool.put_back(vec![request(2, 0), request(1, 0)], 7);
        let turns = [(Felt::TWO, 0), (Felt::ONE, 0), (Felt::ONE, 1)];
        assert_eq!(mempool.turns(), turns);
    }

    #[test]
    fn nobody_waits_forever() {
        let mut mempool = Mempool::default();
        mempool.add(request(1, 1), 10).unwrap();
        mempool.expire(10 + PATIENCE_BLOCKS);
        assert_eq!(mempool.turns().len(), 1);
        mempool.expire(11 + PATIENCE_BLOCKS);
        assert_eq!(mempool.turns().len(), 0);
        assert!(mempool.get((Felt::ONE, 1)).is_none());
    }
}
