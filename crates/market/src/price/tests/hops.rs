//! How prices spread from anchors over tokens.

use super::*;

fn with_anchors(more: impl IntoIterator<Item = Edge>) -> Vec<Edge> {
    let mut edges = honest_anchors();
    edges.extend(more);
    numbered(edges)
}

#[test]
fn anchors_are_quoted_in_dollars_and_others_in_anchors() {
    let [next, last] = [ordinary(1), ordinary(2)];
    let market = TestMarket::of(&with_anchors([
        pool([T, ETH], 0.001, 10.0),
        pool([next, T], 4.0, 5_000.0),
        pool([last, USDT], 7.0, 9_000.0),
    ]));
    for anchor in [USDC, USDT, DAI, ETH, STRK] {
        assert_eq!(market.standing(anchor).quote.hub, Hub::Usd);
    }
    let quote = |hub, ratio| Quote {
        hub: Hub::Token(hub),
        ratio,
    };
    assert_eq!(market.standing(T).quote, quote(ETH, 0.001));
    assert_eq!(market.standing(next).quote, quote(ETH, 4.0 * 0.001));
    assert_eq!(market.standing(last).quote, quote(USDT, 7.0));
    assert_near(market.usd(next), 12.0);
}

#[test]
fn support_is_what_agrees_and_its_weightiest_pools_are_named() {
    let market = TestMarket::of(&with_anchors([
        pool([T, USDC], 2.0, 4_000.0),
        pool([T, USDC], 2.03, 1_000.0),
        pool([T, USDC], 2.1, 3_000.0),
        pool([T, USDT], 1.99, 2_000.0),
        pool([T, DAI], 2.01, 3_000.0),
        pool([T, DAI], 1.0, 900.0),
    ]));
    let standing = market.standing(T);
    assert_near(market.usd(T), 2.01);
    assert_near(standing.support, 4_000.0 + 1_000.0 + 2_000.0 + 3_000.0);
    assert_eq!(standing.pools, [7, 11, 10].map(|n| Some(pool_id(n))));
}

#[test]
fn what_is_seen_through_a_token_counts_less() {
    let through = |tokens, price, depth| {
        let market = TestMarket::of(&with_anchors([pool(tokens, price, depth)]));
        market.standing(T).support
    };
    assert_near(through([T, USDC], 1.0, 6_000.0), 6_000.0);
    assert_near(through([T, ETH], 1.0, 2.0), 6_000.0 * 0.9);
}

#[test]
fn a_neighbour_vouches_for_no_more_than_what_supports_it() {
    let thin = ordinary(1);
    let pools = |count| {
        let mut edges = vec![
            pool([thin, USDC], 1.0, 1_600.0),
            pool([T, USDC], 5.0, 1_500.0),
        ];
        edges.extend((0..count).map(|_| pool([T, thin], 50.0, 1e6)));
        TestMarket::of(&with_anchors(edges))
    };
    for count in [1, 2, 100] {
        let market = pools(count);
        assert_near(market.usd(T), 5.0);
        assert_near(market.standing(T).support, 1_500.0);
    }
}

#[test]
fn tokens_that_somebody_mints_do_not_vouch_for_one_another() {
    // One that real money supports, a hundred that hang on it, and one that all
    // of them speak for; and all of them against the honest price of another.
    let [root, favourite] = [ordinary(1), ordinary(200)];
    let mut edges = vec![
        pool([root, USDC], 1.0, 2_000.0),
        pool([T, USDC], 5.0, 1_500.0),
    ];
    for minted in (2..102).map(ordinary) {
        edges.push(pool([minted, root], 1.0, 1e9));
        edges.push(pool([favourite, minted], 50.0, 1e9));
        edges.push(pool([T, minted], 50.0, 1e9));
    }
    let market = TestMarket::of(&with_anchors(edges));
    assert_near(market.usd(T), 5.0);
    assert!(!market.is_trusted(favourite));
    assert!(market.standing(favourite).support < 1.0);
}

#[test]
fn a_token_that_is_not_trusted_has_a_price_and_passes_none_on() {
    let beyond = ordinary(1);
    let market = TestMarket::of(&with_anchors([
        pool([T, USDC], 2.0, 999.0),
        pool([beyond, T], 3.0, 1e6),
    ]));
    assert_near(market.usd(T), 2.0);
    assert!(!market.is_trusted(T));
    assert_eq!(market.price(beyond), None);
}

#[test]
fn a_token_far_from_anchors_still_has_a_price() {
    let chain: Vec<TokenId> = (0..6).map(ordinary).collect();
    let mut edges = vec![pool([T, USDC], 2.0, 1e6)];
    edges.extend(
        chain
            .windows(2)
            .map(|pair| pool([pair[1], pair[0]], 2.0, 1e6)),
    );
    let market = TestMarket::of(&with_anchors(edges));
    assert_near(market.usd(chain[1]), 4.0);
    assert_near(market.usd(chain[2]), 8.0);
    assert!(market.is_trusted(chain[1]));
    assert!(
        !market.is_trusted(chain[2]),
        "no anchor says anything near it"
    );
}

#[test]
fn far_from_anchors_the_deeper_pool_still_counts_more() {
    let [near, far] = [ordinary(1), ordinary(2)];
    let market = TestMarket::of(&with_anchors([
        pool([T, USDC], 2.0, 1e6),
        pool([near, T], 2.0, 1e6),
        pool([far, near], 0.1, 50.0),
        pool([far, near], 2.0, 1e6),
    ]));
    assert_near(market.usd(far), 8.0);
}

#[test]
fn many_small_pools_weigh_as_much_as_a_large_one() {
    // Whoever is settled first decides what counts. The price of ETH rests on
    // many pools, each smaller than the one that lies about T.
    let mut edges = vec![pool([USDT, USDC], 1.0, 500_000.0)];
    edges.extend((0..100).map(|_| pool([ETH, USDC], 3_000.0, 900.0)));
    edges.push(pool([T, USDC], 50.0, 30_000.0));
    edges.push(pool([T, ETH], 5.0 / 3_000.0, 1_000.0));
    assert_near(TestMarket::of(&numbered(edges)).usd(T), 5.0);
}

#[test]
fn hubs_are_settled_before_what_hangs_on_them() {
    // Each hub has less behind it than the liar, all of them together more.
    let market = TestMarket::of(&numbered([
        pool([ETH, USDC], 3_000.0, 90_000.0),
        pool([STRK, USDC], 0.5, 90_000.0),
        pool([T, USDC], 50.0, 100_000.0),
        pool([T, ETH], 5.0 / 3_000.0, 1_000.0),
        pool([T, STRK], 10.0, 1_000_000.0),
    ]));
    assert_near(market.usd(T), 5.0);
}

#[test]
fn liquidity_on_one_side_supports_nothing() {
    // All that is for sale is the token itself, at any price that its maker
    // likes: buying it up costs a fortune, and selling it brings nothing.
    let one_sided = Edge {
        depth: [1.0, 1e9],
        ..pool([T, USDC], 50.0, 1.0)
    };
    let market = TestMarket::of(&with_anchors([one_sided]));
    assert!(!market.is_trusted(T));
    assert_near(market.standing(T).support, 50.0);
    let market = TestMarket::of(&with_anchors([one_sided, pool([T, USDC], 5.0, 2_000.0)]));
    assert_near(market.usd(T), 5.0);
}
