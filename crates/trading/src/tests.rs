//! Quotes against a contract that executes their calls.

use crate::lab::{
    Fullness, PoolTokens, USUAL, address, amount, between, bought, bps, fair_pools, free,
    integrator, pools, route, router, sold, swaps, terms, wanted,
};
use crate::recheck::outcome;
use crate::replay::{Reader, execute, read};
use crate::{
    Call, Exact, FeeTerms, Fixed, GasCosts, GasModel, GasPrices, Integrator, Quote, RouteNode,
    Slippage, Unquotable, Worth, WouldRevert, bought_on, calls, order, quote, recheck, tree,
};
use amm::Refusal;
use amm::book::Pools;
use primitives::{Address, Felt, U256};
use proptest::prelude::*;
use routing::{Broken, Graph};
use std::collections::BTreeSet;

type Swaps = Vec<(usize, PoolTokens, f64)>;

fn exchange() -> Address {
    address(500)
}

fn taker() -> Address {
    address(600)
}

fn quoted(
    pools: &Pools,
    swaps: &Swaps,
    amount: Fixed,
    terms: &FeeTerms,
    integrator: Option<Integrator>,
) -> Result<Quote, Unquotable> {
    let route = route(pools, swaps);
    let model = GasModel::simulated();
    quote(&wanted(amount, integrator), &route, pools, terms, &model, 7)
}

fn slippage(text: &str) -> Slippage {
    text.parse().unwrap()
}

/// The call of the exchange contract.
fn swap_call(quote: &Quote, slippage: Slippage) -> Call {
    let mut calls = calls(quote, taker(), slippage, false, exchange());
    assert_eq!(calls.len(), 1);
    calls.remove(0)
}

/// Pools that traded since.
fn fullness() -> impl Strategy<Value = Fullness> {
    let pool = prop_oneof![9 => 900_u64..1_100, 1 => 0_u64..3_000];
    let near = prop_oneof![9 => 999_u64..1_002, 1 => 900_u64..1_100];
    prop_oneof![
        prop::array::uniform24(pool).boxed(),
        prop::array::uniform24(near).boxed()
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_500))]

    #[test]
    fn a_sale_gives_to_everybody_what_its_quote_says(
        swaps in swaps(), amount in amount(), terms in terms(), integrator in integrator(),
    ) {
        let pools = pools(&USUAL);
        let quote = quoted(&pools, &swaps, Fixed::Sell(amount), &terms, integrator);
        let Ok(quote) = quote else { return Ok(()) };
        let outcome = execute(&swap_call(&quote, slippage("0")), &pools, &terms).unwrap();
        prop_assert_eq!(quote.sell_amount, amount);
        prop_assert_eq!(outcome.sold, amount);
        prop_assert_eq!(outcome.bought, quote.buy_amount);
        prop_assert_eq!(outcome.platform[&quote.fees.token], quote.fees.platform);
        prop_assert_eq!(outcome.integrator[&quote.fees.token], quote.fees.integrator);
    }

    #[test]
    fn a_purchase_sells_the_least_that_is_enough_at_once(
        swaps in swaps(), amount in amount(), terms in terms(), integrator in integrator(),
    ) {
        let pools = pools(&USUAL);
        let quote = quoted(&pools, &swaps, Fixed::Buy(amount), &terms, integrator);
        let Ok(quote) = quote else { return Ok(()) };
        let outcome = execute(&swap_call(&quote, slippage("0")), &pools, &terms).unwrap();
        prop_assert_eq!(outcome.rounds, 1);
        prop_assert_eq!(outcome.sold, quote.sell_amount);
        prop_assert_eq!([outcome.bought, quote.buy_amount], [amount; 2]);
        prop_assert_eq!(outcome.integrator[&quote.fees.token], quote.fees.integrator);
        if quote.fees.token == bought() {
            prop_assert_eq!(outcome.platform[&bought()], quote.fees.platform);
        }
        let less = Quote { sell_amount: quote.sell_amount - U256::ONE, ..quote };
        prop_assume!(!less.sell_amount.is_zero());
        let outcome = execute(&swap_call(&less, slippage("1")), &pools, &terms);
        prop_assert!(outcome.is_none_or(|outcome| outcome.rounds > 1));
    }

    #[test]
    fn a_recheck_says_what_the_contract_would_do(
        swaps in swaps(),
        (amount, exact_out) in (amount(), any::<bool>()),
        before in terms(),
        after in terms(),
        integrator in integrator(),
        fullness in fullness(),
        allowed in prop_oneof![0_u32..10, 0_u32..1_000, 0_u32..10_000],
    ) {
        let fixed = if exact_out { Fixed::Buy(amount) } else { Fixed::Sell(amount) };
        let quote = quoted(&pools(&USUAL), &swaps, fixed, &before, integrator);
        let Ok(quote) = quote else { return Ok(()) };
        let pools = pools(&fullness);
        let slippage = slippage(&format!("0.{allowed:0>4}"));
        let expected = outcome(&quote, &pools, &after, slippage);
        let executed = execute(&swap_call(&quote, slippage), &pools, &after);
        let executed = executed.map(|outcome| (outcome.sold, outcome.bought));
        prop_assert_eq!(expected.clone().ok(), executed, "{:?}", expected);
    }

    #[test]
    fn routes_that_were_searched_for_are_quoted_best_first(
        fullness in fullness(),
        (bits, random) in (66_u32..80, any::<u128>()),
        exact_out: bool,
        terms in terms(),
        integrator in integrator(),
    ) {
        let amount = U256::from((random >> (128 - bits)).max(1 << 64));
        let fixed = if exact_out { Fixed::Buy(amount) } else { Fixed::Sell(amount) };
        let (pools, wanted) = (fair_pools(&fullness), wanted(fixed, integrator));
        let model = GasModel::simulated();
        let gas = GasCosts { model: &model, prices: GasPrices::default(), worth: Worth::default() };
        let order = order(&wanted, &terms, &gas, pools.registry()).unwrap();
        let graph = Graph::new(&pools, &BTreeSet::new());
        let routes = routing::routes(&graph, &pools, &order, 3, &|| false);
        prop_assert!(!routes.is_empty());
        let mut open = Vec::new();
        for route in &routes {
            let quote = quote(&wanted, route, &pools, &terms, &model, 7).unwrap();
            let outcome = execute(&swap_call(&quote, slippage("0")), &pools, &terms).unwrap();
            prop_assert_eq!(outcome.sold, quote.sell_amount);
            prop_assert_eq!(outcome.bought, quote.buy_amount);
            open.push(if exact_out { outcome.sold } else { outcome.bought });
        }
        if !exact_out {
            open.reverse();
        }
        prop_assert!(open.is_sorted(), "{:?}", open);
    }

    #[test]
    fn siblings_of_the_tree_add_to_one(swaps in swaps(), amount in amount()) {
        let quote = quoted(&pools(&USUAL), &swaps, Fixed::Sell(amount), &free(), None);
        let Ok(quote) = quote else { return Ok(()) };
        let top = tree(&quote);
        let sum = |nodes: &[RouteNode<'_>]| nodes.iter().map(|node| node.percent).sum::<f64>();
        prop_assert!((sum(&top) - 1.0).abs() < 1e-9);
        for node in &top {
            prop_assert_eq!(node.sell, sold());
            prop_assert_eq!(node.routes.is_empty(), node.buy == bought());
            let below = sum(&node.routes);
            prop_assert!(node.routes.is_empty() || (below - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn a_quote_is_read_back_as_it_was_kept(
        swaps in swaps(), amount in amount(), terms in terms(), integrator in integrator(),
    ) {
        let quote = quoted(&pools(&USUAL), &swaps, Fixed::Sell(amount), &terms, integrator);
        let Ok(quote) = quote else { return Ok(()) };
        let text = serde_json::to_string(&quote).unwrap();
        prop_assert_eq!(serde_json::from_str::<Quote>(&text).unwrap(), quote);
    }
}

fn eth(number: u64) -> U256 {
    U256::from(number) * U256::from(1_000_000_000_000_000_000_u64)
}

fn shares(swaps: &Swaps) -> (Vec<u128>, Vec<f64>) {
    let quote = quoted(&pools(&USUAL), swaps, Fixed::Sell(eth(5)), &free(), None).unwrap();
    let asked = read(&swap_call(&quote, slippage("0")));
    let percents = asked.steps.iter().map(|step| step.percent).collect();
    let nodes = tree(&quote);
    (percents, nodes.iter().map(|node| node.percent).collect())
}

#[test]
fn calldata_has_shares_of_the_rest_and_the_tree_shares_of_all() {
    let halves = vec![(4, PoolTokens::Direct, 0.55), (6, PoolTokens::Direct, 1.0)];
    let expected = (vec![550_000_000_000, 1_000_000_000_000], vec![0.55, 0.45]);
    assert_eq!(shares(&halves), expected);
    let thirds = vec![
        (0, PoolTokens::Direct, 0.33),
        (1, PoolTokens::Direct, 0.5),
        (2, PoolTokens::Direct, 1.0),
    ];
    let expected = (
        vec![330_000_000_000, 500_000_000_000, 1_000_000_000_000],
        vec![0.33, 0.335, 0.335],
    );
    assert_eq!(shares(&thirds), expected);
}

/// Two ways to the token between, and three ways on.
fn merging() -> Swaps {
    vec![
        (0, PoolTokens::Out, 0.25),
        (4, PoolTokens::Out, 1.0),
        (2, PoolTokens::In, 0.5),
        (5, PoolTokens::In, 0.5),
        (6, PoolTokens::In, 1.0),
    ]
}

#[test]
fn what_follows_a_merge_hangs_below_each_that_merges() {
    let quote = quoted(
        &pools(&USUAL),
        &merging(),
        Fixed::Sell(eth(5)),
        &free(),
        None,
    )
    .unwrap();
    let top = tree(&quote);
    assert_eq!(top.len(), 2);
    assert_eq!(top[0].routes, top[1].routes);
    let below: Vec<_> = top[0]
        .routes
        .iter()
        .map(|node| (node.venue, node.percent))
        .collect();
    assert_eq!(
        below,
        [("SithSwap", 0.5), ("MySwap", 0.25), ("Ekubo", 0.25)]
    );
    assert_eq!(top[0].router, router(0));
    assert_eq!([top[0].sell, top[0].buy], [sold(), between()]);
}

/// A quote of so many layers of three parallel swaps.
fn layered(layers: u8) -> Quote {
    let quote = quoted(
        &pools(&USUAL),
        &merging(),
        Fixed::Sell(eth(5)),
        &free(),
        None,
    )
    .unwrap();
    let hops = (0..layers).flat_map(|layer| {
        let mut hop = quote.hops[0].clone();
        hop.leg.from = if layer == 0 { 0 } else { layer + 1 };
        hop.leg.to = if layer + 1 == layers { 1 } else { layer + 2 };
        [hop.clone(), hop.clone(), hop]
    });
    Quote {
        hops: hops.collect(),
        ..quote.clone()
    }
}

fn count(nodes: &[RouteNode<'_>]) -> usize {
    nodes.iter().map(|node| 1 + count(&node.routes)).sum()
}

#[test]
fn a_tree_that_would_grow_too_large_has_each_swap_once() {
    assert_eq!(count(&tree(&layered(4))), 3 + 9 + 27 + 81);
    assert_eq!(count(&tree(&layered(5))), 15);
    assert_eq!(count(&tree(&layered(200))), 600);
}

#[test]
fn calls_are_an_approval_of_what_is_sold_at_most_and_the_swap() {
    let pools = pools(&USUAL);
    for (fixed, spent) in [
        (Fixed::Sell(eth(3)), eth(3)),
        (Fixed::Buy(eth(3)), U256::ZERO),
    ] {
        let quote = quoted(&pools, &merging(), fixed, &free(), None).unwrap();
        let bound = slippage("0.01");
        let [approval, swap] = calls(&quote, taker(), bound, true, exchange())
            .try_into()
            .unwrap();
        let spent = match quote.exact {
            Exact::In => spent,
            Exact::Out => bound.most(quote.sell_amount),
        };
        assert_eq!((approval.to, approval.entrypoint), (sold(), "approve"));
        let mut reader = Reader(&approval.calldata);
        assert_eq!((reader.address(), reader.u256()), (exchange(), spent));
        assert!(reader.0.is_empty());
        assert_eq!(swap.to, exchange());
        let asked = read(&swap);
        assert_eq!(asked.tokens, [sold(), bought()]);
        assert_eq!(
            [asked.sold, asked.bought],
            [quote.sell_amount, quote.buy_amount]
        );
        assert_eq!(asked.beneficiary, taker());
        assert_eq!(asked.integrator, (0, address(0)));
        let bound = match quote.exact {
            Exact::In => bound.least(quote.buy_amount),
            Exact::Out => spent,
        };
        assert_eq!(asked.bound, bound);
    }
}

#[test]
fn calldata_is_that_of_the_public_contract() {
    let swaps = vec![(3, PoolTokens::Direct, 0.55), (6, PoolTokens::Direct, 1.0)];
    let somebody = Integrator::new(bps(30), address(77), "a".to_owned()).unwrap();
    let quote = quoted(
        &pools(&USUAL),
        &swaps,
        Fixed::Sell(U256::from(1_000)),
        &free(),
        Some(somebody),
    )
    .unwrap();
    let quote = Quote {
        buy_amount: (U256::ONE << 128) + U256::from(0x2b1_33f1_u32),
        ..quote
    };
    let call = swap_call(&quote, slippage("0"));
    let fee = u128::MAX / 2_000;
    let widest = Felt::from_bytes_be(&amm::ekubo::MAX_SQRT_RATIO.to_be_bytes());
    let expected = [
        1_u128,
        1_000,
        0,
        2,
        0x2b1_33f1,
        1,
        0x2b1_33f1,
        1,
        600,
        30,
        77,
        2, // head
        1,
        2,
        203,
        550_000_000_000,
        2,
        0,
        0, // StarkDefi
        1,
        2,
        206,
        1_000_000_000_000,
        6,
        1,
        2,
        fee,
        1_000,
        0, // Ekubo
    ];
    let mut expected = expected.map(Felt::from).to_vec();
    expected.push(widest);
    assert_eq!(call.calldata, expected);
}

#[test]
fn a_pool_that_is_another_one_now_is_gone() {
    let pools = pools(&USUAL);
    let quote = quoted(&pools, &merging(), Fixed::Sell(eth(5)), &free(), None).unwrap();
    let check = |quote: &Quote| recheck(quote, &pools, &free(), slippage("0"));
    assert_eq!(check(&quote), Ok(()));
    let gone = |venue: &str| {
        Err(WouldRevert::Gone {
            venue: venue.to_owned(),
        })
    };
    let mut other = quote.clone();
    other.hops[1].params = crate::Params::Pair(address(9));
    assert_eq!(check(&other), gone("Nostra"));
    let mut other = quote.clone();
    other.hops[0].router = address(9);
    assert_eq!(check(&other), gone("JediSwap"));
    let mut other = quote.clone();
    other.hops[0].sell = address(9);
    assert_eq!(check(&other), gone("JediSwap"));
}

#[test]
fn the_reason_of_a_revert_is_told_with_its_amounts() {
    let usual = pools(&USUAL);
    let mut drained = USUAL;
    drained[0] = 500;
    let half = pools(&drained);
    let direct = vec![(0, PoolTokens::Direct, 1.0)];
    let sale = quoted(&usual, &direct, Fixed::Sell(eth(1_000_000)), &free(), None).unwrap();
    let reason = recheck(&sale, &half, &free(), slippage("0.001")).unwrap_err();
    let bought = bought_on(&sale, &half).unwrap();
    let least = slippage("0.001").least(sale.buy_amount);
    assert_eq!(reason, WouldRevert::TooLittle { bought, least });
    assert!(reason.is_slippage());
    let text = format!("the trade would buy {bought} now, less than the minimum of {least}");
    assert_eq!(reason.to_string(), text);
    let purchase = quoted(&usual, &direct, Fixed::Buy(eth(1_000_000)), &free(), None).unwrap();
    let most = purchase.sell_amount;
    let reason = recheck(&purchase, &half, &free(), slippage("0"));
    assert_eq!(reason, Err(WouldRevert::TooMuch { most }));
    drained[0] = 0;
    let reason = recheck(&sale, &pools(&drained), &free(), slippage("1")).unwrap_err();
    assert!(matches!(&reason, WouldRevert::Refused { venue, .. } if venue == "JediSwap"));
    assert!(!reason.is_slippage());
}

#[test]
fn the_contract_gives_up_after_three_top_ups() {
    let mut drained = USUAL;
    drained[0] = 800;
    let direct = vec![(0, PoolTokens::Direct, 1.0)];
    let check = |points| {
        let terms = FeeTerms {
            exact_out: bps(points),
            ..free()
        };
        let fixed = Fixed::Buy(eth(5_000_000));
        let purchase = quoted(&pools(&USUAL), &direct, fixed, &terms, None).unwrap();
        recheck(&purchase, &pools(&drained), &terms, slippage("1"))
    };
    assert_eq!(check(1), Err(WouldRevert::TooSlow));
    assert_eq!(check(10), Ok(()));
}

#[test]
fn a_venue_without_an_adapter_makes_no_quote() {
    let tiers = vec![(7, PoolTokens::Direct, 1.0)];
    let quote = quoted(&pools(&USUAL), &tiers, Fixed::Sell(eth(1)), &free(), None);
    assert!(matches!(quote, Err(Unquotable::Broken(Broken::Gone(_)))));
}

#[test]
fn amounts_that_buy_nothing_or_cannot_be_bought_make_no_quote() {
    let quoted = |fixed| {
        let direct = vec![(4, PoolTokens::Direct, 1.0)];
        quoted(&pools(&USUAL), &direct, fixed, &free(), None)
    };
    // Nostra rounds its fee up.
    let nothing = quoted(Fixed::Sell(U256::ONE)).unwrap_err();
    assert!(matches!(
        nothing,
        Unquotable::Broken(Broken::Refused(_, Refusal::Nothing))
    ));
    assert_eq!(
        quoted(Fixed::Sell(U256::from(2))).unwrap().buy_amount,
        U256::ONE
    );
    let too_much = quoted(Fixed::Buy(eth(11_000_000)));
    assert_eq!(too_much, Err(Unquotable::OutOfReach));
}
