//! What tokens are worth in STRK, by our own quotes.
//!
//! A price is what so much STRK would cost now, with the impact of buying it: for
//! a power of two of STRK, so that few searches serve many transactions of a block.

use super::per_block::PerBlock;
use crate::{
    fee_token::STRK,
    snapshot::Snapshot,
    swap::{QuoteError, Swaps},
};
use primitives::{Address, U256};
use routing::VenueSet;
use std::sync::Arc;
use trading::{
    Fixed, Wanted,
    paymaster::{GasTokenPrice, Refusal},
};

/// One STRK: nobody pays for less.
const LEAST: u128 = 1_000_000_000_000_000_000;

/// Prices at the newest block, by token and by the STRK that they were asked for.
#[derive(Debug)]
pub(super) struct Prices {
    swaps: Swaps,
    kept: PerBlock<(Address, u128), Option<GasTokenPrice>>,
}

impl Prices {
    pub(super) fn new(swaps: Swaps) -> Self {
        Self {
            swaps,
            kept: PerBlock::default(),
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
        if let Some(price) = self.kept.get(snapshot.head, &(token, amount)) {
            return Ok(price);
        }
        // Apart, as what nodes are asked.
        let price = Box::pin(self.quoted(token, amount, snapshot)).await?;
        self.kept.put(snapshot.head, (token, amount), price);
        Ok(price)
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
