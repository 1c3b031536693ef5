//! The smallest amount that is enough.

use primitives::U256;

/// What an amount does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// It is too small.
    Short,
    /// It is enough.
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
    // `low` is always too small, and `high` never; nothing is always too small.
    let (mut low, mut high);
    let mut step = U256::ONE;
    if guess.is_zero() || reach(guess) == Reach::Short {
        (low, high) = (guess, guess);
        for _ in 0..STEPS {
            high = low.saturating_add(step);
            if high == U256::MAX || reach(high) != Reach::Short {
                break;
            }
            low = high;
            step = step.saturating_add(step);
        }
    } else {
        (low, high) = (guess, guess);
        for _ in 0..STEPS {
            low = high.saturating_sub(step);
            if low.is_zero() || reach(low) == Reach::Short {
                break;
            }
            high = low;
            step = step.saturating_add(step);
        }
    }
    while high - low > U256::ONE {
        let middle = low + (high - low) / U256::from(2);
        match reach(middle) {
            Reach::Short => low = middle,
            Reach::Enough | Reach::Beyond => high = middle,
        }
    }
    (reach(high) == Reach::Enough).then_some(high)
}
