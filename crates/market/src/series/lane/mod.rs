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
use page::{Page, Single, encode, first_of};
use std::sync::Arc;

pub(super) use page::{Segment, page_of};

/// The records of one series in one resolution, in the order of time.
#[derive(Debug, Clone)]
pub(super) struct Lane<R: Record> {
    /// What will not change, unless blocks are taken back; each page after its
    /// number, so that a search need not open it.
    pages: Arc<Vec<(u32, Arc<Page<R>>)>>,
    /// The page of the newest record but one; empty only if there is none.
    tail: Arc<Page<R>>,
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
        let (at, record) = self.last()?;
        if at <= bucket {
            return Some((at, *record));
        }
        let end = bucket.saturating_add(1);
        let page = page_of(bucket);
        let until = self.pages.partition_point(|(number, _)| *number <= page);
        // Of the page that the bucket lies in, all records may be later ones.
        let pages = self.pages.get(until.saturating_sub(2)..until)?;
        let pages = pages.iter().rev().map(|(_, page)| page);
        [&self.tail]
            .into_iter()
            .chain(pages)
            .find_map(|page| page.segment().until(end).last())
    }

    /// All records from a bucket on.
    pub(super) fn segments(&self, from: u32) -> impl Iterator<Item = Segment<'_, R>> {
        let page = page_of(from);
        let start = self.pages.partition_point(|(number, _)| *number < page);
        let pages = self.pages.get(start..).unwrap_or_default().iter();
        pages
            .map(|(_, page)| page)
            .chain([&self.tail])
            .map(|page| page.segment())
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
        let is_kept = |page: &Page<R>| page.segment().first().is_some_and(|at| at < bucket);
        if !is_kept(&self.tail) {
            let kept = self.pages.partition_point(|(_, page)| is_kept(page));
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
            self.turn(Page::new(last.page));
        }
        Arc::make_mut(&mut self.tail).push(last);
    }

    /// Goes on to another page.
    fn turn(&mut self, next: Page<R>) {
        let mut full = std::mem::replace(&mut self.tail, Arc::new(next));
        if !full.is_empty() {
            if let Some(full) = Arc::get_mut(&mut full) {
                full.shrink();
            }
            Arc::make_mut(&mut self.pages).push((full.number, full));
        }
    }

    /// Goes back to the page before.
    fn reopen(&mut self) {
        let before = Arc::make_mut(&mut self.pages).pop();
        self.tail = before.map(|(_, page)| page).unwrap_or_default();
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
        let mut page = Page::decode(number, bytes)?;
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
