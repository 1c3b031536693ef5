//! Buckets of time.

const DAY_S: i64 = 86_400;

/// Monday 1970-01-05, from which weeks are counted.
const FIRST_MONDAY_S: i64 = 4 * DAY_S;

/// The length of a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Resolution {
    /// One minute.
    Minute,
    /// Five minutes.
    FiveMinutes,
    /// A quarter of an hour.
    QuarterHour,
    /// An hour.
    Hour,
    /// Four hours.
    FourHours,
    /// A day.
    Day,
    /// A week, from Monday on.
    Week,
    /// A month of the calendar.
    Month,
    /// A year of the calendar.
    Year,
}

/// The place of a bucket among those of its resolution, in the order of time.
pub type Bucket = i64;

/// Consecutive buckets: from the first up to but not including the second.
pub type Span = std::ops::Range<Bucket>;

impl Resolution {
    /// The bucket that a time, in seconds since 1970, falls into.
    pub fn bucket(self, time: i64) -> Bucket {
        if let Some((origin, length)) = self.fixed() {
            return time.saturating_sub(origin).div_euclid(length);
        }
        let (year, month) = civil_month(time.div_euclid(DAY_S));
        if self == Self::Year {
            year
        } else {
            year * 12 + month - 1
        }
    }

    /// When a bucket begins, in seconds since 1970.
    pub fn opens(self, bucket: Bucket) -> i64 {
        match self.fixed() {
            Some((origin, length)) => bucket.saturating_mul(length).saturating_add(origin),
            None if self == Self::Year => month_opens(bucket, 1),
            None => month_opens(bucket.div_euclid(12), bucket.rem_euclid(12) + 1),
        }
    }

    /// Where buckets of one length are counted from, and the length.
    const fn fixed(self) -> Option<(i64, i64)> {
        Some(match self {
            Self::Minute => (0, 60),
            Self::FiveMinutes => (0, 300),
            Self::QuarterHour => (0, 900),
            Self::Hour => (0, 3_600),
            Self::FourHours => (0, 14_400),
            Self::Day => (0, DAY_S),
            Self::Week => (FIRST_MONDAY_S, 7 * DAY_S),
            Self::Month | Self::Year => return None,
        })
    }
}

/// Year and month of a day, counted from 1970, of the Gregorian calendar.
fn civil_month(day: i64) -> (i64, i64) {
    let shifted = day.saturating_add(719_468);
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let (month, next) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    (year + era * 400 + next, month)
}

/// When a month begins.
fn month_opens(year: i64, month: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let of_era = year.rem_euclid(400);
    let month = (month + 9) % 12;
    let of_year = (153 * month + 2) / 5;
    let day = of_era * 365 + of_era / 4 - of_era / 100 + of_year;
    (year.div_euclid(400) * 146_097 + day - 719_468) * DAY_S
}
