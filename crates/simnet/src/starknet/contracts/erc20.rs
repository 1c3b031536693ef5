//! Fungible tokens, of the older and of the newer fashion.

use super::manner::Manner;
use super::text::Text;
use crate::starknet::class::{
    ADDRESS, BOOL, BYTE_ARRAY, Class, EventSignature, FELT, Interface, Signature, Typed, U8,
    U256 as U256_TYPE,
};
use crate::starknet::contract::{Calldata, Contract, Entrypoints, Env, Function, Kind, halves};
use crate::starknet::failure::{Returned, Revert};
use crate::starknet::state::{Key, Variable};
use crate::starknet::transaction::Call;
use primitives::{Felt, U256, selector};
use std::sync::LazyLock;

const BALANCES: Variable = Variable::u256("ERC20_balances");
const ALLOWANCES: Variable = Variable::u256("ERC20_allowances");
pub(crate) const TOTAL_SUPPLY: Variable = Variable::u256("ERC20_total_supply");

static TRANSFER_EVENT: LazyLock<Felt> = LazyLock::new(|| selector("Transfer"));
static APPROVAL_EVENT: LazyLock<Felt> = LazyLock::new(|| selector("Approval"));

type Entrypoint = Function<Erc20>;

const NAMES: [&[Entrypoint]; 2] = [
    &[
        Entrypoint::view("name", &[], &[FELT], Erc20::name),
        Entrypoint::view("symbol", &[], &[FELT], Erc20::symbol),
    ],
    &[
        Entrypoint::view("name", &[], &[BYTE_ARRAY], Erc20::name),
        Entrypoint::view("symbol", &[], &[BYTE_ARRAY], Erc20::symbol),
    ],
];

const PAYMENT: &[Typed] = &[("recipient", ADDRESS), ("amount", U256_TYPE)];
const COLLECTION: &[Typed] = &[
    ("sender", ADDRESS),
    ("recipient", ADDRESS),
    ("amount", U256_TYPE),
];
const MINTING: &[Typed] = &[("account", ADDRESS), ("amount", U256_TYPE)];
const ACCOUNT: &[Typed] = &[("account", ADDRESS)];

#[rustfmt::skip]
const CAMEL_CASE: &[Entrypoint] = &[
    Entrypoint::view("decimals", &[], &[U8], Erc20::decimals),
    Entrypoint::view("totalSupply", &[], &[U256_TYPE], Erc20::total_supply),
    Entrypoint::view("balanceOf", ACCOUNT, &[U256_TYPE], Erc20::balance_of),
    Entrypoint::view("allowance", &[("owner", ADDRESS), ("spender", ADDRESS)], &[U256_TYPE], Erc20::allowance),
    Entrypoint::external("transfer", PAYMENT, &[BOOL], Erc20::transfer),
    Entrypoint::external("transferFrom", COLLECTION, &[BOOL], Erc20::transfer_from),
    Entrypoint::external("approve", &[("spender", ADDRESS), ("amount", U256_TYPE)], &[BOOL], Erc20::approve),
];

const SNAKE_CASE: &[Entrypoint] = &[
    Entrypoint::view("total_supply", &[], &[U256_TYPE], Erc20::total_supply),
    Entrypoint::view("balance_of", ACCOUNT, &[U256_TYPE], Erc20::balance_of),
    Entrypoint::external("transfer_from", COLLECTION, &[BOOL], Erc20::transfer_from),
];

/// What a token that somebody may mint has in addition.
const MINTED: [&[Entrypoint]; 2] = [
    &[Entrypoint::external(
        "permissionedMint",
        MINTING,
        &[],
        Erc20::permissioned_mint,
    )],
    &[
        Entrypoint::external("permissionedMint", MINTING, &[], Erc20::permissioned_mint),
        Entrypoint::external("permissioned_mint", MINTING, &[], Erc20::permissioned_mint),
    ],
];

static LEGACY_SHORT: LazyLock<Kind<Erc20>> =
    LazyLock::new(|| kind("", Fashion::Legacy, Text::Short));
static LEGACY_BYTES: LazyLock<Kind<Erc20>> =
    LazyLock::new(|| kind("", Fashion::Legacy, Text::Bytes));
static MODERN_SHORT: LazyLock<Kind<Erc20>> =
    LazyLock::new(|| kind("", Fashion::Modern, Text::Short));
static MODERN_BYTES: LazyLock<Kind<Erc20>> =
    LazyLock::new(|| kind("", Fashion::Modern, Text::Bytes));

/// Tokens that do not arrive as they are sent are of the newer fashion.
static TAXED: LazyLock<Kind<Erc20>> =
    LazyLock::new(|| kind(" taxed", Fashion::Modern, Text::Bytes));
static TRAPPED: LazyLock<Kind<Erc20>> =
    LazyLock::new(|| kind(" trapped", Fashion::Modern, Text::Bytes));

static LEGACY_SHARE: LazyLock<Entrypoints<Erc20>> =
    LazyLock::new(|| Entrypoints::new(&functions(Fashion::Legacy, Text::Short)));
static MODERN_SHARE: LazyLock<Entrypoints<Erc20>> =
    LazyLock::new(|| Entrypoints::new(&functions(Fashion::Modern, Text::Short)));

/// What every token can do; nobody mints by calling these.
fn functions(fashion: Fashion, text: Text) -> Vec<Entrypoint> {
    let [short, bytes] = NAMES;
    let names = match text {
        Text::Short => short,
        Text::Bytes => bytes,
    };
    let more: &[Entrypoint] = match fashion {
        Fashion::Legacy => &[],
        Fashion::Modern => SNAKE_CASE,
    };
    [names, CAMEL_CASE, more].concat()
}

fn kind(manner: &str, fashion: Fashion, text: Text) -> Kind<Erc20> {
    let form = match text {
        Text::Short => "short",
        Text::Bytes => "long",
    };
    let [camel, both] = MINTED;
    let (minting, age) = match fashion {
        Fashion::Legacy => (camel, "legacy"),
        Fashion::Modern => (both, "modern"),
    };
    let interface = Interface {
        events: events(fashion),
        ..Interface::default()
    };
    let functions = [&functions(fashion, text), minting].concat();
    Kind::new(
        &format!("ERC20{manner} {age} {form}"),
        &functions,
        interface,
    )
}

/// The signatures of what contracts can do that are tokens besides.
pub(crate) fn share_signatures(fashion: Fashion) -> Vec<Signature> {
    let functions = functions(fashion, Text::Short);
    functions.iter().map(|entry| entry.signature).collect()
}

pub(crate) fn events(fashion: Fashion) -> &'static [EventSignature] {
    const TRANSFER: &[Typed] = &[("from", ADDRESS), ("to", ADDRESS)];
    const APPROVAL: &[Typed] = &[("owner", ADDRESS), ("spender", ADDRESS)];
    const VALUE: &[Typed] = &[("value", U256_TYPE)];
    match fashion {
        Fashion::Modern => &[
            EventSignature {
                name: "Transfer",
                keys: TRANSFER,
                data: VALUE,
            },
            EventSignature {
                name: "Approval",
                keys: APPROVAL,
                data: VALUE,
            },
        ],
        Fashion::Legacy => &[
            EventSignature {
                name: "Transfer",
                keys: &[],
                data: &[("from", ADDRESS), ("to", ADDRESS), ("value", U256_TYPE)],
            },
            EventSignature {
                name: "Approval",
                keys: &[],
                data: &[
                    ("owner", ADDRESS),
                    ("spender", ADDRESS),
                    ("value", U256_TYPE),
                ],
            },
        ],
    }
}

static TRANSFER: LazyLock<Felt> = LazyLock::new(|| selector("transfer"));
static APPROVE: LazyLock<Felt> = LazyLock::new(|| selector("approve"));
static MINT: LazyLock<Felt> = LazyLock::new(|| selector("permissionedMint"));
static TRANSFER_FROM: LazyLock<Felt> = LazyLock::new(|| selector("transferFrom"));
static BALANCE_OF: LazyLock<Felt> = LazyLock::new(|| selector("balanceOf"));

/// The variable that holds how much of `token` belongs to `owner`.
pub(crate) fn balance_key(token: Felt, owner: Felt) -> Key {
    Key::new(token, BALANCES, &[owner])
}

/// Whether a variable holds how much of a token belongs to somebody.
#[cfg(test)]
pub(crate) fn balances_of(key: &Key) -> bool {
    key.variable == BALANCES
}

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

/// Asks a token how much belongs to `owner`.
pub(crate) fn balance_of(env: &mut Env<'_, '_>, token: Felt, owner: Felt) -> Result<U256, Revert> {
    let returned = env.call(&Call {
        to: token,
        selector: *BALANCE_OF,
        calldata: vec![owner],
    })?;
    Calldata::new(&returned).u256()
}

/// Pays from the contract that is running.
pub(crate) fn pay(
    env: &mut Env<'_, '_>,
    token: Felt,
    to: Felt,
    amount: U256,
) -> Result<(), Revert> {
    env.call(&transfer_call(token, to, amount)).map(drop)
}

/// Moves what `from` allowed the running contract to spend.
pub(crate) fn collect(
    env: &mut Env<'_, '_>,
    token: Felt,
    (from, to): (Felt, Felt),
    amount: U256,
) -> Result<(), Revert> {
    let [low, high] = halves(amount);
    let call = Call {
        to: token,
        selector: *TRANSFER_FROM,
        calldata: vec![from, to, low, high],
    };
    env.call(&call).map(drop)
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
    /// The form of name and symbol that its class promises.
    pub(crate) text: Text,
    /// Who may mint.
    pub(crate) minter: Felt,
    pub(crate) manner: Manner,
}

impl Erc20 {
    /// The token that a contract is besides: shares of what it holds.
    pub(crate) fn share(name: &str, symbol: &str, fashion: Fashion) -> Self {
        let text = Text::Short;
        Self {
            name: Ok(text.encode(name)),
            symbol: Ok(text.encode(symbol)),
            decimals: Ok(vec![Felt::from(18)]),
            fashion,
            text,
            minter: Felt::ZERO,
            manner: Manner::Plain,
        }
    }

    /// Runs an entrypoint of a contract that is this token besides.
    pub(crate) fn call_share(
        &self,
        env: &mut Env<'_, '_>,
        selector: Felt,
        calldata: &[Felt],
    ) -> Option<Returned> {
        let entrypoints = match self.fashion {
            Fashion::Legacy => &LEGACY_SHARE,
            Fashion::Modern => &MODERN_SHARE,
        };
        entrypoints.run(self, env, selector, calldata)
    }

    fn kind(&self) -> &'static Kind<Self> {
        match self.manner {
            Manner::Plain => {}
            Manner::Taxed { .. } => return &TAXED,
            Manner::Trapped { .. } => return &TRAPPED,
        }
        match (self.fashion, self.text) {
            (Fashion::Legacy, Text::Short) => &LEGACY_SHORT,
            (Fashion::Legacy, Text::Bytes) => &LEGACY_BYTES,
            (Fashion::Modern, Text::Short) => &MODERN_SHORT,
            (Fashion::Modern, Text::Bytes) => &MODERN_BYTES,
        }
    }
}

impl Contract for Erc20 {
    fn class(&self) -> &'static Class {
        &self.kind().class
    }

    fn call(&self, env: &mut Env<'_, '_>, selector: Felt, calldata: &[Felt]) -> Option<Returned> {
        self.kind().entrypoints.run(self, env, selector, calldata)
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
        self.mint(env, to, amount)?;
        Ok(vec![])
    }

    /// Creates an amount.
    pub(crate) fn mint(&self, env: &mut Env<'_, '_>, to: Felt, amount: U256) -> Result<(), Revert> {
        let supply = env
            .read(TOTAL_SUPPLY, &[])
            .checked_add(amount)
            .ok_or_else(|| Revert::new("u256_add Overflow"))?;
        env.write(TOTAL_SUPPLY, &[], supply);
        self.credit(env, to, amount)?;
        self.emit(env, *TRANSFER_EVENT, Felt::ZERO, to, amount);
        Ok(())
    }

    /// Destroys an amount of what `from` has.
    pub(crate) fn burn(
        &self,
        env: &mut Env<'_, '_>,
        from: Felt,
        amount: U256,
    ) -> Result<(), Revert> {
        let sub = |from: U256| {
            from.checked_sub(amount)
                .ok_or_else(|| Revert::new("ERC20: insufficient balance"))
        };
        let (left, supply) = (
            sub(env.read(BALANCES, &[from]))?,
            sub(env.read(TOTAL_SUPPLY, &[]))?,
        );
        env.write(BALANCES, &[from], left);
        env.write(TOTAL_SUPPLY, &[], supply);
        self.emit(env, *TRANSFER_EVENT, from, Felt::ZERO, amount);
        Ok(())
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
        let tax = self.manner.tax(env, from, to, amount)?;
        let arriving = amount.saturating_sub(tax.amount);
        self.credit(env, to, arriving)?;
        self.emit(env, *TRANSFER_EVENT, from, to, arriving);
        if !tax.amount.is_zero() {
            self.credit(env, tax.collector, tax.amount)?;
            self.emit(env, *TRANSFER_EVENT, from, tax.collector, tax.amount);
        }
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
