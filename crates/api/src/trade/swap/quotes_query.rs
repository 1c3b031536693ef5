//! Reads a wish for quotes. Everything wrong with it is told at once.

use super::super::amount::{read_amount, read_positive};
use crate::http::{
    error::{Problems, Rejection, shown},
    query_values::{self, read_number, read_truth},
};
use amm::book::{Registry, VenueId};
use primitives::{Address, Felt, U256, is_hidden};
use routing::VenueSet;
use serde::Deserialize;
use services::Snapshot;
use trading::{Bps, Fixed, Integrator, Wanted};
use utoipa::IntoParams;

const MAX_SIZE: u64 = 5;
const MAX_NAME_CHARS: usize = 64;
const MAX_EXCLUDED: usize = 64;

/// The query as it is sent; every key may be repeated, which most refuse.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct QuotesQuery {
    /// The token to be sold.
    #[param(value_type = String, required = true, example = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7")]
    sell_token_address: Vec<String>,
    /// The token to be bought.
    #[param(value_type = String, required = true, example = "0x53c91253bc9682c04929ca02ed00b3e423f6710d2ee7e0d5ebb06f3ecf368a8")]
    buy_token_address: Vec<String>,
    /// How much is sold, fees included, in the token's smallest unit: decimal,
    /// or hexadecimal after `0x`. Either this or `buyAmount` must be given,
    /// never both.
    #[param(value_type = Option<String>, example = "0xde0b6b3a7640000")]
    sell_amount: Vec<String>,
    /// How much is bought, all fees taken, in the same forms; the quote then
    /// has the smallest amount that must be sold for it. Never together with
    /// `sellAmount`.
    #[param(value_type = Option<String>, example = "2500000000")]
    buy_amount: Vec<String>,
    /// Who will execute the quote, if that is known already. `0x0` is nobody. An
    /// order beyond what the taker has is quoted, too.
    #[param(value_type = Option<String>, example = "0x1234")]
    taker_address: Vec<String>,
    /// How many quotes are wanted at most. Quotes count as different when their
    /// sets of pools differ in more than 30 % (a Jaccard index of at most 0.7);
    /// the first is the same for every `size`.
    #[param(value_type = Option<u64>, minimum = 1, maximum = 5, default = 1, example = 1)]
    size: Vec<String>,
    /// What the integrator takes, in basis points, at most 500: decimal, or
    /// hexadecimal after `0x`. Needs `integratorFeeRecipient` and
    /// `integratorName`.
    #[param(value_type = Option<String>, example = "30")]
    integrator_fees: Vec<String>,
    /// Who gets the integrator's fees.
    #[param(value_type = Option<String>, example = "0x1234")]
    integrator_fee_recipient: Vec<String>,
    /// What the integrator is called.
    #[param(value_type = Option<String>, max_length = 64, example = "My app")]
    integrator_name: Vec<String>,
    /// `true` leaves out routes with a token between the two.
    #[param(value_type = Option<bool>, default = false, example = false)]
    only_direct: Vec<String>,
    /// The name of an exchange that routes must not pass, in any case; repeat
    /// it for several. Names that no source has are ignored.
    #[param(value_type = Option<Vec<String>>, style = Form, explode, max_items = 64, example = json!(["Ekubo"]))]
    exclude_sources: Vec<String>,
}

impl QuotesQuery {
    pub(super) fn read(&self, snapshot: &Snapshot, max_swaps: usize) -> Result<Wanted, Rejection> {
        let mut reading = QueryReader::default();
        let sold = reading.token("sellTokenAddress", &self.sell_token_address, snapshot);
        let bought = reading.token("buyTokenAddress", &self.buy_token_address, snapshot);
        if let (Some(sold), Some(bought)) = (sold, bought)
            && sold == bought
        {
            reading.problems.add(format!(
                "sellTokenAddress and buyTokenAddress must be different tokens, both are {sold}"
            ));
        }
        let amount = reading.fixed(&self.sell_amount, &self.buy_amount);
        let taker = reading.address("takerAddress", &self.taker_address);
        let size = read_number("size", &self.size, 1..=MAX_SIZE, &mut reading.problems);
        let integrator = reading.integrator(self);
        let direct = read_truth("onlyDirect", &self.only_direct, &mut reading.problems);
        let avoid = reading.venues(&self.exclude_sources, snapshot.pools.registry());
        reading.problems.none()?;
        let (Some(sold), Some(bought), Some(amount)) = (sold, bought, amount) else {
            // What is missing is a problem that was told.
            return Err(Rejection::Internal);
        };
        Ok(Wanted {
            sell: sold,
            buy: bought,
            amount,
            taker: taker.filter(|taker| taker.felt() != Felt::ZERO),
            integrator,
            direct: direct.unwrap_or(false),
            avoid,
            size: usize::try_from(size.unwrap_or(1)).map_err(|_| Rejection::Internal)?,
            max_swaps,
        })
    }
}

/// What was wrong so far.
#[derive(Default)]
struct QueryReader {
    problems: Problems,
}

impl QueryReader {
    /// The only value of a parameter, if it is given.
    fn once<'a>(&mut self, name: &str, given: &'a [String]) -> Option<&'a str> {
        query_values::once(name, given, &mut self.problems)
    }

    /// A value, or the problem with it.
    fn take<T>(&mut self, read: Result<T, String>) -> Option<T> {
        read.map_err(|problem| self.problems.add(problem)).ok()
    }

    fn address(&mut self, name: &str, given: &[String]) -> Option<Address> {
        let text = self.once(name, given)?;
        let read = text.parse::<Address>();
        self.take(read.map_err(|error| format!("{name} {} {error}", shown(text))))
    }

    /// A token that is there.
    fn token(&mut self, name: &str, given: &[String], snapshot: &Snapshot) -> Option<Address> {
        if given.is_empty() {
            self.problems.add(format!("{name} is required"));
        }
        let address = self.address(name, given)?;
        if snapshot.tokens.by_address(address).is_none() {
            self.problems
                .add(format!("{name}: token {address} not found"));
        }
        Some(address)
    }

    fn fixed(&mut self, sold: &[String], bought: &[String]) -> Option<Fixed> {
        match (sold, bought) {
            ([], []) => {
                let problem = "either sellAmount or buyAmount is required";
                self.problems.add(problem.to_owned());
                None
            }
            (sold, []) => self.amount("sellAmount", sold).map(Fixed::Sell),
            ([], bought) => self.amount("buyAmount", bought).map(Fixed::Buy),
            _ => {
                let problem = "sellAmount and buyAmount exclude each other; give one of them";
                self.problems.add(problem.to_owned());
                None
            }
        }
    }

    fn amount(&mut self, name: &str, given: &[String]) -> Option<U256> {
        let text = self.once(name, given)?;
        self.take(read_positive(name, text))
    }

    /// An integrator, if fees are given. Without fees nobody has to be paid, so
    /// that the rest does not matter.
    fn integrator(&mut self, query: &QuotesQuery) -> Option<Integrator> {
        let fees = self.once("integratorFees", &query.integrator_fees);
        if query.integrator_fees.is_empty() {
            return None;
        }
        let fee = fees.and_then(|text| self.bps(text));
        let recipient = &query.integrator_fee_recipient;
        if recipient.is_empty() {
            let problem = "integratorFees needs integratorFeeRecipient: who gets them";
            self.problems.add(problem.to_owned());
        }
        let recipient = self.address("integratorFeeRecipient", recipient);
        let name = self.name(&query.integrator_name);
        let made = Integrator::new(fee?, recipient?, name?);
        self.take(made.map_err(|error| error.to_string()))
    }

    fn bps(&mut self, text: &str) -> Option<Bps> {
        let most = Bps::MOST_OF_AN_INTEGRATOR;
        let fee = read_amount("integratorFees", text).and_then(|amount| {
            let fee = u32::try_from(amount).ok().and_then(Bps::new);
            fee.filter(|fee| *fee <= most).ok_or_else(|| {
                format!(
                    "integratorFees must be at most {} basis points, not {}",
                    most.get(),
                    shown(text)
                )
            })
        });
        self.take(fee)
    }

    fn name(&mut self, given: &[String]) -> Option<String> {
        if given.is_empty() {
            let problem = "integratorFees needs integratorName: what the integrator is called";
            self.problems.add(problem.to_owned());
        }
        let name = self.once("integratorName", given)?;
        let is_long = !(1..=MAX_NAME_CHARS).contains(&name.chars().count());
        if is_long || name.chars().any(is_hidden) {
            self.problems.add(format!(
                "integratorName must have 1 to {MAX_NAME_CHARS} visible characters, not {}",
                shown(name)
            ));
            return None;
        }
        Some(name.to_owned())
    }

    fn venues(&mut self, excluded: &[String], registry: &Registry) -> VenueSet {
        if excluded.len() > MAX_EXCLUDED {
            self.problems.add(format!(
                "excludeSources may be given at most {MAX_EXCLUDED} times"
            ));
            return VenueSet::NONE;
        }
        let is_excluded = |name: &str| excluded.iter().any(|it| it.eq_ignore_ascii_case(name));
        let venues = (0..).zip(registry.venues());
        venues
            .filter(|(_, venue)| is_excluded(&venue.name))
            .filter_map(|(place, _)| VenueId::at(place))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use amm::book::Pools;
    use market::{Directory, Listings, TokenList, TokenMetadata, TokenReading, figures::Figures};
    use primitives::{BlockRef, Timestamp};
    use proptest::{prelude::*, sample::select};
    use services::{RecentBlocks, Trail};
    use std::sync::Arc;

    /// Two tokens are known: 0x1 and 0x2.
    fn snapshot() -> Snapshot {
        let metadata = TokenMetadata {
            name: "Token".to_owned(),
            symbol: "TOKEN".to_owned(),
            decimals: 18,
        };
        let known = [Felt::ONE, Felt::TWO].map(Address::new);
        let readings = known.map(|token| (token, 1, TokenReading::Readable(metadata.clone())));
        let directory = Directory::from_readings(readings);
        Snapshot {
            head: BlockRef {
                number: 1,
                hash: Felt::ONE,
            },
            head_time: Timestamp::UNIX_EPOCH,
            tokens: Arc::new(TokenList::new(&directory, &Listings::default(), |_| false)),
            pools: Pools::default(),
            graph: Arc::default(),
            trail: Trail::default(),
            recent: RecentBlocks::default(),
            figures: Figures::default(),
            shunned: Arc::default(),
            standing: Arc::default(),
            provisional: false,
        }
    }

    /// Values of a parameter, and whether they can be read.
    type Given = (&'static [&'static str], bool);

    const TOKENS: [Given; 7] = [
        (&["0x1"], true),
        (&["0x2"], true),
        (&["0x02"], true),
        (&["0x3"], false),
        (&["ETH"], false),
        (&["0x1", "0x1"], false),
        (&[], false),
    ];
    const AMOUNTS: [Given; 6] = [
        (&["0x5"], true),
        (&["5"], true),
        (&["0"], false),
        (&["-5"], false),
        (&["5", "5"], false),
        (&[], false),
    ];
    const SIZES: [Given; 6] = [
        (&[], true),
        (&["1"], true),
        (&["5"], true),
        (&["0"], false),
        (&["6"], false),
        (&["+1"], false),
    ];
    const DIRECT: [Given; 4] = [
        (&[], true),
        (&["true"], true),
        (&["false"], true),
        (&["yes"], false),
    ];

    fn texts(given: Given) -> Vec<String> {
        given.0.iter().map(|text| (*text).to_owned()).collect()
    }

    fn query(next: &mut impl FnMut() -> Vec<String>) -> QuotesQuery {
        QuotesQuery {
            sell_token_address: next(),
            buy_token_address: next(),
            sell_amount: next(),
            buy_amount: next(),
            size: next(),
            only_direct: next(),
            taker_address: next(),
            integrator_fees: next(),
            integrator_fee_recipient: next(),
            integrator_name: next(),
            exclude_sources: next(),
        }
    }

    proptest! {
        #[test]
        fn an_order_is_read_when_all_of_it_can_be(
            [sell, buy] in [select(&TOKENS[..]), select(&TOKENS[..])],
            [sold, bought] in [select(&AMOUNTS[..]), select(&AMOUNTS[..])],
            size in select(&SIZES[..]),
            direct in select(&DIRECT[..]),
        ) {
            let mut given = [sell, buy, sold, bought, size, direct].map(texts).into_iter();
            let query = query(&mut || given.next().unwrap_or_default());
            let amounts = [sold, bought].map(|amount| (amount.0.is_empty(), amount.1));
            let has_amount = matches!(amounts, [(true, _), (_, true)] | [(_, true), (true, _)]);
            let is_first = |token: Given| token.0 == ["0x1"];
            let has_tokens = sell.1 && buy.1 && is_first(sell) != is_first(buy);
            match query.read(&snapshot(), 1) {
                Ok(wanted) => {
                    prop_assert!(has_amount && has_tokens && size.1 && direct.1);
                    let sells_first = wanted.sell == Address::new(Felt::ONE);
                    prop_assert_eq!(sells_first, is_first(sell));
                    prop_assert_eq!(matches!(wanted.amount, Fixed::Sell(_)), !sold.0.is_empty());
                    let size: usize = size.0.first().map_or(1, |size| size.parse().unwrap());
                    prop_assert_eq!(wanted.size, size);
                    prop_assert_eq!(wanted.direct, direct.0 == ["true"]);
                }
                Err(Rejection::Invalid(_)) => {
                    prop_assert!(!(has_amount && has_tokens && size.1 && direct.1));
                }
                Err(other) => prop_assert!(false, "{:?}", other),
            }
        }

        #[test]
        fn whatever_is_asked_is_read_or_refused_in_words(
            lists in proptest::collection::vec(
                proptest::collection::vec("[ -~]{0,12}|0x[0-9a-f]{0,70}|[0-9]{0,80}|true|0x1|0x2", 0..3),
                11,
            ),
        ) {
            let mut lists = lists.into_iter();
            let query = query(&mut || lists.next().unwrap_or_default());
            let read = query.read(&snapshot(), 1);
            prop_assert!(matches!(read, Ok(_) | Err(Rejection::Invalid(_))), "{:?}", read.err());
        }
    }
}
