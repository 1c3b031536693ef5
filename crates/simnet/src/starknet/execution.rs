//! Running calls over a state without changing it.
//!
//! Writes and events are collected beside the state. A transaction applies them
//! when it succeeds; a revert, a read-only call or a simulation drops them.

use super::class::Class;
use super::contract::{Contract, Env};
use super::failure::{CallFailure, Returned, Revert};
use super::gas::Work;
use super::hash;
use super::state::{Key, State};
use super::syscalls::{Origin, Syscalls};
use super::trace::{EntryPoint, Invocation, Tracer};
use super::transaction::{Call, Event};
use primitives::{Felt, U256, selector};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

/// Contracts that call each other are at most this many at a time.
const MAX_DEPTH: usize = 50;

static CONSTRUCTOR: LazyLock<Felt> = LazyLock::new(|| selector("constructor"));

/// All contracts that the world has, and the classes of which there can be more.
#[derive(Debug, Default)]
pub(crate) struct Contracts {
    deployed: HashMap<Felt, Arc<dyn Contract>>,
    classes: HashMap<Felt, Arc<dyn Contract>>,
}

impl Contracts {
    pub(crate) fn insert(&mut self, address: Felt, contract: Arc<dyn Contract>) {
        self.classes
            .entry(contract.class().hash)
            .or_insert_with(|| Arc::clone(&contract));
        self.deployed.insert(address, contract);
    }

    /// Adds a class of which contracts deploy others.
    pub(crate) fn declare(&mut self, contract: Arc<dyn Contract>) {
        self.classes.insert(contract.class().hash, contract);
    }

    /// The contracts that exist from the beginning.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Felt, &dyn Contract)> {
        self.deployed
            .iter()
            .map(|(address, contract)| (*address, contract.as_ref()))
    }

    #[cfg(test)]
    pub(crate) fn classes(&self) -> impl Iterator<Item = &'static Class> {
        self.classes.values().map(|contract| contract.class())
    }

    pub(crate) fn class(&self, hash: Felt) -> Option<&'static Class> {
        self.classes.get(&hash).map(|contract| contract.class())
    }

    /// The contract at `address`, which is of `class_hash` now: one that was
    /// there from the beginning may have been upgraded.
    fn at(&self, address: Felt, class_hash: Felt) -> Option<&dyn Contract> {
        let deployed = self.deployed.get(&address);
        let contract = deployed
            .filter(|contract| contract.class().hash == class_hash)
            .or_else(|| self.classes.get(&class_hash))?;
        Some(contract.as_ref())
    }
}

/// Variables that were written.
pub(crate) type Writes = HashMap<Key, U256>;

/// A state to run on: the one after block `at`, with what came later.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) contracts: &'a Contracts,
    pub(crate) state: &'a State,
    pub(crate) at: u64,
    /// The time of that block, in seconds since 1970.
    pub(crate) time: u64,
    /// Writes of simulated transactions that go before.
    pub(crate) earlier: Option<&'a Writes>,
}

impl View<'_> {
    pub(crate) fn read(&self, key: &Key) -> U256 {
        self.earlier
            .and_then(|earlier| earlier.get(key).copied())
            .unwrap_or_else(|| self.state.read(key, self.at))
    }

    /// The class at an address, zero where nothing is deployed.
    pub(crate) fn class_hash(&self, address: Felt) -> Felt {
        hash::felt(self.read(&Key::class_hash(address)))
    }

    /// The transactions that an account has sent.
    pub(crate) fn nonce(&self, address: Felt) -> u64 {
        self.read(&Key::nonce(address)).saturating_to()
    }
}

/// Calls in progress.
#[derive(Debug)]
pub(crate) struct Execution<'a> {
    view: View<'a>,
    origin: Option<Origin<'a>>,
    writes: Writes,
    events: Vec<Event>,
    /// Reading is no change, but it is counted.
    reads: Cell<u64>,
    /// All else that was done.
    work: Work,
    depth: usize,
    tracer: Option<Tracer>,
}

/// What an execution would change.
#[derive(Debug)]
pub(crate) struct Effects {
    pub(crate) writes: Writes,
    pub(crate) events: Vec<Event>,
}

impl<'a> Execution<'a> {
    pub(crate) fn new(view: View<'a>, origin: Option<Origin<'a>>) -> Self {
        Self {
            view,
            origin,
            writes: Writes::new(),
            events: Vec::new(),
            reads: Cell::default(),
            work: Work::default(),
            depth: 0,
            tracer: None,
        }
    }

    /// Also remembers who called whom.
    pub(crate) fn traced(mut self, traced: bool) -> Self {
        self.tracer = traced.then(Tracer::default);
        self
    }

    /// What was done so far, in failed calls too.
    pub(crate) fn work(&self) -> Work {
        Work {
            reads: self.reads.get(),
            variables: u64::try_from(self.writes.len()).unwrap_or(u64::MAX),
            ..self.work
        }
    }

    fn enter(
        &mut self,
        kind: EntryPoint,
        caller: Felt,
        call: &Call,
        class_hash: Felt,
        run: impl FnOnce(&mut Env<'_, 'a>) -> Option<Returned>,
    ) -> Result<Vec<Felt>, CallFailure> {
        let before = self.work();
        self.work.calls += 1;
        self.depth += 1;
        if let Some(tracer) = &mut self.tracer {
            tracer.enter(kind, caller, call, class_hash);
        }
        let returned = if self.depth > MAX_DEPTH {
            Some(Err(Revert::new("too many calls within each other")))
        } else {
            run(&mut Env {
                syscalls: self,
                address: call.to,
                caller,
            })
        };
        self.depth -= 1;
        let work = self.work().since(before);
        if let Some(tracer) = &mut self.tracer {
            tracer.leave(
                work,
                returned.as_ref().and_then(|result| result.as_ref().ok()),
            );
        }
        returned
            .ok_or(CallFailure::EntrypointNotFound(call.selector))?
            .map_err(|revert| CallFailure::Reverted {
                contract: call.to,
                class_hash,
                selector: call.selector,
                revert,
            })
    }

    /// The value of a variable, which nobody pays for.
    fn look(&self, key: &Key) -> U256 {
        self.writes
            .get(key)
            .copied()
            .unwrap_or_else(|| self.view.read(key))
    }

    /// The outermost calls, if they were traced.
    pub(crate) fn take_trace(&mut self) -> Vec<Invocation> {
        self.tracer.as_mut().map_or_else(Vec::new, Tracer::take)
    }

    pub(crate) fn finish(self) -> Effects {
        Effects {
            writes: self.writes,
            events: self.events,
        }
    }
}

impl<'a> Syscalls<'a> for Execution<'a> {
    fn origin(&self) -> Option<Origin<'a>> {
        self.origin
    }

    fn time(&self) -> u64 {
        self.view.time
    }

    fn call(&mut self, caller: Felt, call: &Call) -> Result<Vec<Felt>, CallFailure> {
        let class_hash = hash::felt(self.look(&Key::class_hash(call.to)));
        let contract = self
            .view
            .contracts
            .at(call.to, class_hash)
            .filter(|_| class_hash != Felt::ZERO)
            .ok_or(CallFailure::ContractNotFound(call.to))?;
        self.enter(EntryPoint::External, caller, call, class_hash, |env| {
            contract.call(env, call.selector, &call.calldata)
        })
    }

    fn deploy(
        &mut self,
        deployer: Felt,
        address: Felt,
        class_hash: Felt,
        calldata: &[Felt],
    ) -> Result<Vec<Felt>, CallFailure> {
        let call = Call {
            to: address,
            selector: *CONSTRUCTOR,
            calldata: calldata.to_vec(),
        };
        let reverted = |reason: &str| CallFailure::Reverted {
            contract: address,
            class_hash,
            selector: call.selector,
            revert: Revert::new(reason),
        };
        let key = Key::class_hash(address);
        if self.look(&key) != U256::ZERO {
            return Err(reverted("contract is already deployed"));
        }
        let contract = self
            .view
            .contracts
            .at(address, class_hash)
            .ok_or_else(|| reverted("class is not declared"))?;
        self.write(key, hash::from_felt(class_hash));
        let kind = EntryPoint::Constructor;
        self.enter(kind, deployer, &call, class_hash, |env| {
            contract.construct(env, calldata)
        })
    }

    fn read(&self, key: &Key) -> U256 {
        self.reads.set(self.reads.get() + 1);
        self.look(key)
    }

    fn write(&mut self, key: Key, value: U256) {
        self.work.writes += 1;
        self.writes.insert(key, value);
    }

    fn emit(&mut self, event: Event) {
        if let Some(tracer) = &mut self.tracer {
            tracer.emit(self.events.len());
        }
        let felts = event.keys.len() + event.data.len();
        self.work.events += 1;
        self.work.felts += u64::try_from(felts).unwrap_or(u64::MAX);
        self.events.push(event);
    }
}
