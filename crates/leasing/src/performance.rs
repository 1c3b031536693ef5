//! How well a validator does what it is there for: produces the blocks of its
//! slots, and votes.

use primitives::PublicKey;
use std::collections::BTreeMap;

const MILLION: u32 = 1_000_000;

/// A part of a whole, in millionths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share(u32);

/// The slots that a validator led, and those in which it produced a block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LedSlots {
    /// In all.
    pub slots: u64,
    /// Those of them in which it produced a block.
    pub blocks: u64,
}

/// What votes earned, by validator and epoch.
#[derive(Debug, Clone, Default)]
pub struct VoteCredits {
    own: BTreeMap<PublicKey, BTreeMap<u64, u64>>,
    most: BTreeMap<u64, u64>,
}

impl Share {
    /// What a part is of a whole, rounded down; `None` if the whole is nothing.
    /// A part that is more than the whole is all of it.
    pub fn of(part: u64, whole: u64) -> Option<Self> {
        let millionths = u128::from(part.min(whole)) * u128::from(MILLION);
        let share = millionths.checked_div(u128::from(whole))?;
        Some(Self(u32::try_from(share).unwrap_or(MILLION)))
    }

    /// So many millionths, if that is no more than all.
    pub fn from_millionths(millionths: i64) -> Option<Self> {
        let millionths = u32::try_from(millionths).ok()?;
        (millionths <= MILLION).then_some(Self(millionths))
    }

    /// In parts of which the whole has 1,000,000.
    pub const fn millionths(self) -> u32 {
        self.0
    }
}

impl LedSlots {
    /// The share of the slots with a block; `None` without slots.
    pub fn uptime(self) -> Option<Share> {
        Share::of(self.blocks, self.slots)
    }
}

impl VoteCredits {
    /// Notes what a vote account of a validator earned in an epoch. Of several
    /// accounts the best one counts.
    pub fn note(&mut self, identity: PublicKey, epoch: u64, credits: u64) {
        let own = self
            .own
            .entry(identity)
            .or_default()
            .entry(epoch)
            .or_default();
        *own = credits.max(*own);
        let most = self.most.entry(epoch).or_default();
        *most = credits.max(*most);
    }

    /// What a validator earned, of the most that any did in the same epochs:
    /// those from its first one on. `None` if nothing is known of it.
    pub fn effectiveness(&self, identity: PublicKey) -> Option<Share> {
        let own = self.own.get(&identity)?;
        let (first, _) = own.first_key_value()?;
        let sum = |epochs: &BTreeMap<u64, u64>| {
            let since = epochs.range(first..);
            since.fold(0_u64, |sum, (_, credits)| sum.saturating_add(*credits))
        };
        Share::of(sum(own), sum(&self.most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key(byte: u8) -> PublicKey {
        PublicKey::from_bytes([byte; 32])
    }

    fn millionths(share: Option<Share>) -> Option<u32> {
        share.map(Share::millionths)
    }

    #[test]
    fn a_share_is_of_something() {
        assert_eq!(millionths(Share::of(0, 0)), None);
        assert_eq!(millionths(Share::of(1, 3)), Some(333_333));
        assert_eq!(millionths(Share::of(5, 4)), Some(1_000_000));
        assert_eq!(millionths(Share::of(u64::MAX, u64::MAX)), Some(1_000_000));
        assert_eq!(Share::from_millionths(1_000_001), None);
        assert_eq!(Share::from_millionths(-1), None);
    }

    #[test]
    fn credits_are_compared_in_the_same_epochs() {
        let mut credits = VoteCredits::default();
        for (identity, epoch, earned) in [
            (1, 5, 100),
            (1, 6, 100),
            (2, 6, 50),
            (2, 6, 40),
            // Away in the last epoch.
            (3, 5, 100),
        ] {
            credits.note(key(identity), epoch, earned);
        }
        let of = |identity| millionths(credits.effectiveness(key(identity)));
        assert_eq!(of(1), Some(1_000_000));
        assert_eq!(of(2), Some(500_000));
        assert_eq!(of(3), Some(500_000));
        assert_eq!(of(4), None);
    }

    #[test]
    fn epochs_without_credits_tell_nothing() {
        let mut credits = VoteCredits::default();
        credits.note(key(1), 5, 0);
        assert_eq!(credits.effectiveness(key(1)), None);
    }

    proptest! {
        #[test]
        fn shares_keep_the_order_of_parts(a: u64, b: u64, whole in 1_u64..) {
            let (less, more) = (a.min(b), a.max(b));
            prop_assert!(Share::of(less, whole) <= Share::of(more, whole));
        }
    }
}
