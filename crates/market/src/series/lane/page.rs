//! The records of 256 consecutive buckets.

use crate::series::codec::{Input, PageError, Record, begin, content, put, seal};
use primitives::{OrImpossible as _, U256};
use std::{
    cmp::Ordering,
    sync::{Arc, OnceLock},
};

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

/// The records of 256 consecutive buckets, as far as there are any. They do not
/// change any more; copies share them.
#[derive(Debug, Clone)]
pub(super) struct LanePage<R: Record> {
    pub(super) number: u32,
    leaf: Arc<Leaf<R>>,
}

/// A page that was kept is read when somebody asks for it: most are never
/// asked for, and a start does not wait for them.
#[derive(Debug)]
struct Leaf<R: Record> {
    kept: Box<[u8]>,
    columns: OnceLock<Columns<R>>,
}

#[derive(Debug)]
struct Columns<R: Record> {
    /// The buckets that have a record.
    marks: U256,
    heads: Box<[R::Head]>,
    rests: Box<[R::Rest]>,
}

/// A page that is still being written.
#[derive(Debug, Clone)]
pub(super) struct Draft<R: Record> {
    pub(super) number: u32,
    marks: U256,
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
    marks: U256,
    heads: &'a [R::Head],
    rests: &'a [R::Rest],
}

impl<R: Record> LanePage<R> {
    /// A page that was kept.
    pub(super) fn kept(number: u32, bytes: Vec<u8>) -> Result<Self, PageError> {
        if number > page_of(u32::MAX) {
            return Err(PageError::Malformed);
        }
        content(&bytes)?;
        Ok(Self {
            number,
            leaf: Arc::new(Leaf {
                kept: bytes.into(),
                columns: OnceLock::new(),
            }),
        })
    }

    pub(super) fn segment(&self) -> Segment<'_, R> {
        let columns = self.columns();
        Segment {
            page: self.number,
            marks: columns.marks,
            heads: &columns.heads,
            rests: &columns.rests,
        }
    }

    fn columns(&self) -> &Columns<R> {
        self.leaf.columns.get_or_init(|| {
            // Its checksum was right, so that this is a page that was written.
            let draft = Draft::decode(self.number, &self.leaf.kept);
            let draft = draft.or_impossible("a page whose checksum is right can be read");
            draft.unwrap_or_else(|_| Draft::new(self.number)).into()
        })
    }
}

impl<R: Record> From<Draft<R>> for Columns<R> {
    fn from(draft: Draft<R>) -> Self {
        Self {
            marks: draft.marks,
            heads: draft.heads.into(),
            rests: draft.rests.into(),
        }
    }
}

impl<R: Record> From<&LanePage<R>> for Draft<R> {
    fn from(page: &LanePage<R>) -> Self {
        let columns = page.columns();
        Self {
            number: page.number,
            marks: columns.marks,
            heads: columns.heads.to_vec(),
            rests: columns.rests.to_vec(),
        }
    }
}

impl<R: Record> From<&Draft<R>> for LanePage<R> {
    fn from(draft: &Draft<R>) -> Self {
        Self {
            number: draft.number,
            leaf: Arc::new(Leaf {
                kept: Box::default(),
                columns: Columns::from(draft.clone()).into(),
            }),
        }
    }
}

impl<R: Record> Draft<R> {
    pub(super) const fn new(number: u32) -> Self {
        Self {
            number,
            marks: U256::ZERO,
            heads: Vec::new(),
            rests: Vec::new(),
        }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    pub(super) fn segment(&self) -> Segment<'_, R> {
        Segment {
            page: self.number,
            marks: self.marks,
            heads: &self.heads,
            rests: &self.rests,
        }
    }

    /// Adds a record after all others.
    pub(super) fn push(&mut self, last: &Single<R>) {
        let (head, rest) = last.record.parts();
        self.marks.set_bit(last.offset.into(), true);
        self.heads.push(*head);
        self.rests.push(*rest);
    }

    /// Takes the last record away.
    pub(super) fn pop(&mut self) -> Option<Single<R>> {
        let offset = self.segment().last_offset()?;
        self.marks.set_bit(offset.into(), false);
        Some(Single {
            page: self.number,
            offset,
            record: R::join(self.heads.pop()?, self.rests.pop()?),
        })
    }

    /// Drops all records from a bucket on.
    pub(super) fn cut(&mut self, bucket: u32) {
        let Segment { marks, heads, .. } = self.segment().until(bucket);
        let kept = heads.len();
        self.marks = marks;
        self.heads.truncate(kept);
        self.rests.truncate(kept);
    }

    pub(super) fn decode(number: u32, bytes: &[u8]) -> Result<Self, PageError> {
        if number > page_of(u32::MAX) {
            return Err(PageError::Malformed);
        }
        let mut input = Input::new(content(bytes)?);
        let count = usize::try_from(input.take::<u64>()?).map_err(|_| PageError::Malformed)?;
        if count == 0 || count > 1 << PAGE_BITS {
            return Err(PageError::Malformed);
        }
        let mut draft = Self {
            number,
            marks: U256::ZERO,
            heads: Vec::with_capacity(count),
            rests: Vec::with_capacity(count),
        };
        let (mut next, mut before) = (0_u64, None);
        for _ in 0..count {
            let at = input.take::<u64>()?.checked_add(next);
            let offset = at.and_then(|at| u8::try_from(at).ok());
            let offset = offset.ok_or(PageError::Malformed)?;
            let record = R::decode(&mut input, before.as_ref())?;
            draft.push(&Single {
                page: number,
                offset,
                record,
            });
            next = u64::from(offset) + 1;
            before = Some(record);
        }
        input.end()?;
        Ok(draft)
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
            marks: U256::ONE << self.offset,
            heads: std::slice::from_ref(head),
            rests: std::slice::from_ref(rest),
        }
    }
}

impl<'a, R: Record> Segment<'a, R> {
    /// Without what lies before a bucket.
    pub(super) fn since(self, bucket: u32) -> Self {
        let early = self.early(bucket);
        let skipped = early.count_ones();
        Self {
            page: self.page,
            marks: self.marks & !early,
            heads: self.heads.get(skipped..).unwrap_or_default(),
            rests: self.rests.get(skipped..).unwrap_or_default(),
        }
    }

    /// Without what lies at or after a bucket.
    pub(in crate::series) fn until(self, bucket: u32) -> Self {
        let marks = self.early(bucket);
        let kept = marks.count_ones();
        Self {
            page: self.page,
            marks,
            heads: self.heads.get(..kept).unwrap_or_default(),
            rests: self.rests.get(..kept).unwrap_or_default(),
        }
    }

    /// The marks of what lies before a bucket.
    fn early(&self, bucket: u32) -> U256 {
        match self.page.cmp(&page_of(bucket)) {
            Ordering::Less => self.marks,
            Ordering::Equal => self.marks & ((U256::ONE << offset_of(bucket)) - U256::ONE),
            Ordering::Greater => U256::ZERO,
        }
    }

    pub(super) const fn len(&self) -> usize {
        self.heads.len()
    }

    fn first_offset(&self) -> Option<u8> {
        u8::try_from(self.marks.trailing_zeros()).ok()
    }

    fn last_offset(&self) -> Option<u8> {
        u8::try_from(self.marks.bit_len().checked_sub(1)?).ok()
    }

    pub(in crate::series) fn iter(&self) -> impl Iterator<Item = (u32, R)> + use<'a, R> {
        let page = self.page;
        let mut marks = self.marks;
        let buckets = std::iter::from_fn(move || {
            let offset = u8::try_from(marks.trailing_zeros()).ok()?;
            marks.set_bit(offset.into(), false);
            Some(bucket_of(page, offset))
        });
        let records = self.heads.iter().zip(self.rests);
        buckets.zip(records.map(|(head, rest)| R::join(*head, *rest)))
    }

    /// The first bucket.
    pub(in crate::series) fn first(&self) -> Option<u32> {
        Some(bucket_of(self.page, self.first_offset()?))
    }

    /// The last bucket.
    pub(in crate::series) fn last(&self) -> Option<u32> {
        Some(bucket_of(self.page, self.last_offset()?))
    }

    /// The last record.
    pub(in crate::series) fn newest(&self) -> Option<R> {
        Some(R::join(*self.heads.last()?, *self.rests.last()?))
    }

    /// The head of the record of a bucket, if there is one.
    pub(in crate::series) fn head(&self, bucket: u32) -> Option<&'a R::Head> {
        let is_there = self.page == page_of(bucket) && self.marks.bit(offset_of(bucket).into());
        let place = is_there.then(|| self.early(bucket).count_ones());
        self.heads.get(place?)
    }

    /// The heads of all records, if no bucket between them is missing.
    pub(in crate::series) fn run(&self) -> Option<&'a [R::Head]> {
        let (first, last) = (self.first_offset()?, self.last_offset()?);
        (usize::from(last - first) + 1 == self.len()).then_some(self.heads)
    }
}

/// The bytes of a page that lies in some segments.
pub(super) fn encode<R: Record>(segments: &[Segment<'_, R>]) -> Vec<u8> {
    let count: usize = segments.iter().map(Segment::len).sum();
    let mut out = begin();
    put(count as u128, &mut out);
    let mut before: Option<(u32, R)> = None;
    for (at, record) in segments.iter().flat_map(Segment::iter) {
        let next = before.map_or_else(|| first_of(page_of(at)), |(before, _)| before + 1);
        put(u128::from(at - next), &mut out);
        record.encode(before.as_ref().map(|(_, record)| record), &mut out);
        before = Some((at, record));
    }
    seal(out)
}
