use super::*;
use amm::{Curve as _, Side};

fn market(pools: usize, variant: Variant) -> GeneratedMarket {
    let seed = 7;
    GeneratedMarket::new(Plan {
        pools,
        seed,
        variant,
    })
}

/// What a unit of worth becomes when it passes the pool at once.
fn rates(market: &GeneratedMarket) -> impl Iterator<Item = f64> {
    market.pools().iter().flat_map(|pool| {
        let [first, second] = pool.tokens().map(|token| market.worth(token));
        let curve = pool.curve().unwrap();
        [
            curve.price(Side::Token0) * second / first,
            curve.price(Side::Token1) * first / second,
        ]
    })
}

#[test]
fn a_plan_determines_its_market() {
    let (one, other) = (market(300, Variant::Usual), market(300, Variant::Usual));
    assert_eq!(one.book.to_bytes(), other.book.to_bytes());
    assert_eq!(one.queries(1, 50), other.queries(1, 50));
    assert_ne!(one.queries(1, 50), one.queries(2, 50));
}

#[test]
fn every_pool_is_there_and_may_be_routed() {
    for variant in Variant::ALL {
        let market = market(2_000, variant);
        assert_eq!(market.pools().len(), 2_000, "{variant:?}");
        let routable = |pool: amm::book::PoolView<'_>| pool.router().is_some();
        assert!(market.pools().iter().all(routable), "{variant:?}");
    }
}

#[test]
fn nothing_is_earned_in_a_circle_unless_it_is_wanted() {
    for variant in Variant::ALL {
        let best = rates(&market(2_000, variant)).fold(0.0, f64::max);
        assert_eq!(
            best > 1.0,
            variant == Variant::Arbitrage,
            "{variant:?} {best}"
        );
    }
}

#[test]
fn variants_have_what_they_are_for() {
    let of = |variant| market(2_000, variant);
    let kinds = |market: &GeneratedMarket| {
        let kinds = market.pools().iter().map(|pool| pool.venue.name.clone());
        kinds.collect::<std::collections::BTreeSet<_>>()
    };
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(
        kinds(&of(Variant::Usual)),
        names(&["core", "north", "south"])
    );
    assert_eq!(
        kinds(&of(Variant::ConstantProduct)),
        names(&["north", "south"])
    );
    assert_eq!(kinds(&of(Variant::Stable)).len(), 5);
    let hollow = of(Variant::Hollow);
    let dead = rates(&hollow).filter(|rate| *rate == 0.0).count();
    assert!(dead > 200, "{dead}");
}

#[test]
fn stirring_changes_pools_and_no_price() {
    let before = market(500, Variant::Usual);
    let mut after = before.clone();
    let stirred = after.stir(3, 100);
    assert!(stirred.len() > 80, "{}", stirred.len());
    for (one, other) in before.pools().iter().zip(after.pools().iter()) {
        let is_stirred = stirred.contains(&one.id);
        assert_eq!(one.pool != other.pool, is_stirred);
        let (one, other) = (one.curve().unwrap(), other.curve().unwrap());
        let (price, now) = (one.price(Side::Token0), other.price(Side::Token0));
        // Reserves are whole units.
        assert!((price / now - 1.0).abs() < 1e-7);
    }
}
