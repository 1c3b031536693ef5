//! What holds for all pools, however absurd.

use super::*;
use proptest::{collection::vec, prelude::*};

/// Tokens of random markets: few, so that they have many pools.
const FEW: u32 = 12;

/// Figures as honest pools have them.
fn ordinary_figure() -> impl Strategy<Value = f64> + Clone {
    (-6.0..6.0_f64).prop_map(|exponent| 10_f64.powf(exponent))
}

/// Any figure at all, the ordinary ones among them.
fn figure() -> impl Strategy<Value = f64> + Clone {
    prop_oneof![
        ordinary_figure(),
        (-320.0..309.0_f64).prop_map(|exponent| 10_f64.powf(exponent)),
        any::<f64>(),
    ]
}

fn edges(figure: impl Strategy<Value = f64> + Clone) -> impl Strategy<Value = Vec<Edge>> {
    let token = (0..FEW + 2).prop_map(|n| TokenId(if n < FEW { n } else { TOKENS + n }));
    let edge = (
        [token.clone(), token],
        figure.clone(),
        [figure.clone(), figure],
    )
        .prop_map(|(tokens, mid, depth)| Edge {
            pool: pool_id(0),
            tokens,
            mid,
            depth,
        });
    // Numbers repeat: a pool of several tokens is several edges.
    vec(edge, 0..60).prop_map(|edges| {
        let mut edges = numbered(edges);
        for edge in &mut edges {
            edge.pool = pool_id(usize::try_from(edge.pool.index()).unwrap() * 2 / 3);
        }
        edges
    })
}

/// Honest pools: around true prices, give or take a little.
fn honest_edges() -> impl Strategy<Value = Vec<Edge>> {
    let edge =
        ([0..FEW, 0..FEW], 0.99..1.01_f64, 2.0..6.0_f64).prop_map(|(tokens, noise, depth)| {
            let [first, second] = tokens.map(TokenId);
            let price = truth(first) / truth(second) * noise;
            pool([first, second], price, 10_f64.powf(depth) / truth(second))
        });
    vec(edge, 0..60).prop_map(numbered)
}

fn truth(token: TokenId) -> f64 {
    if token < ETH {
        1.0
    } else {
        10_f64.powi(4 - i32::try_from(token.0).unwrap())
    }
}

fn bits(settled: &[Option<Settled>]) -> Vec<String> {
    // Every digit, and the sign of nothing.
    settled
        .iter()
        .map(|settled| format!("{settled:?}"))
        .collect()
}

fn assert_sound(market: &TestMarket, settled: &[Option<Settled>]) -> Result<(), TestCaseError> {
    prop_assert_eq!(settled.len(), usize::try_from(TOKENS).unwrap());
    for (token, price) in (0..TOKENS).map(TokenId).zip(settled) {
        let Some(Settled { standing, usd }) = price else {
            continue;
        };
        prop_assert!(*usd > 0.0 && usd.is_normal());
        prop_assert!(standing.support >= 0.0 && standing.support.is_finite());
        prop_assert!(standing.held <= market.rules.held_blocks);
        let is_stable = market.anchors.stables.contains(&token);
        let hub_usd = match standing.quote.hub {
            Hub::Usd => 1.0,
            Hub::Token(hub) => {
                prop_assert!(!is_stable && !market.anchors.hubs.contains(&token));
                settled[hub.index()].unwrap().usd
            }
        };
        prop_assert_eq!((standing.quote.ratio * hub_usd).to_bits(), usd.to_bits());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn the_order_of_pools_does_not_matter(
        blocks in vec(edges(figure()).prop_flat_map(|edges| {
            (Just(edges.clone()), Just(edges).prop_shuffle())
        }), 1..4),
    ) {
        let [mut market, mut shuffled] = [TestMarket::new(), TestMarket::new()];
        for (edges, other) in blocks {
            market.block(&edges);
            shuffled.block(&other);
            prop_assert_eq!(bits(&market.settled), bits(&shuffled.settled));
        }
    }

    #[test]
    fn no_pool_makes_a_price_that_cannot_be_reckoned_with(
        blocks in vec(edges(figure()), 1..6),
    ) {
        let mut market = TestMarket::new();
        for edges in blocks {
            market.block(&edges);
            assert_sound(&market, &market.settled)?;
        }
    }

    #[test]
    fn what_once_had_a_price_always_has_one(blocks in vec(edges(ordinary_figure()), 2..6)) {
        let mut market = TestMarket::new();
        for edges in blocks {
            let next = market.next(&edges);
            for (before, now) in market.settled.iter().zip(&next) {
                prop_assert!(before.is_none() || now.is_some());
            }
            market.settled = next;
        }
    }

    #[test]
    fn a_standing_changes_only_with_its_quote_its_trust_or_its_holding_back(
        blocks in vec(prop_oneof![honest_edges(), edges(ordinary_figure())], 2..6),
    ) {
        let mut market = TestMarket::new();
        for edges in blocks {
            let next = market.next(&edges);
            for (before, now) in market.settled.iter().zip(&next) {
                if let (Some(before), Some(now)) = (before, now) {
                    let matter = |standing: Standing| {
                        (standing.quote, standing.is_trusted, standing.held)
                    };
                    let (before, now) = (before.standing, now.standing);
                    prop_assert!(matter(before) != matter(now) || before == now);
                }
            }
            market.settled = next;
        }
    }

    #[test]
    fn a_block_in_which_nothing_happens_changes_nothing(
        edges in prop_oneof![honest_edges(), edges(ordinary_figure())],
    ) {
        let market = TestMarket::of(&edges);
        prop_assert_eq!(bits(&market.next(&edges)), bits(&market.settled));
    }

    #[test]
    fn honest_pools_give_honest_prices(edges in honest_edges()) {
        let market = TestMarket::of(&edges);
        for (token, settled) in (0..FEW).map(TokenId).zip(&market.settled) {
            // Each pool is a hundredth off at most, a path has two or three, and
            // the dollar itself is one more.
            if let Some(settled) = settled {
                prop_assert!(error(settled.usd, truth(token)) < 0.09, "{token:?} {settled:?}");
            }
        }
    }

    #[test]
    fn less_than_half_of_the_weight_moves_no_price_beyond_the_honest_ones(
        honest in vec((0.99..1.01_f64, 1e3..1e5_f64), 1..12),
        lies in vec((-9.0..9.0_f64, 0.0..1.0_f64), 1..12),
    ) {
        let all: f64 = honest.iter().map(|(_, depth)| depth).sum();
        let lied: f64 = lies.iter().map(|(_, share)| share).sum::<f64>().max(1e-9);
        let honest_pools = honest.iter().map(|(price, depth)| pool([T, USDC], *price, *depth));
        let lying_pools = lies.iter().map(|(exponent, share)| {
            pool([T, USDC], 10_f64.powf(*exponent), 0.99 * all * share / lied)
        });
        let edges = [honest_anchors(), honest_pools.collect(), lying_pools.collect()].concat();
        let usd = TestMarket::of(&numbered(edges)).usd(T);
        let prices = honest.iter().map(|(price, _)| *price);
        let (low, high) = prices.fold((f64::MAX, 0.0_f64), |(low, high), price| {
            (low.min(price), high.max(price))
        });
        prop_assert!(low <= usd && usd <= high, "{usd} is not within {low}..{high}");
    }
}
