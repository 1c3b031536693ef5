//! What tokens are worth in STRK, by our own quotes.
//!
//! A price is what so much STRK would cost now, with the impact of buying it: for
//! a power of two of STRK, so that few searches serve many transactions of a block.

use crate::{
    fee_token::STRK,
    snapshot::Snapshot,
    swap::{QuoteError, Swaps},
};
use primitives::{Address, U256};
use routing::VenueSet;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};
use trading::{
    Fixed, Wanted,
    paymaster::{GasTokenPrice, Refusal},
};

/// One STRK: nobody pays for less.
const LEAST: u128 = 1_000_000_000_000_000_000;

/// Prices that are kept at most.
const MAX_KEPT: usize = 4_096;

/// Prices of the newest block.
#[derive(Debug)]
pub(super) struct Prices {
    swaps: Swaps,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    block: u64,
    prices: HashMap<(Address, u128), Option<GasTokenPrice>>,
}

impl Prices {
    pub(super) fn new(swaps: Swaps) -> Self {
        Self {
            swaps,
            kept: Mutex::default(),
        }
    }

    /// What a token is worth to somebody who pays so much STRK with it; none for
    /// a token that no route leads from.
    pub(super) async fn of(
        &self,
        token: Address,
        strk: u128,
        snapshot: &Arc<Snapshot>,
    ) -> Result<Option<GasTokenPrice>, Refusal> {
        if token == STRK {
            return Ok(Some(GasTokenPrice::STRK));
        }
        let amount = strk.max(LEAST).checked_next_power_of_two();
        let amount = amount.unwrap_or(u128::MAX);
        let block = snapshot.head.number;
        if let Some(price) = self.lock(block).prices.get(&(token, amount)) {
            return Ok(*price);
        }
        let price = self.quoted(token, amount, snapshot).await?;
        let mut kept = self.lock(block);
        if kept.prices.len() < MAX_KEPT {
            kept.prices.insert((token, amount), price);
        }
        Ok(price)
    }

    /// Nothing of an earlier block is kept.
    fn lock(&self, block: u64) -> std::sync::MutexGuard<'_, Kept> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.block != block {
            kept.prices.clear();
            kept.block = block;
        }
        kept
    }

    async fn quoted(
        &self,
        token: Address,
        amount: u128,
        snapshot: &Arc<Snapshot>,
    ) -> Result<Option<GasTokenPrice>, Refusal> {
        let Some((_, known)) = snapshot.tokens.by_address(token) else {
            return Ok(None);
        };
        let wanted = Wanted {
            sell: token,
            buy: STRK,
            amount: Fixed::Buy(U256::from(amount)),
            taker: None,
            integrator: None,
            direct: false,
            avoid: VenueSet::NONE,
            size: 1,
            max_swaps: self.swaps.max_swaps(),
        };
        let offers = self.swaps.quote(wanted, Arc::clone(snapshot)).await;
        let offers = offers.map_err(|error| match error {
            QuoteError::Saturated | QuoteError::Broken => Refusal::Unavailable,
        })?;
        let best = offers.into_iter().next().map(|offer| offer.quote);
        let decimals = known.metadata.decimals;
        Ok(best
            .and_then(|quote| GasTokenPrice::of(decimals, quote.sell_amount, U256::from(amount))))
    }
}
