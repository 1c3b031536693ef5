//! The epochs of a lease.

use thiserror::Error;

/// The epochs of a lease: from `start`, `count` of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EpochWindow {
    start: i32,
    end: i32,
}

/// Why numbers are no window of epochs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum WindowError {
    /// The first epoch is not a 32-bit number.
    #[error("the first epoch must be a 32-bit number")]
    Start,
    /// Not 1 to 30 epochs.
    #[error("a lease has 1 to 30 epochs")]
    Count,
    /// The window begins before epoch 0 or ends beyond the last number.
    #[error("the epochs must be from 0 to 2147483647")]
    Range,
}

impl EpochWindow {
    /// The most epochs of a lease.
    pub const MAX_COUNT: i32 = 30;

    /// The window of `count` epochs from `start`. Past epochs are fine.
    pub fn new(start: i64, count: i64) -> Result<Self, WindowError> {
        let start = i32::try_from(start).map_err(|_| WindowError::Start)?;
        let count = i32::try_from(count).map_err(|_| WindowError::Count)?;
        if !(1..=Self::MAX_COUNT).contains(&count) {
            return Err(WindowError::Count);
        }
        if start < 0 {
            return Err(WindowError::Range);
        }
        let end = start.checked_add(count).ok_or(WindowError::Range)?;
        Ok(Self { start, end })
    }

    /// The first epoch.
    pub fn start(self) -> i32 {
        self.start
    }

    /// The epoch after the last.
    pub fn end(self) -> i32 {
        self.end
    }

    /// How many there are.
    pub fn count(self) -> i32 {
        // Both are not negative, and the end is above the start.
        self.end.saturating_sub(self.start)
    }

    /// The epochs, in order.
    pub fn epochs(self) -> std::ops::Range<i32> {
        self.start..self.end
    }

    /// What of it is not before `epoch`; `None` if nothing is.
    pub fn since(self, epoch: i32) -> Option<Self> {
        let start = self.start.max(epoch);
        (start < self.end).then_some(Self {
            start,
            end: self.end,
        })
    }

    /// Whether all of it lies before `epoch`.
    pub fn is_over(self, epoch: u64) -> bool {
        u64::try_from(self.end).is_ok_and(|end| end <= epoch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_wrong_window_has_its_own_error() {
        let top = i64::from(i32::MAX);
        for (start, count, error) in [
            (top + 1, 1, WindowError::Start),
            (i64::MIN, 1, WindowError::Start),
            (0, 0, WindowError::Count),
            (0, 31, WindowError::Count),
            (-1, i64::MAX, WindowError::Count),
            (-1, 1, WindowError::Range),
            (top - 7, 30, WindowError::Range),
        ] {
            assert_eq!(
                EpochWindow::new(start, count),
                Err(error),
                "{start} {count}"
            );
        }
    }

    #[test]
    fn the_end_is_not_part_of_the_window() {
        let window = EpochWindow::new(5, 3).unwrap();
        assert_eq!((window.start(), window.end(), window.count()), (5, 8, 3));
        assert_eq!(window.epochs().collect::<Vec<_>>(), [5, 6, 7]);
        let rest = |epoch| window.since(epoch).map(|rest| (rest.start(), rest.end()));
        assert_eq!((rest(3), rest(6)), (Some((5, 8)), Some((6, 8))));
        assert_eq!((rest(7), rest(8)), (Some((7, 8)), None));
        assert!(!window.is_over(7));
        assert!(window.is_over(8));
        assert!(EpochWindow::new(i64::from(i32::MAX) - 1, 1).is_ok());
    }

    proptest! {
        #[test]
        fn a_window_has_as_many_epochs_as_were_asked(start in 0..=i64::from(i32::MAX) - 30, count in 1_i64..=30) {
            let window = EpochWindow::new(start, count).unwrap();
            prop_assert_eq!(i64::from(window.count()), count);
            prop_assert_eq!(i64::try_from(window.epochs().count()).unwrap(), count);
        }
    }
}
