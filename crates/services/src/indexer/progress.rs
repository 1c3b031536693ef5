//! How far the indexer is, for health, metrics and people who wait.

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
    /// What went wrong since, if anything.
    pub error: Option<String>,
}

impl Progress {
    /// The present view.
    pub fn view(&self) -> Arc<ProgressView> {
        self.0.load_full()
    }

    pub(crate) fn answered(&self, head: BlockRef, at: Timestamp) {
        self.0.store(Arc::new(ProgressView {
            node_head: Some(head),
            answered_at: Some(at),
            error: self.view().error.clone(),
        }));
    }

    /// A round ended well: what was wrong before is over.
    pub(crate) fn recovered(&self) {
        let view = self.view();
        if view.error.is_some() {
            self.0.store(Arc::new(ProgressView {
                error: None,
                ..(*view).clone()
            }));
        }
    }

    pub(crate) fn failed(&self, error: String) {
        self.0.store(Arc::new(ProgressView {
            error: Some(error),
            ..(*self.view()).clone()
        }));
    }
}
