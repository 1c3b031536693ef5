//! Buckets of time.
//!
//! A bucket holds every second from its opening up to, but not including, the
//! opening of the next one. All are in UTC. Weeks begin on Monday. Months and
//! years are those of the calendar's years -9999 to 9999; what lies beyond is
//! taken for its first or last second.

use jiff::{Timestamp, civil, tz::Offset};

/// The length of a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Resolution {
    /// One minute, the finest that is stored.
    Minute,
    /// Five minutes, twelve to the hour.
    FiveMinutes,
    /// A quarter of an hour, the first of them on the hour.
    QuarterHour,
    /// An hour, beginning on the hour in UTC.
    Hour,
    /// Four hours, the first of a day from midnight in UTC.
    FourHours,
    /// A day, from midnight in UTC.
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

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const WEEK: i64 = 7 * DAY;

/// Months of a year.
const MONTHS: i64 = 12;

/// 1970 began on a Thursday, three days after the Monday of week 0.
const FROM_MONDAY: i64 = 3 * DAY;

impl Resolution {
    /// Those in which series are stored, the finest first. Months and years
    /// are made of days.
    pub const STORED: [Self; 7] = [
        Self::Minute,
        Self::FiveMinutes,
        Self::QuarterHour,
        Self::Hour,
        Self::FourHours,
        Self::Day,
        Self::Week,
    ];

    /// All of them, the finest first.
    pub const ALL: [Self; 9] = [
        Self::Minute,
        Self::FiveMinutes,
        Self::QuarterHour,
        Self::Hour,
        Self::FourHours,
        Self::Day,
        Self::Week,
        Self::Month,
        Self::Year,
    ];

    /// The bucket that a second lies in. Months count from that of year 0, so
    /// that January of a year is bucket `12 * year`; years are their own number.
    pub fn bucket(self, time: i64) -> Bucket {
        match self {
            Self::Month => {
                let date = date(time);
                i64::from(date.year()) * MONTHS + i64::from(date.month()) - 1
            }
            Self::Year => date(time).year().into(),
            Self::Week => time.saturating_add(FROM_MONDAY).div_euclid(WEEK),
            _ => time.div_euclid(self.length()),
        }
    }

    /// The first second of a bucket; at the ends of the scale, the nearest that
    /// can be told.
    pub fn opens(self, bucket: Bucket) -> i64 {
        match self {
            Self::Month => begins(bucket.div_euclid(MONTHS), bucket.rem_euclid(MONTHS) + 1),
            Self::Year => begins(bucket, 1),
            Self::Week => bucket.saturating_mul(WEEK).saturating_sub(FROM_MONDAY),
            _ => bucket.saturating_mul(self.length()),
        }
    }

    /// The next finer resolution whose buckets make up those of this one.
    pub const fn finer(self) -> Option<Self> {
        match self {
            Self::Minute => None,
            Self::FiveMinutes => Some(Self::Minute),
            Self::QuarterHour => Some(Self::FiveMinutes),
            Self::Hour => Some(Self::QuarterHour),
            Self::FourHours => Some(Self::Hour),
            Self::Day => Some(Self::FourHours),
            Self::Week | Self::Month | Self::Year => Some(Self::Day),
        }
    }

    /// The place among all resolutions, from the finest on.
    pub const fn index(self) -> u8 {
        match self {
            Self::Minute => 0,
            Self::FiveMinutes => 1,
            Self::QuarterHour => 2,
            Self::Hour => 3,
            Self::FourHours => 4,
            Self::Day => 5,
            Self::Week => 6,
            Self::Month => 7,
            Self::Year => 8,
        }
    }

    /// The resolution whose stored buckets this one is read from.
    pub(super) const fn stored(self) -> Self {
        match self {
            Self::Month | Self::Year => Self::Day,
            stored => stored,
        }
    }

    /// The buckets of a finer resolution that make up a span of this one.
    pub(super) fn refine(self, span: &Span, finer: Self) -> Span {
        if self == finer {
            return span.clone();
        }
        finer.bucket(self.opens(span.start))..finer.bucket(self.opens(span.end))
    }

    /// The bucket of this resolution that one of a finer resolution lies in.
    pub(super) fn around(self, bucket: Bucket, finer: Self) -> Bucket {
        if self == finer {
            return bucket;
        }
        self.bucket(finer.opens(bucket))
    }

    /// Of the calendar's months and years, the shortest.
    const fn length(self) -> i64 {
        match self {
            Self::Minute => MINUTE,
            Self::FiveMinutes => 5 * MINUTE,
            Self::QuarterHour => 15 * MINUTE,
            Self::Hour => HOUR,
            Self::FourHours => 4 * HOUR,
            Self::Day => DAY,
            Self::Week => WEEK,
            Self::Month => 28 * DAY,
            Self::Year => 365 * DAY,
        }
    }
}

/// The date of a second.
fn date(time: i64) -> civil::Date {
    let ends = Timestamp::MIN.as_second()..=Timestamp::MAX.as_second();
    let time = time.clamp(*ends.start(), *ends.end());
    let time = Timestamp::from_second(time).unwrap_or(Timestamp::UNIX_EPOCH);
    Offset::UTC.to_datetime(time).date()
}

/// The first second of a month, which counts from 1.
fn begins(year: i64, month: i64) -> i64 {
    let numbers = i16::try_from(year).ok().zip(i8::try_from(month).ok());
    let first = numbers.and_then(|(year, month)| civil::Date::new(year, month, 1).ok());
    let midnight = first.map(|date| date.to_datetime(civil::Time::midnight()));
    let opens = midnight.and_then(|midnight| Offset::UTC.to_timestamp(midnight).ok());
    let nearest = if year < 0 {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    };
    opens.unwrap_or(nearest).as_second()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Monday, 2 September 2024, 00:00 UTC.
    const MONDAY: i64 = 1_725_235_200;

    #[test]
    fn weeks_begin_on_monday() {
        let week = Resolution::Week.bucket(MONDAY);
        assert_eq!(Resolution::Week.opens(week), MONDAY);
        assert_eq!(Resolution::Week.bucket(MONDAY - 1), week - 1);
        assert_eq!(Resolution::Week.bucket(MONDAY + WEEK - 1), week);
        assert_eq!(Resolution::Week.bucket(0), 0);
        assert_eq!(Resolution::Week.opens(0), -3 * DAY);
    }

    #[test]
    fn months_and_years_are_those_of_the_calendar() {
        assert_eq!(Resolution::Month.bucket(MONDAY), 2024 * 12 + 8);
        assert_eq!(Resolution::Month.opens(2024 * 12 + 8), MONDAY - DAY);
        assert_eq!(Resolution::Year.bucket(MONDAY), 2024);
        assert_eq!(Resolution::Year.opens(2024), 1_704_067_200);
        assert_eq!(Resolution::Year.opens(1970), 0);
    }

    #[test]
    fn stored_resolutions_are_the_first_of_all() {
        for (index, resolution) in Resolution::ALL.into_iter().enumerate() {
            assert_eq!(usize::from(resolution.index()), index);
            let stored = Resolution::STORED.get(index).copied();
            assert_eq!(stored.is_some(), resolution.stored() == resolution);
            assert!(stored.is_none_or(|stored| stored == resolution));
        }
    }

    #[test]
    fn the_ends_of_the_scale_do_not_panic() {
        for resolution in Resolution::ALL {
            for end in [i64::MIN, i64::MAX] {
                resolution.bucket(end);
                resolution.opens(end);
            }
        }
    }

    /// Walks from 1600 to 2400 day by day, counting by hand.
    #[test]
    fn every_day_of_eight_hundred_years_is_in_its_month() {
        let (month, year) = (Resolution::Month, Resolution::Year);
        let mut day = -135_140;
        for at in 1600..2400 {
            assert_eq!(year.opens(at), day * DAY);
            let is_leap = at % 4 == 0 && (at % 100 != 0 || at % 400 == 0);
            let february = if is_leap { 29 } else { 28 };
            let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
            for (index, length) in (0..).zip(lengths) {
                assert_eq!(month.opens(at * 12 + index), day * DAY);
                for _ in 0..length {
                    assert_eq!(year.bucket(day * DAY), at);
                    assert_eq!(month.bucket(day * DAY + DAY - 1), at * 12 + index);
                    day += 1;
                }
            }
        }
    }

    #[test]
    fn beyond_the_calendar_is_its_first_or_last_year() {
        for resolution in [Resolution::Month, Resolution::Year] {
            let ends = [Timestamp::MIN, Timestamp::MAX].map(Timestamp::as_second);
            assert_eq!(resolution.bucket(i64::MIN), resolution.bucket(ends[0]));
            assert_eq!(resolution.bucket(i64::MAX), resolution.bucket(ends[1]));
            assert_eq!(resolution.opens(i64::MIN), ends[0]);
            assert_eq!(resolution.opens(i64::MAX), ends[1]);
        }
    }

    /// Every second of the calendar but its last year.
    fn times() -> impl Strategy<Value = i64> {
        Resolution::Year.opens(-9_998)..Resolution::Year.opens(9_999)
    }

    proptest! {
        #[test]
        fn what_has_a_length_has_it_at_any_time(time in -1_i64 << 45..1 << 45) {
            for resolution in Resolution::STORED {
                let opens = resolution.opens(resolution.bucket(time));
                prop_assert!((opens..opens + resolution.length()).contains(&time));
            }
        }

        #[test]
        fn a_second_lies_in_its_bucket_and_in_no_other(time in times()) {
            for resolution in Resolution::ALL {
                let bucket = resolution.bucket(time);
                prop_assert!(resolution.opens(bucket) <= time);
                prop_assert!(time < resolution.opens(bucket + 1));
                let length = resolution.opens(bucket + 1) - resolution.opens(bucket);
                prop_assert!(length >= resolution.length());
            }
        }

        #[test]
        fn buckets_are_made_of_finer_ones(time in times()) {
            for resolution in Resolution::ALL {
                let Some(finer) = resolution.finer() else { continue };
                let bucket = resolution.bucket(time);
                let opens = resolution.opens(bucket);
                prop_assert_eq!(finer.opens(finer.bucket(opens)), opens);
                prop_assert_eq!(resolution.around(finer.bucket(time), finer), bucket);
            }
        }
    }
}
