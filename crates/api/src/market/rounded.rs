//! Numbers for looking at: short, and as near as that allows.

/// The nearest number of so many significant digits.
pub(super) fn rounded(number: f64, digits: usize) -> f64 {
    let places = digits.saturating_sub(1);
    format!("{number:.places$e}").parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_count_from_the_first_that_is_not_zero() {
        for (number, digits, text) in [
            (3_456.789, 5, "3456.8"),
            (0.000_012_345_67, 5, "0.000012346"),
            (-2.0 / 3.0, 3, "-0.667"),
            (1_234_567.0, 3, "1230000"),
            (0.0, 5, "0"),
            (99_999.9, 5, "100000"),
            (1.5, 1, "2"),
        ] {
            assert_eq!(rounded(number, digits).to_string(), text);
        }
        assert!(rounded(f64::NAN, 5).is_nan());
    }
}
