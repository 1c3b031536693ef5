//! An exact amount is sold.

use super::*;

#[test]
fn each_route_takes_its_share_of_what_is_left() {
    let mut chain = test_chain();
    // 33 % of all, 50 % of the rest, and all that is left then.
    let sale = Sale::new(
        10_007,
        &[
            plain(&JEDISWAP, [ETH, DAI], 330_000_000_000),
            plain(&TEN_K_SWAP, [ETH, DAI], 500_000_000_000),
            route([ETH, DAI], &leg(my_swap::MY_SWAP, WHOLE, &[Felt::ONE])),
        ],
    );
    let before = chain.balance(DAI, BOB);
    let (returned, events) = chain.run(BOB, &sale.call());
    assert_eq!(returned, [Felt::ONE]);
    let sold = [JEDISWAP.rules.router, TEN_K_SWAP.rules.router].map(|router| {
        let approval = events.iter().find(|event| {
            event.keys[0] == primitives::selector("Approval") && event.data.contains(&router)
        });
        numbers(&approval.unwrap().data[2..])[0]
    });
    assert_eq!(sold, [3_302, 3_352].map(U256::from));
    let swap = events
        .iter()
        .find(|event| event.from == EXCHANGE)
        .expect("the exchange tells");
    let received = chain.balance(DAI, BOB) - before;
    let mut expected = vec![BOB, ETH];
    expected.extend(halves(sale.amount));
    expected.push(DAI);
    expected.extend(halves(received));
    expected.push(BOB);
    assert_eq!(*swap.data, expected);
    let much = [e18(1_000); 2];
    let parts = [3_302, 3_352].map(|x| constant_product(U256::from(x), much));
    // mySwap takes its fee first, rounded down: 10 of 3,353.
    assert_eq!(received, parts[0] + parts[1] + U256::from(3_353 - 10 - 1));
}

#[test]
fn ways_part_and_meet_again() {
    let mut chain = test_chain();
    let half = WHOLE / 2;
    let sale = Sale::new(
        E18,
        &[
            plain(&JEDISWAP, [ETH, USDC], half),
            plain(&TEN_K_SWAP, [ETH, USDC], WHOLE),
            plain(&TEN_K_SWAP, [USDC, DAI], WHOLE),
        ],
    );
    let much = [e18(1_000); 2];
    let one = constant_product(U256::from(E18 / 2), much);
    let expected = constant_product(one + one, much);
    assert_eq!(bought(&mut chain, &sale), expected);
    for token in [ETH, USDC, DAI] {
        assert_eq!(chain.balance(token, EXCHANGE), U256::ZERO);
    }
}

#[test]
fn the_least_is_what_must_arrive() {
    let mut chain = test_chain();
    let mut sale = Sale::new(E18, &[plain(&JEDISWAP, [ETH, DAI], WHOLE)]);
    let exact = constant_product(sale.amount, [e18(1_000); 2]);
    sale.least = exact + U256::ONE;
    chain.refuses(BOB, &sale.call(), "Insufficient tokens received");
    sale.least = exact;
    assert_eq!(bought(&mut chain, &sale), exact);
}

#[test]
fn what_is_wrong_is_refused_in_the_public_words() {
    let mut chain = test_chain();
    let good = Sale::new(1_000, &[plain(&JEDISWAP, [ETH, DAI], WHOLE)]);
    let with = |routes: &[Vec<Felt>]| Sale::new(1_000, routes).call();
    let refused = [
        (
            Sale {
                beneficiary: ALICE,
                ..good.clone()
            }
            .call(),
            "Beneficiary is not the caller",
        ),
        (Sale::new(0, &good.routes).call(), "Token from amount is 0"),
        (
            Sale {
                amount: U256::MAX,
                ..good.clone()
            }
            .call(),
            "Token from balance is too low",
        ),
        (with(&[]), "Routes is empty"),
        (
            with(&[plain(&JEDISWAP, [USDC, DAI], WHOLE)]),
            "Invalid token from",
        ),
        (
            with(&[plain(&JEDISWAP, [ETH, USDC], WHOLE)]),
            "Invalid token to",
        ),
        (
            with(&[plain(&JEDISWAP, [ETH, DAI], 0)]),
            "Invalid route percent",
        ),
        (
            with(&[plain(&JEDISWAP, [ETH, DAI], WHOLE + 1)]),
            "Invalid route percent",
        ),
        (
            with(&[plain(&JEDISWAP, [ETH, DAI], WHOLE - 1_000_000_000)]),
            "Residual tokens",
        ),
        (
            with(&[
                plain(&JEDISWAP, [ETH, USDC], WHOLE),
                plain(&JEDISWAP, [USDC, DAI], WHOLE / 2),
            ]),
            "Residual tokens",
        ),
        (
            with(&[route([ETH, DAI], &leg(ALICE, WHOLE, &[]))]),
            "Unknown exchange",
        ),
        (
            with(&[route([ETH, DAI], &leg(jediswap_v2::ROUTER, WHOLE, &[]))]),
            "Unknown exchange",
        ),
    ];
    for (call, words) in refused {
        chain.refuses(BOB, &call, words);
    }
    let mut long = good.call();
    long.calldata.push(Felt::ZERO);
    chain.refuses(BOB, &long, "Input too long for arguments");
    chain.run(BOB, &good.call());
}

#[test]
fn only_what_was_allowed_is_taken() {
    let mut chain = test_chain();
    let sale = Sale::new(1_000, &[plain(&JEDISWAP, [ETH, DAI], WHOLE)]);
    let sale = Sale {
        beneficiary: ALICE,
        ..sale
    };
    let failure = chain.try_run(ALICE, &sale.call()).unwrap_err();
    assert!(failure.contains("allowance"), "{failure}");
}

#[test]
fn what_lies_in_the_exchange_is_part_of_the_next_trade() {
    let mut chain = test_chain();
    chain.run(ALICE, &transfer_call(ETH, EXCHANGE, U256::from(500)));
    chain.run(ALICE, &transfer_call(DAI, EXCHANGE, U256::from(77)));
    let sale = Sale::new(1_000, &[plain(&JEDISWAP, [ETH, DAI], WHOLE)]);
    let all = constant_product(U256::from(1_500), [e18(1_000); 2]);
    assert_eq!(bought(&mut chain, &sale), all + U256::from(77));
}
