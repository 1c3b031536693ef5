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
use page::{Draft, Page, Single, encode, first_of};
use std::sync::Arc;

pub(super) use page::{Segment, page_of};

/// The records of one series in one resolution, in the order of time.
#[derive(Debug, Clone)]
pub(super) struct Lane<R: Record> {
    /// What will not change, unless blocks are taken back.
    pages: Arc<Vec<Page<R>>>,
    /// The page of the newest record but one; empty only if there is none.
    tail: Arc<Draft<R>>,
    last: Option<Single<R>>,
    /// The first page that changed since pages were last taken.
    changed: u32,
}

impl<R: Record> Default for Lane<R> {
    fn default() -> Self {
        Self {
            pages: Arc::default(),
            tail: Arc::default(),
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
        let at = at.saturating_sub(1)..self.pages.len().min(at + 1);
        let pages = self.pages.get(at)?.iter().rev().map(Page::segment);
        std::iter::once(self.tail.segment())
            .chain(pages)
            .map(|segment| segment.until(bucket.saturating_add(1)))
            .find(|segment| segment.len() > 0)
    }

    /// All records from a bucket on.
    pub(super) fn segments(&self, from: u32) -> impl Iterator<Item = Segment<'_, R>> {
        let pages = self.pages.get(self.position(page_of(from))..);
        let pages = pages.unwrap_or_default().iter();
        pages
            .map(Page::segment)
            .chain(std::iter::once(self.tail.segment()))
            .chain(self.last.iter().map(Single::segment))
            .map(move |segment| segment.since(from))
            .filter(|segment| segment.len() > 0)
    }

    /// The records from one bucket up to but not including another.
    pub(super) fn range(&self, from: u32, to: u32) -> impl Iterator<Item = (u32, R)> {
        self.segments(from)
            .flat_map(|segment| segment.iter())
            .take_while(move |(at, _)| *at < to)
    }

    /// Drops all records from a bucket on.
    pub(super) fn cut(&mut self, bucket: u32) {
        if self.last().is_none_or(|(at, _)| at < bucket) {
            return;
        }
        self.changed = self.changed.min(page_of(bucket));
        let is_kept = |segment: Segment<'_, R>| segment.first().is_some_and(|at| at < bucket);
        if !is_kept(self.tail.segment()) {
            let kept = self.pages.partition_point(|page| is_kept(page.segment()));
            Arc::make_mut(&mut self.pages).truncate(kept);
            self.reopen();
        }
        let tail = Arc::make_mut(&mut self.tail);
        tail.cut(bucket);
        self.last = tail.pop();
        if self.tail.is_empty() {
            self.reopen();
        }
    }

    /// Puts what was the newest record into its page.
    fn close(&mut self, last: &Single<R>) {
        if self.tail.is_empty() || self.tail.number != last.page {
            self.turn(Draft::new(last.page));
        }
        Arc::make_mut(&mut self.tail).push(last);
    }

    /// Goes on to another page.
    fn turn(&mut self, next: Draft<R>) {
        let full = std::mem::replace(&mut self.tail, Arc::new(next));
        if !full.is_empty() {
            Arc::make_mut(&mut self.pages).push(full.as_ref().into());
        }
    }

    /// Goes back to the page before.
    fn reopen(&mut self) {
        let before = Arc::make_mut(&mut self.pages).pop();
        let before = before.as_ref().map(Draft::from);
        self.tail = Arc::new(before.unwrap_or_default());
    }

    /// The first of the pages that is not before one of a number.
    fn position(&self, number: u32) -> usize {
        let at = |index: usize| Some(self.pages.get(index)?.number);
        // Most often no page is missing.
        let guess = at(0).and_then(|first| usize::try_from(number.checked_sub(first)?).ok());
        guess
            .filter(|guess| at(*guess) == Some(number))
            .unwrap_or_else(|| self.pages.partition_point(|page| page.number < number))
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

    /// Adds a page after all others.
    pub(super) fn load(&mut self, number: u32, bytes: &[u8]) -> Result<(), PageError> {
        if self.last.as_ref().is_some_and(|last| last.page >= number) {
            return Err(PageError::Order);
        }
        let mut page = Draft::decode(number, bytes)?;
        if let Some(last) = self.last.take() {
            self.close(&last);
        }
        self.last = page.pop();
        if !page.is_empty() {
            self.turn(page);
        }
        Ok(())
    }
}
