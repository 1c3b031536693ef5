//! How far the indexer is, for health, metrics and people who wait.

use crate::indexer::NodeView;
use arc_swap::ArcSwap;
use primitives::{BlockRef, Timestamp};
use std::sync::Arc;

/// What is known of the work; written by the indexer, read by anyone.
#[derive(Debug, Clone, Default)]
pub struct Progress(Arc<ArcSwap<ProgressView>>);

/// One moment of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProgressView {
    /// The node's head when it last answered.
    pub node_head: Option<BlockRef>,
    /// When that was.
    pub answered_at: Option<Timestamp>,
    /// Since when it is below our newest block, if it is.
    pub below_since: Option<Timestamp>,
    /// What went wrong since, if anything.
    pub error: Option<String>,
    /// Every node that may be asked.
    pub nodes: Vec<NodeView>,
}

impl Progress {
    /// The present view.
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

    pub(crate) fn surveyed(&self, nodes: Vec<NodeView>) {
        self.change(|view| view.nodes = nodes);
    }

    /// A round ended well: what was wrong before is over.
    pub(crate) fn recovered(&self) {
        self.change(|view| view.error = None);
    }

    pub(crate) fn failed(&self, error: String) {
        self.change(|view| view.error = Some(error));
    }

    /// There is one writer, so that nothing is lost between load and store.
    fn change(&self, change: impl FnOnce(&mut ProgressView)) {
        let mut view = (*self.view()).clone();
        change(&mut view);
        self.0.store(Arc::new(view));
    }
}
