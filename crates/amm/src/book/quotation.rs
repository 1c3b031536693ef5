//! What a pool says of the price between its tokens, whether or not anybody
//! trades with it.
//!
//! A venue that is switched off and a class that nobody vouches for still show
//! a price. So does a pool with an extension that is known, although its orders
//! or its curve may change what the next swap gives.

use super::change::{Shape, Spot};
use super::curve::AnyCurve;
use super::pool::{Concentrated, State};
use super::venue::Kind;
use super::view::PoolView;
use crate::concentrated::{self, Rules};
use crate::ekubo::{self, Extension};
use crate::quotation::Quotation;
use crate::v3;

impl PoolView<'_> {
    /// The pool's price and depth without its fee; `None` if it is a vault, has a flaw,
    /// nothing to trade at its price, a state that makes no sense, settings that
    /// its curve needs and nobody read yet, or an extension that is not known.
    #[must_use]
    pub fn quotation(&self) -> Option<Quotation> {
        if self.pool.is_flawed() || self.is_extended_by_a_stranger() {
            return None;
        }
        match (self.pool.state(), self.venue.kind) {
            (State::Reserves(reserves), _) => self.of_two(*reserves),
            (State::Concentrated(ranges), Kind::Ekubo) => of_ranges::<ekubo::EkuboTerms>(ranges),
            (State::Concentrated(ranges), Kind::JediSwapV2) => of_ranges::<v3::V3Terms>(ranges),
            (State::Concentrated(_) | State::Vault(_), _) => None,
        }
    }

    fn is_extended_by_a_stranger(&self) -> bool {
        match self.spot() {
            Spot::Keyed { extension, .. } => self.venue.extension(extension) == Extension::Unknown,
            Spot::Contract(_) | Spot::Numbered(_) => false,
        }
    }

    fn of_two(&self, reserves: [u128; 2]) -> Option<Quotation> {
        // Without its settings a stable curve could be any.
        if self.pool.shape() == Shape::Stable && self.pool.facts().is_none() {
            return None;
        }
        match self.of_reserves(reserves)? {
            AnyCurve::ConstantProduct(pool) => pool.quotation(),
            AnyCurve::Solidly(pool) => pool.quotation(),
            AnyCurve::Amplified(pool) => pool.quotation(),
            AnyCurve::Ekubo(_) | AnyCurve::V3(_) | AnyCurve::Deposit(_) => None,
        }
    }
}

fn of_ranges<R: Rules>(ranges: &Concentrated) -> Option<Quotation> {
    let Concentrated {
        sqrt_ratio,
        tick,
        liquidity,
        ref ticks,
        ..
    } = *ranges;
    concentrated::quotation::<R>(sqrt_ratio, tick, liquidity, ticks)
}

#[cfg(test)]
mod tests {
    use super::super::facts::Facts;
    use super::super::{Book, Change, Created, Flaw, Pin, PoolId, Registry, Venue};
    use super::*;
    use crate::concentrated::tests::{self as sketched, Sketch, sketches};
    use crate::quotation::QUOTED_SHARE;
    use crate::{Curve, Side, Tick, Ticks};
    use primitives::{Address, Felt, U256};
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use std::sync::Arc;

    const VENUE: u64 = 1;
    const POOL: u64 = 2;
    const CLASS: u64 = 3;
    const TWAMM: u64 = 4;
    const ID: PoolId = PoolId(0);
    const TOKEN: u128 = 1_000_000_000_000_000_000;

    fn address(number: u64) -> Address {
        Address::new(Felt::from(number))
    }

    /// Pools with a contract of their own, and what a venue says of them.
    const PAIRS: [(Kind, Shape); 9] = [
        (Kind::JediSwap, Shape::Usual),
        (Kind::TenKSwap, Shape::Usual),
        (Kind::SithSwap, Shape::Usual),
        (Kind::SithSwap, Shape::Stable),
        (Kind::StarkDefi, Shape::Usual),
        (Kind::StarkDefi, Shape::Stable),
        (Kind::Nostra, Shape::Usual),
        (Kind::Nostra, Shape::Stable),
        (Kind::MySwap, Shape::Charged { fee: 300 }),
    ];

    /// A book with one pool, which may be traded with.
    fn book(kind: Kind, shape: Shape, extension: u64, enabled: bool) -> Book {
        let venue = Venue {
            name: "venue".to_owned(),
            kind,
            contract: address(VENUE),
            router: None,
            start_block: 0,
            classes: BTreeMap::from([(address(CLASS), Pin::Usual)]),
            extensions: BTreeMap::from([(address(TWAMM), Extension::Twamm)]),
            enabled,
        };
        let spot = match kind {
            Kind::Ekubo => Spot::Keyed {
                fee: 1 << 120,
                tick_spacing: 10,
                extension: address(extension),
            },
            Kind::MySwap => Spot::Numbered(1),
            _ => Spot::Contract(address(POOL)),
        };
        let mut book = Book::new(Arc::new(Registry::new(vec![venue]).unwrap()));
        book.apply(&Change::Created {
            venue: address(VENUE),
            pool: Created {
                tokens: [address(10), address(11)],
                spot,
                shape,
                price: None,
            },
        });
        for contract in [VENUE, POOL].map(address) {
            let class = Felt::from(CLASS);
            book.apply(&Change::Class { contract, class });
        }
        book
    }

    fn with_state(mut book: Book, state: State) -> Book {
        book.touch(ID, |pool| pool.state = state);
        book
    }

    fn view(book: &Book) -> PoolView<'_> {
        book.pools().get(ID).unwrap()
    }

    fn pair((kind, shape): (Kind, Shape), facts: Option<Facts>, reserves: [u128; 2]) -> Book {
        let mut book = book(kind, shape, 0, true);
        if let Some(facts) = facts {
            book.apply(&Change::Asked { pool: ID, facts });
        }
        with_state(book, State::Reserves(reserves))
    }

    /// Facts that every kind of pair can have.
    fn facts(decimals: [u8; 2], amplification: u32) -> Facts {
        Facts {
            fees: [4, 4],
            decimals,
            amplification,
        }
    }

    /// Pools of every kind with 10³ to 10⁷ tokens of 6 or 18 decimals, of one up
    /// to ten to the power of `odds` for each of the other.
    fn pairs(odds: f64) -> impl Strategy<Value = (Book, [u128; 2])> {
        let decimals = || prop::sample::select(&[6_u8, 18][..]);
        (
            prop::sample::select(&PAIRS[..]),
            [decimals(), decimals()],
            1_000..2_000_000_u32,
            (0..4_u32, 1_000_000_000..10_000_000_000_u128),
            -odds..odds,
        )
            .prop_map(
                |(kind, decimals, amplification, (magnitude, micro), odds)| {
                    let micro = micro * 10_u128.pow(magnitude);
                    let other = f64::from(U256::from(micro)) * 10.0_f64.powf(odds);
                    let other = u128::try_from(U256::from(other)).unwrap();
                    let unit = |decimals: u8| 10_u128.pow(u32::from(decimals) - 6);
                    let reserves = [micro * unit(decimals[0]), other * unit(decimals[1])];
                    let facts = facts(decimals, amplification);
                    (pair(kind, Some(facts), reserves), reserves)
                },
            )
    }

    fn ranged<R: Rules>(kind: Kind, pool: concentrated::Pool<R>, extension: u64) -> Book {
        let shape = match kind {
            Kind::JediSwapV2 => Shape::Tiered {
                fee: 3_000,
                tick_spacing: 60,
            },
            _ => Shape::Usual,
        };
        let ranges = Concentrated {
            sqrt_ratio: pool.sqrt_ratio,
            tick: pool.tick,
            liquidity: pool.liquidity,
            ticks: pool.ticks,
            held: [0, 0],
        };
        let book = book(kind, shape, extension, true);
        with_state(book, State::Concentrated(ranges))
    }

    const EKUBO: ekubo::EkuboTerms = ekubo::EkuboTerms {
        fee: 0,
        rounding: ekubo::Rounding::Exact,
    };
    const V3: v3::V3Terms = v3::V3Terms { fee: 0 };

    fn ranged_pools(sketch: &Sketch) -> [Book; 2] {
        let near = Sketch {
            tick: sketch.tick / 100,
            ..sketch.clone()
        };
        [
            ranged(Kind::Ekubo, sketched::pool(sketch, EKUBO), 0),
            ranged(Kind::JediSwapV2, sketched::pool(&near, V3), 0),
        ]
    }

    /// A range of so many ticks on both sides of tick 0, at which the price is.
    fn one_range(kind: Kind, half: i32) -> Book {
        match kind {
            Kind::Ekubo => ranged(kind, sketched::one_range(EKUBO, half, 1 << 80), 0),
            _ => ranged(kind, sketched::one_range(V3, half, 1 << 80), 0),
        }
    }

    fn is_close(one: f64, other: f64, bound: f64) -> bool {
        (one - other).abs() <= bound * other.abs()
    }

    type Checked = Result<(), TestCaseError>;

    /// The quotation is that of the curve, whose prices and depths have a fee.
    fn is_that_of_its_curve(book: &Book, bound: f64) -> Checked {
        let curve = view(book).curve().unwrap();
        let [price0, price1] = Side::BOTH.map(|side| curve.price(side));
        let Some(Quotation { mid, depth }) = view(book).quotation() else {
            return Err(TestCaseError::fail(format!("none of {price0} {price1}")));
        };
        prop_assert!(
            is_close(mid, (price0 / price1).sqrt(), 1e-9),
            "{mid} {price0} {price1}"
        );
        let kept = (price0 * price1).sqrt();
        for (side, depth) in Side::BOTH.into_iter().zip(depth) {
            let with_fee = curve.depth(side, QUOTED_SHARE);
            prop_assert!(
                is_close(depth, with_fee * kept, bound),
                "{depth} {with_fee}"
            );
        }
        Ok(())
    }

    fn is_sound(quotation: Option<Quotation>) -> bool {
        quotation.is_none_or(|Quotation { mid, depth }| {
            let sound = |number: f64| number.is_finite() && number >= 0.0;
            mid > 0.0 && sound(mid) && depth.into_iter().all(sound)
        })
    }

    proptest! {
        #[test]
        fn pairs_say_what_their_curves_say((book, _) in pairs(1.0)) {
            // The ladder of a stable curve is no closer between its samples.
            is_that_of_its_curve(&book, 0.05)?;
        }

        #[test]
        fn selling_the_depth_moves_the_price_by_the_share(
            (book, reserves) in pairs(2.0),
            sold in prop::sample::select(&Side::BOTH[..]),
        ) {
            let curve = view(&book).curve().unwrap();
            let before = view(&book).quotation().unwrap();
            let kept = (curve.price(sold) * curve.price(sold.other())).sqrt();
            let (depth, _) = sold.of(before.depth);
            let fill = curve.exact_in(sold, U256::from(depth / kept)).unwrap();
            let net = u128::try_from(U256::from(depth)).unwrap();
            let (held, left) = sold.of(reserves);
            let left = left - u128::try_from(fill.bought).unwrap();
            let (reserve0, reserve1) = sold.of([held + net, left]);
            let after = with_state(book, State::Reserves([reserve0, reserve1]));
            let after = view(&after).quotation().unwrap();
            let (moved, _) = sold.of([after.mid / before.mid, before.mid / after.mid]);
            prop_assert!(is_close(moved, 1.0 - QUOTED_SHARE, 1e-5), "{moved}");
        }

        #[test]
        fn ranges_say_what_their_curves_say(mut sketch in sketches(8_000_000, 100)) {
            // Exactly at a tick one side may begin farther away.
            sketch.within = sketch.within.max(1);
            for book in ranged_pools(&sketch) {
                let State::Concentrated(ranges) = view(&book).pool.state() else {
                    unreachable!();
                };
                if ranges.liquidity == 0 {
                    prop_assert_eq!(view(&book).quotation(), None);
                } else {
                    is_that_of_its_curve(&book, 1e-6)?;
                }
            }
        }

        #[test]
        fn no_reserves_and_no_facts_make_a_number_that_is_none(
            kind in prop::sample::select(&PAIRS[..]),
            reserves in any::<[u128; 2]>(),
            shifts in [0..128_u32, 0..128_u32],
            facts in prop::option::of((any::<[u16; 2]>(), any::<[u8; 2]>(), any::<u32>())),
        ) {
            let facts = facts.map(|(fees, decimals, amplification)| Facts {
                fees: fees.map(u64::from),
                decimals: decimals.map(|decimals| decimals % 40),
                amplification,
            });
            let reserves = [reserves[0] >> shifts[0], reserves[1] >> shifts[1]];
            let book = pair(kind, facts, reserves);
            prop_assert!(is_sound(view(&book).quotation()));
        }

        #[test]
        fn no_ranges_make_a_number_that_is_none(
            tick in -90_000_000..90_000_000_i32,
            off in -2..3_i32,
            any_ratio in prop::option::of(any::<[u64; 4]>()),
            liquidity in any::<u128>(),
            ticks in prop::collection::vec((any::<i32>(), any::<i128>(), any::<bool>()), 0..8),
        ) {
            let ticks = ticks.into_iter().map(|(index, net, near)| Tick {
                index: if near { tick.saturating_add(index >> 17) } else { index },
                net,
                gross: 1,
            });
            let ticks = Ticks::from(ticks.collect::<Vec<_>>());
            let ratio = |known: Option<U256>| any_ratio.map_or(known, |any| Some(U256::from_limbs(any)));
            let state = |sqrt_ratio: Option<U256>, tick| State::Concentrated(Concentrated {
                sqrt_ratio: sqrt_ratio.unwrap_or_default(),
                tick,
                liquidity,
                ticks: ticks.clone(),
                held: [0, 0],
            });
            let ekubo = state(ratio(ekubo::sqrt_ratio_at(tick)), tick + off);
            let ekubo = with_state(book(Kind::Ekubo, Shape::Usual, 0, true), ekubo);
            prop_assert!(is_sound(view(&ekubo).quotation()));
            let tick = tick / 100;
            let v3 = state(ratio(v3::sqrt_ratio_at(tick)), tick + off);
            let v3 = with_state(book(Kind::JediSwapV2, Shape::Usual, 0, true), v3);
            prop_assert!(is_sound(view(&v3).quotation()));
        }
    }

    #[test]
    fn a_volatile_pair_moves_by_a_hundredth_of_its_reserves() {
        let book = pair(PAIRS[0], None, [1_000_000, 4_000_000]);
        let Quotation { mid, depth } = view(&book).quotation().unwrap();
        assert!(is_close(mid, 4.0, 1e-15));
        assert!(is_close(depth[0], 10_152.544_552_210_6, 1e-12), "{depth:?}");
        assert!(is_close(depth[1], 40_610.178_208_842_4, 1e-12), "{depth:?}");
    }

    #[test]
    fn a_full_reserve_takes_no_more() {
        let full = (1 << 112) - 1;
        let book = pair(PAIRS[1], None, [full, full - 5]);
        let quotation = view(&book).quotation().unwrap();
        assert!(quotation.depth[0] == 0.0 && (quotation.depth[1] - 5.0).abs() < 1e-9);
        assert_eq!(view(&pair(PAIRS[1], None, [full + 1, 1])).quotation(), None);
    }

    #[test]
    fn only_stable_pairs_need_what_their_contracts_say() {
        for kind in PAIRS {
            let reserves = [TOKEN, TOKEN];
            let unread = pair(kind, None, reserves);
            let read = pair(kind, Some(facts([18, 18], 200_000)), reserves);
            assert!(view(&read).quotation().is_some(), "{kind:?}");
            let is_stable = kind.1 == Shape::Stable;
            assert_eq!(view(&unread).quotation().is_none(), is_stable, "{kind:?}");
        }
    }

    #[test]
    fn empty_pools_and_pools_with_a_flaw_have_none() {
        for kind in PAIRS {
            for reserves in [[0, 0], [TOKEN, 0], [0, TOKEN]] {
                let book = pair(kind, Some(facts([18, 18], 200_000)), reserves);
                assert_eq!(view(&book).quotation(), None, "{kind:?}");
            }
            let mut book = pair(kind, Some(facts([18, 18], 200_000)), [TOKEN, TOKEN]);
            let flaw = Flaw::Malformed;
            book.apply(&Change::Flawed { pool: ID, flaw });
            assert_eq!(view(&book).quotation(), None, "{kind:?}");
        }
        for kind in [Kind::Ekubo, Kind::JediSwapV2] {
            let unpriced = book(kind, Shape::Usual, 0, true);
            assert_eq!(view(&unpriced).quotation(), None);
        }
    }

    #[test]
    fn what_is_not_traded_with_is_watched_all_the_same() {
        let traded = view(&one_range(Kind::Ekubo, 1_000)).quotation();
        assert!(traded.is_some());
        let unknown = Change::Class {
            contract: address(VENUE),
            class: Felt::ZERO,
        };
        let state = view(&one_range(Kind::Ekubo, 1_000)).pool.state().clone();
        let off = book(Kind::Ekubo, Shape::Usual, TWAMM, false);
        let mut off = with_state(off, state);
        off.apply(&unknown);
        assert!(view(&off).curve().is_err());
        assert_eq!(view(&off).quotation(), traded);
    }

    #[test]
    fn a_stranger_s_extension_may_do_anything() {
        let pool = sketched::one_range(EKUBO, 1_000, 1 << 80);
        let known = ranged(Kind::Ekubo, pool.clone(), TWAMM);
        assert!(view(&known).quotation().is_some());
        assert_eq!(view(&ranged(Kind::Ekubo, pool, 99)).quotation(), None);
    }

    #[test]
    fn a_pool_that_ends_sooner_takes_what_it_can() {
        for (kind, step) in [(Kind::Ekubo, 1e-6), (Kind::JediSwapV2, 1e-4)] {
            let Quotation { mid, depth } = view(&one_range(kind, 50)).quotation().unwrap();
            assert!(is_close(mid, 1.0, 1e-15));
            let expected = 80.0_f64.exp2() * 25.0 * step;
            for depth in depth {
                assert!(is_close(depth, expected, 0.003), "{depth} {expected}");
            }
        }
    }

    #[test]
    fn at_the_end_of_its_liquidity_a_pool_takes_one_token_only() {
        let mut pool = sketched::one_range(EKUBO, 1_000_000, 0);
        pool.update_position(0, 100_000, 1 << 80).unwrap();
        let risen = ranged(Kind::Ekubo, pool.clone(), 0);
        let quotation = view(&risen).quotation().unwrap();
        assert!(quotation.depth[0] == 0.0 && quotation.depth[1] > 0.0);
        // The same price, once the tick is passed: nothing is left there.
        (pool.tick, pool.liquidity) = (-1, 0);
        assert_eq!(view(&ranged(Kind::Ekubo, pool, 0)).quotation(), None);
    }

    #[test]
    fn a_price_that_is_not_its_tick_s_or_has_no_ticks_makes_no_sense() {
        let good = sketched::one_range(EKUBO, 1_000, 1 << 80);
        let cases: [fn(&mut ekubo::Pool); 5] = [
            |pool| pool.tick = 2,
            |pool| pool.tick = -2,
            |pool| pool.sqrt_ratio = U256::ZERO,
            |pool| pool.ticks = Ticks::default(),
            |pool| pool.liquidity = 1,
        ];
        for spoil in cases {
            let mut pool = good.clone();
            spoil(&mut pool);
            assert_eq!(view(&ranged(Kind::Ekubo, pool, 0)).quotation(), None);
        }
    }

    #[test]
    fn prices_at_the_ends_of_the_scale_are_told() {
        for tick in [ekubo::MIN_TICK + 10, ekubo::MAX_TICK - 11] {
            let mut pool = sketched::one_range(EKUBO, 1_000, 0);
            pool.tick = tick;
            pool.sqrt_ratio = ekubo::sqrt_ratio_at(tick).unwrap();
            pool.update_position(tick - 5, tick + 5, 1 << 80).unwrap();
            let mid = view(&ranged(Kind::Ekubo, pool, 0)).quotation().unwrap().mid;
            assert!(is_close(
                mid,
                (f64::from(tick) * 1e-6_f64.ln_1p()).exp(),
                1e-9
            ));
        }
    }
}
