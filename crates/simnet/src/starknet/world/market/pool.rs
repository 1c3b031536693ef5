//! A pool as those see it who trade there: what it is, where its price is, and
//! the calls that trade.

use crate::starknet::contracts::ekubo::{self, Hop, PoolKey};
use crate::starknet::contracts::erc20::approve_call;
use crate::starknet::contracts::exchange::{self, Step};
use crate::starknet::contracts::jediswap_v2::{self, PoolId};
use crate::starknet::contracts::pairs::{self, KnownPair, PairId, Path, Swap, Venue, my_swap};
use crate::starknet::execution::View;
use crate::starknet::state::Key;
use crate::starknet::transaction::Call;
use primitives::{Felt, U256};
use std::sync::OnceLock;

/// Farther than any price of Ekubo's.
const FAR: Felt = Felt::from_hex_unchecked("0x1000000000000000000000000000000000000000000000000");

/// A pool that exists, or may one day.
#[derive(Debug)]
pub(crate) struct Pool {
    pub(super) at: At,
    /// The places of its tokens among the assets.
    pub(super) assets: [usize; 2],
    /// The smaller address first.
    pub(super) tokens: [Felt; 2],
    /// The share of what is sold that it keeps.
    pub(super) fee: f64,
    /// What it begins with, in dollars; some begin with nothing.
    pub(super) worth: f64,
    /// What its first price is of the one outside, where it is there to invite:
    /// one of its tokens is a snare.
    pub(super) bait: Option<f64>,
}

/// The venue of a pool, and what it is called there.
#[derive(Debug)]
pub(super) enum At {
    Pair(Pair),
    MySwap,
    Ekubo(PoolKey),
    V2(V2),
}

#[derive(Debug)]
pub(super) struct Pair {
    pub(super) venue: &'static Venue,
    pub(super) id: PairId,
    known: OnceLock<KnownPair>,
}

/// A pool of `JediSwap` v2.
#[derive(Debug)]
pub(super) struct V2 {
    pub(super) id: PoolId,
    address: OnceLock<Felt>,
}

impl V2 {
    pub(super) fn new(id: PoolId) -> Self {
        let address = OnceLock::new();
        Self { id, address }
    }

    /// Computed when it is first asked for.
    pub(super) fn address(&self) -> Felt {
        *self.address.get_or_init(|| self.id.address())
    }
}

impl Pair {
    pub(super) fn new(venue: &'static Venue, id: PairId) -> Self {
        Self {
            venue,
            id,
            known: OnceLock::new(),
        }
    }

    pub(super) fn address(&self) -> Felt {
        self.known().address
    }

    /// Computed when it is first asked for.
    fn known(&self) -> KnownPair {
        *self.known.get_or_init(|| self.venue.known(self.id))
    }
}

/// Where a pool's price is. Amounts are in the smallest units.
#[derive(Debug, Clone, Copy)]
pub(super) enum Spot {
    /// x·y
    Product([f64; 2]),
    /// x³y + y³x, of whole tokens, with the units in one.
    Stable([f64; 2], [f64; 2]),
    /// Liquidity between ticks: the price, and the liquidity there.
    Ranges(f64, f64),
}

impl Spot {
    /// Units of the second token for one of the first, without the fee.
    pub(super) fn price(self) -> f64 {
        match self {
            Self::Product([x, y]) => y / x,
            Self::Stable([x, y], [whole_x, whole_y]) => slope(x, y) * whole_y / whole_x,
            Self::Ranges(price, _) => price,
        }
    }

    /// What the pool holds, as one would have to whose price moves as fast when
    /// somebody trades.
    pub(super) fn holdings(self) -> [f64; 2] {
        match self {
            Self::Product(reserves) => reserves,
            Self::Stable([x, y], [whole_x, whole_y]) => [x * whole_x, y * whole_y],
            Self::Ranges(price, liquidity) => [liquidity / price.sqrt(), liquidity * price.sqrt()],
        }
    }
}

/// What a stable curve pays for a little of x, in y.
pub(super) fn slope(x: f64, y: f64) -> f64 {
    (3.0 * x * x * y + y * y * y) / (x * x * x + 3.0 * x * y * y)
}

impl Pool {
    /// The pool as it is now; `None` while there is nothing in it.
    pub(super) fn spot(&self, view: View<'_>, wholes: [f64; 2]) -> Option<Spot> {
        let ranges = match &self.at {
            At::Ekubo(key) => {
                let now = ekubo::pool(view, key);
                Some((now.sqrt_ratio, 128_f64, now.liquidity))
            }
            At::V2(pool) => {
                let now = jediswap_v2::snapshot(view, pool.address());
                Some((now.sqrt_ratio, 96.0, now.liquidity))
            }
            At::Pair(_) | At::MySwap => None,
        };
        if let Some((ratio, bits, liquidity)) = ranges {
            let root = f64::from(ratio) / bits.exp2();
            let liquidity = f64::from(U256::from(liquidity));
            return (liquidity > 0.0).then_some(Spot::Ranges(root * root, liquidity));
        }
        let [x, y] = self.reserves(view)?;
        if x.is_zero() || y.is_zero() {
            return None;
        }
        let reserves = [f64::from(x), f64::from(y)];
        if self.is_stable() {
            let [whole_x, whole_y] = wholes;
            let [x, y] = reserves;
            return Some(Spot::Stable([x / whole_x, y / whole_y], wholes));
        }
        Some(Spot::Product(reserves))
    }

    /// The variables that its price is in, as far as they are known before it
    /// exists.
    pub(super) fn price_keys(&self, view: View<'_>) -> Vec<Key> {
        match &self.at {
            At::Pair(pair) => pairs::reserve_keys(pair.address()).to_vec(),
            At::MySwap => {
                let reserves = self.number(view).map(my_swap::reserve_keys);
                let mut keys = vec![my_swap::pool_key_of(self.tokens)];
                keys.extend(reserves.into_iter().flatten());
                keys
            }
            At::Ekubo(key) => ekubo::price_keys(key).to_vec(),
            At::V2(pool) => jediswap_v2::price_keys(pool.address()).to_vec(),
        }
    }

    pub(super) fn is_stable(&self) -> bool {
        matches!(&self.at, At::Pair(pair) if pair.id.stable)
    }

    /// What a pool that is no set of ranges holds.
    pub(super) fn reserves(&self, view: View<'_>) -> Option<[U256; 2]> {
        let keys = match &self.at {
            At::Pair(pair) => pairs::reserve_keys(pair.address()),
            At::MySwap => my_swap::reserve_keys(self.number(view)?),
            At::Ekubo(_) | At::V2(_) => return None,
        };
        Some(keys.map(|key| view.read(&key)))
    }

    /// Whether it was created, with or without anything in it.
    pub(super) fn exists(&self, view: View<'_>) -> bool {
        match &self.at {
            At::Pair(pair) => !view.read(&Key::class_hash(pair.address())).is_zero(),
            At::MySwap => self.number(view).is_some(),
            At::Ekubo(key) => !ekubo::pool(view, key).sqrt_ratio.is_zero(),
            At::V2(pool) => !view.read(&Key::class_hash(pool.address())).is_zero(),
        }
    }

    /// The number that mySwap gave it.
    pub(super) fn number(&self, view: View<'_>) -> Option<u64> {
        let number: u64 = view
            .read(&my_swap::pool_key_of(self.tokens))
            .saturating_to();
        (number > 0).then_some(number)
    }

    /// The token that is sold and the one that is bought.
    pub(super) fn way(&self, first: bool) -> (Felt, Felt) {
        let [low, high] = self.tokens;
        if first { (low, high) } else { (high, low) }
    }

    /// The same of the assets.
    pub(super) fn asset_way(&self, first: bool) -> (usize, usize) {
        let [low, high] = self.assets;
        if first { (low, high) } else { (high, low) }
    }

    /// The token that is bought for one of its tokens.
    fn other(&self, sold: Felt) -> Felt {
        let [low, high] = self.tokens;
        if sold == low { high } else { low }
    }

    /// The address by which the exchange contract knows the venue, if it does,
    /// and what it has to be told of the pool.
    fn leg(&self, view: View<'_>) -> Option<(Felt, Vec<Felt>)> {
        match &self.at {
            At::Pair(pair) => {
                let id = &pair.id;
                let (stable, fee) = (Felt::from(id.stable), Felt::from(id.fee));
                let params = match pair.venue.rules.path {
                    Path::Tokens => vec![],
                    Path::Stable => vec![stable],
                    Path::Tiered => vec![stable, fee],
                    Path::Pairs => vec![pair.address()],
                };
                Some((pair.venue.rules.router, params))
            }
            At::MySwap => Some((my_swap::MY_SWAP, vec![self.number(view)?.into()])),
            At::Ekubo(key) => {
                let mut params = key.felts().to_vec();
                params.push(FAR);
                Some((ekubo::CORE, params))
            }
            At::V2(_) => None,
        }
    }

    /// Whether a trade can pass both pools on its way.
    pub(super) fn leads_to(&self, next: &Self) -> bool {
        let known = |pool: &Self| !matches!(pool.at, At::V2(_));
        known(self) && known(next)
    }

    /// Whether the venue itself can pass both in one trade.
    fn is_beside(&self, other: &Self) -> bool {
        match (&self.at, &other.at) {
            (At::Pair(one), At::Pair(other)) => std::ptr::eq(one.venue, other.venue),
            (At::Ekubo(one), At::Ekubo(other)) => one != other,
            _ => false,
        }
    }
}

/// A trade along pools that sells `amount` of `sold`.
#[derive(Debug, Clone, Copy)]
pub(super) struct PoolTrade<'o> {
    pub(super) route: &'o [&'o Pool],
    pub(super) sender: Felt,
    pub(super) sold: Felt,
    pub(super) amount: U256,
}

impl PoolTrade<'_> {
    /// The token that is bought at last.
    pub(super) fn bought(&self) -> Felt {
        let pools = self.route.iter();
        pools.fold(self.sold, |sold, pool| pool.other(sold))
    }

    /// The calls that sell for at least `least`, and no further than the limit,
    /// where the venue knows limits.
    pub(super) fn calls(&self, view: View<'_>, least: U256, limit: U256) -> Option<Vec<Call>> {
        let first = self.route.first()?;
        if self.changes_venue() {
            return self.exchange_calls(view, least);
        }
        match &first.at {
            At::Pair(pair) => {
                let router = pair.venue.rules.router;
                let pairs = self.pairs();
                let sale = pair
                    .venue
                    .rules
                    .sell_call(&self.swap(&pairs), self.amount, least);
                Some(vec![approve_call(self.sold, router, self.amount), sale])
            }
            At::MySwap => {
                let number = first.number(view)?;
                Some(vec![
                    approve_call(self.sold, my_swap::MY_SWAP, self.amount),
                    my_swap::swap_call(number, self.sold, self.amount, least),
                ])
            }
            At::Ekubo(_) => {
                let hops: Vec<Hop> = self
                    .route
                    .iter()
                    .filter_map(|pool| match &pool.at {
                        At::Ekubo(key) => Some(Hop { key: *key, limit }),
                        _ => None,
                    })
                    .collect();
                let amount = u128::try_from(self.amount).ok()?;
                let mut calls = ekubo::swap_calls(&hops, self.sold, amount, least);
                calls.extend(self.clear_calls());
                Some(calls)
            }
            At::V2(pool) => Some(vec![
                approve_call(self.sold, jediswap_v2::ROUTER, self.amount),
                jediswap_v2::sell_call(&pool.id, self.sold, self.amount, least, self.sender),
            ]),
        }
    }

    /// The calls that buy exactly `bought` for at most the amount, where the
    /// venue has such.
    pub(super) fn buying_calls(&self, bought: U256) -> Option<Vec<Call>> {
        let At::Pair(pair) = &self.route.first()?.at else {
            return None;
        };
        if self.changes_venue() {
            return None;
        }
        let router = pair.venue.rules.router;
        let pairs = self.pairs();
        let purchase = pair
            .venue
            .rules
            .buy_call(&self.swap(&pairs), bought, self.amount);
        Some(vec![approve_call(self.sold, router, self.amount), purchase])
    }

    /// Whether no venue can make the trade by itself.
    fn changes_venue(&self) -> bool {
        let mut steps = self.route.iter().zip(self.route.iter().skip(1));
        steps.any(|(pool, next)| !next.is_beside(pool))
    }

    /// The calls that sell through the exchange contract.
    fn exchange_calls(&self, view: View<'_>, least: U256) -> Option<Vec<Call>> {
        let mut sold = self.sold;
        let steps = self.route.iter().map(|pool| {
            let (exchange, params) = pool.leg(view)?;
            let bought = pool.other(sold);
            let tokens = [std::mem::replace(&mut sold, bought), bought];
            Some(Step {
                tokens,
                exchange,
                params,
            })
        });
        let steps = steps.collect::<Option<Vec<_>>>()?;
        let tokens = [self.sold, self.bought()];
        let (amount, taker) = (self.amount, self.sender);
        let mut calls = exchange::sell_calls(tokens, amount, least, taker, &steps);
        calls.extend(self.clear_calls());
        Some(calls)
    }

    /// The calls that take back what Ekubo's pools on the way could not sell.
    fn clear_calls(&self) -> Vec<Call> {
        let mut sold = self.sold;
        let mut calls = Vec::new();
        for pool in self.route {
            if let At::Ekubo(_) = pool.at {
                calls.push(ekubo::clear_call(sold));
            }
            sold = pool.other(sold);
        }
        calls
    }

    fn pairs(&self) -> Vec<KnownPair> {
        let pairs = self.route.iter().filter_map(|pool| match &pool.at {
            At::Pair(pair) => Some(pair.known()),
            _ => None,
        });
        pairs.collect()
    }

    fn swap<'i>(&self, pairs: &'i [KnownPair]) -> Swap<'i> {
        Swap {
            sold: self.sold,
            pairs,
            to: self.sender,
        }
    }
}
