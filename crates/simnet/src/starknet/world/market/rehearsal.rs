//! Calls tried out before they are sent, as wallets do it.

use crate::starknet::contracts::erc20::balance_key;
use crate::starknet::execution::{Execution, View};
use crate::starknet::failure::CallFailure;
use crate::starknet::syscalls::Syscalls;
use crate::starknet::transaction::{Call, Deed};
use primitives::{Felt, U256};

/// The chain as it would go on; nothing of it stays.
#[derive(Debug)]
pub(super) struct Rehearsal<'a>(Execution<'a>);

impl<'a> Rehearsal<'a> {
    pub(super) fn new(view: View<'a>) -> Self {
        Self(Execution::new(view, None))
    }

    /// Makes the calls. After a failure the rest means nothing.
    pub(super) fn make(&mut self, sender: Felt, calls: &[Call]) -> Result<(), CallFailure> {
        calls
            .iter()
            .try_for_each(|call| self.0.call(sender, call).map(drop))
    }

    pub(super) fn balance(&self, token: Felt, owner: Felt) -> U256 {
        self.0.read(&balance_key(token, owner))
    }

    /// Makes the calls and answers with what the sender has more of `token`.
    pub(super) fn gain(&mut self, sender: Felt, calls: &[Call], token: Felt) -> Option<U256> {
        let before = self.balance(token, sender);
        self.make(sender, calls).ok()?;
        self.balance(token, sender).checked_sub(before)
    }

    /// The calls, if they succeed.
    pub(super) fn deed(view: View<'a>, sender: Felt, calls: Vec<Call>) -> Option<Deed> {
        let mut rehearsal = Self::new(view);
        rehearsal.make(sender, &calls).ok()?;
        Some(rehearsal.done(sender, calls))
    }

    /// The calls, of which the last were these.
    pub(super) fn done(&self, sender: Felt, calls: Vec<Call>) -> Deed {
        let work = self.0.work();
        Deed {
            sender,
            calls,
            work,
        }
    }
}
