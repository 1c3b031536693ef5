//! Square roots of prices, and what lies between two of them: what both exchanges
//! with ticks have in common.
//!
//! Written after the exchanges' public rules and nobody's code, with numbers wide
//! enough for every product: those who compute the same for speed are held
//! against it.

use primitives::U256;
use ruint::Uint;

/// Room for every product of a swap.
pub(super) type Wide = Uint<768, 12>;

/// Room for the square of a root with [`FINE`] bits after the point.
type Fine = Uint<1_152, 18>;
const FINE: usize = 512;

/// The bits after the point of what is multiplied.
const BITS: usize = 128;

/// A part of a swap, within a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    /// How much of what is named it uses.
    pub(super) consumed: u128,
    /// How much of the other token that is.
    pub(super) calculated: u128,
    pub(super) sqrt_ratio: U256,
}

/// The powers of the root of a price's step.
#[derive(Debug)]
pub(super) struct Roots {
    /// The root to the powers of -1, -2, -4 and so on, rounded to the nearest.
    inverses: Vec<U256>,
}

impl Roots {
    /// For prices that step by one part in `parts`, and ticks of so many bits.
    pub(super) fn new(parts: u64, bits: usize) -> Self {
        let parts = Fine::from(parts);
        let mut inverse = root((parts << (2 * FINE)) / (parts + Fine::ONE));
        let mut inverses = Vec::with_capacity(bits);
        for _ in 0..bits {
            let half = Fine::ONE << (FINE - BITS - 1);
            inverses.push(((inverse + half) >> (FINE - BITS)).to());
            inverse = (inverse * inverse) >> FINE;
        }
        Self { inverses }
    }

    /// The root at a tick, with 128 bits after the point: one factor for each bit
    /// of the tick, each product cut.
    pub(super) fn at(&self, tick: i32) -> U256 {
        let mut product = U256::ONE << BITS;
        for (bit, inverse) in self.inverses.iter().enumerate() {
            if tick.unsigned_abs() >> bit & 1 == 1 {
                product = (product * *inverse) >> BITS;
            }
        }
        if tick > 0 {
            U256::MAX / product
        } else {
            product
        }
    }
}

/// The largest number whose square is not above this one: bit by bit.
fn root(square: Fine) -> Fine {
    let mut found = Fine::ZERO;
    for bit in (0..square.bit_len().div_ceil(2)).rev() {
        let next = found | Fine::ONE << bit;
        if next * next <= square {
            found = next;
        }
    }
    found
}

/// The greatest tick whose ratio is not above this one, from a tick that is near.
pub(super) fn tick_below(ratio: U256, near: f64, at: impl Fn(i32) -> U256) -> i32 {
    #[expect(clippy::cast_possible_truncation, reason = "the ratios decide")]
    let mut tick = near as i32;
    while at(tick) > ratio {
        tick -= 1;
    }
    while at(tick + 1) <= ratio {
        tick += 1;
    }
    tick
}

/// A quotient, if it has room in 256 bits.
pub(super) fn divide(dividend: Wide, divisor: Wide, round_up: bool) -> Option<U256> {
    if divisor.is_zero() {
        return None;
    }
    let (quotient, rest) = dividend.div_rem(divisor);
    let up = Wide::from(u8::from(round_up && !rest.is_zero()));
    narrow(quotient + up)
}

/// A number, if it has room in 256 bits.
pub(super) fn narrow(number: Wide) -> Option<U256> {
    U256::checked_from_limbs_slice(number.as_limbs())
}

pub(super) fn widen(number: U256) -> Wide {
    number.to()
}

/// The first token that liquidity is worth between two roots with so many bits
/// after the point: `L (1/low - 1/high)`, rounded after each division.
pub(super) fn amount0(
    bits: usize,
    [one, other]: [U256; 2],
    liquidity: u128,
    round_up: bool,
) -> Option<U256> {
    let (low, high) = (widen(one.min(other)), widen(one.max(other)));
    let whole = Wide::from(liquidity) << bits;
    let scaled = divide(whole * (high - low), high, round_up)?;
    divide(widen(scaled), low, round_up)
}

/// The second token that liquidity is worth between two roots: `L (high - low)`.
pub(super) fn amount1(
    bits: usize,
    [one, other]: [U256; 2],
    liquidity: u128,
    round_up: bool,
) -> Option<U256> {
    let (low, high) = (widen(one.min(other)), widen(one.max(other)));
    let product = Wide::from(liquidity) * (high - low);
    divide(product, Wide::ONE << bits, round_up)
}

/// What a position between two roots takes when its liquidity grows, or gives when
/// it shrinks.
pub(super) fn worth(
    bits: usize,
    sqrt_ratio: U256,
    [low, high]: [U256; 2],
    liquidity: i128,
) -> Option<[u128; 2]> {
    let (size, grows) = (liquidity.unsigned_abs(), liquidity > 0);
    let of0 = |from| small(amount0(bits, [from, high], size, grows)?);
    let of1 = |to| small(amount1(bits, [low, to], size, grows)?);
    Some(if sqrt_ratio <= low {
        [of0(low)?, 0]
    } else if sqrt_ratio < high {
        [of0(sqrt_ratio)?, of1(sqrt_ratio)?]
    } else {
        [0, of1(high)?]
    })
}

/// A number, if it is an amount of a token.
pub(super) fn small(amount: U256) -> Option<u128> {
    u128::try_from(amount).ok()
}
