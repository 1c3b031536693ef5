//! Something for every bucket.

use super::{Bucket, Span};

/// Something for every one of consecutive buckets. It is found by its place, so
/// that of all buckets only the first is written down.
#[derive(Debug, Clone, PartialEq)]
pub struct Dense<T> {
    first: Bucket,
    items: Vec<T>,
}

impl<T> Dense<T> {
    pub(super) const fn new(first: Bucket, items: Vec<T>) -> Self {
        Self { first, items }
    }

    /// The buckets.
    pub fn span(&self) -> Span {
        let count = Bucket::try_from(self.items.len()).unwrap_or(Bucket::MAX);
        self.first..self.first.saturating_add(count)
    }

    /// What there is, in the order of buckets.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// The same, without their buckets.
    pub(crate) fn into_items(self) -> Vec<T> {
        self.items
    }

    /// The same, each after its bucket.
    pub fn iter(&self) -> impl Iterator<Item = (Bucket, &T)> {
        (self.first..Bucket::MAX).zip(&self.items)
    }

    /// What there is of a bucket.
    pub fn get(&self, bucket: Bucket) -> Option<&T> {
        let place = usize::try_from(bucket.checked_sub(self.first)?);
        self.items.get(place.ok()?)
    }
}

impl<T> Default for Dense<T> {
    fn default() -> Self {
        Self::new(0, Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_a_place() {
        let dense = Dense::new(-1, vec!['a', 'b', 'c']);
        assert_eq!(dense.span(), -1..2);
        let all = [(-1, &'a'), (0, &'b'), (1, &'c')];
        assert!(dense.iter().eq(all));
        for (bucket, item) in all {
            assert_eq!(dense.get(bucket), Some(item));
        }
        for stranger in [Bucket::MIN, -2, 2, Bucket::MAX] {
            assert_eq!(dense.get(stranger), None);
        }
        assert_eq!(dense.items(), ['a', 'b', 'c']);
        assert!(Dense::<char>::default().span().is_empty());
    }
}
