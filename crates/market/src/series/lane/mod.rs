//! The records of one series in one resolution.
//!
//! A page holds the records of 256 consecutive buckets. Copies of a lane share
//! its pages. The newest record lies apart and goes into a page only when a
//! later one comes, so that the many changes of a bucket that is still open
//! copy no page.

mod page;

#[cfg(test)]
mod tests;

use super::codec::{PageError, Record};
use page::{Draft, LanePage, Single, encode, first_of};
use std::sync::Arc;

pub(super) use page::{Segment, page_of};

/// The records of one series in one resolution, in the order of time.
#[derive(Debug, Clone)]
pub(super) struct Lane<R: Record> {
    /// What will not change, unless blocks are taken back.
    pages: Option<Arc<Vec<LanePage<R>>>>,
    /// The page of the newest record but one.
    tail: Option<Arc<Draft<R>>>,
    last: Option<Single<R>>,
    /// The first page that changed since pages were last taken.
    changed: u32,
}

impl<R: Record> Default for Lane<R> {
    fn default() -> Self {
        Self {
            pages: None,
            tail: None,
            last: None,
            changed: u32::MAX,
        }
    }
}

impl<R: Record> Lane<R> {
    /// The bucket of the oldest record.
    pub(super) fn first(&self) -> Option<u32> {
        self.segments(0).next()?.first()
    }

    /// The newest record.
    pub(super) fn last(&self) -> Option<(u32, &R)> {
        let last = self.last.as_ref()?;
        Some((last.bucket(), &last.record))
    }

    /// The newest record, to be changed, if it is in this bucket. Time does not
    /// run backwards: an earlier bucket is taken for that of the newest record.
    pub(super) fn open_at(&mut self, bucket: u32) -> Option<&mut R> {
        let last = self.last.as_mut().filter(|last| last.bucket() >= bucket)?;
        self.changed = self.changed.min(last.page);
        Some(&mut last.record)
    }

    /// Puts a record in the place of the newest one, or after it.
    pub(super) fn put(&mut self, bucket: u32, record: R) {
        if let Some(open) = self.open_at(bucket) {
            *open = record;
            return;
        }
        self.changed = self.changed.min(page_of(bucket));
        if let Some(last) = self.last.replace(Single::new(bucket, record)) {
            self.close(&last);
        }
    }

    /// The newest record at or before a bucket.
    pub(super) fn floor(&self, bucket: u32) -> Option<(u32, R)> {
        let early = self.early(bucket)?;
        early.last().zip(early.newest())
    }

    /// Records the last of which is the newest at or before a bucket.
    pub(super) fn early(&self, bucket: u32) -> Option<Segment<'_, R>> {
        let last = self.last.as_ref()?;
        if last.bucket() <= bucket {
            return Some(last.segment());
        }
        // Of the page that the bucket lies in, all records may be later ones.
        let at = self.position(page_of(bucket));
        let at = at.saturating_sub(1)..self.pages().len().min(at + 1);
        let pages = self.pages().get(at)?.iter().rev().map(LanePage::segment);
        self.drafts()
            .chain(pages)
            .map(|segment| segment.until(bucket.saturating_add(1)))
            .find(|segment| segment.len() > 0)
    }

    /// All records from a bucket on.
    pub(super) fn segments(&self, from: u32) -> impl Iterator<Item = Segment<'_, R>> {
        let pages = self.pages().get(self.position(page_of(from))..);
        let pages = pages.unwrap_or_default().iter();
        pages
            .map(LanePage::segment)
            .chain(self.drafts())
            .chain(self.last.iter().map(Single::segment))
            .map(move |segment| segment.since(from))
            .filter(|segment| segment.len() > 0)
    }

    /// All records from one bucket up to but not including another. Nothing
    /// beyond is looked at: it lies elsewhere in memory.
    pub(super) fn within(&self, from: u32, to: u32) -> impl Iterator<Item = Segment<'_, R>> {
        let pages = self.pages();
        let end = self.position(page_of(to).saturating_add(1));
        let is_newest = end == pages.len();
        let pages = pages.get(self.position(page_of(from))..end);
        let drafts = self.drafts().filter(move |_| is_newest);
        let last = self.last.iter().filter(move |_| is_newest);
        let pages = pages.unwrap_or_default().iter();
        pages
            .map(LanePage::segment)
            .chain(drafts)
            .chain(last.map(Single::segment))
            .map(move |segment| segment.since(from).until(to))
            .filter(|segment| segment.len() > 0)
    }

    /// The same, one by one.
    pub(super) fn range(&self, from: u32, to: u32) -> impl Iterator<Item = (u32, R)> {
        self.within(from, to).flat_map(|segment| segment.iter())
    }

    /// Drops all records from a bucket on.
    pub(super) fn cut(&mut self, bucket: u32) {
        if self.last().is_none_or(|(at, _)| at < bucket) {
            return;
        }
        self.changed = self.changed.min(page_of(bucket));
        let is_kept = |segment: Segment<'_, R>| segment.first().is_some_and(|at| at < bucket);
        if !self.drafts().any(is_kept) {
            let kept = |page: &LanePage<R>| is_kept(page.segment());
            let kept = self.pages().partition_point(kept);
            self.reopen(kept);
        }
        self.last = self.tail.as_mut().and_then(|tail| {
            let tail = Arc::make_mut(tail);
            tail.cut(bucket);
            tail.pop()
        });
        if self.tail.as_ref().is_some_and(|tail| tail.is_empty()) {
            self.reopen(self.pages().len());
        }
    }

    /// Drops all records from a bucket on, but for what is left in that bucket.
    pub(super) fn cut_within(&mut self, bucket: u32, rest: Option<R>) {
        match rest {
            // In its place, so that no page is opened for it.
            Some(rest) => {
                self.cut(bucket.saturating_add(1));
                self.put(bucket, rest);
            }
            None => self.cut(bucket),
        }
    }

    /// Puts what was the newest record into its page.
    fn close(&mut self, last: &Single<R>) {
        match &mut self.tail {
            Some(tail) if tail.number == last.page => Arc::make_mut(tail).push(last),
            _ => {
                let mut next = Draft::new(last.page);
                next.push(last);
                self.turn(next);
            }
        }
    }

    /// Goes on to another page.
    fn turn(&mut self, next: Draft<R>) {
        if let Some(full) = self.tail.replace(Arc::new(next)) {
            let pages = self.pages.get_or_insert_default();
            Arc::make_mut(pages).push(full.as_ref().into());
        }
    }

    /// Goes back to the last of the first so many pages.
    fn reopen(&mut self, pages: usize) {
        let last = self.pages.as_mut().and_then(|all| {
            let all = Arc::make_mut(all);
            all.truncate(pages);
            all.pop()
        });
        self.tail = last.map(|page| Arc::new(Draft::from(&page)));
    }

    fn pages(&self) -> &[LanePage<R>] {
        self.pages.as_ref().map_or(&[], |pages| pages.as_slice())
    }

    /// What lies in the page that is still being written.
    fn drafts(&self) -> impl Iterator<Item = Segment<'_, R>> {
        self.tail.iter().map(|tail| tail.segment())
    }

    /// The first of the pages that is not before one of a number.
    fn position(&self, number: u32) -> usize {
        let pages = self.pages();
        let at = |index: usize| Some(pages.get(index)?.number);
        // Most often no page is missing.
        let guess = at(0).and_then(|first| usize::try_from(number.checked_sub(first)?).ok());
        guess
            .filter(|guess| at(*guess) == Some(number))
            .unwrap_or_else(|| pages.partition_point(|page| page.number < number))
    }

    /// The bytes of pages from a number on.
    pub(super) fn encode(&self, from: u32) -> Vec<(u32, Vec<u8>)> {
        let mut pages: Vec<(u32, Vec<Segment<'_, R>>)> = Vec::new();
        for segment in self.segments(first_of(from.min(page_of(u32::MAX)))) {
            match pages.last_mut() {
                Some((number, segments)) if *number == segment.page => segments.push(segment),
                _ => pages.push((segment.page, vec![segment])),
            }
        }
        let encoded = |(number, segments): (u32, Vec<_>)| (number, encode(&segments));
        pages.into_iter().map(encoded).collect()
    }

    /// The bytes of pages that changed since the last call.
    pub(super) fn take(&mut self) -> Vec<(u32, Vec<u8>)> {
        if !self.is_changed() {
            return Vec::new();
        }
        let taken = self.encode(self.changed);
        self.changed = u32::MAX;
        taken
    }

    pub(super) const fn is_changed(&self) -> bool {
        self.changed != u32::MAX
    }

    /// The lane of pages that were kept, in the order of time.
    pub(super) fn from_pages(mut kept: Vec<(u32, Vec<u8>)>) -> Result<Self, PageError> {
        if !kept.is_sorted_by(|(number, _), (next, _)| number < next) {
            return Err(PageError::Order);
        }
        let mut lane = Self::default();
        let Some((number, bytes)) = kept.pop() else {
            return Ok(lane);
        };
        let mut newest = Draft::decode(number, &bytes)?;
        let pages = kept
            .into_iter()
            .map(|(number, bytes)| LanePage::kept(number, bytes))
            .collect::<Result<Vec<_>, _>>()?;
        if !pages.is_empty() {
            lane.pages = Some(Arc::new(pages));
        }
        lane.last = newest.pop();
        if newest.is_empty() {
            lane.reopen(lane.pages().len());
        } else {
            lane.tail = Some(Arc::new(newest));
        }
        Ok(lane)
    }
}
