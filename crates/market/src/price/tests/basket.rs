//! What a dollar is.

use super::*;

fn stables(usdt: f64, dai: f64) -> Vec<Edge> {
    numbered([
        pool([USDT, USDC], usdt, 500_000.0),
        pool([DAI, USDC], dai, 200_000.0),
        pool([DAI, USDT], dai / usdt, 100_000.0),
        pool([ETH, USDC], 3_000.0, 900_000.0),
        pool([ETH, USDT], 3_000.0 / usdt, 600_000.0),
    ])
}

#[test]
fn a_single_stable_is_a_dollar() {
    let mut market = TestMarket::with(Anchors {
        stables: vec![USDC],
        hubs: vec![ETH],
    });
    market.block(&numbered([pool([ETH, USDC], 3_000.0, 900_000.0)]));
    assert_eq!(market.usd(USDC).to_bits(), 1.0_f64.to_bits());
    assert_near(market.usd(ETH), 3_000.0);
    assert!(market.is_trusted(USDC) && market.is_trusted(ETH));
    assert_eq!(market.standing(USDC).quote.hub, Hub::Usd);
}

#[test]
fn stables_without_any_pool_are_dollars_that_nobody_trusts() {
    let market = TestMarket::of(&[]);
    for stable in [USDC, USDT, DAI] {
        assert_near(market.usd(stable), 1.0);
        assert!(!market.is_trusted(stable));
    }
}

#[test]
fn one_of_three_that_loses_its_peg_is_seen_and_moves_nothing_else() {
    for lost in [0.1, 0.5, 0.9, 1.2] {
        for (usdt, dai, who) in [(lost, 1.0, USDT), (1.0, lost, DAI)] {
            let market = TestMarket::of(&stables(usdt, dai));
            assert_near(market.usd(who), lost);
            assert_near(market.usd(USDC), 1.0);
            assert_near(market.usd(ETH), 3_000.0);
            assert!(market.is_trusted(who), "its price is well known");
        }
        // The one that all others are compared with is no exception.
        let market = TestMarket::of(&numbered([
            pool([USDT, USDC], 1.0 / lost, 500_000.0),
            pool([DAI, USDC], 1.0 / lost, 200_000.0),
            pool([DAI, USDT], 1.0, 100_000.0),
            pool([ETH, USDC], 3_000.0 / lost, 900_000.0),
        ]));
        assert_near(market.usd(USDC), lost);
        assert_near(market.usd(USDT), 1.0);
        assert_near(market.usd(DAI), 1.0);
        assert_near(market.usd(ETH), 3_000.0);
    }
}

#[test]
fn of_two_stables_the_deeper_decides() {
    let two = |usdc: f64, usdt: f64| {
        TestMarket::of(&numbered([
            pool([USDT, USDC], 0.9, 100_000.0),
            pool([ETH, USDC], 3_000.0, usdc),
            pool([ETH, USDT], 3_000.0 / 0.9, usdt),
        ]))
    };
    let market = two(900_000.0, 100_000.0);
    assert_near(market.usd(USDC), 1.0);
    assert_near(market.usd(USDT), 0.9);
    let market = two(100_000.0, 900_000.0);
    assert_near(market.usd(USDC), 1.0 / 0.9);
    assert_near(market.usd(USDT), 1.0);
}

#[test]
fn two_stables_that_differ_do_not_take_turns() {
    let two = |usdc: f64, usdt: f64| {
        numbered([
            pool([USDT, USDC], 0.9, 100_000.0),
            pool([ETH, USDC], 3_000.0, usdc),
            pool([ETH, USDT], 3_000.0 / 0.9, usdt),
        ])
    };
    let mut market = TestMarket::of(&two(900_000.0, 800_000.0));
    for _ in 0..4 {
        for (usdc, usdt) in [(900_000.0, 1_300_000.0), (1_300_000.0, 900_000.0)] {
            market.block(&two(usdc, usdt));
            assert_near(market.usd(USDC), 1.0);
        }
    }
    market.block(&two(100_000.0, 900_000.0));
    assert_near(market.usd(USDT), 1.0);
}

#[test]
fn minting_a_lost_stable_into_pools_with_minted_tokens_does_not_make_it_the_dollar() {
    let mut edges = vec![
        pool([USDT, USDC], 0.01, 100_000.0),
        pool([ETH, USDC], 3_000.0, 900_000.0),
    ];
    edges.extend((0..9).map(|n| pool([ordinary(n), USDT], 1.0, 1e9)));
    let market = TestMarket::of(&numbered(edges));
    assert_near(market.usd(USDC), 1.0);
    assert_near(market.usd(USDT), 0.01);
    assert_near(market.usd(ETH), 3_000.0);
}

#[test]
fn what_is_deep_is_not_counted_in_units_that_lost_their_worth() {
    // Two thousand units of what is worth a hundredth say that a third is half.
    let market = TestMarket::of(&numbered([
        pool([USDT, USDC], 0.01, 100_000.0),
        pool([DAI, USDT], 50.0, 2_000.0),
        pool([ETH, USDC], 3_000.0, 900_000.0),
    ]));
    assert_near(market.usd(USDC), 1.0);
    assert_near(market.usd(USDT), 0.01);
    assert!(!market.is_trusted(DAI));
}

#[test]
fn a_stable_is_never_priced_through_a_token_that_moves() {
    let market = TestMarket::of(&numbered([
        pool([USDT, USDC], 1.0, 500_000.0),
        pool([ETH, USDC], 3_000.0, 900_000.0),
        pool([ETH, DAI], 1_500.0, 9_000_000.0),
    ]));
    assert_near(market.usd(DAI), 1.0);
    assert!(!market.is_trusted(DAI));
    assert_near(market.usd(ETH), 3_000.0);
}

#[test]
fn pools_too_thin_to_be_heard_neither_choose_nor_move_a_stable() {
    let market = TestMarket::of(&numbered([
        pool([USDT, DAI], 0.3, 900.0),
        pool([ETH, USDC], 3_000.0, 900_000.0),
        pool([USDT, USDC], 40.0, 100.0),
    ]));
    assert_near(market.usd(ETH), 3_000.0);
    for stable in [USDC, USDT, DAI] {
        assert_near(market.usd(stable), 1.0);
        assert_eq!(market.is_trusted(stable), stable == USDC);
    }
}

#[test]
fn a_lost_stable_whose_pools_run_dry_stays_what_it_was_last_seen_to_be() {
    let mut market = TestMarket::of(&stables(0.2, 1.0));
    market.block(&numbered([
        pool([DAI, USDC], 1.0, 200_000.0),
        pool([ETH, USDC], 3_000.0, 900_000.0),
    ]));
    assert_near(market.usd(USDT), 0.2);
    assert!(!market.is_trusted(USDT));
}

#[test]
fn a_stable_is_compared_through_other_stables() {
    let market = TestMarket::of(&numbered([
        pool([USDT, USDC], 1.0, 500_000.0),
        pool([DAI, USDT], 0.95, 100_000.0),
    ]));
    assert_near(market.usd(DAI), 0.95);
    assert!(market.is_trusted(DAI));
    assert_eq!(market.standing(DAI).pools, [Some(pool_id(1)), None, None]);
}

#[test]
fn absurd_pools_between_stables_leave_the_others_alone() {
    for price in [1e-300, 1e300] {
        let mut edges = honest_anchors();
        edges.push(pool([USDC, USDT], price, price * 1e5));
        let market = TestMarket::of(&numbered(edges));
        assert_near(market.usd(USDT), 1.0);
        assert_near(market.usd(ETH), 3_000.0);
    }
}
