//! Fungible tokens, of the older and of the newer fashion.

use crate::starknet::contract::{
    Calldata, Contract, Entrypoint, Entrypoints, Env, Returned, Revert, halves,
};
use crate::starknet::hash::digest;
use crate::starknet::state::Key;
use crate::starknet::transaction::Call;
use primitives::{Felt, U256, selector, short_string};
use std::sync::LazyLock;

const BALANCES: &str = "balances";
const ALLOWANCES: &str = "allowances";
const TOTAL_SUPPLY: &str = "total_supply";

static TRANSFER_EVENT: LazyLock<Felt> = LazyLock::new(|| selector("Transfer"));
static APPROVAL_EVENT: LazyLock<Felt> = LazyLock::new(|| selector("Approval"));

static LEGACY: LazyLock<Entrypoints<Erc20>> = LazyLock::new(|| Entrypoints::new(&CAMEL_CASE));
static MODERN: LazyLock<Entrypoints<Erc20>> = LazyLock::new(|| {
    let both: Vec<_> = CAMEL_CASE.iter().chain(&SNAKE_CASE).copied().collect();
    Entrypoints::new(&both)
});

const CAMEL_CASE: [(&str, Entrypoint<Erc20>); 10] = [
    ("name", Erc20::name),
    ("symbol", Erc20::symbol),
    ("decimals", Erc20::decimals),
    ("totalSupply", Erc20::total_supply),
    ("balanceOf", Erc20::balance_of),
    ("allowance", Erc20::allowance),
    ("transfer", Erc20::transfer),
    ("transferFrom", Erc20::transfer_from),
    ("approve", Erc20::approve),
    ("permissionedMint", Erc20::permissioned_mint),
];

const SNAKE_CASE: [(&str, Entrypoint<Erc20>); 4] = [
    ("total_supply", Erc20::total_supply),
    ("balance_of", Erc20::balance_of),
    ("transfer_from", Erc20::transfer_from),
    ("permissioned_mint", Erc20::permissioned_mint),
];

static TRANSFER: LazyLock<Felt> = LazyLock::new(|| selector("transfer"));
static APPROVE: LazyLock<Felt> = LazyLock::new(|| selector("approve"));
static MINT: LazyLock<Felt> = LazyLock::new(|| selector("permissionedMint"));

/// The variable that holds how much of `token` belongs to `owner`.
pub(crate) fn balance_key(token: Felt, owner: Felt) -> Key {
    Key::new(token, BALANCES, &[owner])
}

/// A call that transfers.
pub(crate) fn transfer_call(token: Felt, to: Felt, amount: U256) -> Call {
    call(token, *TRANSFER, to, amount)
}

/// A call that lets `spender` spend.
pub(crate) fn approve_call(token: Felt, spender: Felt, amount: U256) -> Call {
    call(token, *APPROVE, spender, amount)
}

/// A call that mints, if the minter makes it.
pub(crate) fn mint_call(token: Felt, to: Felt, amount: U256) -> Call {
    call(token, *MINT, to, amount)
}

fn call(token: Felt, selector: Felt, party: Felt, amount: U256) -> Call {
    let [low, high] = halves(amount);
    Call {
        to: token,
        selector,
        calldata: vec![party, low, high],
    }
}

/// How a token is written: contracts of the first years put the parties of a
/// transfer into the event's data and know only `camelCase` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fashion {
    Legacy,
    Modern,
}

/// A token. Its metadata are stored as the elements that are returned, so that
/// a hostile token can return anything, or revert.
#[derive(Debug)]
pub(crate) struct Erc20 {
    pub(crate) name: Returned,
    pub(crate) symbol: Returned,
    pub(crate) decimals: Returned,
    pub(crate) fashion: Fashion,
    /// Who may mint.
    pub(crate) minter: Felt,
}

impl Contract for Erc20 {
    fn class_hash(&self) -> Felt {
        let class = match self.fashion {
            Fashion::Legacy => "ERC20 legacy",
            Fashion::Modern => "ERC20",
        };
        digest("CLASS", &[short_string(class)])
    }

    fn call(&self, env: &mut Env<'_, '_>, selector: Felt, calldata: &[Felt]) -> Option<Returned> {
        let entrypoints = match self.fashion {
            Fashion::Legacy => &LEGACY,
            Fashion::Modern => &MODERN,
        };
        entrypoints.run(self, env, selector, calldata)
    }
}

#[expect(
    clippy::unused_self,
    clippy::unnecessary_wraps,
    reason = "the shape of all entrypoints"
)]
impl Erc20 {
    fn name(&self, _: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        self.name.clone()
    }

    fn symbol(&self, _: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        self.symbol.clone()
    }

    fn decimals(&self, _: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        self.decimals.clone()
    }

    fn total_supply(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        Ok(halves(env.read(TOTAL_SUPPLY, &[])).to_vec())
    }

    fn balance_of(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let owner = calldata.felt()?;
        Ok(halves(env.read(BALANCES, &[owner])).to_vec())
    }

    fn allowance(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (owner, spender) = (calldata.felt()?, calldata.felt()?);
        Ok(halves(env.read(ALLOWANCES, &[owner, spender])).to_vec())
    }

    fn transfer(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (to, amount) = (calldata.felt()?, calldata.u256()?);
        self.move_balance(env, env.caller(), to, amount)?;
        Ok(vec![Felt::ONE])
    }

    fn transfer_from(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (from, to, amount) = (calldata.felt()?, calldata.felt()?, calldata.u256()?);
        let args = [from, env.caller()];
        let allowed = env.read(ALLOWANCES, &args);
        // An allowance of everything is never used up.
        if allowed != U256::MAX {
            let left = allowed
                .checked_sub(amount)
                .ok_or_else(|| Revert::new("ERC20: insufficient allowance"))?;
            env.write(ALLOWANCES, &args, left);
        }
        self.move_balance(env, from, to, amount)?;
        Ok(vec![Felt::ONE])
    }

    fn approve(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (spender, amount) = (calldata.felt()?, calldata.u256()?);
        let owner = env.caller();
        if spender == Felt::ZERO {
            return Err(Revert::new("ERC20: approve to 0"));
        }
        env.write(ALLOWANCES, &[owner, spender], amount);
        self.emit(env, *APPROVAL_EVENT, owner, spender, amount);
        Ok(vec![Felt::ONE])
    }

    fn permissioned_mint(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (to, amount) = (calldata.felt()?, calldata.u256()?);
        if env.caller() != self.minter {
            return Err(Revert::new("MINTER_ONLY"));
        }
        let supply = env
            .read(TOTAL_SUPPLY, &[])
            .checked_add(amount)
            .ok_or_else(|| Revert::new("u256_add Overflow"))?;
        env.write(TOTAL_SUPPLY, &[], supply);
        self.credit(env, to, amount)?;
        self.emit(env, *TRANSFER_EVENT, Felt::ZERO, to, amount);
        Ok(vec![])
    }

    fn move_balance(
        &self,
        env: &mut Env<'_, '_>,
        from: Felt,
        to: Felt,
        amount: U256,
    ) -> Result<(), Revert> {
        if from == Felt::ZERO {
            return Err(Revert::new("ERC20: transfer from 0"));
        }
        let left = env
            .read(BALANCES, &[from])
            .checked_sub(amount)
            .ok_or_else(|| Revert::new("ERC20: insufficient balance"))?;
        env.write(BALANCES, &[from], left);
        self.credit(env, to, amount)?;
        self.emit(env, *TRANSFER_EVENT, from, to, amount);
        Ok(())
    }

    fn credit(&self, env: &mut Env<'_, '_>, to: Felt, amount: U256) -> Result<(), Revert> {
        if to == Felt::ZERO {
            return Err(Revert::new("ERC20: transfer to 0"));
        }
        let balance = env
            .read(BALANCES, &[to])
            .checked_add(amount)
            .ok_or_else(|| Revert::new("u256_add Overflow"))?;
        env.write(BALANCES, &[to], balance);
        Ok(())
    }

    fn emit(&self, env: &mut Env<'_, '_>, event: Felt, a: Felt, b: Felt, amount: U256) {
        let [low, high] = halves(amount);
        match self.fashion {
            Fashion::Legacy => env.emit(&[event], &[a, b, low, high]),
            Fashion::Modern => env.emit(&[event, a, b], &[low, high]),
        }
    }
}
