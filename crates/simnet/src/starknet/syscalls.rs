//! What the chain does for a contract that is running.

use super::failure::CallFailure;
use super::state::Key;
use super::transaction::{Call, Event};
use primitives::{Felt, U256};
use std::fmt;

/// The transaction in which calls are made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Origin<'a> {
    pub(crate) hash: Felt,
    pub(crate) signature: &'a [Felt],
}

/// The system calls of the chain. Whoever makes them says in whose name.
pub(crate) trait Syscalls<'a>: fmt::Debug {
    /// The transaction that is running; none in a call that only reads.
    fn origin(&self) -> Option<Origin<'a>>;

    /// The time of the block, in seconds since 1970.
    fn time(&self) -> u64;

    /// Runs one call in the name of `caller`. After a failure nothing that was
    /// done means anything: it may be half of the call's effects.
    fn call(&mut self, caller: Felt, call: &Call) -> Result<Vec<Felt>, CallFailure>;

    /// Puts a contract of `class_hash` at `address` and runs its constructor in
    /// the name of `deployer`.
    fn deploy(
        &mut self,
        deployer: Felt,
        address: Felt,
        class_hash: Felt,
        calldata: &[Felt],
    ) -> Result<Vec<Felt>, CallFailure>;

    /// Reads a variable.
    fn read(&self, key: &Key) -> U256;

    /// Writes a variable.
    fn write(&mut self, key: Key, value: U256);

    /// Emits an event.
    fn emit(&mut self, event: Event);
}
