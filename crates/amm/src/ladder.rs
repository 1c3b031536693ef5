//! Curves as routes are searched on them: pieces in which the amount sold is
//! linear in `z`, the inverse square root of the marginal price.
//!
//! Within a piece that begins at `z0` with slope `A`, selling until `z` takes
//! `A (z - z0)` and gives `A (1/z0 - 1/z)`. A constant product is one such piece,
//! a concentrated pool one for each range between its ticks, and other curves
//! are sampled. Pieces of parallel pools can be merged by adding slopes.
//! Amounts are close, not exact: they rank and split routes, and are never
//! what anybody is paid.

/// The beginning of a piece.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rung {
    /// Where the piece begins: the inverse square root of its first price.
    pub z: f64,
    /// What a unit of `z` takes. A gap without liquidity has slope 0.
    pub slope: f64,
    /// What all pieces before this one take.
    pub sold: f64,
    /// What all pieces before this one give.
    pub bought: f64,
}

impl Rung {
    /// What is taken and given in all, from the ladder's start until `z` within
    /// this piece.
    fn until(&self, z: f64) -> (f64, f64) {
        let sold = self.sold + self.slope * (z - self.z);
        let bought = self.bought + self.slope * (1.0 / self.z - 1.0 / z);
        (sold, bought)
    }
}

/// A curve as a list of pieces, prices falling.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ladder {
    rungs: Vec<Rung>,
    /// Where the last piece ends; infinite if it never does.
    end: f64,
}

impl Ladder {
    /// A curve on which nothing can be traded.
    #[must_use]
    pub const fn empty() -> Self {
        Self {
            rungs: Vec::new(),
            end: 0.0,
        }
    }

    /// A curve from its pieces, each as where it begins and its slope, and the
    /// end of the last one. Pieces that do not begin above the one before are
    /// left out, as is anything that is not a number.
    #[must_use]
    pub fn new(pieces: impl IntoIterator<Item = (f64, f64)>, end: f64) -> Self {
        let mut rungs: Vec<Rung> = Vec::new();
        for (z, slope) in pieces {
            let (sold, bought) = rungs.last().map_or((0.0, 0.0), |last| last.until(z));
            let above = rungs.last().is_none_or(|last| z > last.z);
            if z > 0.0 && z < end && above && slope >= 0.0 && slope.is_finite() {
                rungs.push(Rung {
                    z,
                    slope,
                    sold,
                    bought,
                });
            }
        }
        Self { rungs, end }
    }

    /// The pieces.
    #[must_use]
    pub fn rungs(&self) -> &[Rung] {
        &self.rungs
    }

    /// Where the last piece ends.
    #[must_use]
    pub const fn end(&self) -> f64 {
        self.end
    }

    /// The price of the first unit, 0 for an empty curve.
    #[must_use]
    pub fn price(&self) -> f64 {
        self.rungs
            .first()
            .map_or(0.0, |rung| (rung.z * rung.z).recip())
    }

    /// The amounts that can be sold and bought until the price is `1 / z²`.
    #[must_use]
    pub fn until(&self, z: f64) -> (f64, f64) {
        let z = z.min(self.end);
        let later = self.rungs.partition_point(|rung| rung.z < z);
        self.rungs
            .get(later.wrapping_sub(1))
            .map_or((0.0, 0.0), |rung| rung.until(z))
    }

    /// What selling this amount buys; `None` if the pool ends before.
    #[must_use]
    pub fn bought_for(&self, sold: f64) -> Option<f64> {
        let (rung, rest) = self.rung_by(sold, |rung| rung.sold)?;
        if rung.slope == 0.0 {
            return Some(rung.bought);
        }
        let z = rung.z + rest / rung.slope;
        // The difference of inverses without their cancellation.
        (z <= self.end * (1.0 + f64::EPSILON)).then(|| rung.bought + rest / (rung.z * z))
    }

    /// What has to be sold to buy this amount; `None` if the pool ends before.
    #[must_use]
    pub fn sold_for(&self, bought: f64) -> Option<f64> {
        let (rung, rest) = self.rung_by(bought, |rung| rung.bought)?;
        if rung.slope == 0.0 {
            return Some(rung.sold);
        }
        let inverse = 1.0 / rung.z - rest / rung.slope;
        let within = inverse > 0.0 && inverse * self.end >= 1.0 - f64::EPSILON;
        within.then(|| rung.sold + rest * rung.z / inverse)
    }

    /// The piece in which an amount lies, and how much of it lies there.
    fn rung_by(&self, amount: f64, start: impl Fn(&Rung) -> f64) -> Option<(&Rung, f64)> {
        let later = self.rungs.partition_point(|rung| start(rung) <= amount);
        let rung = self.rungs.get(later.checked_sub(1)?)?;
        Some((rung, amount - start(rung)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Up to ten pieces with gaps among them.
    fn ladders() -> impl Strategy<Value = Ladder> {
        let piece = (0.01_f64..1.0, prop_oneof![Just(0.0), 1.0_f64..1e6]);
        prop::collection::vec(piece, 1..10).prop_map(|pieces| {
            let mut z = 0.5;
            let mut starts = Vec::new();
            for (width, slope) in pieces {
                starts.push((z, slope));
                z += width;
            }
            Ladder::new(starts, z)
        })
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
    }

    #[test]
    fn one_piece_is_a_constant_product() {
        // Reserves of 100 and 400: z = 1/2 at the start, slope √(100·400).
        let ladder = Ladder::new([(0.5, 200.0)], f64::INFINITY);
        assert!(close(ladder.price(), 4.0));
        assert!(close(ladder.bought_for(100.0).unwrap(), 200.0));
        assert!(close(ladder.sold_for(200.0).unwrap(), 100.0));
        assert_eq!(ladder.sold_for(400.0), None);
    }

    #[test]
    fn an_empty_ladder_trades_nothing() {
        let ladder = Ladder::empty();
        assert_eq!(ladder.bought_for(1.0), None);
        assert_eq!(ladder.sold_for(1.0), None);
        assert_eq!(ladder.until(9.0), (0.0, 0.0));
        assert!(close(ladder.price(), 0.0));
    }

    #[test]
    fn what_is_no_piece_is_left_out() {
        let pieces = [
            (1.0, 1.0),
            (0.5, 1.0),
            (f64::NAN, 1.0),
            (2.0, f64::NAN),
            (9.0, 1.0),
        ];
        assert_eq!(Ladder::new(pieces, 5.0).rungs().len(), 1);
    }

    proptest! {
        #[test]
        fn buying_undoes_selling(ladder in ladders(), share in 0.0_f64..1.0) {
            let (most, _) = ladder.until(f64::INFINITY);
            let sold = most * share;
            let bought = ladder.bought_for(sold).unwrap();
            prop_assert!(close(ladder.sold_for(bought).unwrap(), sold));
        }

        #[test]
        fn what_is_bought_grows_and_its_price_falls(ladder in ladders(), share in 0.0_f64..0.5) {
            let (most, _) = ladder.until(f64::INFINITY);
            let [low, mid, high] =
                [share, share + 0.2, share + 0.4].map(|share| ladder.bought_for(most * share).unwrap());
            prop_assert!(low <= mid && mid <= high);
            prop_assert!(mid - low >= (high - mid) * (1.0 - 1e-9));
        }
    }
}
