//! Reads the queries of series. Everything wrong with one is told at once.

use super::{
    date::{Moment, read_moment},
    resolution,
};
use crate::http::{
    error::{Problems, Rejection},
    query_values,
};
use axum::http::Uri;
use axum_extra::extract::Query;
use market::series::{Bucket, Resolution, Span};
use serde::{Deserialize, de::DeserializeOwned};
use std::borrow::Cow;
use url::form_urlencoded;
use utoipa::IntoParams;

/// Points of a series at most, and when no beginning is asked for.
const MAX_POINTS: i64 = 5_000;
const DEFAULT_POINTS: i64 = 500;

/// Days of exchange volumes when no beginning is asked for.
const DEFAULT_DAYS: i64 = 7;

/// Which part of a series is asked for; every key may be repeated, which is
/// refused.
#[derive(Debug, Default, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct RangeQuery {
    /// From the bucket that has this moment on: a date-time with an offset, or
    /// a date, which means its midnight in UTC. Otherwise the newest 500 points
    /// before the end are answered.
    #[param(rename = "startDate", value_type = Option<String>, example = "2026-01-31T00:00:00Z")]
    start_date: Vec<String>,
    /// Up to but not including buckets that begin at this moment; now if it is
    /// not given or later than now, so that the last point is the bucket that
    /// has not ended yet.
    #[param(rename = "endDate", value_type = Option<String>, example = "2026-02-01T00:00:00Z")]
    end_date: Vec<String>,
    /// The length of a bucket. There are at most 5,000 points in an answer.
    #[param(value_type = Option<super::resolution::ResolutionName>, default = "1H", example = "1H")]
    resolution: Vec<String>,
    /// `false` leaves out the bucket that has not ended yet.
    #[param(value_type = Option<bool>, default = true, example = true)]
    partial: Vec<String>,
}

/// What prices are quoted in.
#[derive(Debug, Default, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct QuoteQuery {
    /// `USD` in any case, or the address of a token.
    #[param(value_type = Option<String>, default = "USD", example = "USD")]
    r#in: Vec<String>,
    /// Another name of `in`.
    #[param(rename = "quoteTokenAddress", value_type = Option<String>, example = "USD")]
    quote_token_address: Vec<String>,
}

/// The days that exchange volumes are summed over.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct DaysQuery {
    /// The first day, in UTC; of a date-time, its day. Otherwise six days
    /// before the last.
    #[param(value_type = Option<String>, example = "2026-01-25")]
    start_date: Vec<String>,
    /// The last day, which is included; today if it is not given or later than
    /// today. There are at most 5,000 days.
    #[param(value_type = Option<String>, example = "2026-01-31")]
    end_date: Vec<String>,
    /// `false` leaves out today, which has not ended yet.
    #[param(value_type = Option<bool>, default = true, example = true)]
    partial: Vec<String>,
}

/// The moment that is asked about.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct MomentQuery {
    /// A date-time with an offset, or a date, which means its midnight in UTC;
    /// now if it is not given or later than now.
    #[param(value_type = Option<String>, example = "2026-01-31T12:00:00Z")]
    date: Vec<String>,
}

/// The moment that is asked about, as old clients say it.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct MomentRangeQuery {
    /// Checked, but without effect: what lies in pools is told of one moment.
    #[param(value_type = Option<String>, example = "2026-01-31")]
    start_date: Vec<String>,
    /// Instead of `date`; a date means the end of that day.
    #[param(value_type = Option<String>, example = "2026-01-31")]
    end_date: Vec<String>,
}

/// Whether the price feed is wanted.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default, rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub(super) struct FeedQuery {
    /// `false` leaves `linePriceFeedInUsd` empty.
    #[param(value_type = Option<bool>, default = true, example = true)]
    with_price_feed: Vec<String>,
}

/// A part of a series.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) resolution: Resolution,
    pub(super) span: Span,
    /// The bucket that has not ended yet, if it is part of the range.
    pub(super) partial: Option<Bucket>,
}

/// Reads a query into a structure of lists.
pub(super) fn parse<T: DeserializeOwned>(uri: &Uri) -> Result<T, Rejection> {
    let query = Query::<T>::try_from_uri(uri);
    let Query(query) = query.map_err(|error| Rejection::invalid(format!("query: {error}")))?;
    Ok(query)
}

/// Keys and values, decoded. Series are asked for so often that a general
/// reader of queries would be a fifth of the work of an answer.
fn pairs(uri: &Uri) -> impl Iterator<Item = (Cow<'_, str>, String)> {
    let query = uri.query().unwrap_or_default();
    let pairs = form_urlencoded::parse(query.as_bytes());
    pairs.map(|(key, value)| (key, value.into_owned()))
}

impl RangeQuery {
    pub(super) fn of(uri: &Uri) -> Self {
        let mut query = Self::default();
        for (key, value) in pairs(uri) {
            match &*key {
                "startDate" => query.start_date.push(value),
                "endDate" => query.end_date.push(value),
                "resolution" => query.resolution.push(value),
                "partial" => query.partial.push(value),
                _ => {}
            }
        }
        query
    }

    pub(super) fn read(&self, now: i64, problems: &mut Problems) -> Option<Range> {
        let start = moment("startDate", &self.start_date, problems);
        let end = moment("endDate", &self.end_date, problems);
        let resolution = once("resolution", &self.resolution, problems).map(|text| {
            text.map_or(Some(resolution::DEFAULT), |it| {
                resolution::read(it, problems)
            })
        });
        let with_partial = truth("partial", &self.partial, problems);
        let (start, end, resolution) = (start?, end?, resolution??);
        check_order(start, end, problems)?;
        let range = Range::new(resolution, start, end, now, with_partial?);
        range.check_length(problems)?;
        Some(range)
    }
}

impl Range {
    /// Buckets from the one that has `start` up to those that begin at `end`.
    fn new(
        resolution: Resolution,
        start: Option<Moment>,
        end: Option<Moment>,
        now: i64,
        with_partial: bool,
    ) -> Self {
        let current = resolution.bucket(now);
        // A bucket that begins now has begun.
        let end_s = end.map_or(now + 1, |end| end.next_second().min(now + 1));
        let end = resolution.bucket(end_s - 1) + 1;
        let start = start.map_or(end - DEFAULT_POINTS, |it| resolution.bucket(it.second()));
        Self::cut(resolution, start..end, current, with_partial)
    }

    fn cut(resolution: Resolution, span: Span, current: Bucket, with_partial: bool) -> Self {
        let end = if with_partial {
            span.end
        } else {
            span.end.min(current)
        };
        let span = span.start.min(end)..end;
        Self {
            resolution,
            partial: span.contains(&current).then_some(current),
            span,
        }
    }

    /// The 7 days before now, in hours.
    pub(super) fn week_of_hours(now: i64) -> Self {
        let resolution = Resolution::Hour;
        let current = resolution.bucket(now);
        Self::cut(resolution, current - 7 * 24..current + 1, current, true)
    }

    fn check_length(&self, problems: &mut Problems) -> Option<()> {
        let points = self.span.end - self.span.start;
        if points <= MAX_POINTS {
            return Some(());
        }
        let first = self.resolution.opens(self.span.start);
        let last = self.resolution.opens(self.span.end - 1);
        let fits = |it: Resolution| it.bucket(last) - it.bucket(first) < MAX_POINTS;
        let finest = resolution::finest_that(self.resolution, fits).unwrap_or_default();
        problems.add(format!(
            "the range has {points} points, at most {MAX_POINTS} are answered; \
             resolution {finest} would fit"
        ));
        None
    }
}

impl QuoteQuery {
    pub(super) fn of(uri: &Uri) -> Self {
        let mut query = Self::default();
        for (key, value) in pairs(uri) {
            match &*key {
                "in" => query.r#in.push(value),
                "quoteTokenAddress" => query.quote_token_address.push(value),
                _ => {}
            }
        }
        query
    }

    /// The quote as it was written; none for USD.
    pub(super) fn read(&self, problems: &mut Problems) -> Option<&str> {
        let text = match (&self.r#in[..], &self.quote_token_address[..]) {
            ([], given) => once("quoteTokenAddress", given, problems)?,
            (given, []) => once("in", given, problems)?,
            _ => {
                problems.add("in and quoteTokenAddress mean the same; give one of them".to_owned());
                None
            }
        };
        text.filter(|text| !text.eq_ignore_ascii_case("USD"))
    }
}

impl DaysQuery {
    /// The days, and which of them are told of.
    pub(super) fn read(&self, now: i64, problems: &mut Problems) -> Option<(Span, Range)> {
        let start = moment("startDate", &self.start_date, problems);
        let end = moment("endDate", &self.end_date, problems);
        let with_partial = truth("partial", &self.partial, problems);
        let (start, end) = (start?, end?);
        let today = Resolution::Day.bucket(now);
        let asked_last = end.map_or(today, Moment::day);
        let last = asked_last.min(today);
        let first = start.map_or(last - (DEFAULT_DAYS - 1), Moment::day);
        if first > asked_last {
            let end = end.map_or("now".to_owned(), |end| end.at.to_string());
            problems.add(format!(
                "startDate must not be after endDate, which is {end}"
            ));
            return None;
        }
        let days = last + 1 - first;
        if days > MAX_POINTS {
            problems.add(format!(
                "the range has {days} days, at most {MAX_POINTS} are added up; begin later"
            ));
            return None;
        }
        let days = first.min(last + 1)..last + 1;
        let range = Range::cut(Resolution::Day, days.clone(), today, with_partial?);
        Some((days, range))
    }
}

impl MomentQuery {
    pub(super) fn read(&self, now: i64, problems: &mut Problems) -> Option<i64> {
        let asked = moment("date", &self.date, problems)?;
        Some(asked.map_or(now, |it| it.second().min(now)))
    }

    fn is_given(&self) -> bool {
        !self.date.is_empty()
    }
}

impl MomentRangeQuery {
    /// The moment, unless `date` names it.
    pub(super) fn read(
        &self,
        date: &MomentQuery,
        now: i64,
        problems: &mut Problems,
    ) -> Option<i64> {
        let start = moment("startDate", &self.start_date, problems);
        let end = moment("endDate", &self.end_date, problems);
        let asked = date.read(now, problems);
        let (start, end) = (start?, end?);
        check_order(start, end, problems)?;
        match end {
            Some(_) if date.is_given() => {
                problems.add("date and endDate mean the same; give one of them".to_owned());
                None
            }
            Some(end) if end.is_date => Some((Resolution::Day.opens(end.day() + 1) - 1).min(now)),
            Some(end) => Some(end.second().min(now)),
            None => asked,
        }
    }
}

impl FeedQuery {
    pub(super) fn read(&self, problems: &mut Problems) -> Option<bool> {
        truth("withPriceFeed", &self.with_price_feed, problems)
    }
}

/// The only value of a parameter; `None` if there are several.
#[expect(
    clippy::option_option,
    reason = "not given is not the same as given twice"
)]
pub(super) fn once<'a>(
    name: &str,
    given: &'a [String],
    problems: &mut Problems,
) -> Option<Option<&'a str>> {
    let only = query_values::once(name, given, problems);
    (given.len() <= 1).then_some(only)
}

#[expect(clippy::option_option, reason = "not given is not the same as wrong")]
pub(super) fn moment(
    name: &str,
    given: &[String],
    problems: &mut Problems,
) -> Option<Option<Moment>> {
    match once(name, given, problems)?.map(|text| read_moment(name, text)) {
        None => Some(None),
        Some(Ok(moment)) => Some(Some(moment)),
        Some(Err(problem)) => {
            problems.add(problem);
            None
        }
    }
}

/// `true` if it is not given.
fn truth(name: &str, given: &[String], problems: &mut Problems) -> Option<bool> {
    if given.is_empty() {
        return Some(true);
    }
    query_values::read_truth(name, given, problems)
}

fn check_order(start: Option<Moment>, end: Option<Moment>, problems: &mut Problems) -> Option<()> {
    match (start, end) {
        (Some(start), Some(end)) if start.at > end.at => {
            problems.add(format!(
                "startDate must not be after endDate, but {} is after {}",
                start.at, end.at
            ));
            None
        }
        _ => Some(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// 2026-01-31T12:34:56Z, a Saturday.
    const NOW: i64 = 1_769_862_896;

    fn uri(query: &str) -> Uri {
        format!("http://stoa/?{query}").parse().unwrap()
    }

    fn read(query: &str) -> Result<Range, Rejection> {
        let mut problems = Problems::default();
        let range = RangeQuery::of(&uri(query)).read(NOW, &mut problems);
        problems.none()?;
        Ok(range.unwrap())
    }

    /// When the first bucket begins, when the last ends, and how many there are.
    fn bounds(query: &str) -> (i64, i64, i64) {
        let Range {
            resolution, span, ..
        } = read(query).unwrap();
        let count = span.end - span.start;
        (
            resolution.opens(span.start),
            resolution.opens(span.end),
            count,
        )
    }

    #[test]
    fn nothing_asked_is_the_newest_500_hours() {
        let hour = NOW - NOW % 3_600 + 3_600;
        assert_eq!(bounds(""), (hour - 500 * 3_600, hour, 500));
        assert_eq!(bounds("utm=1"), bounds("resolution=1H&partial=true"));
        assert_eq!(read("").unwrap().partial, Some(hour / 3_600 - 1));
        assert_eq!(bounds("partial=false").2, 499);
        assert_eq!(read("partial=false").unwrap().partial, None);
    }

    #[test]
    fn a_bucket_that_begins_now_has_begun() {
        let query = RangeQuery::of(&uri("resolution=1D"));
        let midnight = 1_769_817_600;
        let range = query.read(midnight, &mut Problems::default()).unwrap();
        assert_eq!(range.resolution.opens(range.span.end - 1), midnight);
        assert_eq!(range.partial, Some(range.span.end - 1));
    }

    #[test]
    fn weeks_begin_on_monday_and_months_with_the_first() {
        let monday = 1_769_385_600; // 2026-01-26
        assert_eq!(
            bounds("resolution=1W&startDate=2026-01-31"),
            (monday, monday + 7 * 86_400, 1)
        );
        assert_eq!(
            bounds("resolution=1M&startDate=2026-01-31"),
            (1_767_225_600, 1_769_904_000, 1)
        );
        assert_eq!(
            bounds("resolution=1Y&startDate=2024-06-01"),
            (1_704_067_200, 1_798_761_600, 3)
        );
    }

    #[test]
    fn a_moment_of_old_clients_is_the_end_of_a_day() {
        let moment = |query: &str| {
            let date = parse::<MomentQuery>(&uri(query)).unwrap();
            let range = parse::<MomentRangeQuery>(&uri(query)).unwrap();
            let mut problems = Problems::default();
            let moment = range.read(&date, NOW, &mut problems);
            problems.none().is_ok().then(|| moment.unwrap())
        };
        assert_eq!(moment(""), Some(NOW));
        assert_eq!(moment("startDate=2026-01-30"), Some(NOW));
        assert_eq!(moment("endDate=2026-01-30"), Some(1_769_817_599));
        assert_eq!(moment("endDate=2026-01-31"), Some(NOW));
        assert_eq!(moment("endDate=2026-01-30T00:00:00Z"), Some(1_769_731_200));
        assert_eq!(moment("date=2026-01-30"), Some(1_769_731_200));
        assert_eq!(moment("date=2026-01-30&endDate=2026-01-30"), None);
        assert_eq!(moment("startDate=2026-01-30&endDate=2026-01-29"), None);
    }

    proptest! {
        #[test]
        fn no_query_makes_it_panic(
            pairs in proptest::collection::vec((
                "(startDate|endDate|resolution|partial|date|in|quoteTokenAddress|withPriceFeed|x)",
                "[ -~]{0,12}|20[0-9]{2}-[01][0-9]-[0-3][0-9]|1|1D|true|USD",
            ), 0..10),
        ) {
            let pairs: Vec<_> = pairs.iter().map(|(key, value)| {
                let value: String = value.bytes().flat_map(|byte| format!("%{byte:02x}").into_bytes()).map(char::from).collect();
                format!("{key}={value}")
            }).collect();
            let uri = uri(&pairs.join("&"));
            let mut problems = Problems::default();
            let range = RangeQuery::of(&uri).read(NOW, &mut problems);
            prop_assert_eq!(range.is_none(), !problems.is_empty());
            let days = parse::<DaysQuery>(&uri).unwrap().read(NOW, &mut problems);
            let moment = parse::<MomentQuery>(&uri).unwrap();
            let at = parse::<MomentRangeQuery>(&uri).unwrap().read(&moment, NOW, &mut problems);
            let feed = parse::<FeedQuery>(&uri).unwrap().read(&mut problems);
            QuoteQuery::of(&uri).read(&mut problems);
            if days.is_none() || at.is_none() || feed.is_none() {
                prop_assert!(!problems.is_empty());
            }
        }

        #[test]
        fn a_range_is_what_its_words_say(
            start in 1_500_000_000_i64..NOW + 1_000_000, length in 0..10_000_000_i64,
            place in 3..9_usize, with_partial: bool,
        ) {
            let names = ["1", "5", "15", "1H", "4H", "1D", "1W", "1M", "1Y"];
            let at = |second: i64| primitives::Timestamp::from_second(second).unwrap();
            let (from, to) = (at(start), at(start + length));
            let name = names[place];
            let range = read(&format!(
                "startDate={from}&endDate={to}&resolution={name}&partial={with_partial}"
            )).unwrap();
            let Range { resolution, span, partial } = range;
            let first = resolution.bucket(start) - 2;
            for bucket in first..resolution.bucket(start + length) + 2 {
                let (open, close) = (resolution.opens(bucket), resolution.opens(bucket + 1));
                let asked = resolution.opens(resolution.bucket(start)) <= open
                    && open < start + length
                    && open <= NOW
                    && (with_partial || close <= NOW);
                prop_assert_eq!(span.contains(&bucket), asked, "{}", bucket);
                let is_partial = asked && close > NOW;
                prop_assert_eq!(partial == Some(bucket), is_partial, "{}", bucket);
            }
        }
    }
}
