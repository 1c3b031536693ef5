//! Many rows in few statements.

use std::iter;

/// Keeps the bound values of one statement well below both engines' limits.
const ROWS: usize = 500;

/// Keeps the bytes of one statement, which are held in memory more than once,
/// small beside all that is written.
const BYTES: usize = 4 << 20;

/// Cuts rows into the portions of single statements. A row of more bytes than a
/// statement should have gets one of its own.
pub(crate) fn portions<T>(rows: &[T], bytes: impl Fn(&T) -> usize) -> impl Iterator<Item = &[T]> {
    let mut rest = rows;
    iter::from_fn(move || {
        let mut room = BYTES;
        let fitting = rest.iter().take(ROWS).take_while(|row| {
            let fits = room.checked_sub(bytes(row));
            room = fits.unwrap_or(0);
            fits.is_some()
        });
        let count = fitting.count().max(1).min(rest.len());
        let (portion, later) = rest.split_at_checked(count)?;
        rest = later;
        (!portion.is_empty()).then_some(portion)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn counts(rows: &[usize]) -> Vec<usize> {
        portions(rows, |bytes| *bytes).map(<[_]>::len).collect()
    }

    #[test]
    fn a_portion_is_bounded_in_rows_and_in_bytes() {
        assert_eq!(counts(&[]), Vec::<usize>::new());
        assert_eq!(counts(&[1; 1_100]), [500, 500, 100]);
        assert_eq!(counts(&[BYTES / 3; 7]), [3, 3, 1]);
        assert_eq!(counts(&[1, BYTES, 1]), [1, 1, 1]);
        assert_eq!(counts(&[1, BYTES - 1, 1]), [2, 1]);
    }

    #[test]
    fn a_row_that_is_too_large_comes_alone() {
        assert_eq!(counts(&[1, BYTES + 1, 1]), [1, 1, 1]);
        assert_eq!(counts(&[usize::MAX, usize::MAX]), [1, 1]);
    }

    proptest! {
        #[test]
        fn portions_are_all_rows_in_order(rows in prop::collection::vec(0..2 * BYTES, 0..40)) {
            let joined: Vec<usize> = portions(&rows, |bytes| *bytes).flatten().copied().collect();
            prop_assert_eq!(joined, rows);
        }
    }
}
