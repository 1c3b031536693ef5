//! The records of one series in one resolution.
//!
//! A page holds the records of 256 consecutive buckets. Copies of a lane share
//! its pages. The newest record lies apart and goes into a page only when a
//! later one comes, so that the many changes of a bucket that is still open
//! copy no page.

use super::codec::{Input, PageError, Record, VERSION, put};
use std::sync::Arc;

/// Buckets of a page, as a power of two.
const PAGE_BITS: u32 = 8;

/// The page that holds a bucket.
pub(super) const fn page_of(bucket: u32) -> u32 {
    bucket >> PAGE_BITS
}

/// The place of a bucket in its page.
const fn offset_of(bucket: u32) -> u8 {
    bucket.to_le_bytes()[0]
}

const fn bucket_of(page: u32, offset: u8) -> u32 {
    page << PAGE_BITS | offset as u32
}

/// The records of 256 consecutive buckets, as far as there are any.
#[derive(Debug, Clone)]
struct Page<R> {
    number: u32,
    offsets: Vec<u8>,
    records: Vec<R>,
}

/// Records that lie side by side in memory.
#[derive(Debug)]
pub(super) struct Segment<'a, R> {
    page: u32,
    offsets: &'a [u8],
    records: &'a [R],
}

/// The newest record.
#[derive(Debug, Clone, Copy)]
struct Last<R> {
    page: u32,
    offset: u8,
    record: R,
}

/// The records of one series in one resolution, in the order of time.
#[derive(Debug, Clone)]
pub(super) struct Lane<R> {
    /// Full of what will not change, unless blocks are taken back.
    pages: Arc<Vec<Arc<Page<R>>>>,
    /// The page of the newest record but one; empty only if there is none.
    tail: Arc<Page<R>>,
    last: Option<Last<R>>,
    /// The first page that changed since pages were last taken.
    changed: u32,
}

impl<R> Default for Page<R> {
    fn default() -> Self {
        Self {
            number: 0,
            offsets: Vec::new(),
            records: Vec::new(),
        }
    }
}

impl<R> Default for Lane<R> {
    fn default() -> Self {
        Self {
            pages: Arc::default(),
            tail: Arc::default(),
            last: None,
            changed: u32::MAX,
        }
    }
}

impl<'a, R> Segment<'a, R> {
    /// Without what lies before a bucket.
    fn since(mut self, bucket: u32) -> Self {
        let skipped = match self.page.cmp(&page_of(bucket)) {
            std::cmp::Ordering::Less => self.offsets.len(),
            std::cmp::Ordering::Equal => {
                let from = offset_of(bucket);
                self.offsets.partition_point(|offset| *offset < from)
            }
            std::cmp::Ordering::Greater => 0,
        };
        self.offsets = self.offsets.get(skipped..).unwrap_or_default();
        self.records = self.records.get(skipped..).unwrap_or_default();
        self
    }

    /// Without what lies at or after a bucket.
    pub(super) fn until(mut self, bucket: u32) -> Self {
        let kept = match self.page.cmp(&page_of(bucket)) {
            std::cmp::Ordering::Less => self.offsets.len(),
            std::cmp::Ordering::Equal => {
                let to = offset_of(bucket);
                self.offsets.partition_point(|offset| *offset < to)
            }
            std::cmp::Ordering::Greater => 0,
        };
        self.offsets = self.offsets.get(..kept).unwrap_or_default();
        self.records = self.records.get(..kept).unwrap_or_default();
        self
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = (u32, &'a R)> + use<'a, R> {
        let page = self.page;
        let buckets = self.offsets.iter().map(move |at| bucket_of(page, *at));
        buckets.zip(self.records)
    }

    /// The first bucket and all records, if no bucket between them is missing.
    pub(super) fn run(&self) -> Option<(u32, &'a [R])> {
        let (first, last) = (*self.offsets.first()?, *self.offsets.last()?);
        let whole = usize::from(last - first) + 1 == self.records.len();
        whole.then(|| (bucket_of(self.page, first), self.records))
    }

    const fn is_empty(&self) -> bool {
        self.records.is_empty()
    }
}

impl<R> Page<R> {
    fn segment(&self) -> Segment<'_, R> {
        Segment {
            page: self.number,
            offsets: &self.offsets,
            records: &self.records,
        }
    }
}

impl<R> Last<R> {
    const fn bucket(&self) -> u32 {
        bucket_of(self.page, self.offset)
    }

    const fn segment(&self) -> Segment<'_, R> {
        Segment {
            page: self.page,
            offsets: std::slice::from_ref(&self.offset),
            records: std::slice::from_ref(&self.record),
        }
    }
}

impl<R: Record> Lane<R> {
    /// The bucket of the oldest record.
    pub(super) fn first(&self) -> Option<u32> {
        self.segments(0).next()?.iter().next().map(|(at, _)| at)
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
        let (page, offset) = (page_of(bucket), offset_of(bucket));
        self.changed = self.changed.min(page);
        let last = self.last.replace(Last {
            page,
            offset,
            record,
        });
        if let Some(last) = last {
            self.close(last);
        }
    }

    /// The newest record at or before a bucket.
    pub(super) fn floor(&self, bucket: u32) -> Option<(u32, &R)> {
        let last = self.last.as_ref()?;
        if last.bucket() <= bucket {
            return Some((last.bucket(), &last.record));
        }
        let end = bucket.saturating_add(1);
        let page = page_of(bucket);
        let until = self.pages.partition_point(|found| found.number <= page);
        // Of the page that the bucket lies in, all records may be later ones.
        let pages = self.pages.get(until.saturating_sub(2)..until)?;
        [&self.tail]
            .into_iter()
            .chain(pages.iter().rev())
            .find_map(|page| page.segment().until(end).iter().next_back())
    }

    /// All records from a bucket on.
    pub(super) fn segments(&self, from: u32) -> impl Iterator<Item = Segment<'_, R>> {
        let page = page_of(from);
        let start = self.pages.partition_point(|found| found.number < page);
        let pages = self.pages.get(start..).unwrap_or_default().iter();
        pages
            .chain([&self.tail])
            .map(|page| page.segment())
            .chain(self.last.iter().map(Last::segment))
            .map(move |segment| segment.since(from))
            .filter(|segment| !segment.is_empty())
    }

    /// The records from one bucket up to but not including another.
    pub(super) fn range(&self, from: u32, to: u32) -> impl Iterator<Item = (u32, &R)> {
        self.segments(from)
            .flat_map(|segment| segment.iter())
            .take_while(move |(at, _)| *at < to)
    }

    /// Drops all records from a bucket on.
    pub(super) fn cut(&mut self, bucket: u32) {
        if self.last.as_ref().is_none_or(|last| last.bucket() < bucket) {
            return;
        }
        self.changed = self.changed.min(page_of(bucket));
        self.last = None;
        let is_kept = |page: &Page<R>| page.segment().iter().next().is_some_and(|at| at.0 < bucket);
        if !is_kept(&self.tail) {
            let kept = self.pages.partition_point(|page| is_kept(page));
            Arc::make_mut(&mut self.pages).truncate(kept);
            self.tail = Arc::make_mut(&mut self.pages).pop().unwrap_or_default();
        }
        let kept = self.tail.segment().until(bucket).records.len();
        let tail = Arc::make_mut(&mut self.tail);
        tail.offsets.truncate(kept);
        tail.records.truncate(kept);
        if let (Some(offset), Some(record)) = (tail.offsets.pop(), tail.records.pop()) {
            self.last = Some(Last {
                page: tail.number,
                offset,
                record,
            });
        }
        if self.tail.records.is_empty() {
            self.tail = Arc::make_mut(&mut self.pages).pop().unwrap_or_default();
        }
    }

    /// Puts what was the newest record into its page.
    fn close(&mut self, last: Last<R>) {
        if self.tail.records.is_empty() || self.tail.number != last.page {
            let next = Arc::new(Page {
                number: last.page,
                ..Page::default()
            });
            let mut full = std::mem::replace(&mut self.tail, next);
            if !full.records.is_empty() {
                if let Some(full) = Arc::get_mut(&mut full) {
                    full.offsets.shrink_to_fit();
                    full.records.shrink_to_fit();
                }
                Arc::make_mut(&mut self.pages).push(full);
            }
        }
        let tail = Arc::make_mut(&mut self.tail);
        tail.offsets.push(last.offset);
        tail.records.push(last.record);
    }

    /// The bytes of pages from a number on.
    pub(super) fn encode(&self, from: u32) -> Vec<(u32, Vec<u8>)> {
        let mut pages: Vec<(u32, Vec<Segment<'_, R>>)> = Vec::new();
        for segment in self.segments(bucket_of(from.min(page_of(u32::MAX)), 0)) {
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
        if self.changed == u32::MAX {
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
        if number > page_of(u32::MAX) {
            return Err(PageError::Malformed);
        }
        if self.last.as_ref().is_some_and(|last| last.page >= number) {
            return Err(PageError::Order);
        }
        let mut page = decode(number, bytes)?;
        if let Some(last) = self.last.take() {
            self.close(last);
        }
        if let (Some(offset), Some(record)) = (page.offsets.pop(), page.records.pop()) {
            self.last = Some(Last {
                page: number,
                offset,
                record,
            });
        }
        if !page.records.is_empty() {
            let full = std::mem::replace(&mut self.tail, Arc::new(page));
            if !full.records.is_empty() {
                Arc::make_mut(&mut self.pages).push(full);
            }
        }
        Ok(())
    }
}

/// The bytes of one page.
fn encode<R: Record>(segments: &[Segment<'_, R>]) -> Vec<u8> {
    let count: usize = segments.iter().map(|segment| segment.records.len()).sum();
    let mut out = vec![VERSION];
    put(count as u128, &mut out);
    let mut before: Option<(u8, &R)> = None;
    for segment in segments {
        for (offset, record) in segment.offsets.iter().zip(segment.records) {
            let delta = before.map_or(*offset, |(before, _)| offset - before - 1);
            put(u128::from(delta), &mut out);
            record.encode(before.map(|(_, record)| record), &mut out);
            before = Some((*offset, record));
        }
    }
    out
}

fn decode<R: Record>(number: u32, bytes: &[u8]) -> Result<Page<R>, PageError> {
    let mut input = Input::new(bytes);
    let version = input.byte()?;
    if version != VERSION {
        return Err(PageError::Version(version));
    }
    let count = usize::try_from(input.word()?).map_err(|_| PageError::Malformed)?;
    if count == 0 || count > 1 << PAGE_BITS {
        return Err(PageError::Malformed);
    }
    let mut page: Page<R> = Page {
        number,
        offsets: Vec::with_capacity(count),
        records: Vec::with_capacity(count),
    };
    let mut next = 0_u64;
    for _ in 0..count {
        let at = input.word()?.checked_add(next);
        let offset = at.and_then(|at| u8::try_from(at).ok());
        let offset = offset.ok_or(PageError::Malformed)?;
        let record = R::decode(&mut input, page.records.last())?;
        page.offsets.push(offset);
        page.records.push(record);
        next = u64::from(offset) + 1;
    }
    input.end()?;
    Ok(page)
}

#[cfg(test)]
mod tests;
