//! Who called whom in a simulated transaction.

use super::gas::Work;
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
    /// What it and they did.
    pub(crate) work: Work,
    /// Places of its own events among all events of the execution.
    pub(crate) events: Vec<usize>,
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
            work: Work::default(),
            events: Vec::new(),
        });
    }

    pub(crate) fn leave(&mut self, work: Work, returned: Option<&Vec<Felt>>) {
        let Some(mut left) = self.open.pop() else {
            return;
        };
        left.work = work;
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
