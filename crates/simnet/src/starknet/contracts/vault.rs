//! Liquid staking: deposits of a token for shares of all deposits. What is paid
//! in besides makes every share worth more.

use super::arithmetic::{div, ensure, mul};
use super::erc20::{self, Erc20, Fashion, TOTAL_SUPPLY, balance_of, collect};
use crate::starknet::class::{
    ADDRESS, BYTE_ARRAY, Class, EventSignature, Interface, Typed, U256 as U256_TYPE,
};
use crate::starknet::contract::{Calldata, Contract, Env, Function, Kind, halves};
use crate::starknet::execution::Contracts;
use crate::starknet::failure::{Returned, Revert};
use crate::starknet::network::STRK;
#[cfg(test)]
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
    Entrypoint::external("deposit_with_referral", &[("assets", U256_TYPE), ("receiver", ADDRESS), ("referral", BYTE_ARRAY)], &[U256_TYPE], Vault::deposit_with_referral),
];

const DEPOSITED: EventSignature = EventSignature {
    name: "Deposit",
    keys: &[("sender", ADDRESS), ("owner", ADDRESS)],
    data: &[("assets", U256_TYPE), ("shares", U256_TYPE)],
};

static KIND: LazyLock<Kind<Vault>> = LazyLock::new(|| {
    let interface = Interface {
        functions: &erc20::share_signatures(Fashion::Modern),
        events: &[erc20::events(Fashion::Modern), &[DEPOSITED]].concat(),
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

/// Where the network's vault of staked STRK is.
const STAKED_STRK: Felt = Felt::from_hex_unchecked("0x73746f615f7661756c745f7374726b");

/// Puts the network's vault where it belongs.
pub(crate) fn install(contracts: &mut Contracts) {
    let vault = Vault::new(STRK, "Stoa Staked STRK", "sSTRK");
    contracts.insert(STAKED_STRK, Arc::new(vault));
}

/// Deposits an amount, of which the vault may spend as much.
#[cfg(test)]
pub(crate) fn deposit_call(vault: Felt, assets: U256, to: Felt) -> Call {
    let mut calldata = halves(assets).to_vec();
    calldata.push(to);
    Call {
        to: vault,
        selector: selector("deposit"),
        calldata,
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
        // Whoever referred is of no consequence here.
        let (_words, _pending, _length) = (calldata.felts()?, calldata.felt()?, calldata.felt()?);
        self.take(env, assets, to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::starknet::contracts::erc20::transfer_call;
    use crate::starknet::contracts::lab::{ALICE, BOB, ETH, Lab, call, event, numbers};
    use crate::starknet::contracts::text::byte_array;
    use std::sync::Arc;

    #[test]
    fn deposits_buy_shares_at_the_rate_of_all() {
        let place = Felt::from(0x777);
        let vault = Vault::new(ETH, "Staked Ether", "sETH");
        let mut lab = Lab::new(|contracts| contracts.insert(place, Arc::new(vault)));
        for person in [ALICE, BOB] {
            lab.approve(person, place, &[ETH]);
        }
        assert_eq!(lab.view(place, "asset", &[]), [ETH]);
        let (shares, events) = lab.run(ALICE, &deposit_call(place, U256::from(1_000), ALICE));
        assert_eq!(numbers(&shares), [U256::from(1_000)]);
        let deposit = event(&events, "Deposit");
        assert_eq!((deposit.keys.len(), deposit.data.len()), (3, 4));
        // A reward of a half: a share is worth one and a half.
        lab.run(BOB, &transfer_call(ETH, place, U256::from(500)));
        let [low, high] = halves(U256::from(100));
        let quoted = lab.number(place, "preview_deposit", &[low, high]);
        assert_eq!(quoted, U256::from(66));
        let referral = [vec![low, high, BOB], byte_array("code")].concat();
        let (shares, _) = lab.run(BOB, &call(place, "deposit_with_referral", &referral));
        assert_eq!(numbers(&shares), [quoted]);
        assert_eq!(lab.balance(place, BOB), quoted);
        assert_eq!(lab.number(place, "total_supply", &[]), U256::from(1_066));
        assert_eq!(lab.number(place, "total_assets", &[]), U256::from(1_600));
        let dust = deposit_call(place, U256::ONE, BOB);
        lab.refuses(BOB, &dust, "ZERO_SHARES");
        lab.run(BOB, &transfer_call(place, ALICE, quoted));
    }
}
