//! Which of the next epochs can be booked.

use crate::lease::Mode;
use std::collections::{BTreeMap, BTreeSet};

/// How far the calendar looks ahead.
pub const HORIZON: i32 = 60;

/// What is booked of one epoch of a validator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occupancy {
    /// By its number on the cluster.
    pub epoch: i32,
    /// Whether one lease has all of it.
    pub exclusive: bool,
    /// How many seats are taken.
    pub shared_used: u32,
}

/// Epochs in a row that can be booked in the same way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first of them.
    pub from: i32,
    /// The one after the last.
    pub to: i32,
    /// `Exclusive` if all of the validator is free, and its seats with it;
    /// `Shared` if only seats are.
    pub mode: Mode,
    /// The seats that are free; nothing where none are offered.
    pub seats_left: u32,
}

/// The bookable spans of the next [`HORIZON`] epochs from `now`, for a
/// validator with so many `seats` (none if it does not share).
pub fn availability(now: i32, seats: u32, booked: &[Occupancy]) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for (epoch, mode, seats_left) in bookable(now, seats, booked) {
        match spans.last_mut() {
            Some(span)
                if span.to == epoch && span.mode == mode && span.seats_left == seats_left =>
            {
                span.to = span.to.saturating_add(1);
            }
            _ => spans.push(Span {
                from: epoch,
                to: epoch.saturating_add(1),
                mode,
                seats_left,
            }),
        }
    }
    spans
}

/// The first of the next epochs of which nothing is booked.
pub fn next_free_epoch(now: i32, booked: &[Occupancy]) -> Option<i32> {
    let mut free = bookable(now, 0, booked);
    free.find(|(_, mode, _)| *mode == Mode::Exclusive)
        .map(|(epoch, ..)| epoch)
}

/// Of each of so many epochs from `now` on, whether nothing is booked of it.
pub fn free_epochs(now: i32, count: i32, booked: &[Occupancy]) -> Vec<bool> {
    let is_taken = |row: &&Occupancy| row.exclusive || row.shared_used > 0;
    let taken: BTreeSet<i32> = booked
        .iter()
        .filter(is_taken)
        .map(|row| row.epoch)
        .collect();
    let epochs = now..now.saturating_add(count);
    epochs.map(|epoch| !taken.contains(&epoch)).collect()
}

fn bookable(now: i32, seats: u32, booked: &[Occupancy]) -> impl Iterator<Item = (i32, Mode, u32)> {
    let booked: BTreeMap<i32, Occupancy> = booked.iter().map(|row| (row.epoch, *row)).collect();
    (now..now.saturating_add(HORIZON)).filter_map(move |epoch| match booked.get(&epoch) {
        Some(row) if row.exclusive => None,
        Some(row) if row.shared_used > 0 => {
            let left = seats.saturating_sub(row.shared_used);
            (left > 0).then_some((epoch, Mode::Shared, left))
        }
        _ => Some((epoch, Mode::Exclusive, seats)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(epoch: i32, exclusive: bool, shared_used: u32) -> Occupancy {
        Occupancy {
            epoch,
            exclusive,
            shared_used,
        }
    }

    fn span(from: i32, to: i32, mode: Mode, seats_left: u32) -> Span {
        Span {
            from,
            to,
            mode,
            seats_left,
        }
    }

    #[test]
    fn an_empty_calendar_is_one_span() {
        let all = span(7, 67, Mode::Exclusive, 4);
        assert_eq!(availability(7, 4, &[]), [all]);
        assert_eq!(next_free_epoch(7, &[]), Some(7));
    }

    #[test]
    fn spans_end_where_what_is_free_changes() {
        let booked = [
            row(7, true, 0),
            row(8, false, 1),
            row(9, false, 1),
            row(10, false, 3),
            row(11, false, 4),
            row(12, false, 0),
        ];
        assert_eq!(
            availability(7, 4, &booked),
            [
                span(8, 10, Mode::Shared, 3),
                span(10, 11, Mode::Shared, 1),
                span(12, 67, Mode::Exclusive, 4),
            ]
        );
        assert_eq!(next_free_epoch(7, &booked), Some(12));
    }

    #[test]
    fn an_epoch_is_free_if_nothing_is_booked_of_it() {
        let booked = [row(7, true, 0), row(8, false, 0), row(9, false, 1)];
        assert_eq!(free_epochs(7, 4, &booked), [false, true, false, true]);
        assert_eq!(free_epochs(9, 1, &booked), [false]);
        let first = free_epochs(7, HORIZON, &booked)
            .iter()
            .position(|free| *free);
        assert_eq!(first, Some(1));
        assert_eq!(next_free_epoch(7, &booked), Some(8));
    }

    #[test]
    fn seats_above_a_lowered_cap_leave_none() {
        assert_eq!(
            availability(7, 2, &[row(7, false, 3)])
                .first()
                .map(|span| span.from),
            Some(8)
        );
    }

    #[test]
    fn a_full_calendar_has_no_free_epoch() {
        let booked: Vec<_> = (7..67).map(|epoch| row(epoch, true, 0)).collect();
        assert!(availability(7, 4, &booked).is_empty());
        assert_eq!(next_free_epoch(7, &booked), None);
    }

    #[test]
    fn the_calendar_ends_with_the_numbers_of_epochs() {
        let spans = availability(i32::MAX - 2, 0, &[]);
        assert_eq!(spans, [span(i32::MAX - 2, i32::MAX, Mode::Exclusive, 0)]);
    }
}
