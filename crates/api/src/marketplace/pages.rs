//! Pages of validators as they are sent. Many ask for the same page: while
//! what it shows stays the same, it is written once.

use bytes::Bytes;
use services::leasing::{Browse, BrowseKey, Page, ValidatorView};
use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

/// Pages that are kept at most.
const MAX_PAGES: usize = 200;

type Validators = Arc<Page<ValidatorView, BrowseKey>>;

#[derive(Default)]
pub(super) struct WrittenPages(Mutex<HashMap<Browse, (Validators, Bytes)>>);

impl fmt::Debug for WrittenPages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WrittenPages")
    }
}

impl WrittenPages {
    /// The text of a page, which `write` makes if it is not the one that was
    /// written last for this question.
    pub(super) fn text(
        &self,
        browse: &Browse,
        page: &Validators,
        write: impl FnOnce() -> Bytes,
    ) -> Bytes {
        if let Some(text) = self.kept(browse, page) {
            return text;
        }
        let text = write();
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if pages.len() >= MAX_PAGES {
            pages.clear();
        }
        pages.insert(browse.clone(), (Arc::clone(page), text.clone()));
        text
    }

    fn kept(&self, browse: &Browse, page: &Validators) -> Option<Bytes> {
        let pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (of, text) = pages.get(browse)?;
        Arc::ptr_eq(of, page).then(|| text.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use services::leasing::Sort;

    fn browse(limit: u16) -> Browse {
        Browse {
            price_min: None,
            price_max: None,
            region: None,
            tier: None,
            mode: None,
            available_epoch: None,
            sort: Sort::Price,
            after: None,
            limit,
        }
    }

    fn page() -> Validators {
        Arc::new(Page {
            items: Vec::new(),
            next: None,
        })
    }

    #[test]
    fn a_page_is_written_once_until_it_is_another() {
        let pages = WrittenPages::default();
        let (first, second) = (page(), page());
        let write = |text: &'static str| move || Bytes::from_static(text.as_bytes());
        assert_eq!(pages.text(&browse(1), &first, write("a")), "a");
        assert_eq!(pages.text(&browse(1), &first, write("b")), "a");
        assert_eq!(pages.text(&browse(1), &second, write("c")), "c");
        assert_eq!(pages.text(&browse(2), &second, write("d")), "d");
    }

    #[test]
    fn only_so_many_are_kept() {
        let pages = WrittenPages::default();
        for limit in 0..1_000 {
            pages.text(&browse(limit), &page(), Bytes::new);
        }
        assert!(pages.0.lock().unwrap().len() <= MAX_PAGES);
    }
}
