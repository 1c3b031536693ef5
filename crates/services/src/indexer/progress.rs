//! How far the indexer is, for health, metrics and people who wait.

use crate::indexer::NodeView;
use arc_swap::ArcSwap;
use primitives::{BlockRef, SignedDuration, Timestamp};
use std::sync::Arc;

/// What is known of the work; written by the indexer, read by anyone.
#[derive(Debug, Clone, Default)]
pub struct Progress(Arc<ArcSwap<ProgressView>>);

/// What was known at one moment; what comes later is in another view.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProgressView {
    /// The node's head when it last answered.
    pub node_head: Option<BlockRef>,
    /// When the node, or the store that is followed, last said where it is.
    pub answered_at: Option<Timestamp>,
    /// Since when it is below our newest block, if it is.
    pub below_since: Option<Timestamp>,
    /// What went wrong since, if anything.
    pub error: Option<String>,
    /// Since when nothing but that happens.
    pub failing_since: Option<Timestamp>,
    /// Every node that may be asked.
    pub nodes: Vec<NodeView>,
    /// How far pools are taken over, while they are.
    pub takeover: Option<TakeoverView>,
    /// How far the rest of the chain is indexed, while what is served began near its
    /// head.
    pub history: Option<HistoryView>,
}

/// How far pools are taken over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TakeoverView {
    /// When it began, for all venues together.
    pub begun: Timestamp,
    /// Parts of the past that were read.
    pub done: u64,
    /// Those that are known of so far.
    pub of: u64,
}

/// How far a history is indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryView {
    /// Its newest block, if it has one.
    pub block: Option<u64>,
    /// The block that it has to reach.
    pub of: u64,
    /// How long that takes at the speed so far.
    pub seconds_left: Option<u64>,
    /// What went wrong last, if anything.
    pub error: Option<String>,
}

/// How long the rest takes, if so much took so long.
pub(crate) fn seconds_left(passed: SignedDuration, done: u64, left: u64) -> Option<u64> {
    let passed = u128::try_from(passed.as_secs()).ok()?;
    let left = (passed * u128::from(left)).checked_div(u128::from(done))?;
    u64::try_from(left).ok().filter(|_| passed > 0)
}

impl Progress {
    /// What is known now. It does not change: look again for what comes later.
    pub fn view(&self) -> Arc<ProgressView> {
        self.0.load_full()
    }

    /// The node, or the store that is followed, said where it is, while our newest
    /// block was this one.
    pub(crate) fn answered(&self, head: BlockRef, ours: Option<BlockRef>, at: Timestamp) {
        let is_below = ours.is_some_and(|ours| head.number < ours.number);
        self.change(|view| {
            view.node_head = Some(head);
            view.answered_at = Some(at);
            view.below_since = view.below_since.or(Some(at)).filter(|_| is_below);
        });
    }

    pub(crate) fn surveyed(&self, nodes: &[NodeView]) {
        self.change(|view| nodes.clone_into(&mut view.nodes));
    }

    /// A round ended well: what was wrong before is over.
    pub(crate) fn recovered(&self) {
        self.change(|view| {
            view.error = None;
            view.failing_since = None;
        });
    }

    pub(crate) fn failed(&self, error: &str, at: Timestamp) {
        self.change(|view| {
            view.error = Some(error.to_owned());
            view.failing_since = view.failing_since.or(Some(at));
        });
    }

    pub(crate) fn begins_to_take_over(&self, begun: Timestamp) {
        let (done, of) = (0, 0);
        let takeover = TakeoverView { begun, done, of };
        self.change(|view| view.takeover = Some(takeover));
    }

    /// So many parts are to be read.
    pub(crate) fn takes_over(&self, parts: u64) {
        self.change(|view| {
            if let Some(takeover) = &mut view.takeover {
                takeover.of = takeover.of.saturating_add(parts);
            }
        });
    }

    /// One more of the parts is read.
    pub(crate) fn took_over(&self) {
        self.change(|view| {
            if let Some(takeover) = &mut view.takeover {
                takeover.done = takeover.done.saturating_add(1);
            }
        });
    }

    pub(crate) fn ends_to_take_over(&self) {
        self.change(|view| view.takeover = None);
    }

    /// Where the history is; none once it is complete.
    pub(crate) fn remembers(&self, history: Option<&HistoryView>) {
        self.change(|view| view.history = history.cloned());
    }

    /// Two may write: who serves, and who tells of the history.
    fn change(&self, change: impl Fn(&mut ProgressView)) {
        self.0.rcu(|view| {
            let mut view = (**view).clone();
            change(&mut view);
            view
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_takes_as_long_as_what_was_done() {
        let left = |passed, done, left| seconds_left(SignedDuration::from_secs(passed), done, left);
        assert_eq!(left(10, 100, 1_000), Some(100));
        assert_eq!(left(10, 0, 1_000), None);
        assert_eq!(left(0, 5, 1_000), None);
        assert_eq!(left(-1, 5, 1_000), None);
        assert_eq!(left(i64::MAX, 1, u64::MAX), None);
    }
}
