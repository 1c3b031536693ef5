//! How far cycles are apart.

use jiff::{Span, fmt::temporal::SpanParser};
use std::{fmt, str::FromStr};
use thiserror::Error;

/// The shortest distance that has no months.
const LEAST_SECONDS: u64 = 60;

/// A thousand years: longer is a mistake.
const MOST_MONTHS: u64 = 12_000;
const MOST_SECONDS: u64 = 31_536_000_000;

/// Some months, by the calendar, and some seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Frequency {
    months: u32,
    seconds: u64,
}

/// Why a text is no frequency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum BadFrequency {
    /// It is no duration of ISO 8601.
    #[error("is not an ISO 8601 duration such as PT1H, P1D, P1W or P1M")]
    Malformed,
    /// It has parts of a second.
    #[error("has parts of a second")]
    TooFine,
    /// It is shorter than a minute, or negative.
    #[error("is shorter than a minute")]
    TooShort,
    /// It is longer than anybody lives.
    #[error("is longer than a thousand years")]
    TooLong,
}

impl Frequency {
    /// A frequency of so many months and seconds.
    pub fn new(months: u64, seconds: u64) -> Result<Self, BadFrequency> {
        if months == 0 && seconds < LEAST_SECONDS {
            return Err(BadFrequency::TooShort);
        }
        if months > MOST_MONTHS || seconds > MOST_SECONDS {
            return Err(BadFrequency::TooLong);
        }
        let months = u32::try_from(months).map_err(|_| BadFrequency::TooLong)?;
        Ok(Self { months, seconds })
    }

    /// Months of the calendar.
    #[must_use]
    pub fn months(self) -> u32 {
        self.months
    }

    /// Seconds on top of them.
    #[must_use]
    pub fn seconds(self) -> u64 {
        self.seconds
    }
}

impl FromStr for Frequency {
    type Err = BadFrequency;

    fn from_str(text: &str) -> Result<Self, BadFrequency> {
        let span = SpanParser::new().parse_span(text);
        let span = span.map_err(|_| BadFrequency::Malformed)?;
        if span.is_negative() {
            return Err(BadFrequency::TooShort);
        }
        let fine = [
            span.get_milliseconds(),
            span.get_microseconds(),
            span.get_nanoseconds(),
        ];
        if fine.iter().any(|part| *part != 0) {
            return Err(BadFrequency::TooFine);
        }
        let (months, seconds) = parts(&span).ok_or(BadFrequency::TooLong)?;
        Self::new(months, seconds)
    }
}

/// Months and seconds of a duration that is not negative.
fn parts(span: &Span) -> Option<(u64, u64)> {
    let sum = |parts: &[(i64, u64)]| {
        parts.iter().try_fold(0_u64, |sum, (count, unit)| {
            let part = u64::try_from(*count).ok()?.checked_mul(*unit)?;
            sum.checked_add(part)
        })
    };
    let months = sum(&[
        (i64::from(span.get_years()), 12),
        (i64::from(span.get_months()), 1),
    ])?;
    let seconds = sum(&[
        (i64::from(span.get_weeks()), 7 * 86_400),
        (i64::from(span.get_days()), 86_400),
        (i64::from(span.get_hours()), 3_600),
        (span.get_minutes(), 60),
        (span.get_seconds(), 1),
    ])?;
    Some((months, seconds))
}

impl fmt::Display for Frequency {
    /// The shortest of the usual forms: `P1M`, `P7D`, `PT1H30M`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("P")?;
        let (days, rest) = (self.seconds / 86_400, self.seconds % 86_400);
        for (count, unit) in [(u64::from(self.months), 'M'), (days, 'D')] {
            if count > 0 {
                write!(f, "{count}{unit}")?;
            }
        }
        if rest > 0 {
            f.write_str("T")?;
        }
        for (count, unit) in [(rest / 3_600, 'H'), (rest / 60 % 60, 'M'), (rest % 60, 'S')] {
            if count > 0 {
                write!(f, "{count}{unit}")?;
            }
        }
        Ok(())
    }
}
