//! Cholesky's decomposition without roots (`LDLᵀ`; Golub & Van Loan, *Matrix
//! Computations*, section 4.1) of small symmetric positive definite matrices, of
//! which the lower half is read, row by row.

#![expect(
    clippy::indexing_slicing,
    reason = "matrices have size² places, vectors size"
)]

/// Replaces the lower half by the factors, and the diagonal by the pivots.
pub(super) fn decompose(matrix: &mut [f64], size: usize) {
    for pivot in 0..size {
        let (above, below) = matrix.split_at_mut((pivot + 1) * size);
        let own = &above[pivot * size..];
        let inverse = own[pivot].recip();
        // The column below the pivot, before it is divided.
        let column: Vec<f64> = (0..size - pivot - 1)
            .map(|row| below[row * size + pivot])
            .collect();
        for (row, value) in column
            .iter()
            .enumerate()
            .filter(|(_, value)| **value != 0.0)
        {
            let factor = value * inverse;
            let line = &mut below[row * size..(row + 1) * size];
            line[pivot] = factor;
            for (other, value) in column.iter().enumerate().take(row + 1) {
                line[pivot + 1 + other] -= factor * value;
            }
        }
    }
}

/// Replaces a right side by the solution.
pub(super) fn solve(factors: &[f64], size: usize, right: &mut [f64]) {
    for row in 0..size {
        let line = &factors[row * size..row * size + row];
        let known: f64 = line
            .iter()
            .zip(right.iter())
            .map(|(factor, value)| factor * value)
            .sum();
        right[row] -= known;
    }
    for row in (0..size).rev() {
        right[row] /= factors[row * size + row];
        let below = (row + 1..size).map(|other| factors[other * size + row] * right[other]);
        right[row] -= below.sum::<f64>();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_solution_solves(
            size in 1_usize..9,
            entries in prop::collection::vec(-1.0_f64..1.0, 64),
            right in prop::collection::vec(-1.0_f64..1.0, 8),
        ) {
            let entry = |row: usize, column: usize| {
                let (row, column) = (row.max(column), row.min(column));
                // A heavy diagonal makes it positive definite.
                entries[row * 8 + column] + if row == column { 10.0 } else { 0.0 }
            };
            let mut matrix: Vec<f64> = (0..size * size).map(|at| entry(at / size, at % size)).collect();
            let mut solution = right[..size].to_vec();
            decompose(&mut matrix, size);
            solve(&matrix, size, &mut solution);
            for (row, wanted) in right[..size].iter().enumerate() {
                let product: f64 = (0..size).map(|at| entry(row, at) * solution[at]).sum();
                prop_assert!((product - wanted).abs() < 1e-9);
            }
        }
    }
}
