//! Series of prices as JSON, written once.
//!
//! A page is 256 consecutive buckets of a series. What has ended does not
//! change, so that its text is kept; a page grows as its buckets end. A request
//! puts pages together and writes only what has not ended yet.

use super::{
    date::Time,
    items::Items,
    points::{Candle, PricePoint},
};
use market::{
    TokenId,
    series::{Bucket, Resolution, Span},
};
use primitives::BlockRef;
use services::{GenerationalCache, Snapshot};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Buckets of a page.
const PAGE: i64 = 256;

/// Bytes of pages that are kept, in each of two generations.
const GENERATION_BYTES: usize = 16 * 1024 * 1024;

/// What a page takes beside its items, roughly.
const PAGE_BYTES: usize = 256;

/// What is told of each bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Feed {
    Candles,
    Closes,
}

/// Whose prices a page has, in what, and what it tells of each bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct SeriesKey {
    pub(super) token: TokenId,
    /// USD if none.
    pub(super) quote: Option<TokenId>,
    pub(super) feed: Feed,
}

/// Where prices come from.
pub(super) trait Prices {
    /// The block up to which they are told.
    fn block(&self) -> BlockRef;
    fn head_time(&self) -> i64;
    /// Grows whenever what has ended may have changed.
    fn epoch(&self) -> u64;
    /// Adds the items of a span.
    fn render(&self, key: SeriesKey, resolution: Resolution, span: Span, items: &mut Items);
}

impl Prices for Snapshot {
    fn block(&self) -> BlockRef {
        self.head
    }

    fn head_time(&self) -> i64 {
        self.figures.head_time()
    }

    fn epoch(&self) -> u64 {
        self.figures.epoch()
    }

    fn render(&self, key: SeriesKey, resolution: Resolution, span: Span, items: &mut Items) {
        let SeriesKey { token, quote, feed } = key;
        let date = |bucket| Time(resolution.opens(bucket));
        match feed {
            Feed::Candles => {
                for (bucket, candle) in self.figures.candles(token, quote, resolution, span).iter()
                {
                    items.add(bucket, &Candle::new(date(bucket), candle));
                }
            }
            Feed::Closes => {
                for (bucket, value) in self.figures.closes(token, quote, resolution, span).iter() {
                    let (date, value) = (date(bucket), *value);
                    items.add(bucket, &PricePoint { date, value });
                }
            }
        }
    }
}

type PageKey = (SeriesKey, Resolution, i64);

/// The settled buckets of a page.
#[derive(Debug)]
struct CachedPage {
    /// Of the prices that it was written from.
    epoch: u64,
    /// It tells of buckets before this one.
    settled_to: Bucket,
    items: Items,
}

/// Pages that were asked for lately.
pub(super) struct Pages(Mutex<GenerationalCache<PageKey, Arc<CachedPage>>>);

impl Default for Pages {
    fn default() -> Self {
        Self::with_room(GENERATION_BYTES)
    }
}

impl Pages {
    fn with_room(room: usize) -> Self {
        let bytes = |page: &Arc<CachedPage>| page.items.bytes() + PAGE_BYTES;
        Self(Mutex::new(GenerationalCache::new(room, bytes)))
    }

    /// The items of a span as an array, and the bucket of the last one.
    pub(super) fn array(
        &self,
        prices: &impl Prices,
        key: SeriesKey,
        resolution: Resolution,
        span: &Span,
    ) -> (Vec<u8>, Option<Bucket>) {
        let settled = resolution.bucket(prices.head_time());
        let (mut text, mut newest) = (Vec::new(), None);
        let mut take = |items: &Items| {
            text.extend_from_slice(items.text(span));
            newest = items.last(span).or(newest);
        };
        let ended = span.start..span.end.min(settled);
        if !ended.is_empty() {
            for number in ended.start.div_euclid(PAGE)..=(ended.end - 1).div_euclid(PAGE) {
                take(
                    &self
                        .page(prices, (key, resolution, number), ended.end)
                        .items,
                );
            }
        }
        let open = span.start.max(settled)..span.end;
        if !open.is_empty() {
            let mut items = Items::default();
            prices.render(key, resolution, open, &mut items);
            take(&items);
        }
        match text.first_mut() {
            // In place of the first comma.
            Some(first) => *first = b'[',
            None => text.push(b'['),
        }
        text.extend(b"]\n");
        (text, newest)
    }

    /// A page that tells at least of what lies before `end`, which has ended.
    fn page(&self, prices: &impl Prices, at: PageKey, end: Bucket) -> Arc<CachedPage> {
        let (key, resolution, number) = at;
        let (begins, ends) = (number * PAGE, (number + 1) * PAGE);
        let epoch = prices.epoch();
        let kept = self.lock().get(&at).map(|page| Arc::clone(page));
        let kept = kept.filter(|page| page.epoch == epoch);
        if let Some(page) = &kept
            && page.settled_to >= end.min(ends)
        {
            return Arc::clone(page);
        }
        // What it told before is taken over.
        let (mut items, from) = kept.map_or_else(
            || (Items::default(), begins),
            |page| (page.items.clone(), page.settled_to),
        );
        let settled_to = resolution.bucket(prices.head_time()).min(ends);
        prices.render(key, resolution, from..settled_to, &mut items);
        items.shrink();
        let page = Arc::new(CachedPage {
            epoch,
            settled_to,
            items,
        });
        self.lock().put(at, Arc::clone(&page));
        page
    }

    fn lock(&self) -> MutexGuard<'_, GenerationalCache<PageKey, Arc<CachedPage>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use market::series::Resolution::Minute;
    use primitives::Felt;
    use proptest::prelude::*;

    /// A price for every bucket from the first on, which tells its epoch.
    pub(in super::super) struct Course {
        pub(in super::super) head: Bucket,
        pub(in super::super) epoch: u64,
        pub(in super::super) first: Bucket,
    }

    impl Prices for Course {
        fn block(&self) -> BlockRef {
            BlockRef {
                number: self.head.try_into().unwrap(),
                hash: Felt::from(self.epoch),
            }
        }

        fn head_time(&self) -> i64 {
            Minute.opens(self.head)
        }

        fn epoch(&self) -> u64 {
            self.epoch
        }

        fn render(&self, key: SeriesKey, resolution: Resolution, span: Span, items: &mut Items) {
            assert_eq!(resolution, Minute);
            for bucket in span.start.max(self.first)..span.end {
                // What has not ended yet changes with every block.
                let open = if bucket < self.head { 0 } else { self.head };
                let number = bucket * 1_000 + open + i64::try_from(self.epoch).unwrap();
                items.add(bucket, &(number * 10 + i64::from(key.token.0)));
            }
        }
    }

    pub(in super::super) fn key(token: u32) -> SeriesKey {
        SeriesKey {
            token: TokenId(token),
            quote: None,
            feed: Feed::Closes,
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
            let (text, newest) = Pages::default().array(&course, key(0), Minute, &span);
            (String::from_utf8(text).unwrap(), newest)
        };
        for (span, text, newest) in [
            (0..258, "[2550000,2560000,2572570]", Some(257)),
            (0..256, "[2550000]", Some(255)),
            (256..258, "[2560000,2572570]", Some(257)),
            (257..258, "[2572570]", Some(257)),
            (0..255, "[]", None),
            (300..300, "[]", None),
        ] {
            assert_eq!(array(span), (format!("{text}\n"), newest));
        }
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
                let (text, newest) = pages.array(&course, key(token), Minute, &span);
                let mut fresh = Items::default();
                course.render(key(token), Minute, span.clone(), &mut fresh);
                let items = fresh.text(&span);
                let items = items.strip_prefix(b",").unwrap_or(items);
                prop_assert_eq!(text, [b"[", items, b"]\n"].concat());
                prop_assert_eq!(newest, fresh.last(&span));
            }
        }
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let room = 50_000;
        let pages = Pages::with_room(room);
        let course = Course {
            head: 100_000,
            epoch: 0,
            first: 0,
        };
        let bytes = (0..200).map(|n| {
            pages.array(&course, key(0), Minute, &(n * PAGE..(n + 1) * PAGE));
            pages.lock().weight()
        });
        let most = bytes.max().unwrap();
        assert!(most > room && most <= 2 * room, "{most}");
    }

    #[test]
    fn a_page_is_written_once() {
        let pages = Pages::default();
        let course = Course {
            head: 1_000,
            epoch: 0,
            first: 0,
        };
        let page = |course: &Course| pages.page(course, (key(0), Minute, 1), 300);
        let first = page(&course);
        assert!(Arc::ptr_eq(&page(&course), &first));
        // Unless what has ended is not what it was.
        let other = Course { epoch: 1, ..course };
        assert!(!Arc::ptr_eq(&page(&other), &first));
    }
}
