//! What amounts were worth when they were traded.

use crate::snapshot::Snapshot;
use market::{figures::Figures, series::Resolution};
use primitives::{Address, Timestamp, U256};
use trading::usd;

/// Prices of the past, of a snapshot.
#[derive(Debug)]
pub struct PastPrices<'a> {
    figures: &'a Figures,
}

impl<'a> PastPrices<'a> {
    /// The prices that a snapshot knows.
    #[must_use]
    pub fn new(snapshot: &'a Snapshot) -> Self {
        Self {
            figures: &snapshot.figures,
        }
    }

    /// What an amount of a token was worth in USD at the end of the minute, if it
    /// had a price.
    #[must_use]
    pub fn usd(&self, token: Address, amount: U256, time: Timestamp) -> Option<f64> {
        Some(usd(amount, self.unit(token, time)?))
    }

    /// What a token's smallest unit was worth in those of another one.
    #[must_use]
    pub fn ratio(&self, [sold, bought]: [Address; 2], time: Timestamp) -> Option<f64> {
        let ratio = self.unit(sold, time)? / self.unit(bought, time)?;
        Some(ratio).filter(|ratio| ratio.is_finite())
    }

    fn unit(&self, token: Address, time: Timestamp) -> Option<f64> {
        let token = self.figures.token(token)?;
        let minute = Resolution::Minute.bucket(time.as_second());
        let span = minute..minute.saturating_add(1);
        let closes = self.figures.closes(token, None, Resolution::Minute, span);
        let unit = 10_f64.powi(i32::from(self.figures.decimals(token)?));
        Some(closes.get(minute)? / unit)
    }
}
