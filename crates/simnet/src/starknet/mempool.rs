//! Transactions that wait for their turn: their nonce is of the future, their
//! bounds are below today's prices, their tip is too low, or the block in the making
//! is full.

use super::refusal::Refusal;
use super::transaction::Request;
use primitives::{Felt, transaction_hash::Terms};
use std::collections::{BTreeMap, HashMap};

/// Transactions that wait.
const MAX_WAITING: usize = 4_096;

/// Blocks that a transaction waits before it is dropped.
const PATIENCE_BLOCKS: u64 = 1_000;

/// What replaces another transaction offers so many per cent more for it.
const RISE_PERCENT: u128 = 10;

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
    /// Lets a transaction wait from block `now` on, in the place of another one with
    /// the same nonce if it offers enough more.
    pub(crate) fn add(&mut self, request: Request, now: u64) -> Result<(), Refusal> {
        self.check(&request)?;
        let turn = turn(&request);
        if self.take(turn).is_none() && self.waiting.len() >= MAX_WAITING {
            return Err(Refusal::Full);
        }
        self.arrivals += 1;
        self.turns.insert(turn, self.arrivals);
        let until = now.saturating_add(PATIENCE_BLOCKS);
        self.waiting
            .insert(self.arrivals, Waiting { request, until });
        Ok(())
    }

    /// Whether nothing with the same nonce waits, or something for much less.
    pub(crate) fn check(&self, request: &Request) -> Result<(), Refusal> {
        let turn = turn(request);
        match self.get(turn) {
            Some(old) if !outbids(&old.signed.terms, &request.signed.terms) => {
                Err(Refusal::Replacement(turn.1))
            }
            _ => Ok(()),
        }
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

/// Whether new terms offer enough more than old ones, in their tip and in the price of
/// L2 gas, as sequencers have it.
fn outbids(old: &Terms, new: &Terms) -> bool {
    let enough = |old: u128, new: u128| {
        let rise = old.checked_mul(RISE_PERCENT).map(|rise| rise / 100);
        let least = rise.and_then(|rise| old.checked_add(rise));
        least.is_some_and(|least| new >= least)
    };
    let price = |terms: &Terms| terms.bounds.l2_gas.max_price_per_unit;
    enough(old.tip.into(), new.tip.into()) && enough(price(old), price(new))
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
    fn one_that_offers_a_tenth_more_takes_anothers_place() {
        let offer = |tip: u64, price: u128| {
            let mut request = request(1, 5);
            request.hash = Felt::from(tip);
            request.signed.terms.tip = tip;
            request.signed.terms.bounds.l2_gas.max_price_per_unit = price;
            request
        };
        let mut mempool = Mempool::default();
        mempool.add(offer(100, 1_000), 0).unwrap();
        for low in [offer(109, 2_000), offer(200, 1_099), offer(100, 1_000)] {
            assert_eq!(mempool.add(low, 0), Err(Refusal::Replacement(5)));
        }
        mempool.add(offer(110, 1_100), 0).unwrap();
        assert_eq!(mempool.requests().count(), 1);
        assert!(mempool.by_hash(Felt::from(100)).is_none());
        assert!(mempool.by_hash(Felt::from(110)).is_some());
        let highest = offer(u64::MAX, u128::MAX);
        mempool.add(highest.clone(), 0).unwrap();
        assert_eq!(mempool.add(highest, 0), Err(Refusal::Replacement(5)));
    }

    #[test]
    fn the_number_of_waiting_transactions_is_limited() {
        let mut mempool = Mempool::default();
        for nonce in 0..u64::try_from(MAX_WAITING).unwrap() {
            mempool.add(request(1, nonce), 0).unwrap();
        }
        assert_eq!(mempool.add(request(2, 0), 0), Err(Refusal::Full));
        let mut dearer = request(1, 0);
        dearer.signed.terms.tip = u64::MAX;
        dearer.signed.terms.bounds.l2_gas.max_price_per_unit *= 2;
        mempool.add(dearer, 0).unwrap();
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
