//! A lease: its epochs, its mode, and what may become of it.

use std::{fmt, str::FromStr};
use thiserror::Error;

/// How a validator's capacity is leased.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// All of it, to one trader.
    Exclusive,
    /// One of its seats.
    Shared,
}

/// Where a lease stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LeaseState {
    /// Booked; it holds its epochs and waits for the payment.
    PendingPayment,
    /// Paid.
    Active,
    /// Ended by the validator or by staff.
    Revoked,
    /// Paid, and its epochs are over.
    Completed,
    /// Never paid: the window passed, or the trader gave up.
    Expired,
}

/// What happens to a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LeaseEvent {
    /// Its payment settled while its epochs were held, or could be held again.
    Paid,
    /// The window for its payment passed.
    Lapsed,
    /// The trader gave it up.
    Cancelled,
    /// The validator or staff ended it.
    Revoked,
    /// Its last epoch is over.
    Ended,
}

/// A lease in this state does not allow this.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a lease that is {state} cannot be {event:?}")]
pub struct NotAllowed {
    /// Where it stands.
    pub state: LeaseState,
    /// What was to happen.
    pub event: LeaseEvent,
}

/// A text names no mode or state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("not a known word")]
pub struct UnknownWord;

impl Mode {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Exclusive, Self::Shared];

    /// Its word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Exclusive => "exclusive",
            Self::Shared => "shared",
        }
    }
}

impl LeaseState {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::PendingPayment,
        Self::Active,
        Self::Revoked,
        Self::Completed,
        Self::Expired,
    ];

    /// Its word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PendingPayment => "pending_payment",
            Self::Active => "active",
            Self::Revoked => "revoked",
            Self::Completed => "completed",
            Self::Expired => "expired",
        }
    }

    /// Whether the lease holds its epochs.
    pub const fn is_live(self) -> bool {
        matches!(self, Self::PendingPayment | Self::Active)
    }

    /// Where it stands after `event`. A late payment revives an expired lease;
    /// whether its epochs are still free is the caller's to find out.
    pub const fn after(self, event: LeaseEvent) -> Result<Self, NotAllowed> {
        use LeaseEvent::{Cancelled, Ended, Lapsed, Paid, Revoked};
        match (self, event) {
            (Self::PendingPayment | Self::Expired, Paid) => Ok(Self::Active),
            (Self::PendingPayment, Lapsed | Cancelled) => Ok(Self::Expired),
            (Self::PendingPayment | Self::Active, Revoked) => Ok(Self::Revoked),
            (Self::Active, Ended) => Ok(Self::Completed),
            (state, event) => Err(NotAllowed { state, event }),
        }
    }
}

/// Reads and writes a word of a fixed set.
macro_rules! words {
    ($name:ident) => {
        impl FromStr for $name {
            type Err = UnknownWord;

            fn from_str(text: &str) -> Result<Self, UnknownWord> {
                let mut all = Self::ALL.into_iter();
                all.find(|word| word.as_str() == text).ok_or(UnknownWord)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}
pub(crate) use words;

words!(Mode);
words!(LeaseState);

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

    /// Whether all of it lies before `epoch`.
    pub fn is_over(self, epoch: u64) -> bool {
        u64::try_from(self.end).is_ok_and(|end| end <= epoch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    const EVENTS: [LeaseEvent; 5] = [
        LeaseEvent::Paid,
        LeaseEvent::Lapsed,
        LeaseEvent::Cancelled,
        LeaseEvent::Revoked,
        LeaseEvent::Ended,
    ];

    #[test]
    fn these_transitions_and_no_others_are_allowed() {
        use LeaseEvent as E;
        use LeaseState as S;
        let allowed = BTreeMap::from([
            ((S::PendingPayment, E::Paid), S::Active),
            ((S::PendingPayment, E::Lapsed), S::Expired),
            ((S::PendingPayment, E::Cancelled), S::Expired),
            ((S::PendingPayment, E::Revoked), S::Revoked),
            ((S::Active, E::Revoked), S::Revoked),
            ((S::Active, E::Ended), S::Completed),
            ((S::Expired, E::Paid), S::Active),
        ]);
        for state in S::ALL {
            for event in EVENTS {
                let expected = allowed.get(&(state, event)).copied();
                assert_eq!(state.after(event).ok(), expected, "{state} {event:?}");
            }
        }
    }

    #[test]
    fn words_are_read_as_they_are_written() {
        for state in LeaseState::ALL {
            assert_eq!(state.to_string().parse(), Ok(state));
        }
        for mode in Mode::ALL {
            assert_eq!(mode.to_string().parse(), Ok(mode));
        }
        assert_eq!("Active".parse::<LeaseState>(), Err(UnknownWord));
    }

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
