//! Series of prices as JSON, written once.
//!
//! A page is 256 consecutive buckets of a series. What has ended does not
//! change, so that its text is kept, and what that is deflated to; a page grows
//! as its buckets end. A request puts pages together, without copying them, and
//! writes only what has not ended yet.

use super::{
    chunks::Chunks,
    gzip::GzipWriter,
    items::{ItemWriter, Items, Part},
    query::Range,
};
use crate::http::entity_tag::EntityTag;
use bytes::{Buf, Bytes};
use market::{
    TokenId,
    figures::Figures,
    series::{Bucket, Resolution, Span},
};
use std::{
    collections::{HashMap, VecDeque},
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

/// Where prices come from.
pub(super) trait Prices {
    fn head_time(&self) -> i64;
    fn epoch(&self) -> u64;
    /// Adds the items of a span.
    fn render(&self, key: SeriesKey, resolution: Resolution, span: Span, items: &mut ItemWriter);
}

impl Prices for Figures {
    fn head_time(&self) -> i64 {
        self.head_time()
    }

    fn epoch(&self) -> u64 {
        self.epoch()
    }

    fn render(&self, key: SeriesKey, resolution: Resolution, span: Span, items: &mut ItemWriter) {
        let SeriesKey { token, quote, feed } = key;
        match feed {
            Feed::Candles => {
                let candles = self.candles(token, quote, resolution, span);
                items.add_candles(resolution, candles.iter());
            }
            Feed::Closes => {
                let closes = self.closes(token, quote, resolution, span);
                items.add_prices(resolution, closes.iter());
            }
        }
    }
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
    items: Arc<Items>,
}

/// Pages that were asked for lately.
pub(super) struct Pages(Mutex<Generations>);

/// When the young are many, they become the old, and the old are forgotten:
/// what is asked for in the meantime is young again.
#[derive(Default)]
struct Generations {
    young: HashMap<PageKey, Arc<Page>>,
    old: HashMap<PageKey, Arc<Page>>,
    young_bytes: usize,
    /// Bytes of a generation.
    room: usize,
}

/// A part of a series, ready to be sent.
#[derive(Debug, Default)]
pub(super) struct Series {
    parts: Vec<Part>,
}

impl Default for Pages {
    fn default() -> Self {
        Self::with_room(GENERATION_BYTES)
    }
}

impl Pages {
    fn with_room(room: usize) -> Self {
        Self(Mutex::new(Generations {
            room,
            ..Generations::default()
        }))
    }

    /// The part of a series that a range is.
    pub(super) fn series(&self, prices: &impl Prices, key: SeriesKey, range: &Range) -> Series {
        let (resolution, span) = (range.resolution, range.span.clone());
        let settled = resolution.bucket(prices.head_time());
        let kept = span.start..span.end.min(settled);
        let pages = if kept.is_empty() {
            Vec::new()
        } else {
            let numbers = kept.start.div_euclid(PAGE)..(kept.end - 1).div_euclid(PAGE) + 1;
            let numbers = numbers.map(|number| (number, kept.end.min((number + 1) * PAGE)));
            self.pages(prices, key, resolution, numbers, settled)
        };
        let mut tail = ItemWriter::default();
        let open = span.start.max(settled)..span.end;
        if !open.is_empty() {
            prices.render(key, resolution, open, &mut tail);
        }
        let tail = tail.finish();
        let items = pages.iter().map(|page| &page.items).chain([&tail]);
        let parts = items.filter_map(|it| it.part(&span)).collect();
        Series { parts }
    }

    /// Pages by their numbers, each with the bucket to which it is needed.
    fn pages(
        &self,
        prices: &impl Prices,
        key: SeriesKey,
        resolution: Resolution,
        numbers: impl Iterator<Item = (i64, Bucket)>,
        settled: Bucket,
    ) -> Vec<Arc<Page>> {
        let kept: Vec<_> = {
            let mut generations = self.lock();
            let kept = numbers.map(|(number, needed)| {
                let page = generations.get((key, resolution, number));
                (number, needed, page.filter(|it| it.epoch == prices.epoch()))
            });
            kept.collect()
        };
        let pages = kept.into_iter().map(|(number, needed, page)| match page {
            Some(page) if page.settled_to >= needed => page,
            page => {
                let to = settled.min((number + 1) * PAGE);
                let grown = page_to(prices, key, resolution, number, page.as_deref(), to);
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
    prices: &impl Prices,
    key: SeriesKey,
    resolution: Resolution,
    number: i64,
    before: Option<&Page>,
    to: Bucket,
) -> Page {
    let mut items = before.map_or_else(ItemWriter::default, |it| ItemWriter::after(&it.items));
    let from = before.map_or(number * PAGE, |page| page.settled_to);
    prices.render(key, resolution, from..to, &mut items);
    Page {
        epoch: prices.epoch(),
        settled_to: to,
        items: items.finish_deflated(),
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
        if self.young_bytes > self.room {
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
    pub(super) fn tag(&self) -> EntityTag {
        let tags = self.parts.iter().map(Part::tag);
        tags.fold(EntityTag::default(), EntityTag::and)
    }

    /// The bucket of the last item.
    pub(super) fn newest(&self) -> Option<Bucket> {
        self.parts.last()?.last()
    }

    /// The items as an array.
    pub(super) fn array(&self) -> Chunks {
        let mut chunks: VecDeque<Bytes> = self.parts.iter().map(Part::text).collect();
        if let Some(first) = chunks.front_mut() {
            // Past the comma.
            first.advance(1);
        }
        chunks.push_front(Bytes::from_static(b"["));
        chunks.push_back(Bytes::from_static(b"]"));
        Chunks::from(chunks)
    }

    /// The array as gzip, if most of it had been deflated before: what is left
    /// is sent as it is.
    pub(super) fn gzip(&self) -> Option<Chunks> {
        let mut gzip = GzipWriter::new();
        let (mut items, mut deflated) = (0, 0);
        gzip.text(b"[");
        for part in &self.parts {
            deflated += part.pack(items == 0, &mut gzip);
            items += part.len();
        }
        gzip.text(b"]");
        (deflated * 2 > items).then(|| gzip.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use market::series::Resolution::Minute;
    use proptest::prelude::*;

    /// A price for every bucket from the first on, which tells its epoch.
    struct Course {
        head: Bucket,
        epoch: u64,
        first: Bucket,
    }

    impl Prices for Course {
        fn head_time(&self) -> i64 {
            Minute.opens(self.head)
        }

        fn epoch(&self) -> u64 {
            self.epoch
        }

        fn render(
            &self,
            key: SeriesKey,
            resolution: Resolution,
            span: Span,
            items: &mut ItemWriter,
        ) {
            assert_eq!(resolution, Minute);
            let prices: Vec<(Bucket, f64)> = (span.start.max(self.first)..span.end)
                .map(|bucket| {
                    // What has not ended yet changes with every block.
                    let open = if bucket < self.head { 0 } else { self.head };
                    let number = bucket * 1_000 + open + i64::try_from(self.epoch).unwrap();
                    let number = number * 10 + i64::from(key.token.0);
                    (bucket, f64::from(i32::try_from(number).unwrap()))
                })
                .collect();
            let prices = prices.iter().map(|(bucket, price)| (*bucket, price));
            items.add_prices(resolution, prices);
        }
    }

    fn key(token: u32) -> SeriesKey {
        SeriesKey {
            token: TokenId(token),
            quote: None,
            feed: Feed::Closes,
        }
    }

    fn range(span: Span) -> Range {
        Range {
            resolution: Minute,
            span,
            partial: None,
        }
    }

    #[test]
    fn an_array_has_commas_between_its_items_alone() {
        let course = Course {
            head: 257,
            epoch: 0,
            first: 255,
        };
        let array = |span| {
            let series = Pages::default().series(&course, key(0), &range(span));
            String::from_utf8(series.array().joined()).unwrap()
        };
        let item =
            |minute, value| format!(r#"{{"date":"1970-01-01T04:{minute}:00Z","value":{value}}}"#);
        let [a, b, c] = [
            item(15, "2550000.0"),
            item(16, "2560000.0"),
            item(17, "2572570.0"),
        ];
        assert_eq!(array(0..258), format!("[{a},{b},{c}]"));
        assert_eq!(array(0..256), format!("[{a}]"));
        assert_eq!(array(256..258), format!("[{b},{c}]"));
        assert_eq!(array(257..258), format!("[{c}]"));
        assert_eq!(array(0..255), "[]");
        assert_eq!(Series::default().array().joined(), b"[]");
    }

    proptest! {
        // Each case is long.
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn pages_say_what_would_be_written_now(
            steps in proptest::collection::vec(
                (0..40_i64, prop::bool::weighted(0.1), 0..3_u32, 0..1_500_i64, 0..900_i64), 1..30,
            ),
            room in prop_oneof![Just(1_usize), Just(20_000), Just(GENERATION_BYTES)],
        ) {
            let pages = Pages::with_room(room);
            let mut course = Course { head: 400, epoch: 0, first: 130 };
            for (blocks, reorganised, token, start, length) in steps {
                course.head += blocks;
                if reorganised {
                    course.epoch += 1;
                    course.head -= 30;
                }
                let span = start..start + length;
                let series = pages.series(&course, key(token), &range(span.clone()));
                let mut fresh = ItemWriter::default();
                if !span.is_empty() {
                    course.render(key(token), Minute, span.clone(), &mut fresh);
                }
                let fresh = Series {
                    parts: fresh.finish().part(&span).into_iter().collect(),
                };
                prop_assert_eq!(series.tag(), fresh.tag());
                prop_assert_eq!(series.newest(), fresh.newest());
                let text = fresh.array().joined();
                prop_assert_eq!(series.array().joined(), text.as_slice());
                if let Some(gzip) = series.gzip() {
                    prop_assert!(gzip.joined().len() < text.len());
                    prop_assert_eq!(gzip.unpacked(), text);
                }
            }
        }
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let room = 200_000;
        let pages = Pages::with_room(room);
        let course = Course {
            head: 100_000,
            epoch: 0,
            first: 0,
        };
        let most = pages_bytes(&pages, &course);
        assert!(most > room && most < 2 * room + 50_000, "{most}");
    }

    /// The most bytes that are kept while many pages are asked for.
    fn pages_bytes(pages: &Pages, course: &Course) -> usize {
        let bytes = (0..200).map(|n| {
            pages.series(course, key(0), &range(n * PAGE..(n + 1) * PAGE));
            let kept = pages.lock();
            let pages = kept.young.values().chain(kept.old.values());
            pages.map(|page| page.bytes()).sum()
        });
        bytes.max().unwrap()
    }

    #[test]
    fn what_is_asked_for_again_and_again_stays() {
        let pages = Pages::with_room(200_000);
        let course = Course {
            head: 100_000,
            epoch: 0,
            first: 0,
        };
        let first = range(0..PAGE);
        let page = || pages.series(&course, key(0), &first).parts[0].text();
        let kept = page();
        for n in 1..100 {
            pages.series(&course, key(0), &range(n * PAGE..(n + 1) * PAGE));
            assert_eq!(page().as_ptr(), kept.as_ptr(), "{n}");
        }
    }
    #[test]
    fn a_long_part_of_what_has_ended_is_packed_and_a_short_one_is_not() {
        let pages = Pages::default();
        let course = Course {
            head: 1_000,
            epoch: 0,
            first: 0,
        };
        let gzip = |span| pages.series(&course, key(0), &range(span)).gzip();
        for long in [0..1_000, 5..70, 990..1_100, 0..80] {
            let is_packed = gzip(long.clone()).is_some();
            assert_eq!(is_packed, long.end <= 1_000, "{long:?}");
        }
        assert!(gzip(0..20).is_none());
        assert!(gzip(1_000..1_000).is_none());
    }
}
