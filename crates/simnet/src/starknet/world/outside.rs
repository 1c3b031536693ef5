//! What the wider market says of the network's tokens.

use super::World;
use super::durations::DAY;
use super::tokens::well_known::WELL_KNOWN;
use primitives::U256;

/// A token as the wider market knows it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Outside {
    /// Its name at aggregators of market data.
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    pub(crate) symbol: &'static str,
    /// The price in dollars.
    pub(crate) usd: f64,
    /// The price a day before.
    pub(crate) usd_before: f64,
    /// All there is, in whole tokens.
    pub(crate) supply: f64,
    /// What of it anybody can trade.
    pub(crate) circulating: f64,
}

impl World {
    /// What the wider market says at a time, the most valuable tokens first.
    pub(crate) fn outside(&self, time: u64) -> Vec<Outside> {
        let outside = WELL_KNOWN.iter().filter_map(|known| {
            let price = |time| self.market.outside_price(known.address, self.seed, time);
            let supply = f64::from(U256::from(known.supply));
            Some(Outside {
                id: known.aggregator_id?,
                name: known.name,
                symbol: known.symbol,
                usd: price(time)?,
                usd_before: price(time.saturating_sub(DAY))?,
                supply,
                circulating: supply * self.market.circulating_share(known.address)?,
            })
        });
        let mut outside: Vec<Outside> = outside.collect();
        outside.sort_by(|one, other| other.market_cap().total_cmp(&one.market_cap()));
        outside
    }
}

impl Outside {
    /// What everything in circulation is worth, in dollars.
    pub(crate) fn market_cap(&self) -> f64 {
        self.usd * self.circulating
    }
}
