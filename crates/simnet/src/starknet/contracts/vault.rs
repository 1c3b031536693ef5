//! Liquid staking: deposits of a token for shares of all deposits. What is paid
//! in besides makes every share worth more, rewards after a fee.

use super::arithmetic::{div, ensure, mul};
use super::erc20::{self, Erc20, Fashion, TOTAL_SUPPLY, balance_of, collect, transfer_call};
use super::text::byte_array;
use crate::starknet::class::{
    ADDRESS, BYTE_ARRAY, Class, EventSignature, Interface, Typed, U256 as U256_TYPE,
};
use crate::starknet::contract::{Calldata, Contract, Env, Function, Kind, halves};
use crate::starknet::execution::Contracts;
use crate::starknet::failure::{Returned, Revert};
use crate::starknet::network::STRK;
use crate::starknet::transaction::Call;
use primitives::{Felt, U256, selector};
use std::sync::{Arc, LazyLock};

type Entrypoint = Function<Vault>;

const ASSETS: &[Typed] = &[("assets", U256_TYPE)];

#[rustfmt::skip]
const FUNCTIONS: &[Entrypoint] = &[
    Entrypoint::view("asset", &[], &[ADDRESS], Vault::asset),
    Entrypoint::view("total_assets", &[], &[U256_TYPE], Vault::total_assets),
    Entrypoint::view("convert_to_shares", ASSETS, &[U256_TYPE], Vault::convert_to_shares),
    Entrypoint::view("preview_deposit", ASSETS, &[U256_TYPE], Vault::convert_to_shares),
    Entrypoint::external("deposit", &[("assets", U256_TYPE), ("receiver", ADDRESS)], &[U256_TYPE], Vault::deposit),
    Entrypoint::external("add_rewards", ASSETS, &[], Vault::add_rewards),
    Entrypoint::external("deposit_with_referral", &[("assets", U256_TYPE), ("receiver", ADDRESS), ("referral", BYTE_ARRAY)], &[U256_TYPE], Vault::deposit_with_referral),
];

const DEPOSITED: EventSignature = EventSignature {
    name: "Deposit",
    keys: &[("sender", ADDRESS), ("owner", ADDRESS)],
    data: &[("assets", U256_TYPE), ("shares", U256_TYPE)],
};

const FEE: EventSignature = EventSignature {
    name: "Fee",
    keys: &[("token", ADDRESS), ("receiver", ADDRESS)],
    data: &[("amount", U256_TYPE)],
};

const REFERRAL: EventSignature = EventSignature {
    name: "Referral",
    keys: &[("referrer", BYTE_ARRAY), ("referee", ADDRESS)],
    data: &[("assets", U256_TYPE)],
};

static KIND: LazyLock<Kind<Vault>> = LazyLock::new(|| {
    let interface = Interface {
        functions: &erc20::share_signatures(Fashion::Modern),
        events: &[erc20::events(Fashion::Modern), &[DEPOSITED, FEE, REFERRAL]].concat(),
        ..Interface::default()
    };
    Kind::new("Staking vault", FUNCTIONS, interface)
});

/// A vault, which is also the token of its shares.
#[derive(Debug)]
pub(crate) struct Vault {
    asset: Felt,
    token: Erc20,
}

impl Contract for Vault {
    fn class(&self) -> &'static Class {
        &KIND.class
    }

    fn call(&self, env: &mut Env<'_, '_>, selector: Felt, calldata: &[Felt]) -> Option<Returned> {
        KIND.entrypoints
            .run(self, env, selector, calldata)
            .or_else(|| self.token.call_share(env, selector, calldata))
    }
}

/// Of a hundred units of rewards, so many are a fee.
const FEE_PERCENT: u64 = 15;

/// Who gets it.
const FEE_RECEIVER: Felt = Felt::from_hex_unchecked("0x73746f615f7661756c745f666565");

/// Where the network's vault of staked STRK is.
pub(crate) const STAKED_STRK: Felt = Felt::from_hex_unchecked("0x73746f615f7661756c745f7374726b");

/// Puts the network's vault where it belongs.
pub(crate) fn install(contracts: &mut Contracts) {
    let vault = Vault::new(STRK, "Stoa Staked STRK", "sSTRK");
    contracts.insert(STAKED_STRK, Arc::new(vault));
}

/// The class of vaults.
pub(crate) fn class_hash() -> Felt {
    KIND.class.hash
}

/// Deposits an amount, of which the vault may spend as much.
pub(crate) fn deposit_call(vault: Felt, assets: U256, to: Felt) -> Call {
    let mut calldata = halves(assets).to_vec();
    calldata.push(to);
    Call {
        to: vault,
        selector: selector("deposit"),
        calldata,
    }
}

/// Does so, and says who sent the depositor.
pub(crate) fn referred_deposit_call(vault: Felt, assets: U256, to: Felt, referrer: &str) -> Call {
    let mut call = deposit_call(vault, assets, to);
    call.selector = selector("deposit_with_referral");
    call.calldata.extend(byte_array(referrer));
    call
}

/// Pays in rewards, of which the vault may spend as much.
pub(crate) fn reward_call(vault: Felt, assets: U256) -> Call {
    Call {
        to: vault,
        selector: selector("add_rewards"),
        calldata: halves(assets).to_vec(),
    }
}

impl Vault {
    /// A vault of deposits of `asset`.
    pub(crate) fn new(asset: Felt, name: &str, symbol: &str) -> Self {
        Self {
            asset,
            token: Erc20::share(name, symbol, Fashion::Modern),
        }
    }

    fn held(&self, env: &mut Env<'_, '_>) -> Result<U256, Revert> {
        let own = env.address();
        balance_of(env, self.asset, own)
    }

    /// The shares that a deposit is worth, rounded down; the first is worth
    /// itself.
    fn worth(&self, env: &mut Env<'_, '_>, assets: U256) -> Result<U256, Revert> {
        let supply = env.read(TOTAL_SUPPLY, &[]);
        if supply.is_zero() {
            return Ok(assets);
        }
        let held = self.held(env)?;
        div(mul(assets, supply)?, held)
    }

    fn take(&self, env: &mut Env<'_, '_>, assets: U256, to: Felt) -> Returned {
        let shares = self.worth(env, assets)?;
        ensure(!shares.is_zero(), "ZERO_SHARES")?;
        let (from, own) = (env.caller(), env.address());
        collect(env, self.asset, (from, own), assets)?;
        self.token.mint(env, to, shares)?;
        let data = [assets, shares].map(halves).concat();
        env.emit(&[selector("Deposit"), from, to], &data);
        Ok(halves(shares).to_vec())
    }

    #[expect(clippy::unnecessary_wraps, reason = "the shape of all entrypoints")]
    fn asset(&self, _: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        Ok(vec![self.asset])
    }

    fn total_assets(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        Ok(halves(self.held(env)?).to_vec())
    }

    fn convert_to_shares(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let assets = calldata.u256()?;
        Ok(halves(self.worth(env, assets)?).to_vec())
    }

    fn deposit(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (assets, to) = (calldata.u256()?, calldata.felt()?);
        self.take(env, assets, to)
    }

    fn deposit_with_referral(
        &self,
        env: &mut Env<'_, '_>,
        calldata: &mut Calldata<'_>,
    ) -> Returned {
        let (assets, to) = (calldata.u256()?, calldata.felt()?);
        let words = calldata.felts()?.to_vec();
        let [pending, length] = [calldata.felt()?, calldata.felt()?];
        let shares = self.take(env, assets, to)?;
        let referrer = [vec![Felt::from(words.len())], words, vec![pending, length]].concat();
        let keys = [vec![selector("Referral")], referrer, vec![to]].concat();
        env.emit(&keys, &halves(assets));
        Ok(shares)
    }

    fn add_rewards(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let assets = calldata.u256()?;
        let (from, own) = (env.caller(), env.address());
        collect(env, self.asset, (from, own), assets)?;
        let fee = div(mul(assets, U256::from(FEE_PERCENT))?, U256::from(100))?;
        env.call(&transfer_call(self.asset, FEE_RECEIVER, fee))?;
        let keys = [selector("Fee"), self.asset, FEE_RECEIVER];
        env.emit(&keys, &halves(fee));
        Ok(Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::starknet::contracts::test_chain::{ALICE, BOB, ETH, TestChain, event, numbers};

    #[test]
    fn deposits_buy_shares_at_the_rate_of_all() {
        let place = Felt::from(0x777);
        let vault = Vault::new(ETH, "Staked Ether", "sETH");
        let mut chain = TestChain::new(|contracts| contracts.insert(place, Arc::new(vault)));
        for person in [ALICE, BOB] {
            chain.approve(person, place, &[ETH]);
        }
        assert_eq!(chain.view(place, "asset", &[]), [ETH]);
        let (shares, events) = chain.run(ALICE, &deposit_call(place, U256::from(1_000), ALICE));
        assert_eq!(numbers(&shares), [U256::from(1_000)]);
        let deposit = event(&events, "Deposit");
        assert_eq!((deposit.keys.len(), deposit.data.len()), (3, 4));
        // A reward of a half: a share is worth one and a half.
        chain.run(BOB, &transfer_call(ETH, place, U256::from(500)));
        let [low, high] = halves(U256::from(100));
        let quoted = chain.number(place, "preview_deposit", &[low, high]);
        assert_eq!(quoted, U256::from(66));
        let referred = referred_deposit_call(place, U256::from(100), BOB, "code");
        let (shares, events) = chain.run(BOB, &referred);
        assert_eq!(numbers(&shares), [quoted]);
        let referral = event(&events, "Referral");
        assert_eq!((referral.keys.len(), referral.data.len()), (5, 2));
        assert_eq!(chain.balance(place, BOB), quoted);
        assert_eq!(chain.number(place, "total_supply", &[]), U256::from(1_066));
        assert_eq!(chain.number(place, "total_assets", &[]), U256::from(1_600));
        let dust = deposit_call(place, U256::ONE, BOB);
        chain.refuses(BOB, &dust, "ZERO_SHARES");
        chain.run(BOB, &transfer_call(place, ALICE, quoted));
    }

    #[test]
    fn rewards_are_everybody_s_after_a_fee() {
        let place = Felt::from(0x777);
        let vault = Vault::new(ETH, "Staked Ether", "sETH");
        let mut chain = TestChain::new(|contracts| contracts.insert(place, Arc::new(vault)));
        chain.approve(ALICE, place, &[ETH]);
        chain.run(ALICE, &deposit_call(place, U256::from(1_000), ALICE));
        let (_, events) = chain.run(ALICE, &reward_call(place, U256::from(106)));
        let fee = event(&events, "Fee");
        assert_eq!(fee.keys[1..], [ETH, FEE_RECEIVER]);
        assert_eq!(numbers(&fee.data), [U256::from(15)]);
        assert_eq!(chain.balance(ETH, FEE_RECEIVER), U256::from(15));
        assert_eq!(chain.number(place, "total_assets", &[]), U256::from(1_091));
        assert_eq!(chain.number(place, "total_supply", &[]), U256::from(1_000));
    }
}
