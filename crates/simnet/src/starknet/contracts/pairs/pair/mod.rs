//! A pair: two reserves, shares of them, and the rule that no swap may shrink
//! what they are worth to each other.

mod interface;

pub(super) use interface::kind;

use super::curve::{Sale, Shape};
use super::rules::{Path, Reserves, Rules, Setter};
use crate::starknet::class::Class;
use crate::starknet::contract::{Calldata, Contract, Env, Kind, halves, run};
use crate::starknet::contracts::arithmetic::{div, ensure, mul, sub};
use crate::starknet::contracts::erc20::{self, Erc20, TOTAL_SUPPLY, balance_of, pay};
use crate::starknet::failure::{Returned, Revert};
use crate::starknet::hash::{digest, felt, from_felt};
use crate::starknet::network::DEPLOYER;
use crate::starknet::state::{Key, Variable};
use crate::starknet::transaction::Call;
use primitives::{Felt, U256, selector};

const FACTORY: Variable = Variable::felt("_factory");
const TOKENS: [Variable; 2] = [Variable::felt("_token0"), Variable::felt("_token1")];
const RESERVES: [Variable; 2] = [Variable::u256("_reserve0"), Variable::u256("_reserve1")];
const FEES: [Variable; 2] = [Variable::felt("_fee0"), Variable::felt("_fee1")];
const STABLE: Variable = Variable::felt("_stable");
const WHOLES: [Variable; 2] = [Variable::u256("_decimals0"), Variable::u256("_decimals1")];

/// Shares that nobody ever has, so that one share is never worth much.
const FIRST_SHARES: u64 = 1_000;

/// Stable pairs that begin are worth more than this.
const LEAST_STABLE_K: u64 = 10_000_000_000;

/// Narrow reserves end here.
const NARROW_BITS: usize = 112;

/// Where a pair keeps its reserves.
pub(crate) fn reserve_keys(pair: Felt) -> [Key; 2] {
    RESERVES.map(|reserve| Key::new(pair, reserve, &[]))
}

/// A pair of a venue. Everything else about it is in its variables.
#[derive(Debug)]
pub(super) struct Pair {
    rules: &'static Rules,
    kind: &'static Kind<Pair>,
    token: Erc20,
}

impl Contract for Pair {
    fn class(&self) -> &'static Class {
        &self.kind.class
    }

    fn call(&self, env: &mut Env<'_, '_>, selector: Felt, calldata: &[Felt]) -> Option<Returned> {
        self.kind
            .entrypoints
            .run(self, env, selector, calldata)
            .or_else(|| self.token.call_share(env, selector, calldata))
    }

    fn construct(&self, env: &mut Env<'_, '_>, calldata: &[Felt]) -> Option<Returned> {
        Some(run(Self::construct, self, env, calldata))
    }
}

fn both<T>(env: &Env<'_, '_>, variables: [Variable; 2], of: impl Fn(U256) -> T) -> [T; 2] {
    variables.map(|variable| of(env.read(variable, &[])))
}

fn tokens(env: &Env<'_, '_>) -> [Felt; 2] {
    both(env, TOKENS, felt)
}

fn reserves(env: &Env<'_, '_>) -> [U256; 2] {
    both(env, RESERVES, |reserve| reserve)
}

fn balances(env: &mut Env<'_, '_>) -> Result<[U256; 2], Revert> {
    let ([token0, token1], own) = (tokens(env), env.address());
    Ok([balance_of(env, token0, own)?, balance_of(env, token1, own)?])
}

fn shape(env: &Env<'_, '_>) -> Shape {
    if env.read(STABLE, &[]).is_zero() {
        Shape::Volatile
    } else {
        Shape::Stable(both(env, WHOLES, |whole| whole))
    }
}

/// The pair as one who sells its first or second token sees it.
fn sale(env: &Env<'_, '_>, first: bool) -> Sale {
    let [reserve0, reserve1] = reserves(env);
    let [fee0, fee1] = both(env, FEES, |fee| fee);
    let shape = shape(env);
    if first {
        Sale {
            reserves: [reserve0, reserve1],
            shape,
            fee: fee0,
        }
    } else {
        Sale {
            reserves: [reserve1, reserve0],
            shape: shape.turned(),
            fee: fee1,
        }
    }
}

/// Where the fees go that leave a pair.
fn vault(pair: Felt) -> Felt {
    digest("FEE VAULT", &[pair])
}

/// What one whole token is in its smallest unit.
fn whole(env: &mut Env<'_, '_>, token: Felt) -> Result<U256, Revert> {
    let returned = env.call(&Call {
        to: token,
        selector: selector("decimals"),
        calldata: Vec::new(),
    })?;
    let decimals = from_felt(Calldata::new(&returned).felt()?);
    U256::from(10)
        .checked_pow(decimals)
        .ok_or_else(|| Revert::new("u256_mul Overflow"))
}

#[expect(
    clippy::unnecessary_wraps,
    clippy::unused_self,
    reason = "the shape of all entrypoints"
)]
impl Pair {
    pub(super) fn new(rules: &'static Rules, kind: &'static Kind<Self>) -> Self {
        let (name, symbol, fashion) = rules.share;
        let token = Erc20::share(name, symbol, fashion);
        Self { rules, kind, token }
    }

    fn construct(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let tokens = [calldata.felt()?, calldata.felt()?];
        let (stable, fee) = (calldata.bool()?, from_felt(calldata.felt()?));
        env.write(FACTORY, &[], from_felt(env.caller()));
        for (variable, token) in TOKENS.into_iter().zip(tokens) {
            env.write(variable, &[], from_felt(token));
        }
        env.write(STABLE, &[], U256::from(u8::from(stable)));
        self.write_fees(env, [fee, fee])?;
        // Venues without stable pairs never ask tokens for their decimals.
        if matches!(self.rules.path, Path::Stable | Path::Tiered) {
            for (variable, token) in WHOLES.into_iter().zip(tokens) {
                let whole = whole(env, token)?;
                env.write(variable, &[], whole);
            }
        }
        Ok(vec![])
    }

    fn factory(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        Ok(vec![felt(env.read(FACTORY, &[]))])
    }

    fn token0(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        let [token0, _] = tokens(env);
        Ok(vec![token0])
    }

    fn token1(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        let [_, token1] = tokens(env);
        Ok(vec![token1])
    }

    fn get_reserves(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        let mut returned = self.written(reserves(env));
        // A block in the making has no time yet: it is always zero.
        if self.rules.reserves != Reserves::Plain {
            returned.push(Felt::ZERO);
        }
        Ok(returned)
    }

    fn stable(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        Ok(vec![felt(env.read(STABLE, &[]))])
    }

    fn fee0(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        let [fee0, _] = both(env, FEES, felt);
        Ok(vec![fee0])
    }

    fn fee1(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        let [_, fee1] = both(env, FEES, felt);
        Ok(vec![fee1])
    }

    fn fee_vault(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        Ok(vec![vault(env.address())])
    }

    fn snapshot(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let mut returned = tokens(env).to_vec();
        returned.extend(both(env, WHOLES, halves).concat());
        returned.extend(reserves(env).map(halves).concat());
        returned.extend(self.stable(env, calldata)?);
        Ok(returned)
    }

    fn get_amount_out(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (amount, token) = (calldata.u256()?, calldata.felt()?);
        let [token0, _] = tokens(env);
        let sale = sale(env, token == token0);
        let bought = self.rules.fee.amount_out(sale, amount)?;
        Ok(halves(bought).to_vec())
    }

    fn get_amount_in(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (amount, token) = (calldata.u256()?, calldata.felt()?);
        let [token0, _] = tokens(env);
        self.sold_for(env, amount, token == token0)
    }

    fn out_given_in(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (amount, first) = (calldata.u256()?, calldata.bool()?);
        let bought = self.rules.fee.amount_out(sale(env, first), amount)?;
        Ok(halves(bought).to_vec())
    }

    fn in_given_out(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (amount, first) = (calldata.u256()?, calldata.bool()?);
        self.sold_for(env, amount, first)
    }

    fn sold_for(&self, env: &Env<'_, '_>, amount: U256, first: bool) -> Returned {
        let sale = sale(env, first);
        ensure(
            sale.shape == Shape::Volatile,
            "exact output of a stable pair",
        )?;
        ensure(amount < sale.reserves[1], self.rules.words.no_liquidity)?;
        let sold = self.rules.fee.amount_in(sale, amount)?;
        Ok(halves(sold).to_vec())
    }

    fn set_fee(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let fee = from_felt(calldata.felt()?);
        self.only_setter(env)?;
        self.write_fees(env, [fee, fee])?;
        Ok(vec![])
    }

    fn set_fees(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let fees = [from_felt(calldata.felt()?), from_felt(calldata.felt()?)];
        self.only_setter(env)?;
        self.write_fees(env, fees)?;
        Ok(vec![])
    }

    /// Gets other code, without a word.
    fn replace_implementation_class(
        &self,
        env: &mut Env<'_, '_>,
        calldata: &mut Calldata<'_>,
    ) -> Returned {
        let class_hash = calldata.felt()?;
        ensure(env.caller() == DEPLOYER, "must be admin")?;
        ensure(class_hash != Felt::ZERO, "must be non zero")?;
        env.replace_class(class_hash);
        Ok(vec![])
    }

    fn only_setter(&self, env: &Env<'_, '_>) -> Result<(), Revert> {
        let rules = self.rules;
        let setter = match rules.setter {
            Setter::Nobody => None,
            Setter::Factory => Some(rules.factory),
            Setter::Owner => Some(DEPLOYER),
        };
        ensure(setter == Some(env.caller()), rules.words.not_owner)
    }

    fn write_fees(&self, env: &mut Env<'_, '_>, fees: [U256; 2]) -> Result<(), Revert> {
        for (variable, fee) in FEES.into_iter().zip(fees) {
            // A tenth of what is sold is the most that any venue takes.
            let most = U256::from(self.rules.fee.scale / 10);
            ensure(fee <= most, "invalid fee")?;
            env.write(variable, &[], fee);
        }
        Ok(())
    }

    fn mint(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let to = calldata.felt()?;
        let [reserve0, reserve1] = reserves(env);
        let [balance0, balance1] = balances(env)?;
        let (amount0, amount1) = (sub(balance0, reserve0)?, sub(balance1, reserve1)?);
        let supply = env.read(TOTAL_SUPPLY, &[]);
        let words = &self.rules.words;
        let shares = if supply.is_zero() {
            let first = U256::from(FIRST_SHARES);
            let root = mul(amount0, amount1)?.root(2);
            ensure(root > first, words.nothing_minted)?;
            check_first(shape(env), [amount0, amount1])?;
            self.token.mint(env, self.rules.burner, first)?;
            sub(root, first)?
        } else {
            let shares0 = div(mul(amount0, supply)?, reserve0)?;
            let shares1 = div(mul(amount1, supply)?, reserve1)?;
            shares0.min(shares1)
        };
        ensure(!shares.is_zero(), words.nothing_minted)?;
        self.token.mint(env, to, shares)?;
        self.update(env, [balance0, balance1])?;
        let [minted, _] = self.rules.liquidity_events;
        self.emit(env, minted, &[amount0, amount1], None);
        Ok(halves(shares).to_vec())
    }

    fn burn(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let to = calldata.felt()?;
        let own = env.address();
        let [token0, token1] = tokens(env);
        let [balance0, balance1] = balances(env)?;
        let shares = env.syscalls.read(&erc20::balance_key(own, own));
        let supply = env.read(TOTAL_SUPPLY, &[]);
        let amount0 = div(mul(shares, balance0)?, supply)?;
        let amount1 = div(mul(shares, balance1)?, supply)?;
        let words = &self.rules.words;
        ensure(
            !amount0.is_zero() && !amount1.is_zero(),
            words.nothing_burned,
        )?;
        self.token.burn(env, own, shares)?;
        pay(env, token0, to, amount0)?;
        pay(env, token1, to, amount1)?;
        let left = balances(env)?;
        self.update(env, left)?;
        let [_, burned] = self.rules.liquidity_events;
        self.emit(env, burned, &[amount0, amount1], Some(to));
        Ok([amount0, amount1].map(halves).concat())
    }

    fn swap(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let rules = self.rules;
        let words = &rules.words;
        let bought = [calldata.u256()?, calldata.u256()?];
        let to = calldata.felt()?;
        if rules.calls_back {
            ensure(calldata.felts()?.is_empty(), "no call back is simulated")?;
        }
        ensure(bought.iter().any(|out| !out.is_zero()), words.no_output)?;
        let reserves = reserves(env);
        let enough = bought.iter().zip(&reserves).all(|(out, all)| out < all);
        ensure(enough, words.no_liquidity)?;
        let tokens = tokens(env);
        ensure(!tokens.contains(&to), words.bad_receiver)?;
        for (token, out) in tokens.into_iter().zip(bought) {
            if !out.is_zero() {
                pay(env, token, to, out)?;
            }
        }
        let sold = came_in(balances(env)?, reserves, bought);
        ensure(sold.iter().any(|sold| !sold.is_zero()), words.no_input)?;
        let fees = both(env, FEES, |fee| fee);
        if rules.fee.leaves {
            for (token, (sold, fee)) in tokens.into_iter().zip(sold.into_iter().zip(fees)) {
                self.set_aside(env, token, rules.fee.whole(sold, fee)?)?;
            }
        }
        let after = balances(env)?;
        let kept = rules.fee.is_kept(shape(env), reserves, after, sold, fees)?;
        ensure(kept, words.k)?;
        self.update(env, after)?;
        self.emit(env, "Swap", &[sold, bought].concat(), Some(to));
        Ok(vec![])
    }

    /// Pays a fee that leaves the pair.
    fn set_aside(&self, env: &mut Env<'_, '_>, token: Felt, fee: U256) -> Result<(), Revert> {
        let to = vault(env.address());
        if fee.is_zero() {
            return Ok(());
        }
        pay(env, token, to, fee)
    }

    /// Takes what the tokens say for its reserves.
    fn sync(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        let balances = balances(env)?;
        self.update(env, balances)?;
        Ok(vec![])
    }

    fn update(&self, env: &mut Env<'_, '_>, reserves: [U256; 2]) -> Result<(), Revert> {
        let rules = self.rules;
        let bits = match rules.reserves {
            Reserves::Narrow => NARROW_BITS,
            Reserves::Timed | Reserves::Plain => U256::BITS,
        };
        for (variable, reserve) in RESERVES.into_iter().zip(reserves) {
            ensure(reserve.bit_len() <= bits, rules.words.too_large)?;
            env.write(variable, &[], reserve);
        }
        env.emit(&[selector("Sync")], &self.written(reserves));
        Ok(())
    }

    /// Reserves as this venue writes them.
    fn written(&self, reserves: [U256; 2]) -> Vec<Felt> {
        match self.rules.reserves {
            Reserves::Timed | Reserves::Plain => reserves.map(halves).concat(),
            Reserves::Narrow => reserves.map(felt).to_vec(),
        }
    }

    /// Emits an event about amounts between the caller and perhaps a receiver.
    fn emit(&self, env: &mut Env<'_, '_>, name: &str, amounts: &[U256], to: Option<Felt>) {
        let amounts: Vec<Felt> = amounts.iter().flat_map(|amount| halves(*amount)).collect();
        let mut keys = vec![selector(name)];
        let mut data = Vec::new();
        if self.rules.keyed {
            keys.push(env.caller());
            keys.extend(to);
            data.extend(amounts);
        } else {
            data.push(env.caller());
            data.extend(amounts);
            data.extend(to);
        }
        env.emit(&keys, &data);
    }
}

/// Stable pairs begin at a price of one, and with enough for their curve to
/// have a shape.
fn check_first(shape: Shape, [amount0, amount1]: [U256; 2]) -> Result<(), Revert> {
    let Shape::Stable([whole0, whole1]) = shape else {
        return Ok(());
    };
    let balanced = mul(amount0, whole1)? == mul(amount1, whole0)?;
    ensure(balanced, "unequal amounts")?;
    let k = shape.k([amount0, amount1])?;
    ensure(k > U256::from(LEAST_STABLE_K), "K too low")
}

/// What balances have that neither was there nor stayed after the payment.
fn came_in(balances: [U256; 2], reserves: [U256; 2], bought: [U256; 2]) -> [U256; 2] {
    let came = |balance: U256, reserve: U256, bought: U256| {
        let left = reserve.saturating_sub(bought);
        balance.saturating_sub(left)
    };
    [
        came(balances[0], reserves[0], bought[0]),
        came(balances[1], reserves[1], bought[1]),
    ]
}
