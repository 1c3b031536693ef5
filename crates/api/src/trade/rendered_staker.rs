//! The staker as JSON, written once for as long as nothing of it changes.

use arc_swap::ArcSwapOption;
use axum::body::Bytes;
use services::StakerVersion;
use std::sync::Arc;

/// The newest text.
#[derive(Debug, Default)]
pub(super) struct RenderedStaker(ArcSwapOption<(StakerVersion, Bytes)>);

impl RenderedStaker {
    /// The text of a version, if it is the newest.
    pub(super) fn find(&self, version: StakerVersion) -> Option<Bytes> {
        let newest = self.0.load();
        let (of, text) = newest.as_deref()?;
        (*of == version).then(|| text.clone())
    }

    pub(super) fn keep(&self, version: StakerVersion, text: Bytes) {
        self.0.store(Some(Arc::new((version, text))));
    }
}
