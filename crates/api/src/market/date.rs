//! Dates and times, in and out. All of them are UTC.

use crate::http::error::shown;
use primitives::Timestamp;
use serde::{Serialize, Serializer};
use std::fmt;

/// Requests may speak of times from 1970-01-01 up to and including 2100-01-01.
const LATEST_S: i64 = 4_102_444_800;

const DAY_S: i64 = 86_400;

/// The length of `2026-01-31`.
const DATE_BYTES: usize = 10;

/// A moment that a request names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment {
    /// When; of a date, its midnight.
    pub(super) at: Timestamp,
    /// Whether it was given without a time.
    pub(super) is_date: bool,
}

impl Moment {
    /// The second that it falls into.
    pub(super) fn second(self) -> i64 {
        self.at.as_second()
    }

    /// The first second that is not before it.
    pub(super) fn next_second(self) -> i64 {
        let second = self.second();
        let whole = self.at == Timestamp::from_second(second).unwrap_or(self.at);
        if whole { second } else { second + 1 }
    }

    /// The day that it falls into, counted from 1970.
    pub(super) fn day(self) -> i64 {
        self.second().div_euclid(DAY_S)
    }
}

/// Reads a date, or a date-time with an offset.
pub(super) fn read_moment(name: &str, text: &str) -> Result<Moment, String> {
    let Some(moment) = parse(text) else {
        return Err(format!(
            "{name} must be a date such as 2026-01-31, or a date-time with an offset such as \
             2026-01-31T12:00:00Z, not {}",
            shown(text)
        ));
    };
    if moment.at < Timestamp::UNIX_EPOCH || moment.next_second() > LATEST_S {
        return Err(format!(
            "{name} must be from 1970-01-01 to 2100-01-01, not {}",
            shown(text)
        ));
    }
    Ok(moment)
}

/// The parser of the calendar knows more forms than are promised here; what
/// reaches it has the promised one.
fn parse(text: &str) -> Option<Moment> {
    let bytes = text.as_bytes();
    let promised = |byte: &u8| byte.is_ascii_digit() || b"-:.TtZz+ ".contains(byte);
    let year = bytes.get(..4)?;
    if !bytes.iter().all(promised)
        || !year.iter().all(u8::is_ascii_digit)
        || bytes.get(4) != Some(&b'-')
        || bytes.get(7) != Some(&b'-')
    {
        return None;
    }
    if text.len() == DATE_BYTES {
        let at = format!("{text}T00:00:00Z").parse().ok()?;
        return Some(Moment { at, is_date: true });
    }
    if !matches!(bytes.get(DATE_BYTES), Some(b'T' | b't')) {
        return None;
    }
    // A plus that was not escaped arrives as a space.
    let at = text.replace(' ', "+").parse().ok()?;
    Some(Moment { at, is_date: false })
}

/// A time in seconds since 1970, which is written as ISO 8601 in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Time(pub(super) i64);

impl Time {
    fn timestamp(self) -> Timestamp {
        // Beyond the calendar's years, its end.
        Timestamp::from_second(self.0).unwrap_or(Timestamp::MAX)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.timestamp().fmt(f)
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A day, counted from 1970, which is written as `2026-01-31`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Day(pub(super) i64);

impl Day {
    /// Its first second.
    pub(super) const fn begins(self) -> Time {
        Time(self.0.saturating_mul(DAY_S))
    }
}

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.begins().timestamp().strftime("%F"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(text: &str) -> i64 {
        read_moment("date", text).unwrap().second()
    }

    #[test]
    fn dates_and_times_of_every_promised_form_are_read() {
        assert_eq!(at("1970-01-01"), 0);
        assert_eq!(at("2100-01-01"), LATEST_S);
        assert_eq!(at("2026-01-31T12:00:00Z"), 1_769_860_800);
        for same in [
            "2026-01-31T12:00:00.000Z",
            "2026-01-31t12:00:00z",
            "2026-01-31T12:00Z",
            "2026-01-31T14:00:00+02:00",
            "2026-01-31T14:00:00 02:00",
            "2026-01-31T06:30:00.999-05:30",
        ] {
            assert_eq!(at(same), 1_769_860_800, "{same}");
        }
        assert!(read_moment("date", "2026-01-31").unwrap().is_date);
        assert!(!read_moment("date", "2026-01-31T00:00:00Z").unwrap().is_date);
    }

    #[test]
    fn a_part_of_a_second_belongs_to_it_and_ends_with_the_next() {
        let moment = read_moment("date", "2026-01-31T12:00:00.001Z").unwrap();
        assert_eq!(
            (moment.second(), moment.next_second()),
            (1_769_860_800, 1_769_860_801)
        );
        let whole = read_moment("date", "2026-01-31T12:00:00Z").unwrap();
        assert_eq!(whole.next_second(), whole.second());
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            "now",
            "2026",
            "2026-02-30",
            "2026-13-01",
            "2026-1-1",
            "20260131",
            "2026-01-31T12:00:00",
            "2026-01-31 12:00:00Z",
            "2026-01-31T25:00:00Z",
            "2026-01-31T12:00:00+99:00",
            "2026-01-31T12:00:00Z[UTC]",
            "+002026-01-31",
            "-2026-01-31",
            "1769860800",
            "2026-01-31T",
            "２０２６-01-31",
        ] {
            let problem = read_moment("date", text).unwrap_err();
            assert!(
                problem.starts_with("date must be a date such as"),
                "{problem}"
            );
        }
        for text in [
            "1969-12-31",
            "1970-01-01T00:00:00+00:01",
            "2100-01-01T00:00:00.1Z",
            "2100-01-02",
            "9999-12-30",
            "0000-01-01",
        ] {
            let problem = read_moment("date", text).unwrap_err();
            assert!(
                problem.starts_with("date must be from 1970-01-01"),
                "{problem}"
            );
        }
    }

    proptest! {
        #[test]
        fn times_and_days_are_written_as_the_calendar_has_them(time in -400_000_000_i64..LATEST_S) {
            let expected = Timestamp::from_second(time).unwrap().to_string();
            prop_assert_eq!(expected.len(), "2026-01-31T12:00:00Z".len());
            prop_assert_eq!(Time(time).to_string(), expected.as_str());
            let day = serde_json::to_string(&Day(time.div_euclid(DAY_S))).unwrap();
            prop_assert_eq!(day.trim_matches('"'), &expected[..DATE_BYTES]);
        }

        #[test]
        fn what_is_written_is_read_again(time in 0..=LATEST_S) {
            let text = Time(time).to_string();
            prop_assert_eq!(read_moment("date", &text).map(Moment::second), Ok(time));
        }

        #[test]
        fn no_text_makes_it_panic(text in any::<String>(), timely in "[0-9TZ:.+ -]{0,30}") {
            for text in [text, timely] {
                let _ = read_moment("date", &text);
            }
        }
    }
}
