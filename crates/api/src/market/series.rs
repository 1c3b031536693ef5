//! Parts of series as they are sent, kept for those who ask for the same.

use super::{
    pages::{Pages, Prices, SeriesKey},
    query::Range,
};
use crate::http::{content::KeptBody, entity_tag::EntityTag};
use market::series::{Bucket, Resolution, Span};
use primitives::BlockRef;
use services::GenerationalCache;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes of answers that are kept, in each of two generations.
const GENERATION_BYTES: usize = 16 * 1024 * 1024;

/// What an answer takes beside its text, roughly.
const ANSWER_BYTES: usize = 512;

/// A part of a series as it is sent.
#[derive(Debug)]
pub(super) struct Series {
    /// Of the prices that it was written from.
    epoch: u64,
    /// The block up to which it is told, if it tells of what has not ended.
    block: Option<BlockRef>,
    pub(super) body: KeptBody,
    pub(super) tag: EntityTag,
    /// The bucket of the last item.
    pub(super) newest: Option<Bucket>,
}

type Answers = GenerationalCache<(SeriesKey, Resolution, Span), Arc<Series>>;

/// Parts of series that were asked for lately, and the pages that they are made
/// of.
pub(super) struct KeptSeries {
    pages: Pages,
    answers: Mutex<Answers>,
}

impl Default for KeptSeries {
    fn default() -> Self {
        // What a text is compressed to is much shorter.
        let bytes = |series: &Arc<Series>| series.body.text().len() * 5 / 4 + ANSWER_BYTES;
        Self {
            pages: Pages::default(),
            answers: Mutex::new(GenerationalCache::new(GENERATION_BYTES, bytes)),
        }
    }
}

impl KeptSeries {
    /// The part of a series that a range is.
    pub(super) fn of(&self, prices: &impl Prices, key: SeriesKey, range: &Range) -> Arc<Series> {
        let Range {
            resolution, span, ..
        } = range;
        let at = (key, *resolution, span.clone());
        let kept = self.answers().get(&at).map(|series| Arc::clone(series));
        if let Some(series) = kept.filter(|it| it.is_of(prices)) {
            return series;
        }
        let (text, newest) = self.pages.array(prices, key, *resolution, span);
        let has_ended = span.end <= resolution.bucket(prices.head_time());
        let series = Arc::new(Series {
            epoch: prices.epoch(),
            block: (!has_ended).then(|| prices.block()),
            tag: EntityTag::of(&text),
            body: KeptBody::new(text),
            newest,
        });
        self.answers().put(at, Arc::clone(&series));
        series
    }

    fn answers(&self) -> MutexGuard<'_, Answers> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Series {
    /// What is told of a token without figures.
    pub(super) fn empty() -> Self {
        Self {
            epoch: 0,
            block: None,
            body: KeptBody::new("[]\n"),
            tag: EntityTag::of(b"[]"),
            newest: None,
        }
    }

    /// Whether it would be written the same now.
    fn is_of(&self, prices: &impl Prices) -> bool {
        let is_as_told = |block| block == prices.block();
        self.epoch == prices.epoch() && self.block.is_none_or(is_as_told)
    }
}

#[cfg(test)]
mod tests {
    use super::{super::pages::tests::*, *};
    use market::series::Resolution::Minute;

    fn range(span: Span) -> Range {
        Range {
            resolution: Minute,
            span,
            partial: None,
        }
    }

    const COURSE: Course = Course {
        head: 1_000,
        epoch: 0,
        first: 0,
    };

    #[test]
    fn what_has_ended_is_kept_until_blocks_are_taken_back() {
        let (series, ended) = (KeptSeries::default(), range(10..900));
        let before = series.of(&COURSE, key(0), &ended);
        let later = Course {
            head: 1_010,
            ..COURSE
        };
        assert!(Arc::ptr_eq(&series.of(&later, key(0), &ended), &before));
        let other = Course { epoch: 1, ..COURSE };
        let after = series.of(&other, key(0), &ended);
        assert_ne!(after.tag, before.tag);
        assert!(!Arc::ptr_eq(
            &series.of(&COURSE, key(1), &ended),
            &series.of(&COURSE, key(0), &ended)
        ));
    }

    #[test]
    fn what_has_not_ended_is_kept_until_the_next_block() {
        let (series, open) = (KeptSeries::default(), range(10..1_001));
        let before = series.of(&COURSE, key(0), &open);
        assert!(Arc::ptr_eq(&series.of(&COURSE, key(0), &open), &before));
        let later = Course {
            head: 1_001,
            ..COURSE
        };
        assert_ne!(series.of(&later, key(0), &open).tag, before.tag);
    }

    #[test]
    fn a_tag_is_of_the_text_however_it_was_put_together() {
        let span = range(100..700);
        let [whole, grown] = [KeptSeries::default(), KeptSeries::default()];
        let early = Course {
            head: 500,
            ..COURSE
        };
        grown.of(&early, key(0), &span);
        let [whole, grown] = [whole, grown].map(|it| it.of(&COURSE, key(0), &span));
        assert_eq!(grown.body.text(), whole.body.text());
        assert_eq!(grown.tag, whole.tag);
        assert_eq!(whole.tag, EntityTag::of(whole.body.text()));
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let series = KeptSeries::default();
        let course = Course {
            head: 5_000_000,
            ..COURSE
        };
        let bytes = (0..600).map(|n| {
            series.of(&course, key(0), &range(n..n + 10_000));
            series.answers().weight()
        });
        let most = bytes.max().unwrap();
        assert!(
            most > GENERATION_BYTES && most <= 2 * GENERATION_BYTES,
            "{most}"
        );
    }
}
