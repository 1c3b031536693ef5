//! A token and its market, in the shapes of both versions.

use super::json::{Record, USD_DECIMALS, write_decimal, write_text};
use crate::dialect::Dialect;
use market::{Token, figures::Summary};
use services::GlobalMarket;

/// The extension that holds a token's website.
const WEBSITE: &str = "website";

/// Everything that a record tells, apart from the price feed.
pub(super) struct Told<'a> {
    pub(super) token: &'a Token,
    pub(super) summary: Summary,
    pub(super) global: Option<GlobalMarket>,
}

impl Told<'_> {
    pub(super) fn write_v3(
        &self,
        out: &mut Vec<u8>,
        dialect: Dialect,
        feed: impl FnOnce(&mut Vec<u8>),
    ) {
        let mut record = Record::new(out);
        self.write_identity(&mut record);
        let aggregator = self.token.listing.aggregator_id.as_deref();
        record.optional_text(dialect.aggregator_key(), aggregator);
        self.write_tags(&mut record, dialect);
        feed(record.key("linePriceFeedInUsd"));
        let mut network = Record::new(record.key(dialect.word("network")));
        self.write_network(&mut network, dialect);
        network.end();
        match self.global {
            Some(market) => write_global(record.key("global"), &market),
            None if dialect.absent_is_null() => record.null("global"),
            None => {}
        }
        record.end();
    }

    fn write_network(&self, network: &mut Record<'_>, dialect: Dialect) {
        let it = &self.summary;
        network.float("usd", it.usd);
        network.float("usdTvl", it.tvl_usd);
        write_uncounted(network, it, dialect, "usdTvlUncounted");
        for (key, percentage_key, change) in [
            (
                "usdPriceChange1h",
                "usdPriceChangePercentage1h",
                it.change_1h,
            ),
            (
                "usdPriceChange24h",
                "usdPriceChangePercentage24h",
                it.change_24h,
            ),
            (
                "usdPriceChange7d",
                "usdPriceChangePercentage7d",
                it.change_7d,
            ),
        ] {
            network.float(key, change.usd);
            network.optional_float(percentage_key, change.percentage);
        }
        network.decimal("usdVolume24h", it.volume_24h, USD_DECIMALS);
        network.decimal("usdTradingVolume24h", it.net_volume_24h, USD_DECIMALS);
    }

    pub(super) fn write_v1(
        &self,
        out: &mut Vec<u8>,
        dialect: Dialect,
        position: usize,
        feed: impl FnOnce(&mut Vec<u8>),
    ) {
        let listing = &*self.token.listing;
        let mut record = Record::new(out);
        record.whole("position", u64::try_from(position).unwrap_or(u64::MAX));
        self.write_identity(&mut record);
        if let Some(id) = &listing.aggregator_id {
            record.text(dialect.aggregator_key(), id);
        }
        if let Some(website) = listing.extensions.get(WEBSITE) {
            record.text("website", website);
        }
        self.write_tags(&mut record, dialect);
        feed(record.key("linePriceFeedInUsd"));
        let mut market = Record::new(record.key("market"));
        self.write_market_v1(&mut market, dialect);
        market.end();
        record.end();
    }

    fn write_market_v1(&self, market: &mut Record<'_>, dialect: Dialect) {
        let it = &self.summary;
        let decimals = self.token.metadata.decimals;
        let worth = it
            .supply
            .map(|units| it.usd * whole_tokens(units, decimals))
            .filter(|worth| worth.is_finite());
        let cap = self.global.map(|it| it.market_cap).or(worth);
        market.float("currentPrice", it.usd);
        market.float("marketCap", cap.unwrap_or(0.0));
        let fdv = self.global.map(|it| it.fdv).or(worth);
        market.optional_float("fullyDilutedValuation", fdv);
        market.float(dialect.word("networkTvl"), it.tvl_usd);
        write_uncounted(market, it, dialect, "networkTvlUncounted");
        for (key, percentage_key, change) in [
            ("priceChange1h", "priceChangePercentage1h", it.change_1h),
            ("priceChange24h", "priceChangePercentage24h", it.change_24h),
            ("priceChange7d", "priceChangePercentage7d", it.change_7d),
        ] {
            market.float(key, change.usd);
            market.optional_float(percentage_key, change.percentage);
        }
        let change = self.global.map(|it| it.market_cap_change_24h);
        market.optional_float("marketCapChange24h", change);
        let percentage = self.global.map(|it| it.market_cap_change_percentage_24h);
        market.optional_float("marketCapChangePercentage24h", percentage);
        let (volume, net) = (it.volume_24h, it.net_volume_24h);
        market.decimal(dialect.word("networkVolume24h"), volume, USD_DECIMALS);
        market.decimal(dialect.word("networkTradingVolume24h"), net, USD_DECIMALS);
        match it.supply {
            Some(units) => market.decimal("totalSupply", units, decimals),
            None => market.null("totalSupply"),
        }
    }

    pub(super) fn write_short(&self, out: &mut Vec<u8>) {
        let mut record = Record::new(out);
        self.write_name(&mut record);
        record.truth("verified", self.token.is_verified());
        record.float("currentPrice", self.summary.usd);
        record.end();
    }

    fn write_name(&self, record: &mut Record<'_>) {
        let metadata = &self.token.metadata;
        record.text("address", &self.token.address.to_string());
        record.text("name", &metadata.name);
        record.text("symbol", &metadata.symbol);
        record.whole("decimals", metadata.decimals);
    }

    fn write_identity(&self, record: &mut Record<'_>) {
        self.write_name(record);
        record.optional_text("logoUri", self.token.listing.logo_uri.as_deref());
        record.truth("verified", self.token.is_verified());
    }

    fn write_tags(&self, record: &mut Record<'_>, dialect: Dialect) {
        let out = record.key("tags");
        out.push(b'[');
        for (n, tag) in self.token.listing.tags.iter().enumerate() {
            if n > 0 {
                out.push(b',');
            }
            write_text(out, dialect.tag(*tag));
        }
        out.push(b']');
    }
}

/// Marks a TVL that is less than what lies at exchanges.
fn write_uncounted(record: &mut Record<'_>, summary: &Summary, dialect: Dialect, key: &str) {
    let uncounted = summary.uncounted_tvl_usd;
    if uncounted > 0.0 && dialect.has_additions() {
        record.float(key, uncounted);
    }
}

fn write_global(out: &mut Vec<u8>, market: &GlobalMarket) {
    let mut record = Record::new(out);
    for (key, value) in [
        ("usd", market.usd),
        ("usdMarketCap", market.market_cap),
        ("usdFdv", market.fdv),
        ("usdMarketCapChange24h", market.market_cap_change_24h),
        (
            "usdMarketCapChangePercentage24h",
            market.market_cap_change_percentage_24h,
        ),
    ] {
        record.float(key, value);
    }
    record.end();
}

/// The number nearest to an amount in whole tokens.
fn whole_tokens(units: u128, decimals: u8) -> f64 {
    let mut text = Vec::new();
    write_decimal(&mut text, units, decimals);
    let text = std::str::from_utf8(&text).unwrap_or_default();
    text.parse().unwrap_or(f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use market::figures::PriceChange;

    #[test]
    fn a_tvl_is_marked_where_something_is_left_out_and_in_plain_alone() {
        for (uncounted_tvl_usd, dialect, written) in [
            (12.5, Dialect::Plain, r#"{"key":12.5}"#),
            (0.0, Dialect::Plain, "{}"),
            (12.5, Dialect::Avnu, "{}"),
        ] {
            let summary = Summary {
                usd: 1.0,
                tvl_usd: 7.0,
                uncounted_tvl_usd,
                change_1h: PriceChange::default(),
                change_24h: PriceChange::default(),
                change_7d: PriceChange::default(),
                volume_24h: 0,
                net_volume_24h: 0,
                supply: None,
            };
            let mut out = Vec::new();
            let mut record = Record::new(&mut out);
            write_uncounted(&mut record, &summary, dialect, "key");
            record.end();
            assert_eq!(out, written.as_bytes());
        }
    }

    #[test]
    fn supplies_are_rounded_once() {
        assert!((whole_tokens(1_500_000, 6) - 1.5).abs() < f64::EPSILON);
        let exact = 1e18 / 3.0;
        let near = whole_tokens(333_333_333_333_333_333_333_333, 6);
        assert!((near / exact - 1.0).abs() < 1e-15);
    }
}
