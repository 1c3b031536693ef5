//! What a validator's gateway reports of the use of leases: batches that are
//! taken whole or not at all, each report once, and their sums.

use primitives::{SignedDuration, Timestamp, Ulid};
use std::collections::BTreeMap;

/// Reports that a batch has at most.
pub const MAX_REPORTS: usize = 1024;

/// The longest time that one report tells of.
const MAX_WINDOW: SignedDuration = SignedDuration::from_hours(24);

/// How far the gateway's clock may be ahead.
const MAX_AHEAD: SignedDuration = SignedDuration::from_mins(5);

/// The longest that a report may come after its time began. Leases end, and so
/// do the days that are shown of one.
const MAX_AGE: SignedDuration = SignedDuration::from_hours(24 * 90);

/// How long after it came a report is remembered: longer than it could come
/// again and count, whenever its time began.
pub const REPORTS_REMEMBERED: SignedDuration = SignedDuration::from_hours(24 * 91);

/// The largest sum that is kept.
const MAX_COUNT: u64 = i64::MAX as u64;

const SECONDS_OF_A_DAY: i64 = 86_400;

/// How much a lease was used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Signatures that were made.
    pub signs: u64,
    /// Handshakes that failed.
    pub failed: u64,
}

/// What a gateway reports of a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsageReport {
    /// By which it is known if it comes again.
    pub id: Ulid,
    /// One of the reporting validator's; batches with others are refused.
    pub lease: Ulid,
    /// From when.
    pub from: Timestamp,
    /// Until when.
    pub to: Timestamp,
    /// What happened in that time.
    pub usage: Usage,
}

/// Why a batch is refused, before anyone looks at what is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchError {
    /// It has so many reports.
    TooMany(usize),
    /// The time of the report at this place is empty, longer than a day, ahead,
    /// or long past.
    Window(usize),
    /// The count of the report at this place is more than is ever kept.
    Overflow(usize),
}

/// Reports that may be written: each id once, in the order of their ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageBatch {
    reports: BTreeMap<Ulid, UsageReport>,
    repeated: usize,
}

/// The sums of some reports.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UsageSums {
    /// Of each lease.
    pub leases: BTreeMap<Ulid, Usage>,
    /// Of each lease and day, which is counted from 1970.
    pub days: BTreeMap<(Ulid, i64), Usage>,
}

impl Usage {
    /// Both together; `None` if that is more than is ever kept.
    pub fn plus(self, other: Self) -> Option<Self> {
        let sum = |a: u64, b: u64| a.checked_add(b).filter(|sum| *sum <= MAX_COUNT);
        Some(Self {
            signs: sum(self.signs, other.signs)?,
            failed: sum(self.failed, other.failed)?,
        })
    }
}

impl UsageReport {
    /// The day that it begins in, counted from 1970.
    pub fn day(&self) -> i64 {
        self.from.as_second().div_euclid(SECONDS_OF_A_DAY)
    }

    fn is_timely(&self, now: Timestamp) -> bool {
        let length = self.to.duration_since(self.from);
        length > SignedDuration::ZERO
            && length <= MAX_WINDOW
            && self.to.duration_since(now) <= MAX_AHEAD
            && now.duration_since(self.from) <= MAX_AGE
    }
}

/// The first moment of a day that is counted from 1970.
pub fn beginning_of_day(day: i64) -> Option<Timestamp> {
    Timestamp::from_second(day.checked_mul(SECONDS_OF_A_DAY)?).ok()
}

impl UsageBatch {
    /// Reports in the order in which they were sent. Of those with one id the
    /// first counts.
    pub fn new(sent: Vec<UsageReport>, now: Timestamp) -> Result<Self, BatchError> {
        if sent.len() > MAX_REPORTS {
            return Err(BatchError::TooMany(sent.len()));
        }
        let total = sent.len();
        let mut reports = BTreeMap::new();
        for (place, report) in sent.into_iter().enumerate() {
            if !report.is_timely(now) {
                return Err(BatchError::Window(place));
            }
            let fits = Usage::default().plus(report.usage);
            fits.ok_or(BatchError::Overflow(place))?;
            reports.entry(report.id).or_insert(report);
        }
        Ok(Self {
            repeated: total.saturating_sub(reports.len()),
            reports,
        })
    }

    /// Its reports, by their ids.
    pub fn reports(&self) -> impl ExactSizeIterator<Item = &UsageReport> {
        self.reports.values()
    }

    /// The reports that had the id of one before them.
    pub fn repeated(&self) -> usize {
        self.repeated
    }

    /// The sums of those of its reports that are new; `None` if one is more than
    /// is ever kept.
    pub fn sums(&self, is_new: impl Fn(Ulid) -> bool) -> Option<UsageSums> {
        let mut sums = UsageSums::default();
        for report in self.reports().filter(|report| is_new(report.id)) {
            let lease = sums.leases.entry(report.lease).or_default();
            *lease = lease.plus(report.usage)?;
            let day = sums.days.entry((report.lease, report.day())).or_default();
            *day = day.plus(report.usage)?;
        }
        Some(sums)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NOW: i64 = 1_800_000_000;

    fn id(number: u8) -> Ulid {
        Ulid::new(Timestamp::UNIX_EPOCH, [number; 10])
    }

    fn report(number: u8, from: i64, seconds: i64, signs: u64) -> UsageReport {
        let at = |second| Timestamp::from_second(second).unwrap();
        UsageReport {
            id: id(number),
            lease: id(200),
            from: at(from),
            to: at(from + seconds),
            usage: Usage { signs, failed: 1 },
        }
    }

    fn batch(sent: Vec<UsageReport>) -> Result<UsageBatch, BatchError> {
        UsageBatch::new(sent, Timestamp::from_second(NOW).unwrap())
    }

    #[test]
    fn what_is_forgotten_could_not_come_again() {
        let came = Timestamp::from_second(NOW).unwrap();
        let later = came + REPORTS_REMEMBERED;
        // The latest time that a report can be of when it comes, and the shortest.
        let ahead = MAX_AHEAD.as_secs();
        let latest = report(1, NOW + ahead - 1, 1, 5);
        assert!(latest.is_timely(came));
        assert!(!latest.is_timely(later));
        let earlier = report(1, NOW - 60, 60, 5);
        assert!(earlier.is_timely(came) && !earlier.is_timely(later));
    }

    #[test]
    fn a_batch_has_at_most_1024_reports() {
        let one = report(1, NOW - 60, 60, 5);
        assert!(batch(vec![one; 1024]).is_ok());
        assert_eq!(batch(vec![one; 1025]), Err(BatchError::TooMany(1025)));
        assert!(batch(Vec::new()).is_ok());
    }

    #[test]
    fn a_report_tells_of_a_time_that_has_passed_of_late() {
        let day = 86_400;
        for (from, seconds, is_good) in [
            (NOW - 60, 60, true),
            (NOW - 60, 0, false),
            (NOW - 60, -1, false),
            (NOW - day, day, true),
            (NOW - day, day + 1, false),
            (NOW, 300, true),
            (NOW, 301, false),
            (NOW - 90 * day, 60, true),
            (NOW - 90 * day - 1, 60, false),
        ] {
            let found = batch(vec![
                report(1, NOW - 60, 60, 5),
                report(2, from, seconds, 5),
            ]);
            let expected = if is_good {
                None
            } else {
                Some(BatchError::Window(1))
            };
            assert_eq!(found.err(), expected, "{from} {seconds}");
        }
    }

    #[test]
    fn the_first_of_an_id_counts() {
        let sent = vec![report(1, NOW - 60, 60, 5), report(1, NOW - 60, 60, 9)];
        let batch = batch(sent).unwrap();
        assert_eq!((batch.reports().len(), batch.repeated()), (1, 1));
        let sums = batch.sums(|_| true).unwrap();
        assert_eq!(sums.leases[&id(200)].signs, 5);
        assert_eq!(batch.sums(|_| false), Some(UsageSums::default()));
    }

    #[test]
    fn what_is_more_than_is_kept_is_refused() {
        let most = report(1, NOW - 60, 60, MAX_COUNT);
        assert_eq!(
            batch(vec![most]).unwrap().sums(|_| true).unwrap().leases[&id(200)].signs,
            MAX_COUNT
        );
        assert_eq!(
            batch(vec![report(1, NOW - 60, 60, MAX_COUNT + 1)]),
            Err(BatchError::Overflow(0))
        );
        let both = batch(vec![most, report(2, NOW - 60, 60, 1)]).unwrap();
        assert_eq!(both.sums(|_| true), None);
        assert!(both.sums(|id| id == most.id).is_some());
    }

    #[test]
    fn days_begin_where_they_are_shown_to() {
        assert_eq!(report(1, 86_399, 1, 0).day(), 0);
        assert_eq!(report(1, 86_400, 1, 0).day(), 1);
        assert_eq!(beginning_of_day(1).unwrap().as_second(), 86_400);
        assert_eq!(beginning_of_day(i64::MAX), None);
    }

    proptest! {
        #[test]
        fn days_add_up_to_their_lease(sent in prop::collection::vec((0_u8..40, 0_i64..200_000, 0_u64..1_000), 0..60)) {
            let sent = sent.into_iter().map(|(id, ago, signs)| report(id, NOW - ago - 60, 60, signs));
            let batch = batch(sent.collect()).unwrap();
            let sums = batch.sums(|id| id != self::id(7)).unwrap();
            let of_days: u64 = sums.days.values().map(|usage| usage.signs).sum();
            let of_leases: u64 = sums.leases.values().map(|usage| usage.signs).sum();
            prop_assert_eq!(of_days, of_leases);
        }
    }
}
