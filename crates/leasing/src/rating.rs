//! What a trader says of a lease when it is over, and who may say it.

use crate::{
    lease::{Lease, LeaseState},
    roles::Party,
};
use primitives::is_hidden;

/// Signatures that a lease must have been used for before it is rated.
pub const SIGNS_TO_RATE: u64 = 10_000;

/// Characters of a comment or a reply, at most.
const MAX_CHARS: usize = 2_000;

/// One to five.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stars(u8);

/// A comment or a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark(String);

/// The ratings of a validator together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RatingSum {
    /// The stars of all.
    pub stars: u64,
    /// How many there are.
    pub count: u64,
}

/// Why a lease cannot be rated, in the order of the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateError {
    /// There is no such lease that the user may see.
    NotFound,
    /// The user did not book it.
    Forbidden,
    /// Only completed leases are rated; this one is in this state.
    NotCompleted(LeaseState),
    /// It was used for so few signatures.
    TooLittleUsed(u64),
}

impl Stars {
    /// So many, if they can be.
    pub fn new(stars: i64) -> Option<Self> {
        let stars = u8::try_from(stars).ok()?;
        (1..=5).contains(&stars).then_some(Self(stars))
    }

    /// How many.
    pub const fn get(self) -> u8 {
        self.0
    }
}

impl RatingSum {
    /// The average in thousandths, rounded down; `None` if there are none.
    pub fn average_thousandths(self) -> Option<u64> {
        self.stars.saturating_mul(1_000).checked_div(self.count)
    }
}

impl Remark {
    /// The remark of a text, without blanks around it; `None` if it is blank,
    /// has more than 2,000 characters, or others would read something else than
    /// was written.
    pub fn new(text: &str) -> Option<Self> {
        let is_plain = !text.trim().is_empty()
            && text.chars().count() <= MAX_CHARS
            && !text.chars().any(is_hidden);
        is_plain.then(|| Self(text.trim().to_owned()))
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Lease {
    /// Whether a user may rate it when it was used for so many signatures.
    pub fn may_rate(&self, user: Party, signs: u64) -> Result<(), RateError> {
        if !self.is_visible_to(user) {
            return Err(RateError::NotFound);
        }
        if self.trader != user.user {
            return Err(RateError::Forbidden);
        }
        if self.state() != LeaseState::Completed {
            return Err(RateError::NotCompleted(self.state()));
        }
        if signs < SIGNS_TO_RATE {
            return Err(RateError::TooLittleUsed(signs));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Roles,
        lease::samples::{OWNER, STRANGER, TRADER, lease, party, stages},
    };

    #[test]
    fn only_a_completed_lease_that_was_used_is_rated() {
        let trader = party(TRADER, Roles::default());
        for (name, stage) in stages() {
            let lease = lease(stage);
            let expected = |signs| match name {
                "completed" if signs >= 10_000 => Ok(()),
                "completed" => Err(RateError::TooLittleUsed(signs)),
                _ => Err(RateError::NotCompleted(lease.state())),
            };
            for signs in [0, 9_999, 10_000, u64::MAX] {
                assert_eq!(lease.may_rate(trader, signs), expected(signs), "{name}");
            }
            let owner = party(OWNER, Roles::default());
            assert_eq!(lease.may_rate(owner, 10_000), Err(RateError::Forbidden));
            let stranger = party(STRANGER, Roles::default());
            assert_eq!(lease.may_rate(stranger, 10_000), Err(RateError::NotFound));
        }
    }

    #[test]
    fn stars_are_one_to_five() {
        let good: Vec<_> = (-300..300).filter_map(Stars::new).map(Stars::get).collect();
        assert_eq!(good, [1, 2, 3, 4, 5]);
    }

    #[test]
    fn a_remark_is_a_plain_text() {
        assert_eq!(Remark::new(" Très bien. ").unwrap().as_str(), "Très bien.");
        assert!(Remark::new(&"ü".repeat(2_000)).is_some());
        for wrong in ["", "  ", "a\nb", "a\u{0}", "\u{202e}x", &"x".repeat(2_001)] {
            assert_eq!(Remark::new(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn an_average_is_of_something() {
        let sum = |stars, count| RatingSum { stars, count }.average_thousandths();
        assert_eq!(sum(0, 0), None);
        assert_eq!(sum(5, 1), Some(5_000));
        assert_eq!(sum(13, 3), Some(4_333));
    }
}
