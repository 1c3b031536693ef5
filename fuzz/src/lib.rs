//! What targets share: changes to inputs that keep their form.
//!
//! Most of what Stoa reads is JSON, or lines of which some are. A fuzzer that only
//! changes bytes seldom gets past the reader of JSON; [`mutate`] also changes values.

mod dice;
mod document;
mod values;

use dice::Dice;
use libfuzzer_sys::fuzzer_mutate;

/// Changes an input in place and says how long it is now: a value of a line that is
/// JSON, a value of a query, or, as often as both, any bytes.
pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut dice = Dice::new(seed);
    let changed = match dice.below(4) {
        0 | 1 => None,
        2 => changed_query(data.get(..size), &mut dice),
        _ => changed_line(data.get(..size), &mut dice),
    };
    match changed {
        Some(text) if text.len() <= max_size => {
            let place = data.get_mut(..text.len());
            place.map_or(size, |place| {
                place.copy_from_slice(text.as_bytes());
                text.len()
            })
        }
        _ => fuzzer_mutate(data, size, max_size),
    }
}

/// The input with another value in one of its lines of JSON.
fn changed_line(data: Option<&[u8]>, dice: &mut Dice) -> Option<String> {
    let text = std::str::from_utf8(data?).ok()?;
    let mut lines: Vec<&str> = text.split('\n').collect();
    let documents = lines.iter().enumerate().filter_map(|(place, line)| {
        let document = serde_json::from_str(line).ok()?;
        Some((place, document))
    });
    let mut documents: Vec<_> = documents.collect();
    let chosen = dice.below(documents.len());
    let (place, document) = documents.get_mut(chosen)?;
    document::change(document, dice);
    let changed = document.to_string();
    *lines.get_mut(*place)? = &changed;
    Some(lines.join("\n"))
}

/// The input with another value after one of the `=` of its first line.
fn changed_query(data: Option<&[u8]>, dice: &mut Dice) -> Option<String> {
    let text = std::str::from_utf8(data?).ok()?;
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let marks: Vec<usize> = first.match_indices('=').map(|(place, _)| place).collect();
    let mark = *marks.get(dice.below(marks.len()))?;
    let (before, after) = first.split_at(mark + 1);
    let end = after.find(['&', ' ']).unwrap_or(after.len());
    let value = dice.one_of(values::TEXTS)?;
    Some(format!("{before}{value}{}\n{rest}", after.get(end..)?))
}
