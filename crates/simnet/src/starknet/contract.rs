//! The common shape of contracts: a class, entrypoints, storage and events.
//!
//! A kind of contract is one file: a type with its settings, a table of
//! entrypoints by name, and functions over an [`Env`] and its [`Calldata`].

use super::class::{Class, Interface, Signature, Typed};
use super::failure::{Returned, Revert};
use super::hash::{contract_address, deployed_address, felt, from_felt};
use super::state::{Key, Variable};
use super::syscalls::{Origin, Syscalls};
use super::transaction::{Call, Event};
use primitives::{Felt, U256, selector};
use std::collections::HashMap;
use std::fmt;

/// A deployed contract: its settings, while its variables are in the state.
pub(crate) trait Contract: fmt::Debug + Send + Sync {
    /// The class that it was deployed from.
    fn class(&self) -> &'static Class;

    /// Runs the entrypoint `selector`; `None` if there is no such entrypoint.
    fn call(&self, env: &mut Env<'_, '_>, selector: Felt, calldata: &[Felt]) -> Option<Returned>;

    /// Runs the constructor; `None` if people cannot deploy this class.
    fn construct(&self, _: &mut Env<'_, '_>, _: &[Felt]) -> Option<Returned> {
        None
    }
}

/// A function of a contract of kind `C`.
pub(crate) type Entrypoint<C> = fn(&C, &mut Env<'_, '_>, &mut Calldata<'_>) -> Returned;

/// An entrypoint with its signature.
pub(crate) struct Function<C> {
    pub(crate) signature: Signature,
    run: Entrypoint<C>,
}

impl<C> Clone for Function<C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for Function<C> {}

impl<C> Function<C> {
    /// A function that only reads.
    pub(crate) const fn view(
        name: &'static str,
        inputs: &'static [Typed],
        outputs: &'static [&'static str],
        run: Entrypoint<C>,
    ) -> Self {
        let signature = Signature {
            name,
            inputs,
            outputs,
            view: true,
        };
        Self { signature, run }
    }

    /// A function that changes something.
    pub(crate) const fn external(
        name: &'static str,
        inputs: &'static [Typed],
        outputs: &'static [&'static str],
        run: Entrypoint<C>,
    ) -> Self {
        let signature = Signature {
            name,
            inputs,
            outputs,
            view: false,
        };
        Self { signature, run }
    }
}

/// The entrypoints of a kind of contract, by selector.
pub(crate) struct Entrypoints<C>(HashMap<Felt, Entrypoint<C>>);

impl<C> Entrypoints<C> {
    /// A table of functions; one may be there under several names.
    pub(crate) fn new(functions: &[Function<C>]) -> Self {
        Self(
            functions
                .iter()
                .map(|function| (selector(function.signature.name), function.run))
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
        Some(run(*function, contract, env, calldata))
    }
}

/// A kind of contract: its class, with the entrypoints behind it.
pub(crate) struct Kind<C> {
    pub(crate) class: Class,
    pub(crate) entrypoints: Entrypoints<C>,
}

impl<C> fmt::Debug for Kind<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kind").field(&self.class.hash).finish()
    }
}

impl<C> Kind<C> {
    /// The class `name` of exactly these functions; those of `interface` come
    /// before them.
    pub(crate) fn new(name: &str, functions: &[Function<C>], interface: Interface<'_>) -> Self {
        let own = functions.iter().map(|function| function.signature);
        let functions_of_all: Vec<Signature> =
            interface.functions.iter().copied().chain(own).collect();
        let interface = Interface {
            functions: &functions_of_all,
            ..interface
        };
        Self {
            class: Class::new(name, interface),
            entrypoints: Entrypoints::new(functions),
        }
    }
}

/// Runs `function`, which has to use up the calldata.
pub(crate) fn run<C>(
    function: Entrypoint<C>,
    contract: &C,
    env: &mut Env<'_, '_>,
    calldata: &[Felt],
) -> Returned {
    let mut calldata = Calldata::new(calldata);
    let returned = function(contract, env, &mut calldata)?;
    calldata.end()?;
    Ok(returned)
}

/// The arguments of a call, taken one after the other.
#[derive(Debug)]
pub(crate) struct Calldata<'c>(&'c [Felt]);

impl<'c> Calldata<'c> {
    /// Elements to be taken: arguments, or what another contract returned.
    pub(crate) fn new(felts: &'c [Felt]) -> Self {
        Self(felts)
    }

    /// The next element.
    pub(crate) fn felt(&mut self) -> Result<Felt, Revert> {
        let (first, rest) = self.0.split_first().ok_or_else(too_short)?;
        self.0 = rest;
        Ok(*first)
    }

    /// The next number of elements: a length.
    pub(crate) fn length(&mut self) -> Result<usize, Revert> {
        let length = from_felt(self.felt()?);
        // No list is longer than what is left.
        usize::try_from(length)
            .ok()
            .filter(|length| *length <= self.0.len())
            .ok_or_else(too_short)
    }

    /// The next list of elements: its length and as many elements.
    pub(crate) fn felts(&mut self) -> Result<&'c [Felt], Revert> {
        let length = self.length()?;
        let (list, rest) = self.0.split_at_checked(length).ok_or_else(too_short)?;
        self.0 = rest;
        Ok(list)
    }

    /// The next number of 128 bits.
    pub(crate) fn u128(&mut self) -> Result<u128, Revert> {
        let number = self.half()?;
        u128::try_from(number).map_err(|_| Revert::new("u128_from_felt252 Overflow"))
    }

    /// The next flag.
    pub(crate) fn bool(&mut self) -> Result<bool, Revert> {
        let flag = self.felt()?;
        if flag == Felt::ZERO || flag == Felt::ONE {
            Ok(flag == Felt::ONE)
        } else {
            Err(Revert::new("Failed to deserialize param"))
        }
    }

    /// The next 256-bit number: its low and its high half.
    pub(crate) fn u256(&mut self) -> Result<U256, Revert> {
        let (low, high) = (self.half()?, self.half()?);
        Ok(low | (high << 128_usize))
    }

    /// All that is left.
    pub(crate) fn rest(&mut self) -> &'c [Felt] {
        std::mem::take(&mut self.0)
    }

    fn half(&mut self) -> Result<U256, Revert> {
        let half = from_felt(self.felt()?);
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

fn too_short() -> Revert {
    Revert::new("Input too short for arguments")
}

/// A 256-bit number as contracts return and emit it: low half, high half.
pub(crate) fn halves(number: U256) -> [Felt; 2] {
    let [a, b, c, d] = number.into_limbs();
    [(a, b), (c, d)].map(|(low, high)| Felt::from(u128::from(low) | (u128::from(high) << 64)))
}

/// What a running entrypoint sees of the chain.
#[derive(Debug)]
pub(crate) struct Env<'e, 'a> {
    pub(super) syscalls: &'e mut dyn Syscalls<'a>,
    pub(super) address: Felt,
    pub(super) caller: Felt,
}

impl<'a> Env<'_, 'a> {
    /// The contract that is running.
    pub(crate) fn address(&self) -> Felt {
        self.address
    }

    /// Who called; zero for a call from outside the chain.
    pub(crate) fn caller(&self) -> Felt {
        self.caller
    }

    /// The transaction that is running; none in a call that only reads.
    pub(crate) fn origin(&self) -> Option<Origin<'a>> {
        self.syscalls.origin()
    }

    /// The time of the block, in seconds since 1970. It is the same in all of its
    /// transactions.
    pub(crate) fn time(&self) -> u64 {
        self.syscalls.time()
    }

    /// Calls another contract in the name of this one.
    pub(crate) fn call(&mut self, call: &Call) -> Returned {
        self.syscalls
            .call(self.address, call)
            .map_err(|failure| Revert::Inner(Box::new(failure)))
    }

    /// Deploys a contract of `class_hash`; its address follows from the rest.
    pub(crate) fn deploy(
        &mut self,
        class_hash: Felt,
        salt: Felt,
        calldata: &[Felt],
    ) -> Result<Felt, Revert> {
        let address = deployed_address(self.address, salt, class_hash, calldata);
        self.deploy_at(address, class_hash, calldata)
    }

    /// Deploys a contract where it would be if no other had deployed it.
    pub(crate) fn deploy_from_zero(
        &mut self,
        class_hash: Felt,
        salt: Felt,
        calldata: &[Felt],
    ) -> Result<Felt, Revert> {
        let address = contract_address(salt, class_hash, calldata);
        self.deploy_at(address, class_hash, calldata)
    }

    fn deploy_at(
        &mut self,
        address: Felt,
        class_hash: Felt,
        calldata: &[Felt],
    ) -> Result<Felt, Revert> {
        self.syscalls
            .deploy(self.address, address, class_hash, calldata)
            .map_err(|failure| Revert::Inner(Box::new(failure)))?;
        Ok(address)
    }

    /// Is of another class from the next call on.
    pub(crate) fn replace_class(&mut self, class_hash: Felt) {
        self.syscalls
            .write(Key::class_hash(self.address), from_felt(class_hash));
    }

    /// The class at an address, zero where nothing is deployed.
    pub(crate) fn class_of(&self, address: Felt) -> Felt {
        felt(self.syscalls.read(&Key::class_hash(address)))
    }

    /// Reads a variable of this contract.
    pub(crate) fn read(&self, variable: Variable, args: &[Felt]) -> U256 {
        self.syscalls.read(&Key::new(self.address, variable, args))
    }

    /// Writes a variable of this contract.
    pub(crate) fn write(&mut self, variable: Variable, args: &[Felt], value: U256) {
        self.syscalls
            .write(Key::new(self.address, variable, args), value);
    }

    /// Emits an event of this contract.
    pub(crate) fn emit(&mut self, keys: &[Felt], data: &[Felt]) {
        self.syscalls.emit(Event {
            from: self.address,
            keys: keys.into(),
            data: data.into(),
        });
    }
}
