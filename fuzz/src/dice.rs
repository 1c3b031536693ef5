//! Choices that follow from a seed.

/// A small generator of numbers; good enough to choose by.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u32) -> Self {
        Self(u64::from(seed) << 1 | 1)
    }

    /// A number below a limit, or 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).map_or(0, |number| number % limit.max(1))
    }

    pub(crate) fn one_of<T: Copy>(&mut self, all: &[T]) -> Option<T> {
        all.get(self.below(all.len())).copied()
    }
}
