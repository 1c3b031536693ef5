//! Days, months and years of the Gregorian calendar, which is taken to have
//! been in use for ever. Days count from 1 January 1970, months from January of
//! year 0.

/// Days in four hundred years, after which the calendar repeats.
const CYCLE: i64 = 400 * 365 + 97;

/// From 1 January of year 0 to that of 1970.
const EPOCH: i64 = 719_528;

/// Days of a common year before each month.
const BEFORE: [i64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];

const fn is_leap(year: i64) -> bool {
    year.rem_euclid(4) == 0 && (year.rem_euclid(100) != 0 || year.rem_euclid(400) == 0)
}

/// The day on which a year begins.
pub(super) const fn year_begins(year: i64) -> i64 {
    let before = year.saturating_sub(1);
    // Leap days before the year, year 0 having one of its own.
    let leaps = before.div_euclid(4) - before.div_euclid(100) + before.div_euclid(400) + 1;
    year.saturating_mul(365).saturating_add(leaps - EPOCH)
}

/// The year that a day lies in.
pub(super) fn year(day: i64) -> i64 {
    let since = day.saturating_add(EPOCH);
    let cycles = since.div_euclid(CYCLE);
    // A year has at least 365 days, so that this is at most one too many.
    let guess = cycles * 400 + since.rem_euclid(CYCLE) / 365;
    if year_begins(guess) > day {
        guess - 1
    } else {
        guess
    }
}

/// The month that a day lies in.
pub(super) fn month(day: i64) -> i64 {
    let year = year(day);
    let of_year = day - year_begins(year);
    let leap = i64::from(is_leap(year));
    let begun = (0..).zip(BEFORE).filter(|(month, before)| {
        let leap = if *month > 1 { leap } else { 0 };
        before + leap <= of_year
    });
    year * 12 + begun.map(|(month, _)| month).last().unwrap_or(0)
}

/// The day on which a month begins.
pub(super) fn month_begins(month: i64) -> i64 {
    let (year, of_year) = (month.div_euclid(12), month.rem_euclid(12));
    let before = usize::try_from(of_year)
        .ok()
        .and_then(|of_year| BEFORE.get(of_year))
        .unwrap_or(&0);
    let leap = i64::from(of_year > 1 && is_leap(year));
    year_begins(year).saturating_add(before + leap)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Walks from 1600 to 2400 day by day, counting by hand.
    #[test]
    fn every_day_of_eight_hundred_years_is_in_its_month() {
        let mut day = year_begins(1600);
        assert_eq!(day, -135_140);
        for at in 1600..2400 {
            assert_eq!(year_begins(at), day);
            let february = if is_leap(at) { 29 } else { 28 };
            let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
            for (index, length) in (0..).zip(lengths) {
                assert_eq!(month_begins(at * 12 + index), day);
                for _ in 0..length {
                    assert_eq!(year(day), at);
                    assert_eq!(month(day), at * 12 + index);
                    day += 1;
                }
            }
        }
        assert_eq!(year_begins(1970), 0);
    }
}
