//! Curves as routes are searched on them: pieces in which the amount sold is
//! linear in `z`, the inverse square root of the marginal price.
//!
//! Within a piece that begins at `z0` with slope `A`, selling until `z` takes
//! `A (z - z0)` and gives `A (1/z0 - 1/z)`. A constant product is one such piece,
//! a concentrated pool one for each range between its ticks, and other curves
//! are sampled. Pieces of parallel pools can be merged by adding slopes.
//! Amounts are close, not exact: they rank and split routes, and are never
//! what anybody is paid.

/// How far `z` rises on a steep piece, as a share of where it begins.
const STEEP: f64 = 1e-8;

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

/// What is known of a curve at one amount.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// What has been sold.
    pub sold: f64,
    /// What that has bought.
    pub bought: f64,
    /// The price of the next unit.
    pub price: f64,
}

impl Sample {
    fn z(&self) -> f64 {
        self.price.sqrt().recip()
    }

    /// The two pieces that lead to a later sample: together they take and give
    /// what lies between, and prices meet at both ends. The earlier the price
    /// falls, the earlier and the lower they meet.
    fn pieces_to(&self, to: &Self) -> [(f64, f64); 2] {
        let (z, end) = (self.z(), to.z());
        let (sold, bought) = (to.sold - self.sold, to.bought - self.bought);
        let fallen = (self.price - bought / sold) / (self.price - to.price);
        let first = sold * (1.0 - fallen.clamp(0.0, 1.0));
        let second = sold - first;
        let middle = (first / z + second / end) / bought;
        if z < middle && middle < end {
            [(z, first / (middle - z)), (middle, second / (end - middle))]
        } else {
            // Samples that no falling price joins, by their last digits.
            let slope = sold / (end - z);
            [(z, slope), (z, slope)]
        }
    }
}

/// The pieces of a curve, prices falling: where each begins, and its slope. A
/// list of them serves for many curves.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pieces {
    starts: Vec<(f64, f64)>,
    /// Where the last piece ends; infinite if it never does.
    end: f64,
}

impl Pieces {
    /// Forgets the curve before.
    pub fn clear(&mut self) {
        self.starts.clear();
        self.end = 0.0;
    }

    /// Where pieces begin, and their slopes.
    #[must_use]
    pub fn starts(&self) -> &[(f64, f64)] {
        &self.starts
    }

    /// Where the last piece ends.
    #[must_use]
    pub const fn end(&self) -> f64 {
        self.end
    }

    /// Adds a piece. One that does not begin above the one before is left out,
    /// as is anything that is not a number.
    pub fn push(&mut self, z: f64, slope: f64) {
        let above = self.starts.last().is_none_or(|(last, _)| z > *last);
        if z > 0.0 && above && slope >= 0.0 && slope.is_finite() {
            self.starts.push((z, slope));
        }
    }

    /// Ends the last piece. What begins behind is left out, and gaps at the end
    /// are cut off: nothing is for sale behind the last liquidity.
    pub fn finish(&mut self, end: f64) {
        self.end = end;
        while let Some((z, slope)) = self.starts.pop_if(|(z, slope)| *z >= end || *slope == 0.0) {
            if slope == 0.0 && z < end {
                self.end = z;
            }
        }
    }

    /// A curve with one price for every amount up to `most`. As a piece it has
    /// to bend: what it buys falls short by at most one part in 10⁸.
    pub(crate) fn steep(&mut self, price: f64, most: f64) {
        let z = price.sqrt().recip();
        self.push(z, most / (z * STEEP));
        self.finish(z * (1.0 + STEEP));
    }

    /// A curve through samples, which it meets exactly. It ends with the last
    /// one. A sample that is not behind and below the one before is left out.
    pub(crate) fn sampled(&mut self, samples: impl IntoIterator<Item = Sample>) {
        let mut samples = samples.into_iter();
        let Some(mut from) = samples.next() else {
            return;
        };
        for to in samples {
            if to.price < from.price && to.sold > from.sold {
                for (z, slope) in from.pieces_to(&to) {
                    self.push(z, slope);
                }
                from = to;
            }
        }
        self.finish(from.z());
    }
}

/// A curve as a list of pieces, with what is taken and given until each.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ladder {
    rungs: Vec<Rung>,
    /// Where the last piece ends; infinite if it never does.
    end: f64,
}

impl From<&Pieces> for Ladder {
    fn from(pieces: &Pieces) -> Self {
        let mut rungs: Vec<Rung> = Vec::with_capacity(pieces.starts.len());
        for (z, slope) in pieces.starts.iter().copied() {
            let (sold, bought) = rungs.last().map_or((0.0, 0.0), |last| last.until(z));
            rungs.push(Rung {
                z,
                slope,
                sold,
                bought,
            });
        }
        Self {
            rungs,
            end: pieces.end,
        }
    }
}

impl Ladder {
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

    fn ladder(pieces: impl IntoIterator<Item = (f64, f64)>, end: f64) -> Ladder {
        let mut list = Pieces::default();
        for (z, slope) in pieces {
            list.push(z, slope);
        }
        list.finish(end);
        Ladder::from(&list)
    }

    fn sampled(samples: impl IntoIterator<Item = Sample>) -> Ladder {
        let mut list = Pieces::default();
        list.sampled(samples);
        Ladder::from(&list)
    }

    fn steep(price: f64, most: f64) -> Ladder {
        let mut list = Pieces::default();
        list.steep(price, most);
        Ladder::from(&list)
    }

    /// Up to ten pieces with gaps among them, not gaps alone.
    fn ladders() -> impl Strategy<Value = Ladder> {
        let piece = (0.01_f64..1.0, prop_oneof![Just(0.0), 1.0_f64..1e6]);
        let ladders = prop::collection::vec(piece, 1..10).prop_map(|pieces| {
            let mut z = 0.5;
            let mut starts = Vec::new();
            for (width, slope) in pieces {
                starts.push((z, slope));
                z += width;
            }
            ladder(starts, z)
        });
        ladders.prop_filter("gaps alone", |ladder| !ladder.rungs().is_empty())
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
    }

    #[test]
    fn one_piece_is_a_constant_product() {
        // Reserves of 100 and 400: z = 1/2 at the start, slope √(100·400).
        let ladder = ladder([(0.5, 200.0)], f64::INFINITY);
        assert!(close(ladder.price(), 4.0));
        assert!(close(ladder.bought_for(100.0).unwrap(), 200.0));
        assert!(close(ladder.sold_for(200.0).unwrap(), 100.0));
        assert_eq!(ladder.sold_for(400.0), None);
    }

    #[test]
    fn an_empty_ladder_trades_nothing() {
        let ladder = Ladder::default();
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
        assert_eq!(ladder(pieces, 5.0).rungs().len(), 1);
    }

    #[test]
    fn a_gap_at_the_end_sells_nothing() {
        let ladder = ladder([(1.0, 0.0), (2.0, 10.0), (3.0, 0.0)], 4.0);
        assert!(close(ladder.end(), 3.0));
        assert!(ladder.bought_for(10.0).is_some());
        assert_eq!(ladder.bought_for(11.0), None);
    }

    fn sample(sold: f64, bought: f64, price: f64) -> Sample {
        Sample {
            sold,
            bought,
            price,
        }
    }

    #[test]
    fn samples_of_a_constant_product_are_exact() {
        // Reserves of 100 and 400; nothing can be behind the third sample at its price.
        let samples = [
            (0.0, 0.0, 4.0),
            (100.0, 200.0, 1.0),
            (100.0, 200.0, 1.0),
            (300.0, 300.0, 0.25),
        ];
        let ladder = sampled(samples.map(|(sold, bought, price)| sample(sold, bought, price)));
        assert!(close(ladder.bought_for(50.0).unwrap(), 400.0 / 3.0));
        assert!(close(ladder.bought_for(200.0).unwrap(), 800.0 / 3.0));
        assert!(close(ladder.until(f64::INFINITY).0, 300.0));
        assert_eq!(sampled([]), Ladder::default());
    }

    #[test]
    fn samples_are_met_whatever_bends_between_them() {
        for bought in [105.0, 125.0, 140.0, 160.0, 175.0, 195.0] {
            let ladder = sampled([sample(0.0, 0.0, 2.0), sample(100.0, bought, 1.0)]);
            assert!(close(ladder.price(), 2.0));
            assert!(close(ladder.bought_for(100.0).unwrap(), bought), "{bought}");
            assert!(close(ladder.end(), 1.0));
        }
    }

    #[test]
    fn a_steep_ladder_has_one_price_and_an_end() {
        let ladder = steep(0.25, 1_000.0);
        assert!(close(ladder.price(), 0.25));
        assert!((ladder.bought_for(1_000.0).unwrap() / 250.0 - 1.0).abs() <= STEEP);
        assert_eq!(ladder.bought_for(1_001.0), None);
        assert!(steep(0.0, 9.0).rungs().is_empty());
        assert!(steep(1.0, 0.0).bought_for(1.0).is_none());
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
