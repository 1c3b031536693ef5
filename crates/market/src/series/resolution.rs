//! Buckets of time.

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
