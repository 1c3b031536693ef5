//! Series of prices as JSON, written once.
//!
//! A page is 256 consecutive buckets of a series. What has ended does not
//! change, so that its text is kept; a page grows as its buckets end. A request
//! puts pages together and writes only what has not ended yet.

use super::{items::Items, query::Range};
use crate::entity_tag::EntityTag;
use market::{
    TokenId,
    figures::Figures,
    series::{Bucket, Resolution, Span},
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Buckets of a page.
const PAGE: i64 = 256;

/// Bytes of pages that are kept, in each of two generations.
const GENERATION_BYTES: usize = 32 * 1024 * 1024;

/// What a page takes beside its items, roughly.
const PAGE_BYTES: usize = 256;

/// What is told of each bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Feed {
    Candles,
    Closes,
}

/// Which series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct SeriesKey {
    pub(super) token: TokenId,
    /// USD if none.
    pub(super) quote: Option<TokenId>,
    pub(super) feed: Feed,
}

type PageKey = (SeriesKey, Resolution, i64);

/// The settled buckets of a page.
#[derive(Debug)]
struct Page {
    /// Of the figures that it was written from.
    epoch: u64,
    /// It tells of buckets before this one.
    settled_to: Bucket,
    items: Items,
}

/// Pages that were asked for lately.
#[derive(Default)]
pub(super) struct Pages(Mutex<Generations>);

/// When the young are many, they become the old, and the old are forgotten:
/// what is asked for in the meantime is young again.
#[derive(Default)]
struct Generations {
    young: HashMap<PageKey, Arc<Page>>,
    old: HashMap<PageKey, Arc<Page>>,
    young_bytes: usize,
}

/// A part of a series, ready to be sent.
#[derive(Default)]
pub(super) struct Series {
    span: Span,
    pages: Vec<Arc<Page>>,
    /// What has not ended yet.
    tail: Items,
}

impl Pages {
    /// The part of a series that a range is.
    pub(super) fn series(&self, figures: &Figures, key: SeriesKey, range: &Range) -> Series {
        let (resolution, span) = (range.resolution, range.span.clone());
        let settled = resolution.bucket(figures.head_time());
        let kept = span.start..span.end.min(settled);
        let pages = if kept.is_empty() {
            Vec::new()
        } else {
            let numbers = kept.start.div_euclid(PAGE)..(kept.end - 1).div_euclid(PAGE) + 1;
            let numbers = numbers.map(|number| (number, kept.end.min((number + 1) * PAGE)));
            self.pages(figures, key, resolution, numbers, settled)
        };
        let mut tail = Items::default();
        let open = span.start.max(settled)..span.end;
        if !open.is_empty() {
            render(figures, key, resolution, open, &mut tail);
        }
        Series { span, pages, tail }
    }

    /// Pages by their numbers, each with the bucket to which it is needed.
    fn pages(
        &self,
        figures: &Figures,
        key: SeriesKey,
        resolution: Resolution,
        numbers: impl Iterator<Item = (i64, Bucket)>,
        settled: Bucket,
    ) -> Vec<Arc<Page>> {
        let kept: Vec<_> = {
            let mut generations = self.lock();
            let kept = numbers.map(|(number, needed)| {
                let page = generations.get((key, resolution, number));
                (
                    number,
                    needed,
                    page.filter(|it| it.epoch == figures.epoch()),
                )
            });
            kept.collect()
        };
        let pages = kept.into_iter().map(|(number, needed, page)| match page {
            Some(page) if page.settled_to >= needed => page,
            page => {
                let to = settled.min((number + 1) * PAGE);
                let grown = page_to(figures, key, resolution, number, page.as_deref(), to);
                let grown = Arc::new(grown);
                self.lock()
                    .put((key, resolution, number), Arc::clone(&grown));
                grown
            }
        });
        pages.collect()
    }

    fn lock(&self) -> MutexGuard<'_, Generations> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A page that tells of what has ended before `to`; what it told before is
/// taken over.
fn page_to(
    figures: &Figures,
    key: SeriesKey,
    resolution: Resolution,
    number: i64,
    before: Option<&Page>,
    to: Bucket,
) -> Page {
    let mut items = before.map(|page| page.items.clone()).unwrap_or_default();
    let from = before.map_or(number * PAGE, |page| page.settled_to);
    render(figures, key, resolution, from..to, &mut items);
    items.shrink();
    Page {
        epoch: figures.epoch(),
        settled_to: to,
        items,
    }
}

fn render(
    figures: &Figures,
    SeriesKey { token, quote, feed }: SeriesKey,
    resolution: Resolution,
    span: Span,
    items: &mut Items,
) {
    match feed {
        Feed::Candles => {
            items.add_candles(resolution, &figures.candles(token, quote, resolution, span));
        }
        Feed::Closes => {
            items.add_prices(resolution, &figures.closes(token, quote, resolution, span));
        }
    }
}

impl Generations {
    fn get(&mut self, key: PageKey) -> Option<Arc<Page>> {
        if let Some(page) = self.young.get(&key) {
            return Some(Arc::clone(page));
        }
        let page = self.old.remove(&key)?;
        self.put(key, Arc::clone(&page));
        Some(page)
    }

    fn put(&mut self, key: PageKey, page: Arc<Page>) {
        self.old.remove(&key);
        self.young_bytes += page.bytes();
        if let Some(before) = self.young.insert(key, page) {
            self.young_bytes -= before.bytes();
        }
        if self.young_bytes > GENERATION_BYTES {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
    }
}

impl Page {
    fn bytes(&self) -> usize {
        self.items.bytes() + PAGE_BYTES
    }
}

impl Series {
    fn parts(&self) -> impl Iterator<Item = super::items::Part<'_>> {
        let pages = self.pages.iter().map(|page| &page.items);
        let parts = pages.chain([&self.tail]).map(|it| it.part(&self.span));
        parts.filter(|part| part.last.is_some())
    }

    pub(super) fn tag(&self) -> EntityTag {
        self.parts()
            .fold(EntityTag::default(), |tag, part| tag.and(part.tag))
    }

    /// The bucket of the last item.
    pub(super) fn newest(&self) -> Option<Bucket> {
        self.parts().last()?.last
    }

    /// Writes the items as an array.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let length: usize = self.parts().map(|part| part.text.len() + 1).sum();
        out.reserve(length + 2);
        let mut before = b'[';
        for part in self.parts() {
            out.push(before);
            out.extend_from_slice(part.text);
            before = b',';
        }
        if before == b'[' {
            out.push(before);
        }
        out.push(b']');
    }
}
