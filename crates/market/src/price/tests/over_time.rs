//! Prices from block to block.

use super::*;

fn with_t(price: f64, depth: f64) -> Vec<Edge> {
    let mut edges = honest_anchors();
    edges.push(pool([T, USDC], price, depth));
    numbered(edges)
}

#[test]
fn trust_is_won_at_a_thousand_dollars_and_lost_below_five_hundred() {
    let mut market = TestMarket::new();
    for (depth, is_trusted) in [
        (999.0, false),
        (1_000.0, true),
        (999.0, true),
        (500.0, true),
        (499.0, false),
        (999.0, false),
        (1_000.0, true),
    ] {
        market.block(&with_t(2.0, depth));
        assert_eq!(market.is_trusted(T), is_trusted, "at {depth}");
        assert_near(market.usd(T), 2.0);
    }
}

#[test]
fn one_that_was_trusted_waits_for_all_that_speaks_like_one_that_was_not() {
    let through = ordinary(1);
    let mut edges = honest_anchors();
    edges.extend([
        pool([T, USDC], 2.0, 800.0),
        pool([T, USDC], 3.0, 700.0),
        pool([through, USDC], 1.0, 1_200.0),
        pool([T, through], 3.0, 1_000.0),
    ]);
    let edges = numbered(edges);
    let mut market = TestMarket::of(&edges);
    assert!(market.is_trusted(T));
    assert_near(market.usd(T), 3.0);
    market.block(&edges);
    assert_near(market.usd(T), 3.0);
}

#[test]
fn a_jump_that_little_supports_waits_five_blocks() {
    for price in [2.7, 20.0, 1.5, 0.1] {
        let mut market = TestMarket::of(&with_t(2.0, 10_000.0));
        for held in 1..=5 {
            market.block(&with_t(price, 4_999.0));
            let standing = market.standing(T);
            assert_eq!((standing.held, standing.is_trusted), (held, true));
            assert_near(market.usd(T), 2.0);
            assert_near(standing.support, 10_000.0);
        }
        market.block(&with_t(price, 4_999.0));
        assert_eq!(market.standing(T).held, 0);
        assert_near(market.usd(T), price);
        assert_near(market.standing(T).support, 4_999.0);
    }
}

#[test]
fn a_jump_that_is_small_or_confirmed_is_published_at_once() {
    for (price, depth) in [(2.59, 1_000.0), (1.55, 1_000.0), (20.0, 5_000.0)] {
        let mut market = TestMarket::of(&with_t(2.0, 10_000.0));
        market.block(&with_t(price, depth));
        assert_near(market.usd(T), price);
        assert_eq!(market.standing(T).held, 0);
    }
}

#[test]
fn a_jump_that_is_taken_back_was_never_there() {
    let honest = with_t(2.0, 10_000.0);
    let mut market = TestMarket::of(&honest);
    let before = market.price(T);
    market.block(&with_t(9.0, 300.0)).block(&honest);
    assert_eq!(market.price(T), before);
}

#[test]
fn what_hangs_on_a_held_price_hangs_on_the_old_one() {
    let next = ordinary(1);
    let block = |price, depth| {
        let mut edges = with_t(price, depth);
        edges.push(pool([next, T], 3.0, 5_000.0));
        numbered(edges)
    };
    let mut market = TestMarket::of(&block(2.0, 10_000.0));
    assert_near(market.usd(next), 6.0);
    market.block(&block(20.0, 100.0));
    assert_near(market.usd(T), 2.0);
    assert_near(market.usd(next), 6.0);
    assert!(market.is_trusted(T) && market.is_trusted(next));
    assert_eq!(market.standing(next).quote.hub, Hub::Usd);
}

#[test]
fn a_token_without_pools_keeps_its_ratio_and_loses_trust() {
    let with_eth = |usd| {
        vec![
            pool([USDT, USDC], 1.0, 500_000.0),
            pool([ETH, USDC], usd, 900_000.0),
        ]
    };
    let mut edges = with_eth(3_000.0);
    edges.push(pool([T, ETH], 0.001, 10.0));
    let mut market = TestMarket::of(&numbered(edges));
    market.block(&numbered(with_eth(3_300.0)));
    assert_near(market.usd(T), 3.3);
    let kept = market.standing(T);
    assert!(!kept.is_trusted);
    assert_eq!((kept.support, kept.pools), (0.0, [None; 3]));
    market.block(&numbered(with_eth(3_600.0)));
    assert_near(market.usd(T), 3.6);
    assert_eq!(market.standing(T), kept);
}

#[test]
fn where_a_hub_loses_its_pools_all_prices_stay() {
    let linked = numbered([
        pool([ETH, USDC], 3_000.0, 900_000.0),
        pool([T, ETH], 0.001, 10.0),
    ]);
    let mut market = TestMarket::of(&linked);
    for _ in 0..9 {
        market.block(&linked[1..]);
        assert_near(market.usd(ETH), 3_000.0);
        assert_near(market.usd(T), 3.0);
        assert!(!market.is_trusted(ETH) && !market.is_trusted(T));
    }
    market.block(&linked);
    assert!(market.is_trusted(ETH) && market.is_trusted(T));
}

#[test]
fn a_hub_that_is_one_no_longer_leaves_prices_in_dollars() {
    let mut edges = honest_anchors();
    edges.push(pool([T, STRK], 4.0, 90_000.0));
    let mut market = TestMarket::of(&numbered(edges));
    assert_eq!(market.standing(T).quote.hub, Hub::Token(STRK));
    market.anchors.hubs = vec![ETH];
    market.block(&numbered(honest_anchors()));
    let quote = market.standing(T).quote;
    assert_eq!(quote.hub, Hub::Usd);
    assert_near(quote.ratio, 2.0);
    assert_near(market.usd(T), 2.0);
}

#[test]
fn support_is_published_only_with_something_that_matters() {
    let mut market = TestMarket::of(&with_t(2.0, 10_000.0));
    let first = market.standing(T);
    market.block(&with_t(2.0, 700.0));
    assert_eq!(market.standing(T), first);
    market.block(&with_t(2.1, 700.0));
    assert_near(market.standing(T).support, 700.0);
}
