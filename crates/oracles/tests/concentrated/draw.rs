//! Random numbers of all sizes, the edges often among them.

use amm::concentrated::{Amount, Pool, Rules};
use amm::{Side, Ticks};
use primitives::U256;
use rand::RngExt;
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng;

pub(crate) struct Draw(ChaCha12Rng);

/// The swaps that each drawn pool sees, one after the other.
pub(crate) const SWAPS: usize = 5;

impl Draw {
    pub(crate) fn new(seed: u64) -> Self {
        Self(ChaCha12Rng::seed_from_u64(seed))
    }

    pub(crate) fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.0.random_range(0..choices.len())]
    }

    /// True once in so many draws.
    pub(crate) fn rarely(&mut self, draws: u32) -> bool {
        self.0.random_range(0..draws) == 0
    }

    pub(crate) fn within(&mut self, low: i32, high: i32) -> i32 {
        self.0.random_range(low..=high)
    }

    /// A number of any length up to so many bits; often a power of two or next
    /// to one.
    pub(crate) fn number(&mut self, bits: u32) -> u128 {
        let most = u128::MAX >> (128 - bits);
        let length = self.0.random_range(0..=bits);
        let number = if length == 0 {
            0
        } else {
            self.0.random::<u128>() >> (128 - length)
        };
        match self.0.random_range(0..16) {
            0 => most,
            1 => 1,
            2 => 1 << (length.min(bits - 1)),
            3 => (1 << length.min(bits - 1)) - 1,
            _ => number,
        }
    }

    pub(crate) fn side(&mut self) -> Side {
        self.one_of(&Side::BOTH)
    }

    pub(crate) fn amount(&mut self, bits: u32) -> Amount {
        let value = self.number(bits);
        self.one_of(&[Amount::In(value), Amount::Out(value)])
    }

    /// A tick, at times at the ends of the range.
    pub(crate) fn tick<R: Rules>(&mut self) -> i32 {
        let any = self.within(R::MIN_TICK, R::MAX_TICK);
        let near = self.within(-1_000, 1_000);
        let (min, max) = (R::MIN_TICK, R::MAX_TICK);
        self.one_of(&[any, any, any, near, near, near, min, min + 1, max - 1, max])
    }

    /// A ratio, often that of a tick or next to one.
    pub(crate) fn ratio<R: Rules>(&mut self) -> U256 {
        let tick = self.tick::<R>();
        self.ratio_of::<R>(tick)
    }

    fn ratio_of<R: Rules>(&mut self, tick: i32) -> U256 {
        let at = R::sqrt_ratio_at(tick).unwrap();
        let Some(above) = R::sqrt_ratio_at(tick + 1) else {
            return at;
        };
        let share = U256::from(self.0.random::<u64>());
        let inside = at + (((above - at) * share) >> 64);
        self.one_of(&[inside, inside, at, at + U256::ONE, above - U256::ONE])
    }

    /// A pool with up to ten positions and the positions themselves.
    pub(crate) fn pool<R: Rules>(
        &mut self,
        rules: R,
        spacings: &[u32],
        liquidity: u32,
    ) -> (Pool<R>, Vec<(i32, i32, u128)>) {
        let tick_spacing = self.one_of(spacings);
        let spacing = i32::try_from(tick_spacing).unwrap();
        let (first, last) = (R::MIN_TICK / spacing, R::MAX_TICK / spacing);
        let tick = self.tick::<R>().clamp(R::MIN_TICK, R::MAX_TICK - 1);
        let mut pool = Pool {
            rules,
            tick_spacing,
            sqrt_ratio: self.ratio_of::<R>(tick),
            tick,
            liquidity: 0,
            ticks: Ticks::default(),
        };
        let mut positions = Vec::new();
        let reach = self.one_of(&[3, 30, 300, 30_000]);
        for _ in 0..self.within(0, 10) {
            let middle = tick.div_euclid(spacing);
            let near = (middle + self.within(-reach, reach)).clamp(first, last - 1);
            let wide = self.within(1, reach).min(last - near);
            let (lower, upper) = if self.rarely(8) {
                (first, last)
            } else {
                (near, near + wide)
            };
            let size = self.number(liquidity).max(1);
            let (lower, upper) = (lower * spacing, upper * spacing);
            let added = pool.update_position(lower, upper, size.cast_signed());
            added.unwrap();
            positions.push((lower, upper, size));
        }
        (pool, positions)
    }

    /// A limit that the contract accepts, most often the farthest.
    pub(crate) fn limit<R: Rules>(&mut self, sold: Side, sqrt_ratio: U256) -> U256 {
        let any = self.ratio::<R>();
        let widest = R::widest_limit(sold);
        let limit = self.one_of(&[widest, widest, any]);
        if R::admits(sold, sqrt_ratio, limit) {
            limit
        } else {
            widest
        }
    }
}
