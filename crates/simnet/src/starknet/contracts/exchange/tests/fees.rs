//! Who pays which fees, and in which token.

use super::*;

const COLLECTOR: Felt = Felt::from_hex_unchecked("0xfee");
const FRIEND: Felt = Felt::from_hex_unchecked("0xf41e4d");

/// 2 bps for one route, 15 for more, 5 aimed at in purchases.
fn charging() -> TestChain {
    let mut chain = test_chain();
    for call in set_fees_calls([2, 15, 5]) {
        chain.run(DEPLOYER, &call);
    }
    chain.run(DEPLOYER, &set_recipient_call(COLLECTOR));
    chain
}

fn one() -> Sale {
    Sale::new(E18 + 7, &[plain(&JEDISWAP, [ETH, DAI], WHOLE)])
}

fn two() -> Sale {
    let routes = [
        plain(&JEDISWAP, [ETH, DAI], WHOLE / 2),
        plain(&TEN_K_SWAP, [ETH, DAI], WHOLE),
    ];
    Sale::new(E18 + 7, &routes)
}

fn bps(amount: U256, bps: u64) -> U256 {
    amount * U256::from(bps) / U256::from(10_000)
}

fn whitelist(chain: &mut TestChain, integrator: Felt) {
    let call = call(
        EXCHANGE,
        "set_whitelisted_integrator",
        &[integrator, Felt::ONE],
    );
    chain.run(DEPLOYER, &call);
}

#[test]
fn one_route_costs_less_than_several() {
    for (sale, fee) in [(one(), 2), (two(), 15)] {
        let gross = bought(&mut test_chain(), &sale);
        let mut chain = charging();
        let net = bought(&mut chain, &sale);
        assert_eq!(net, gross - bps(gross, fee));
        assert_eq!(chain.balance(DAI, COLLECTOR), gross - net);
        assert_eq!(chain.balance(ETH, COLLECTOR), U256::ZERO);
    }
}

#[test]
fn the_weightier_token_pays() {
    let mut chain = charging();
    for token in [ETH, DAI] {
        chain.run(DEPLOYER, &set_weight_call(token, 3));
    }
    bought(&mut chain, &one());
    assert_eq!(
        chain.balance(ETH, COLLECTOR),
        U256::ZERO,
        "of two equals the bought one"
    );
    let mut chain = charging();
    chain.run(DEPLOYER, &set_weight_call(ETH, 1));
    let sale = Sale {
        integrator: (30, FRIEND),
        ..one()
    };
    let net = bought(&mut chain, &sale);
    let fees = [30, 2].map(|fee| bps(sale.amount, fee));
    assert_eq!([FRIEND, COLLECTOR].map(|who| chain.balance(ETH, who)), fees);
    let left = sale.amount - fees[0] - fees[1];
    assert_eq!(net, constant_product(left, [e18(1_000); 2]));
    assert_eq!(chain.balance(DAI, COLLECTOR), U256::ZERO);
}

#[test]
fn both_fees_are_counted_on_the_same_amount() {
    let sale = Sale {
        integrator: (500, FRIEND),
        ..two()
    };
    let gross = bought(&mut test_chain(), &two());
    let mut chain = charging();
    let net = bought(&mut chain, &sale);
    let fees = [500, 15].map(|fee| bps(gross, fee));
    assert_eq!([FRIEND, COLLECTOR].map(|who| chain.balance(DAI, who)), fees);
    assert_eq!(net, gross - fees[0] - fees[1]);
}

#[test]
fn whitelisted_integrators_who_take_enough_pay_nothing_to_the_exchange() {
    for (fee, ours) in [(15, 0), (14, 15)] {
        let sale = Sale {
            integrator: (fee, FRIEND),
            ..two()
        };
        let gross = bought(&mut test_chain(), &two());
        let mut chain = charging();
        whitelist(&mut chain, FRIEND);
        bought(&mut chain, &sale);
        assert_eq!(chain.balance(DAI, COLLECTOR), bps(gross, ours));
        assert_eq!(
            chain.balance(DAI, FRIEND),
            bps(gross, u64::try_from(fee).unwrap())
        );
    }
}

#[test]
fn nobody_who_is_nobody_gets_a_fee() {
    let gross = bought(&mut test_chain(), &one());
    let mut chain = charging();
    chain.run(DEPLOYER, &set_recipient_call(Felt::ZERO));
    let sale = Sale {
        integrator: (100, Felt::ZERO),
        ..one()
    };
    assert_eq!(bought(&mut chain, &sale), gross);
}

#[test]
fn fees_have_caps_and_an_owner() {
    let mut chain = charging();
    let dear = Sale {
        integrator: (501, FRIEND),
        ..one()
    };
    chain.refuses(BOB, &dear.call(), "Integrator fees are too high");
    let buying = dear.buying(U256::from(E18 / 2), dear.amount);
    chain.refuses(BOB, &buying, "Integrator fees are too high");
    for call in set_fees_calls([101, 101, 101]) {
        chain.refuses(DEPLOYER, &call, "Fees are too high");
    }
    let mut calls = set_fees_calls([100, 100, 100]).to_vec();
    calls.push(set_recipient_call(BOB));
    calls.push(set_weight_call(ETH, 1));
    calls.push(call(
        EXCHANGE,
        "set_whitelisted_integrator",
        &[BOB, Felt::ONE],
    ));
    for call in &calls {
        chain.refuses(BOB, call, "Caller is not the owner");
        assert_eq!(chain.run(DEPLOYER, call).0, [Felt::ONE]);
    }
    for name in [
        "get_fees_bps_0",
        "get_fees_bps_1",
        "get_swap_exact_token_to_fees_bps",
    ] {
        assert_eq!(chain.view(EXCHANGE, name, &[]), [Felt::from(100)]);
    }
    assert_eq!(chain.view(EXCHANGE, "get_fees_recipient", &[]), [BOB]);
    assert_eq!(chain.view(EXCHANGE, "get_owner", &[]), [DEPLOYER]);
    let of = |name, who| chain.view(EXCHANGE, name, &[who]);
    assert_eq!(of("get_token_fee_config", ETH), [Felt::ONE]);
    assert_eq!(of("get_token_fee_config", DAI), [Felt::ZERO]);
    assert_eq!(of("is_integrator_whitelisted", BOB), [Felt::ONE]);
    assert_eq!(of("is_integrator_whitelisted", ALICE), [Felt::ZERO]);
}
