//! The common shape of contracts: a class, entrypoints, storage and events.
//!
//! A kind of contract is one file: a type with its settings, a table of
//! entrypoints by name, and functions over an [`Env`] and its [`Calldata`].

use super::execution::Execution;
use super::state::Key;
use super::transaction::Event;
use primitives::{Felt, U256, selector};
use std::collections::HashMap;
use std::fmt;
use thiserror::Error;

/// Why an entrypoint gave up. All effects of the transaction are undone.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub(crate) struct Revert(String);

impl Revert {
    /// A revert with a contract's own words.
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

/// What a call returns, element by element.
pub(crate) type Returned = Result<Vec<Felt>, Revert>;

/// A deployed contract: its settings, while its variables are in the state.
pub(crate) trait Contract: fmt::Debug + Send + Sync {
    /// The class that it was deployed from.
    fn class_hash(&self) -> Felt;

    /// Runs the entrypoint `selector`; `None` if there is no such entrypoint.
    fn call(&self, env: &mut Env<'_, '_>, selector: Felt, calldata: &[Felt]) -> Option<Returned>;
}

/// A function of a contract of kind `C`.
pub(crate) type Entrypoint<C> = fn(&C, &mut Env<'_, '_>, &mut Calldata<'_>) -> Returned;

/// The entrypoints of a kind of contract, by selector.
pub(crate) struct Entrypoints<C>(HashMap<Felt, Entrypoint<C>>);

impl<C> Entrypoints<C> {
    /// A table of entrypoints by name; one function may have several.
    pub(crate) fn new(named: &[(&str, Entrypoint<C>)]) -> Self {
        Self(
            named
                .iter()
                .map(|(name, function)| (selector(name), *function))
                .collect(),
        )
    }

    /// Runs the entrypoint `selector` of `contract` with exactly this calldata.
    pub(crate) fn run(
        &self,
        contract: &C,
        env: &mut Env<'_, '_>,
        selector: Felt,
        calldata: &[Felt],
    ) -> Option<Returned> {
        let function = self.0.get(&selector)?;
        let mut calldata = Calldata(calldata);
        let returned = function(contract, env, &mut calldata);
        Some(returned.and_then(|felts| calldata.end().map(|()| felts)))
    }
}

/// The arguments of a call, taken one after the other.
#[derive(Debug)]
pub(crate) struct Calldata<'c>(&'c [Felt]);

impl Calldata<'_> {
    /// The next element.
    pub(crate) fn felt(&mut self) -> Result<Felt, Revert> {
        let (first, rest) = self
            .0
            .split_first()
            .ok_or_else(|| Revert::new("Input too short for arguments"))?;
        self.0 = rest;
        Ok(*first)
    }

    /// The next 256-bit number: its low and its high half.
    pub(crate) fn u256(&mut self) -> Result<U256, Revert> {
        let (low, high) = (self.half()?, self.half()?);
        Ok(low | (high << 128_usize))
    }

    fn half(&mut self) -> Result<U256, Revert> {
        let half = super::hash::from_felt(self.felt()?);
        if half >> 128_usize == U256::ZERO {
            Ok(half)
        } else {
            Err(Revert::new("u128_from_felt252 Overflow"))
        }
    }

    fn end(&self) -> Result<(), Revert> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(Revert::new("Input too long for arguments"))
        }
    }
}

/// A 256-bit number as contracts return and emit it: low half, high half.
pub(crate) fn halves(number: U256) -> [Felt; 2] {
    let [a, b, c, d] = number.into_limbs();
    [(a, b), (c, d)].map(|(low, high)| Felt::from(u128::from(low) | (u128::from(high) << 64)))
}

/// What a running entrypoint sees of the chain.
#[derive(Debug)]
pub(crate) struct Env<'e, 'a> {
    pub(super) execution: &'e mut Execution<'a>,
    pub(super) address: Felt,
    pub(super) caller: Felt,
}

impl Env<'_, '_> {
    /// Who called; zero for a call from outside the chain.
    pub(crate) fn caller(&self) -> Felt {
        self.caller
    }

    /// Reads a variable of this contract.
    pub(crate) fn read(&self, variable: &'static str, args: &[Felt]) -> U256 {
        self.execution.read(&Key::new(self.address, variable, args))
    }

    /// Writes a variable of this contract.
    pub(crate) fn write(&mut self, variable: &'static str, args: &[Felt], value: U256) {
        self.execution
            .write(Key::new(self.address, variable, args), value);
    }

    /// Emits an event of this contract.
    pub(crate) fn emit(&mut self, keys: &[Felt], data: &[Felt]) {
        self.execution.emit(Event {
            from: self.address,
            keys: keys.into(),
            data: data.into(),
        });
    }
}
