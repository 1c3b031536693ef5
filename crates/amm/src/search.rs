//! Bisection over amounts, for the few answers that have no closed form.

use primitives::U256;

/// An amount has 256 bits, so every bisection of it ends.
const STEPS: u32 = 256;

/// The largest amount up to `most` that is accepted, where everything below an
/// accepted amount is accepted too; 0 always is.
pub(crate) fn largest(most: U256, accepts: impl Fn(U256) -> bool) -> U256 {
    if accepts(most) {
        return most;
    }
    bisect(U256::ZERO, most, |amount| !accepts(amount)).0
}

/// An amount up to `most` that is accepted while one unit less is not, sought
/// near a guess; `None` if `most` is not accepted. It is the smallest one where
/// everything above an accepted amount is accepted too. 0 never is.
#[must_use]
pub(crate) fn smallest(guess: U256, most: U256, accepts: impl Fn(U256) -> bool) -> Option<U256> {
    let (mut low, mut high) = (guess.min(most), guess.min(most));
    let mut step = U256::ONE;
    if !low.is_zero() && accepts(low) {
        for _ in 0..=STEPS {
            low = high.saturating_sub(step);
            if low.is_zero() || !accepts(low) {
                break;
            }
            high = low;
            step = step.saturating_mul(U256::from(2));
        }
    } else {
        for _ in 0..=STEPS {
            high = low.saturating_add(step).min(most);
            if accepts(high) {
                break;
            }
            if high == most {
                return None;
            }
            low = high;
            step = step.saturating_mul(U256::from(2));
        }
    }
    Some(bisect(low, high, accepts).1)
}

/// Two neighbours between `low`, which is not accepted, and `high`, which is,
/// of which the same is true.
fn bisect(mut low: U256, mut high: U256, accepts: impl Fn(U256) -> bool) -> (U256, U256) {
    for _ in 0..STEPS {
        let middle = low + (high - low) / U256::from(2);
        if middle == low {
            break;
        }
        if accepts(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    (low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_ends_are_found_from_any_guess(
            guess: u128,
            edge in 1..u128::MAX,
            most: u128,
        ) {
            let [guess, edge, most] = [guess, edge, most].map(U256::from);
            let found = smallest(guess, most, |amount| amount >= edge);
            prop_assert_eq!(found, (edge <= most).then_some(edge));
            prop_assert_eq!(largest(most, |amount| amount < edge), most.min(edge - U256::ONE));
        }
    }

    #[test]
    fn the_widest_search_ends() {
        assert_eq!(
            smallest(U256::ONE, U256::MAX, |amount| amount == U256::MAX),
            Some(U256::MAX)
        );
        assert_eq!(smallest(U256::MAX, U256::MAX, |_| true), Some(U256::ONE));
        assert_eq!(
            smallest(U256::ZERO, U256::ZERO, |amount| amount > U256::ZERO),
            None
        );
        assert_eq!(largest(U256::MAX, |amount| amount.is_zero()), U256::ZERO);
    }
}
