//! What the exchange knows of each venue: how to trade there, and which
//! parameters a route has for it.

use super::routes::Leg;
use crate::starknet::contract::{Calldata, Env};
use crate::starknet::contracts::ekubo::{self, Hop, MAX_SQRT_RATIO, MIN_SQRT_RATIO};
use crate::starknet::contracts::erc20::approve_call;
use crate::starknet::contracts::pairs::{JEDISWAP, NOSTRA, Path, VENUES, Venue, my_swap};
use crate::starknet::contracts::vault;
use crate::starknet::failure::Revert;
use crate::starknet::hash::from_felt;
use primitives::{Felt, U256};

/// What deposits say of who sent them.
const REFERRER: &str = "stoa";

/// How to trade at a venue.
#[derive(Debug, Clone, Copy)]
enum Adapter {
    Pairs(&'static Venue),
    MySwap,
    Ekubo,
    Vault,
}

/// A token sold for another at the exchange of a leg.
#[derive(Debug, Clone, Copy)]
pub(super) struct Trade<'c> {
    pub(super) sold: Felt,
    pub(super) bought: Felt,
    pub(super) leg: Leg<'c>,
}

impl Trade<'_> {
    /// Sells an amount; what it brings is the exchange's.
    pub(super) fn swap(&self, env: &mut Env<'_, '_>, amount: U256) -> Result<(), Revert> {
        match adapter(self.leg.exchange)? {
            Adapter::Pairs(venue) => {
                let path = self.path(venue)?;
                let own = env.address();
                env.call(&approve_call(self.sold, venue.rules.router, amount))?;
                env.call(&venue.rules.sell_along_call(&path, amount, own))?;
            }
            Adapter::MySwap => {
                let [pool] = self.params()?;
                env.call(&approve_call(self.sold, my_swap::MY_SWAP, amount))?;
                let swap = my_swap::swap_call(pool, self.sold, amount, U256::ZERO);
                env.call(&swap)?;
            }
            Adapter::Ekubo => {
                let (hop, amount) = self.hop(env, amount)?;
                // The payment and the swap. What a limit leaves unsold stays in
                // the router: only what was bought is taken out.
                let calls = ekubo::swap_calls(&[hop], self.sold, amount, U256::ZERO);
                for call in calls.iter().take(2) {
                    env.call(call)?;
                }
                env.call(&ekubo::clear_call(self.bought))?;
            }
            Adapter::Vault => {
                let [] = self.params()?;
                let own = env.address();
                env.call(&approve_call(self.sold, self.bought, amount))?;
                // Whatever the exchange is called, the vault is what is bought.
                env.call(&vault::referred_deposit_call(
                    self.bought,
                    amount,
                    own,
                    REFERRER,
                ))?;
            }
        }
        Ok(())
    }

    /// What the adapter says that an amount would bring. Only Ekubo's knows:
    /// two others repeat the amount, and the rest say nothing.
    pub(super) fn quote(&self, env: &mut Env<'_, '_>, amount: U256) -> Result<U256, Revert> {
        match adapter(self.leg.exchange)? {
            Adapter::Pairs(venue) if repeats_the_amount(venue) => {
                let path = self.path(venue)?;
                let returned = env.call(&venue.rules.amounts_out_call(&path, amount))?;
                let mut amounts = Calldata::new(&returned);
                let _count = amounts.felt()?;
                amounts.u256()
            }
            Adapter::Pairs(_) | Adapter::MySwap | Adapter::Vault => Ok(U256::ZERO),
            Adapter::Ekubo => {
                let (hop, amount) = self.hop(env, amount)?;
                let returned = env.call(&ekubo::quote_call(&hop, self.sold, amount))?;
                let mut delta = Calldata::new(&returned);
                let (amount0, _sign) = (delta.u128()?, delta.bool()?);
                let amount1 = delta.u128()?;
                let [_, token1] = hop.key.tokens;
                let bought = if self.sold == token1 {
                    amount0
                } else {
                    amount1
                };
                Ok(U256::from(bought))
            }
        }
    }

    /// The parameters, if they are as many as the adapter takes.
    fn params<const N: usize>(&self) -> Result<[Felt; N], Revert> {
        let params = self.leg.params.try_into();
        params.map_err(|_| Revert::new("Invalid swap params"))
    }

    /// The way through one pair, in the layout of the venue's router.
    fn path(&self, venue: &Venue) -> Result<Vec<Felt>, Revert> {
        let (sold, bought) = (self.sold, self.bought);
        Ok(match venue.rules.path {
            Path::Tokens => {
                let [] = self.params()?;
                vec![Felt::TWO, sold, bought]
            }
            Path::Stable => {
                let [stable] = self.params()?;
                vec![Felt::ONE, sold, bought, stable]
            }
            Path::Tiered => {
                let [stable, tier] = self.params()?;
                vec![Felt::ONE, sold, bought, stable, tier]
            }
            Path::Pairs => {
                let [pair] = self.params()?;
                vec![sold, Felt::ONE, pair]
            }
        })
    }

    /// The pool with the limit of its price, and the amount as Ekubo takes it.
    fn hop(&self, env: &mut Env<'_, '_>, amount: U256) -> Result<(Hop, u128), Revert> {
        let [token0, token1, fee, tick_spacing, extension, distance] = self.params()?;
        let key = [token0, token1, fee, tick_spacing, extension];
        let key = ekubo::read_key(&mut Calldata::new(&key))?;
        let price = env.call(&ekubo::price_call(&key))?;
        let sqrt_ratio = Calldata::new(&price).u256()?;
        let rising = self.sold == token1;
        let limit = limit(sqrt_ratio, from_felt(distance), rising);
        let amount = u128::try_from(amount);
        let amount = amount.map_err(|_| Revert::new("Overflow: Unsupported amount"))?;
        Ok((Hop { key, limit }, amount))
    }
}

/// The adapter of the exchange at an address.
fn adapter(exchange: Felt) -> Result<Adapter, Revert> {
    if exchange == ekubo::CORE {
        return Ok(Adapter::Ekubo);
    }
    if exchange == my_swap::MY_SWAP {
        return Ok(Adapter::MySwap);
    }
    if exchange == vault::STAKED_STRK {
        return Ok(Adapter::Vault);
    }
    let venue = VENUES
        .into_iter()
        .find(|venue| venue.rules.router == exchange);
    let adapter = venue.map(Adapter::Pairs);
    adapter.ok_or_else(|| Revert::new("Unknown exchange"))
}

/// The adapters that read the first of the amounts along a path, which is the
/// one that goes in.
fn repeats_the_amount(venue: &Venue) -> bool {
    [&JEDISWAP, &NOSTRA]
        .iter()
        .any(|other| other.rules.router == venue.rules.router)
}

/// The square root of the price at which a swap ends, `distance` from now.
fn limit(sqrt_ratio: U256, distance: U256, rising: bool) -> U256 {
    let limit = if rising {
        sqrt_ratio.saturating_add(distance)
    } else {
        sqrt_ratio.saturating_sub(distance)
    };
    limit.clamp(MIN_SQRT_RATIO, MAX_SQRT_RATIO)
}
