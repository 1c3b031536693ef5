//! What pairs show to the outside, each venue's with its own names and shapes.

use super::super::rules::{Case, Path, Reserves, Rules};
use super::Pair;
use crate::starknet::class::{
    ADDRESS, BOOL, CLASS_HASH, EventSignature, FELT, FELTS, Interface, Typed, U8, U128,
    U256 as U256_TYPE,
};
use crate::starknet::contract::{Function, Kind};
use crate::starknet::contracts::erc20;

type Entrypoint = Function<Pair>;

const CONSTRUCTOR: &[Typed] = &[
    ("token0", ADDRESS),
    ("token1", ADDRESS),
    ("stable", BOOL),
    ("fee", FELT),
];

pub(in super::super) fn kind(rules: &Rules) -> Kind<Pair> {
    let (_, _, fashion) = rules.share;
    let interface = Interface {
        constructor: Some(CONSTRUCTOR),
        functions: &erc20::share_signatures(fashion),
        events: &[erc20::events(fashion), &events(rules)].concat(),
        ..Interface::default()
    };
    let name = format!("{} pair", rules.name);
    Kind::new(&name, &functions(rules), interface)
}

#[rustfmt::skip]
fn functions(rules: &Rules) -> Vec<Entrypoint> {
    const TO: &[Typed] = &[("to", ADDRESS)];
    const SWAP: &[Typed] = &[("amount0Out", U256_TYPE), ("amount1Out", U256_TYPE), ("to", ADDRESS)];
    const SWAP_WITH_DATA: &[Typed] =
        &[("amount0Out", U256_TYPE), ("amount1Out", U256_TYPE), ("to", ADDRESS), ("data", FELTS)];
    let name = |snake, camel| rules.case.name(snake, camel);
    let reserves: &[&str] = match rules.reserves {
        Reserves::Timed => &["(core::integer::u256, core::integer::u256, core::integer::u64)"],
        Reserves::Plain => &["(core::integer::u256, core::integer::u256)"],
        Reserves::Narrow => &["(core::felt252, core::felt252, core::felt252)"],
    };
    let swap = if rules.calls_back { SWAP_WITH_DATA } else { SWAP };
    let [token0, token1] = match rules.path {
        Path::Tokens | Path::Tiered => ["token0", "token1"],
        Path::Stable => ["getToken0", "getToken1"],
        Path::Pairs => ["token_0", "token_1"],
    };
    let mut functions = vec![
        Entrypoint::view("factory", &[], &[ADDRESS], Pair::factory),
        Entrypoint::view(token0, &[], &[ADDRESS], Pair::token0),
        Entrypoint::view(token1, &[], &[ADDRESS], Pair::token1),
        Entrypoint::view(name("get_reserves", "getReserves"), &[], reserves, Pair::get_reserves),
        Entrypoint::external("mint", TO, &[U256_TYPE], Pair::mint),
        Entrypoint::external("burn", TO, &["(core::integer::u256, core::integer::u256)"], Pair::burn),
        Entrypoint::external("swap", swap, &[], Pair::swap),
        Entrypoint::external("sync", &[], &[], Pair::sync),
    ];
    if (rules.case, rules.path) == (Case::Snake, Path::Tokens) {
        const CLASS: &[Typed] = &[("new_implementation_class", CLASS_HASH)];
        let name = "replace_implementation_class";
        functions.push(Entrypoint::external(name, CLASS, &[], Pair::replace_implementation_class));
    }
    functions.extend(own_functions(rules.path));
    functions
}

/// What only pairs of one venue have.
#[rustfmt::skip]
fn own_functions(path: Path) -> Vec<Entrypoint> {
    const SOLD: &[Typed] = &[("amountIn", U256_TYPE), ("tokenIn", ADDRESS)];
    const GIVEN_IN: &[Typed] = &[("amount_in", U256_TYPE), ("first_token_in", BOOL)];
    const GIVEN_OUT: &[Typed] = &[("amount_out", U256_TYPE), ("first_token_in", BOOL)];
    match path {
        Path::Tokens => vec![],
        Path::Stable => vec![
            Entrypoint::view("getStable", &[], &[BOOL], Pair::stable),
            Entrypoint::view("fee0", &[], &[FELT], Pair::fee0),
            Entrypoint::view("fee1", &[], &[FELT], Pair::fee1),
            Entrypoint::view("getAmountOut", SOLD, &[U256_TYPE], Pair::get_amount_out),
            Entrypoint::external("setFees", &[("fee0", FELT), ("fee1", FELT)], &[], Pair::set_fees),
        ],
        Path::Tiered => vec![
            Entrypoint::view("is_stable", &[], &[BOOL], Pair::stable),
            Entrypoint::view("fee_tier", &[], &[U8], Pair::fee0),
            Entrypoint::view("fee_vault", &[], &[ADDRESS], Pair::fee_vault),
            Entrypoint::view("snapshot", &[], &["(core::starknet::contract_address::ContractAddress, core::starknet::contract_address::ContractAddress, core::integer::u256, core::integer::u256, core::integer::u256, core::integer::u256, core::bool)"], Pair::snapshot),
            Entrypoint::view("get_amount_out", SOLD, &[U256_TYPE], Pair::get_amount_out),
            Entrypoint::view("get_amount_in", &[("amountOut", U256_TYPE), ("tokenIn", ADDRESS)], &[U256_TYPE], Pair::get_amount_in),
            Entrypoint::external("set_fee", &[("fee", FELT)], &[], Pair::set_fee),
        ],
        Path::Pairs => vec![
            Entrypoint::view("swap_fee", &[], &[U128], Pair::fee0),
            Entrypoint::view("out_given_in", GIVEN_IN, &[U256_TYPE], Pair::out_given_in),
            Entrypoint::view("in_given_out", GIVEN_OUT, &[U256_TYPE], Pair::in_given_out),
            Entrypoint::external("set_swap_fee", &[("swap_fee", U128)], &[], Pair::set_fee),
        ],
    }
}

fn events(rules: &Rules) -> Vec<EventSignature> {
    const SENDER: &[Typed] = &[("sender", ADDRESS)];
    const PARTIES: &[Typed] = &[("sender", ADDRESS), ("to", ADDRESS)];
    const AMOUNTS: &[Typed] = &[("amount0", U256_TYPE), ("amount1", U256_TYPE)];
    const SWAPPED: &[Typed] = &[
        ("amount0In", U256_TYPE),
        ("amount1In", U256_TYPE),
        ("amount0Out", U256_TYPE),
        ("amount1Out", U256_TYPE),
    ];
    const MINT: &[Typed] = &[
        ("sender", ADDRESS),
        ("amount0", U256_TYPE),
        ("amount1", U256_TYPE),
    ];
    const BURN: &[Typed] = &[
        ("sender", ADDRESS),
        ("amount0", U256_TYPE),
        ("amount1", U256_TYPE),
        ("to", ADDRESS),
    ];
    const SWAP: &[Typed] = &[
        ("sender", ADDRESS),
        ("amount0In", U256_TYPE),
        ("amount1In", U256_TYPE),
        ("amount0Out", U256_TYPE),
        ("amount1Out", U256_TYPE),
        ("to", ADDRESS),
    ];
    const WIDE: &[Typed] = &[("reserve0", U256_TYPE), ("reserve1", U256_TYPE)];
    const NARROW: &[Typed] = &[("reserve0", FELT), ("reserve1", FELT)];
    let [minted, burned] = rules.liquidity_events;
    let event = |name, keys, data| EventSignature { name, keys, data };
    let sync = match rules.reserves {
        Reserves::Timed | Reserves::Plain => WIDE,
        Reserves::Narrow => NARROW,
    };
    if rules.keyed {
        vec![
            event(minted, SENDER, AMOUNTS),
            event(burned, PARTIES, AMOUNTS),
            event("Swap", PARTIES, SWAPPED),
            event("Sync", &[], sync),
        ]
    } else {
        vec![
            event(minted, &[], MINT),
            event(burned, &[], BURN),
            event("Swap", &[], SWAP),
            event("Sync", &[], sync),
        ]
    }
}
