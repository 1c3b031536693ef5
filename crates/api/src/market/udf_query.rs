//! Reads what charts ask of the data feed.

use crate::{
    http::{
        error::{Problems, shown},
        query_values::read_number,
    },
    trade::read_search,
};
use market::series::Resolution;
use serde::Deserialize;
use utoipa::IntoParams;

/// Bars of an answer at most; more are cut off at the old end.
const MAX_BARS: u64 = 5_000;

/// Symbols of an answer.
const DEFAULT_LIMIT: u64 = 30;
const MAX_LIMIT: u64 = 100;

/// Times that can be asked about, in seconds: far beyond the calendar's years.
const MAX_TIME: u64 = 100_000_000_000;

/// What charts call resolutions, the first name of each the one that is told.
pub(super) const RESOLUTIONS: [(&str, &str, Resolution); 9] = [
    ("1", "1", Resolution::Minute),
    ("5", "5", Resolution::FiveMinutes),
    ("15", "15", Resolution::QuarterHour),
    ("60", "1H", Resolution::Hour),
    ("240", "4H", Resolution::FourHours),
    ("1D", "D", Resolution::Day),
    ("1W", "W", Resolution::Week),
    ("1M", "M", Resolution::Month),
    ("12M", "1Y", Resolution::Year),
];

/// Which symbol is meant.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(super) struct SymbolQuery {
    /// A token's address, which is its ticker, or its symbol in any case, with or
    /// without the exchange and a colon before it.
    #[param(value_type = String, required = true, example = "ETH")]
    symbol: Vec<String>,
}

/// Which symbols are looked for.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(super) struct SearchQuery {
    /// As `search` of the token list.
    #[param(value_type = Option<String>, max_length = 200, example = "eth")]
    query: Vec<String>,
    /// `crypto`, or empty for all.
    #[param(value_type = Option<String>, example = "crypto")]
    r#type: Vec<String>,
    /// `Stoa`, or empty for all.
    #[param(value_type = Option<String>, example = "Stoa")]
    exchange: Vec<String>,
    /// Symbols at most.
    #[param(value_type = Option<u64>, minimum = 1, maximum = 100, default = 30, example = 30)]
    limit: Vec<String>,
}

/// Which bars are asked for.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(super) struct HistoryQuery {
    /// As for `symbols`.
    #[param(value_type = String, required = true, example = "ETH")]
    symbol: Vec<String>,
    /// The length of a bar: minutes, or `1D`, `1W`, `1M`, `12M`.
    #[param(value_type = String, required = true, example = "60")]
    resolution: Vec<String>,
    /// From the bar that has this time on, in seconds since 1970 UTC; without
    /// effect beside `countback`.
    #[param(value_type = Option<u64>, minimum = 0, example = 1_769_817_600)]
    from: Vec<String>,
    /// Up to but not including bars that begin at this time; now if it is not
    /// given.
    #[param(value_type = Option<u64>, minimum = 0, example = 1_769_904_000)]
    to: Vec<String>,
    /// So many bars before `to`. There are at most 5,000 in an answer, the newest.
    #[param(value_type = Option<u64>, minimum = 1, example = 300)]
    countback: Vec<String>,
}

/// Which symbols are looked for.
#[derive(Debug)]
pub(super) struct Search {
    pub(super) text: Option<String>,
    pub(super) limit: usize,
    /// Whether the filters leave anything.
    pub(super) finds: bool,
}

/// Which bars are asked for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Bars {
    pub(super) resolution: Resolution,
    pub(super) from: Option<i64>,
    pub(super) to: Option<i64>,
    pub(super) count: Option<i64>,
}

impl SymbolQuery {
    pub(super) fn read(&self, problems: &mut Problems) -> Option<String> {
        read_symbol(&self.symbol, problems)
    }
}

impl SearchQuery {
    pub(super) fn read(self, exchange: &str, kind: &str, problems: &mut Problems) -> Search {
        let is_any_or = |given: &[String], word: &str| {
            let mut given = given.iter();
            given.all(|it| it.is_empty() || it.eq_ignore_ascii_case(word))
        };
        let finds = is_any_or(&self.exchange, exchange) && is_any_or(&self.r#type, kind);
        let limit = read_number("limit", &self.limit, 1..=MAX_LIMIT, problems);
        let limit = limit.unwrap_or(DEFAULT_LIMIT);
        Search {
            text: read_search(&self.query, problems),
            limit: usize::try_from(limit).unwrap_or(0),
            finds,
        }
    }
}

impl HistoryQuery {
    pub(super) fn read(&self, problems: &mut Problems) -> Option<(String, Bars)> {
        let symbol = read_symbol(&self.symbol, problems);
        let resolution = read_resolution(&self.resolution, problems);
        let mut time = |name: &str, given: &[String]| {
            let seconds = read_number(name, given, 0..=MAX_TIME, problems)?;
            i64::try_from(seconds).ok()
        };
        let (from, to) = (time("from", &self.from), time("to", &self.to));
        let count = read_number("countback", &self.countback, 1..=u64::MAX, problems);
        if let (Some(from), Some(to)) = (from, to)
            && from > to
        {
            problems.add(format!(
                "from must not be after to, but {from} is after {to}"
            ));
        }
        let count = count.and_then(|count| i64::try_from(count.min(MAX_BARS)).ok());
        let bars = Bars {
            resolution: resolution?,
            from,
            to,
            count,
        };
        Some((symbol?, bars))
    }
}

impl Bars {
    /// The first bucket that is told of, if those before `end` are asked for.
    pub(super) fn start(&self, end: i64) -> i64 {
        let most = i64::try_from(MAX_BARS).unwrap_or(i64::MAX);
        let farthest = end.saturating_sub(self.count.unwrap_or(most));
        match (self.count, self.from) {
            (None, Some(from)) => self.resolution.bucket(from).max(farthest),
            _ => farthest,
        }
    }
}

fn read_symbol(given: &[String], problems: &mut Problems) -> Option<String> {
    match given {
        [symbol] if !symbol.is_empty() => Some(symbol.clone()),
        _ => {
            problems.add("symbol must be given once".to_owned());
            None
        }
    }
}

fn read_resolution(given: &[String], problems: &mut Problems) -> Option<Resolution> {
    let [text] = given else {
        problems.add("resolution must be given once".to_owned());
        return None;
    };
    let found = RESOLUTIONS
        .iter()
        .find(|(name, other, _)| name == text || other == text);
    if found.is_none() {
        let names = RESOLUTIONS.map(|(name, ..)| name).join(", ");
        problems.add(format!(
            "resolution must be one of {names}, not {}",
            shown(text)
        ));
    }
    found.map(|(.., resolution)| *resolution)
}

#[cfg(test)]
mod tests {
    use super::super::query::parse;
    use super::*;

    fn read(query: &str) -> Option<Bars> {
        let uri = format!("http://stoa/?symbol=ETH&{query}").parse().unwrap();
        let mut problems = Problems::default();
        let read = parse::<HistoryQuery>(&uri).unwrap().read(&mut problems);
        read.filter(|_| problems.is_empty()).map(|(_, bars)| bars)
    }

    #[test]
    fn a_count_goes_before_a_beginning() {
        let bars = read("resolution=60&from=7200&to=36000&countback=3").unwrap();
        assert_eq!(bars.start(10), 7);
        let bars = read("resolution=60&from=7300&to=36000").unwrap();
        assert_eq!(bars.start(10), 2);
        let bars = read("resolution=60&countback=99999999999999999999").unwrap_or(Bars {
            resolution: Resolution::Hour,
            from: None,
            to: None,
            count: None,
        });
        assert_eq!(bars.start(10_000), 5_000);
    }

    #[test]
    fn charts_have_two_names_for_a_day() {
        for (name, resolution) in [
            ("D", Resolution::Day),
            ("1D", Resolution::Day),
            ("240", Resolution::FourHours),
            ("M", Resolution::Month),
            ("12M", Resolution::Year),
        ] {
            let bars = read(&format!("resolution={name}")).unwrap();
            assert_eq!(bars.resolution, resolution);
        }
        for wrong in [
            "resolution=2",
            "",
            "resolution=60&from=9&to=8",
            "resolution=60&to=x",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
