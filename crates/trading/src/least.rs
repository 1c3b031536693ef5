//! The smallest amount that is enough.

use primitives::U256;

/// What an amount does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// It is too small.
    Short,
    /// It is enough; a smaller one may be, too.
    Enough,
    /// It is more than can be tried.
    Beyond,
}

/// Doublings and halvings of a number of 256 bits.
const STEPS: u32 = 256;

/// The smallest amount that is enough, where larger amounts never do less;
/// `None` if none is. The search begins at a guess and ends after two tries if
/// that is right.
pub(crate) fn least(guess: U256, mut reach: impl FnMut(U256) -> Reach) -> Option<U256> {
    let (mut low, mut high) = (guess, guess);
    let mut at_high = if guess.is_zero() {
        Reach::Short
    } else {
        reach(guess)
    };
    let rising = at_high == Reach::Short;
    let mut step = U256::ONE;
    // Until `low` is too small and `high` is not.
    for _ in 0..STEPS {
        if rising {
            low = high;
            high = high.saturating_add(step);
            at_high = reach(high);
            if at_high != Reach::Short {
                break;
            }
        } else {
            low = high.saturating_sub(step);
            let at_low = if low.is_zero() {
                Reach::Short
            } else {
                reach(low)
            };
            if at_low == Reach::Short {
                break;
            }
            (high, at_high) = (low, at_low);
        }
        step = step.saturating_add(step);
    }
    if at_high == Reach::Short {
        return None;
    }
    while high - low > U256::ONE {
        let middle = low + (high - low) / U256::from(2);
        match reach(middle) {
            Reach::Short => low = middle,
            other => (high, at_high) = (middle, other),
        }
    }
    (at_high == Reach::Enough).then_some(high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number(bits: u32, random: u128) -> U256 {
        U256::from(random >> (128 - bits))
    }

    proptest! {
        #[test]
        fn the_smallest_is_found_from_any_guess_in_few_tries(
            wanted in (1_u32..128, any::<u128>()),
            room in (1_u32..128, any::<u128>()),
            guess in (1_u32..128, any::<u128>()),
        ) {
            let wanted = number(wanted.0, wanted.1).max(U256::ONE);
            let most = wanted + number(room.0, room.1);
            let mut tries = 0;
            let found = least(number(guess.0, guess.1), |amount| {
                tries += 1;
                if amount < wanted {
                    Reach::Short
                } else if amount <= most {
                    Reach::Enough
                } else {
                    Reach::Beyond
                }
            });
            prop_assert_eq!(found, Some(wanted));
            prop_assert!(tries <= 260, "{} tries", tries);
        }

        #[test]
        fn where_nothing_is_enough_nothing_is_found(
            end in (1_u32..128, any::<u128>()),
            guess in (1_u32..128, any::<u128>()),
        ) {
            let end = number(end.0, end.1);
            let found = least(number(guess.0, guess.1), |amount| {
                if amount < end { Reach::Short } else { Reach::Beyond }
            });
            prop_assert_eq!(found, None);
            prop_assert_eq!(least(end, |_| Reach::Short), None);
        }
    }

    #[test]
    fn a_right_guess_is_tried_twice() {
        let mut tried = Vec::new();
        let found = least(U256::from(7), |amount| {
            tried.push(amount);
            if amount < U256::from(7) {
                Reach::Short
            } else {
                Reach::Enough
            }
        });
        assert_eq!(found, Some(U256::from(7)));
        assert_eq!(tried.len(), 2);
    }
}
