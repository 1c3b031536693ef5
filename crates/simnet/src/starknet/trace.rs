//! Who called whom in a simulated transaction.

use super::transaction::Call;
use primitives::Felt;

/// The kind of an entrypoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryPoint {
    External,
    Constructor,
}

/// A call with the calls that it made.
#[derive(Debug)]
pub(crate) struct Invocation {
    pub(crate) kind: EntryPoint,
    pub(crate) caller: Felt,
    pub(crate) call: Call,
    pub(crate) class_hash: Felt,
    /// What it returned; nothing if it failed.
    pub(crate) result: Option<Vec<Felt>>,
    pub(crate) calls: Vec<Invocation>,
    /// Places of its own events among all events of the execution.
    pub(crate) events: Vec<usize>,
}

impl Invocation {
    /// This call and all calls under it.
    pub(crate) fn size(&self) -> u64 {
        1 + self.calls.iter().map(Self::size).sum::<u64>()
    }
}

/// Builds the tree of calls.
#[derive(Debug, Default)]
pub(crate) struct Tracer {
    /// From the outermost call in progress to the innermost.
    open: Vec<Invocation>,
    finished: Vec<Invocation>,
}

impl Tracer {
    pub(crate) fn enter(&mut self, kind: EntryPoint, caller: Felt, call: &Call, class_hash: Felt) {
        self.open.push(Invocation {
            kind,
            caller,
            call: call.clone(),
            class_hash,
            result: None,
            calls: Vec::new(),
            events: Vec::new(),
        });
    }

    pub(crate) fn leave(&mut self, returned: Option<&Vec<Felt>>) {
        let Some(mut left) = self.open.pop() else {
            return;
        };
        left.result = returned.cloned();
        match self.open.last_mut() {
            Some(caller) => caller.calls.push(left),
            None => self.finished.push(left),
        }
    }

    /// Notes that the innermost call emits the event `place`.
    pub(crate) fn emit(&mut self, place: usize) {
        if let Some(emitter) = self.open.last_mut() {
            emitter.events.push(place);
        }
    }

    pub(crate) fn take(&mut self) -> Vec<Invocation> {
        std::mem::take(&mut self.finished)
    }
}
