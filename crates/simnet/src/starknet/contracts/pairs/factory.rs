//! The factory of a venue: creates its pairs and knows them all.

use super::pair_id::PairId;
use super::rules::{Case, Path, Rules, Setter};
use crate::starknet::class::{
    ADDRESS, ADDRESSES, BOOL, Class, EventSignature, FELT, Interface, Typed, U8, U32, U128,
};
use crate::starknet::contract::{Calldata, Contract, Env, Function, Kind};
use crate::starknet::contracts::arithmetic::ensure;
use crate::starknet::failure::{Returned, Revert};
use crate::starknet::hash::{digest, felt, from_felt};
use crate::starknet::network::DEPLOYER;
use crate::starknet::state::Variable;
use crate::starknet::transaction::Call;
use primitives::{Felt, U256, selector};

const PAIRS: Variable = Variable::felt("_all_pairs");
const COUNT: Variable = Variable::felt("_num_of_pairs");
const PAIR: Variable = Variable::felt("_pair");

type Entrypoint = Function<Factory>;

pub(super) fn kind(rules: &Rules) -> Kind<Factory> {
    let interface = Interface {
        events: &events(rules.path),
        ..Interface::default()
    };
    let name = format!("{} factory", rules.name);
    Kind::new(&name, &functions(rules), interface)
}

/// The arguments that name a pair.
pub(super) fn id_inputs(path: Path) -> &'static [Typed] {
    const TOKEN_A: Typed = ("tokenA", ADDRESS);
    const TOKEN_B: Typed = ("tokenB", ADDRESS);
    match path {
        Path::Tokens => &[TOKEN_A, TOKEN_B],
        Path::Stable => &[TOKEN_A, TOKEN_B, ("stable", BOOL)],
        Path::Tiered => &[TOKEN_A, TOKEN_B, ("stable", BOOL), ("feeTier", U8)],
        Path::Pairs => &[TOKEN_A, TOKEN_B, ("swap_fee", U128)],
    }
}

#[rustfmt::skip]
fn functions(rules: &Rules) -> Vec<Entrypoint> {
    let id = id_inputs(rules.path);
    let name = |snake, camel| rules.case.name(snake, camel);
    let mut functions = vec![
        Entrypoint::external(name("create_pair", "createPair"), id, &[ADDRESS], Factory::create_pair),
        Entrypoint::view(name("get_pair", "getPair"), id, &[ADDRESS], Factory::get_pair),
    ];
    let lists = match (rules.case, rules.path) {
        (Case::Camel, _) => vec![
            Entrypoint::view("allPairs", &[("index", FELT)], &[ADDRESS], Factory::pair_at),
            Entrypoint::view("allPairsLength", &[], &[FELT], Factory::count),
        ],
        (Case::Snake, Path::Tiered) => vec![
            Entrypoint::view("all_pairs", &[], &["(core::integer::u32, core::array::Array::<core::starknet::contract_address::ContractAddress>)"], Factory::count_and_pairs),
            Entrypoint::view("all_pairs_length", &[], &[FELT], Factory::count),
            Entrypoint::view("get_fee", &[("pair", ADDRESS)], &[FELT], Factory::get_fee),
            Entrypoint::external("set_pair_fee", &[("pair", ADDRESS), ("fee", U8)], &[], Factory::set_pair_fee),
        ],
        (Case::Snake, Path::Pairs) => vec![
            Entrypoint::view("all_pairs", &[], &[ADDRESSES], Factory::pairs),
        ],
        (Case::Snake, _) => vec![
            Entrypoint::view("get_all_pairs", &[], &[ADDRESSES], Factory::pairs),
            Entrypoint::view("get_num_of_pairs", &[], &[FELT], Factory::count),
        ],
    };
    functions.extend(lists);
    functions
}

#[rustfmt::skip]
fn events(path: Path) -> Vec<EventSignature> {
    const TOKENS: [Typed; 2] = [("token0", ADDRESS), ("token1", ADDRESS)];
    const PAIR: Typed = ("pair", ADDRESS);
    const TOTAL: Typed = ("total_pairs", FELT);
    const STABLE: Typed = ("stable", BOOL);
    const PLAIN: &[Typed] = &[TOKENS[0], TOKENS[1], PAIR, TOTAL];
    const OF_KIND: &[Typed] = &[TOKENS[0], TOKENS[1], STABLE, PAIR, TOTAL];
    const KEYS: &[Typed] = &[("tokenA", ADDRESS), ("tokenB", ADDRESS)];
    const OF_TIER: &[Typed] = &[PAIR, ("pair_count", U32), STABLE];
    let created = |data| EventSignature { name: "PairCreated", keys: &[], data };
    match path {
        Path::Tokens | Path::Pairs => vec![created(PLAIN)],
        Path::Stable => vec![created(OF_KIND)],
        Path::Tiered => vec![
            EventSignature { name: "PairCreated", keys: KEYS, data: OF_TIER },
            EventSignature { name: "SetPairFee", keys: &[PAIR, STABLE], data: &[("fee", U8)] },
        ],
    }
}

/// The factory of a venue.
#[derive(Debug)]
pub(super) struct Factory {
    pub(super) rules: &'static Rules,
    pub(super) kind: &'static Kind<Factory>,
    /// The class of the pairs that it deploys.
    pub(super) pair_class: Felt,
}

impl Contract for Factory {
    fn class(&self) -> &'static Class {
        &self.kind.class
    }

    fn call(&self, env: &mut Env<'_, '_>, selector: Felt, calldata: &[Felt]) -> Option<Returned> {
        self.kind.entrypoints.run(self, env, selector, calldata)
    }
}

/// What a pair is found by.
fn key(id: &PairId) -> Felt {
    let [token0, token1] = id.tokens;
    digest(
        "PAIR",
        &[token0, token1, Felt::from(id.stable), Felt::from(id.fee)],
    )
}

#[expect(
    clippy::unnecessary_wraps,
    clippy::unused_self,
    reason = "the shape of all entrypoints"
)]
impl Factory {
    fn create_pair(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let rules = self.rules;
        let words = &rules.words;
        let id = rules.read_id(calldata)?;
        let [token0, token1] = id.tokens;
        ensure(token0 != token1, words.same_token)?;
        ensure(token0 != Felt::ZERO, words.zero_token)?;
        let args = [key(&id)];
        ensure(env.read(PAIR, &args).is_zero(), words.pair_exists)?;
        let deployment = rules.deployment(&id, self.pair_class);
        let pair = env.deploy(deployment.class_hash, deployment.salt, &deployment.calldata)?;
        let count = env.read(COUNT, &[]);
        env.write(PAIRS, &[felt(count)], from_felt(pair));
        env.write(COUNT, &[], count.saturating_add(U256::ONE));
        env.write(PAIR, &args, from_felt(pair));
        let (stable, total) = (Felt::from(id.stable), felt(count.saturating_add(U256::ONE)));
        let name = selector("PairCreated");
        match rules.path {
            Path::Tokens | Path::Pairs => env.emit(&[name], &[token0, token1, pair, total]),
            Path::Stable => env.emit(&[name], &[token0, token1, stable, pair, total]),
            Path::Tiered => env.emit(&[name, token0, token1], &[pair, total, stable]),
        }
        Ok(vec![pair])
    }

    fn get_pair(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let id = self.rules.read_id(calldata)?;
        Ok(vec![felt(env.read(PAIR, &[key(&id)]))])
    }

    fn pair_at(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let index = calldata.felt()?;
        Ok(vec![felt(env.read(PAIRS, &[index]))])
    }

    fn count(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        Ok(vec![felt(env.read(COUNT, &[]))])
    }

    fn pairs(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        let count: u64 = env.read(COUNT, &[]).saturating_to();
        let mut returned = vec![Felt::from(count)];
        returned.extend((0..count).map(|index| felt(env.read(PAIRS, &[Felt::from(index)]))));
        Ok(returned)
    }

    fn count_and_pairs(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let mut returned = self.count(env, calldata)?;
        returned.extend(self.pairs(env, calldata)?);
        Ok(returned)
    }

    fn get_fee(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        env.call(&Call {
            to: calldata.felt()?,
            selector: selector("fee_tier"),
            calldata: Vec::new(),
        })
    }

    fn set_pair_fee(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (pair, fee) = (calldata.felt()?, calldata.felt()?);
        let rules = self.rules;
        let allowed = rules.setter == Setter::Factory && env.caller() == DEPLOYER;
        ensure(allowed, rules.words.not_owner)?;
        env.call(&Call {
            to: pair,
            selector: selector("set_fee"),
            calldata: vec![fee],
        })?;
        let is_stable = env.call(&Call {
            to: pair,
            selector: selector("is_stable"),
            calldata: Vec::new(),
        })?;
        let stable = Calldata::new(&is_stable).felt()?;
        env.emit(&[selector("SetPairFee"), pair, stable], &[fee]);
        Ok(vec![])
    }
}

/// The pair of `id`, of which the venue's factory knows.
pub(super) fn pair_of(env: &mut Env<'_, '_>, rules: &Rules, id: &PairId) -> Result<Felt, Revert> {
    let returned = env.call(&rules.get_pair_call(id))?;
    Calldata::new(&returned).felt()
}
