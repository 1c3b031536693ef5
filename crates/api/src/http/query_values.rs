//! Values of a query. Each key may be given once; whatever is wrong is gathered, so that
//! it can be told at once.

use super::error::{Problems, shown};
use std::ops::RangeInclusive;

/// The only value of a key, if it is given.
pub(crate) fn once<'a>(
    name: &str,
    given: &'a [String],
    problems: &mut Problems,
) -> Option<&'a str> {
    match given {
        [] => None,
        [text] => Some(text),
        _ => {
            problems.add(format!("{name} may be given once"));
            None
        }
    }
}

/// `true` or `false`.
pub(crate) fn read_truth(name: &str, given: &[String], problems: &mut Problems) -> Option<bool> {
    match once(name, given, problems)? {
        "true" => Some(true),
        "false" => Some(false),
        text => {
            problems.add(format!("{name} must be true or false, not {}", shown(text)));
            None
        }
    }
}

/// A small whole number: digits and nothing else, within bounds.
pub(crate) fn read_number(
    name: &str,
    given: &[String],
    allowed: RangeInclusive<u64>,
    problems: &mut Problems,
) -> Option<u64> {
    let text = once(name, given, problems)?;
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
