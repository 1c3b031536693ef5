//! Small whole numbers in queries.

use crate::http::error::{Problems, shown};
use std::ops::RangeInclusive;

/// Digits and nothing else, within bounds.
pub(crate) fn read_number(
    name: &str,
    given: &[String],
    allowed: RangeInclusive<u64>,
    problems: &mut Problems,
) -> Option<u64> {
    let text = match given {
        [] => return None,
        [text] => text,
        _ => {
            problems.add(format!("{name} may be given once"));
            return None;
        }
    };
    let plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|_| plain);
    let number = number.filter(|number| allowed.contains(number));
    if number.is_none() {
        problems.add(format!(
            "{name} must be a whole number from {} to {}, not {}",
            allowed.start(),
            allowed.end(),
            shown(text)
        ));
    }
    number
}
