//! A limit on swaps is kept, and what it leaves is used well.

use oracles::generated::{Market, Plan, Variant};
use oracles::measured::{MAX_SWAPS, beside};

#[test]
fn no_plain_way_within_the_same_limit_buys_more() {
    for (seed, variant) in [(1, Variant::Usual), (2, Variant::ConstantProduct)] {
        let market = Market::new(Plan {
            pools: 500,
            seed,
            variant,
        });
        let comparison = beside(&market, 40, MAX_SWAPS, &|| 0.0);
        let missed = comparison.missed();
        let far = missed.iter().filter(|missed| **missed > 1e-4).count();
        assert!(
            missed.len() > 30 && far <= 1,
            "{variant:?}: {far} of {missed:?}"
        );
        // Which few pools are best is searched, not proven.
        let worst = missed.iter().copied().fold(0.0, f64::max);
        assert!(worst < 2e-3, "{variant:?}: {worst}");
    }
}
