//! A quote with what its reader wants to know beside it.

use primitives::U256;
use trading::{Quote, Worth, price_impact, usd};
use uuid::Uuid;

/// A quote that was kept, and what it is worth.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    /// By which it is built.
    pub id: Uuid,
    /// When it expires, in seconds since 1970.
    pub expiry: i64,
    /// The route with its amounts and fees.
    pub quote: Quote,
    /// What gas costs, in the smallest unit of STRK.
    pub gas_fee: U256,
    /// What the smallest units of the tokens are worth in USD.
    pub worth: Worth,
    /// What a whole token is worth in USD, of the sold and of the bought one.
    pub prices: [Option<f64>; 2],
    /// By how much what it pays is expected to fall while it lives, in per cent.
    pub estimated_slippage: f64,
    /// The most by which any other way could be better, as a share; infinite if
    /// nobody knows.
    pub gap: f64,
    /// Whether it sells more than the taker has, if that is known.
    pub exceeds_balance: Option<bool>,
}

impl Offer {
    /// What is sold, in USD; nothing where no price is known.
    pub fn sell_usd(&self) -> f64 {
        worth(self.quote.sell_amount, self.worth.sell)
    }

    /// What is bought, in USD.
    pub fn buy_usd(&self) -> f64 {
        worth(self.quote.buy_amount, self.worth.buy)
    }

    /// An amount of the token that pays fees, in USD.
    pub fn fee_usd(&self, amount: U256) -> f64 {
        let is_sold = self.quote.fees.token == self.quote.sell;
        worth(
            amount,
            if is_sold {
                self.worth.sell
            } else {
                self.worth.buy
            },
        )
    }

    /// What gas costs, in USD, if STRK has a price.
    pub fn gas_usd(&self) -> Option<f64> {
        self.worth.strk.map(|strk| usd(self.gas_fee, strk))
    }

    /// By how many basis points what is bought is worth more than what is sold;
    /// nothing where that cannot be said.
    pub fn price_impact(&self) -> f64 {
        let (sold, bought) = (self.quote.sell_amount, self.quote.buy_amount);
        price_impact(sold, bought, &self.worth).unwrap_or_default()
    }
}

fn worth(amount: U256, price: Option<f64>) -> f64 {
    price.map_or(0.0, |price| usd(amount, price))
}
