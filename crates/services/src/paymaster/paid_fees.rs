//! What users paid, held against what their transactions did cost.

use metrics::gauge;
use primitives::{Felt, U256};
use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Transactions of which it is known what their users paid; of further ones the
/// oldest are forgotten.
const MAX_EXPECTED: usize = 4_096;

/// What users paid for transactions of this process, and what they did cost.
#[derive(Debug, Default)]
pub(super) struct PaidFees(Mutex<Comparison>);

#[derive(Debug, Default)]
struct Comparison {
    /// Hashes, and what was paid, in the smallest unit of STRK.
    expected: VecDeque<(Felt, u128)>,
    paid: u128,
    cost: u128,
}

impl PaidFees {
    fn lock(&self) -> MutexGuard<'_, Comparison> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A user paid so much for a transaction.
    pub(super) fn expect(&self, hash: Felt, paid: u128) {
        let mut comparison = self.lock();
        comparison.expected.push_back((hash, paid));
        if comparison.expected.len() > MAX_EXPECTED {
            comparison.expected.pop_front();
        }
    }

    pub(super) fn expected(&self) -> Vec<(Felt, u128)> {
        self.lock().expected.iter().copied().collect()
    }

    /// It did cost so much, or never will anything.
    pub(super) fn settle(&self, hash: Felt, paid_and_cost: Option<(u128, u128)>) {
        let mut comparison = self.lock();
        comparison.expected.retain(|(other, _)| *other != hash);
        let Some((paid, cost)) = paid_and_cost else {
            return;
        };
        comparison.paid = comparison.paid.saturating_add(paid);
        comparison.cost = comparison.cost.saturating_add(cost);
        let share = |amount: u128| U256::from(amount);
        let ratio = f64::from(share(comparison.paid)) / f64::from(share(comparison.cost.max(1)));
        drop(comparison);
        gauge!("stoa_paymaster_paid_to_cost").set(ratio);
    }
}
