//! Lists as they are sent, kept for those who ask for the same.

use super::answer::Frame;
use crate::http::{
    compression::WantsGzip,
    content::KeptBody,
    entity_tag::{EntityTag, KnownTags},
};
use axum::response::Response;
use primitives::Impossible;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Pages that are kept, and the longest query whose page is.
const MAX_PAGES: usize = 256;
const MAX_QUERY_BYTES: usize = 256;

/// A list as it is sent.
pub(super) struct RenderedList {
    body: KeptBody,
    tag: EntityTag,
}

impl RenderedList {
    pub(super) fn new(body: Vec<u8>) -> Self {
        Self {
            tag: EntityTag::of(&body),
            body: KeptBody::new(body),
        }
    }

    /// The same of a page, which is short.
    fn page(body: Vec<u8>) -> Self {
        Self {
            tag: EntityTag::of(&body),
            body: KeptBody::few_bytes(body),
        }
    }

    pub(super) fn answer(&self, known: &KnownTags, wants: WantsGzip) -> Response {
        let frame = Frame {
            tag: self.tag,
            ..Frame::default()
        };
        frame.around(|| self.body.content(wants), known)
    }
}

/// Pages of a list that does not change, by the texts of their queries.
#[derive(Default)]
pub(super) struct KeptPages(Mutex<HashMap<Box<str>, Arc<RenderedList>>>);

impl KeptPages {
    /// The page that the text of a query was answered with before.
    pub(super) fn find(&self, text: &str) -> Option<Arc<RenderedList>> {
        self.lock().get(text).cloned()
    }

    /// A page, which is kept under the text of its query if there is room.
    pub(super) fn keep(
        &self,
        text: &str,
        write: impl FnOnce() -> Result<Vec<u8>, Impossible>,
    ) -> Result<Arc<RenderedList>, Impossible> {
        let page = Arc::new(RenderedList::page(write()?));
        let mut pages = self.lock();
        if pages.len() < MAX_PAGES && text.len() <= MAX_QUERY_BYTES {
            pages.insert(text.into(), Arc::clone(&page));
        }
        Ok(page)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Box<str>, Arc<RenderedList>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
