//! The records of 256 consecutive buckets.

use crate::series::codec::{Input, PageError, Record, VERSION, put};
use std::cmp::Ordering;

/// Buckets of a page, as a power of two.
const PAGE_BITS: u32 = 8;

/// The page that holds a bucket.
pub(in crate::series) const fn page_of(bucket: u32) -> u32 {
    bucket >> PAGE_BITS
}

/// The first bucket of a page.
pub(super) const fn first_of(page: u32) -> u32 {
    bucket_of(page, 0)
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
pub(super) struct Page<R: Record> {
    pub(super) number: u32,
    offsets: Vec<u8>,
    heads: Vec<R::Head>,
    rests: Vec<R::Rest>,
}

/// A record that lies alone.
#[derive(Debug, Clone, Copy)]
pub(super) struct Single<R> {
    pub(super) page: u32,
    offset: u8,
    pub(super) record: R,
}

/// Records that lie side by side in memory.
#[derive(Debug)]
pub(in crate::series) struct Segment<'a, R: Record> {
    pub(super) page: u32,
    offsets: &'a [u8],
    heads: &'a [R::Head],
    rests: &'a [R::Rest],
}

impl<R: Record> Default for Page<R> {
    fn default() -> Self {
        Self::new(0)
    }
}

impl<R: Record> Page<R> {
    pub(super) const fn new(number: u32) -> Self {
        Self {
            number,
            offsets: Vec::new(),
            heads: Vec::new(),
            rests: Vec::new(),
        }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.offsets.is_empty()
    }

    pub(super) fn segment(&self) -> Segment<'_, R> {
        Segment {
            page: self.number,
            offsets: &self.offsets,
            heads: &self.heads,
            rests: &self.rests,
        }
    }

    pub(super) fn push(&mut self, last: &Single<R>) {
        let (head, rest) = last.record.parts();
        self.offsets.push(last.offset);
        self.heads.push(*head);
        self.rests.push(*rest);
    }

    pub(super) fn pop(&mut self) -> Option<Single<R>> {
        Some(Single {
            page: self.number,
            offset: self.offsets.pop()?,
            record: R::join(self.heads.pop()?, self.rests.pop()?),
        })
    }

    /// Drops all records from a bucket on.
    pub(super) fn cut(&mut self, bucket: u32) {
        let kept = self.segment().until(bucket).len();
        self.offsets.truncate(kept);
        self.heads.truncate(kept);
        self.rests.truncate(kept);
    }

    pub(super) fn shrink(&mut self) {
        self.offsets.shrink_to_fit();
        self.heads.shrink_to_fit();
        self.rests.shrink_to_fit();
    }

    pub(super) fn decode(number: u32, bytes: &[u8]) -> Result<Self, PageError> {
        if number > page_of(u32::MAX) {
            return Err(PageError::Malformed);
        }
        let mut input = Input::new(bytes);
        let version = input.byte()?;
        if version != VERSION {
            return Err(PageError::Version(version));
        }
        let count = usize::try_from(input.word()?).map_err(|_| PageError::Malformed)?;
        if count == 0 || count > 1 << PAGE_BITS {
            return Err(PageError::Malformed);
        }
        let mut page = Self {
            number,
            offsets: Vec::with_capacity(count),
            heads: Vec::with_capacity(count),
            rests: Vec::with_capacity(count),
        };
        let (mut next, mut before) = (0_u64, None);
        for _ in 0..count {
            let at = input.word()?.checked_add(next);
            let offset = at.and_then(|at| u8::try_from(at).ok());
            let offset = offset.ok_or(PageError::Malformed)?;
            let record = R::decode(&mut input, before.as_ref())?;
            page.push(&Single {
                page: number,
                offset,
                record,
            });
            next = u64::from(offset) + 1;
            before = Some(record);
        }
        input.end()?;
        Ok(page)
    }
}

impl<R: Record> Single<R> {
    pub(super) const fn new(bucket: u32, record: R) -> Self {
        Self {
            page: page_of(bucket),
            offset: offset_of(bucket),
            record,
        }
    }

    pub(super) const fn bucket(&self) -> u32 {
        bucket_of(self.page, self.offset)
    }

    pub(super) fn segment(&self) -> Segment<'_, R> {
        let (head, rest) = self.record.parts();
        Segment {
            page: self.page,
            offsets: std::slice::from_ref(&self.offset),
            heads: std::slice::from_ref(head),
            rests: std::slice::from_ref(rest),
        }
    }
}

impl<'a, R: Record> Segment<'a, R> {
    /// Without what lies before a bucket.
    pub(super) fn since(self, bucket: u32) -> Self {
        let before = self.before(bucket);
        Self {
            page: self.page,
            offsets: self.offsets.get(before..).unwrap_or_default(),
            heads: self.heads.get(before..).unwrap_or_default(),
            rests: self.rests.get(before..).unwrap_or_default(),
        }
    }

    /// Without what lies at or after a bucket.
    pub(in crate::series) fn until(self, bucket: u32) -> Self {
        let before = self.before(bucket);
        Self {
            page: self.page,
            offsets: self.offsets.get(..before).unwrap_or_default(),
            heads: self.heads.get(..before).unwrap_or_default(),
            rests: self.rests.get(..before).unwrap_or_default(),
        }
    }

    /// How many records lie before a bucket.
    fn before(&self, bucket: u32) -> usize {
        match self.page.cmp(&page_of(bucket)) {
            Ordering::Less => self.len(),
            Ordering::Equal => {
                let offset = offset_of(bucket);
                self.offsets.partition_point(|at| *at < offset)
            }
            Ordering::Greater => 0,
        }
    }

    pub(super) const fn len(&self) -> usize {
        self.offsets.len()
    }

    pub(in crate::series) fn iter(&self) -> impl DoubleEndedIterator<Item = (u32, R)> + use<'a, R> {
        let page = self.page;
        let buckets = self.offsets.iter().map(move |at| bucket_of(page, *at));
        let records = self.heads.iter().zip(self.rests);
        buckets.zip(records.map(|(head, rest)| R::join(*head, *rest)))
    }

    /// The first bucket.
    pub(in crate::series) fn first(&self) -> Option<u32> {
        Some(bucket_of(self.page, *self.offsets.first()?))
    }

    /// The last record and its bucket.
    pub(in crate::series) fn last(&self) -> Option<(u32, R)> {
        let record = R::join(*self.heads.last()?, *self.rests.last()?);
        Some((bucket_of(self.page, *self.offsets.last()?), record))
    }

    /// The heads of all records, if no bucket between them is missing.
    pub(in crate::series) fn run(&self) -> Option<&'a [R::Head]> {
        let (first, last) = (*self.offsets.first()?, *self.offsets.last()?);
        (usize::from(last - first) + 1 == self.len()).then_some(self.heads)
    }
}

/// The bytes of a page that lies in some segments.
pub(super) fn encode<R: Record>(segments: &[Segment<'_, R>]) -> Vec<u8> {
    let count: usize = segments.iter().map(Segment::len).sum();
    let mut out = vec![VERSION];
    put(count as u128, &mut out);
    let mut before: Option<(u32, R)> = None;
    for (at, record) in segments.iter().flat_map(Segment::iter) {
        let next = before.map_or_else(|| first_of(page_of(at)), |(before, _)| before + 1);
        put(u128::from(at - next), &mut out);
        record.encode(before.as_ref().map(|(_, record)| record), &mut out);
        before = Some((at, record));
    }
    out
}
