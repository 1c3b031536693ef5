//! Changes to a document of JSON.

use crate::{
    dice::Dice,
    values::{DOCUMENTS, TEXTS},
};
use serde_json::Value;

/// Longer texts and lists tell nothing new.
const MOST_COPIES: usize = 40;

/// Changes one value of a document, or a few.
pub(crate) fn change(document: &mut Value, dice: &mut Dice) {
    for _ in 0..=dice.below(3) {
        let donor = donor(document, dice);
        let place = dice.below(count(document));
        if let Some(value) = nth(document, &mut { place }) {
            change_value(value, donor, dice);
        }
    }
}

fn change_value(value: &mut Value, donor: Value, dice: &mut Dice) {
    match (dice.below(8), &mut *value) {
        (0, Value::Object(members)) => {
            let name = members.keys().nth(dice.below(members.len())).cloned();
            name.map(|name| members.remove(&name));
        }
        (0, Value::Array(items)) if !items.is_empty() => {
            items.remove(dice.below(items.len()));
        }
        (1, Value::Array(items)) => {
            let copies = dice.below(MOST_COPIES);
            items.extend(std::iter::repeat_n(donor, copies));
        }
        (1, Value::Object(members)) => {
            let name = dice.one_of(TEXTS).unwrap_or_default();
            members.insert(name.to_owned(), donor);
        }
        (1, Value::String(text)) => *text = text.repeat(1 + dice.below(MOST_COPIES)),
        (2, Value::String(text)) => {
            text.pop();
        }
        (3, Value::String(text)) => text.push(char::from(b' ' + dice.below(95) as u8)),
        (2 | 3, Value::Number(number)) => {
            let step = dice.below(3) as i64 - 1;
            *value = number
                .as_i64()
                .and_then(|number| number.checked_add(step))
                .into();
        }
        (0..=4, _) => *value = dice.one_of(TEXTS).unwrap_or_default().into(),
        (5 | 6, _) => {
            let text = dice.one_of(DOCUMENTS).unwrap_or("null");
            *value = serde_json::from_str(text).unwrap_or_default();
        }
        _ => *value = donor,
    }
}

/// A value from elsewhere in the document.
fn donor(document: &mut Value, dice: &mut Dice) -> Value {
    let mut place = dice.below(count(document));
    nth(document, &mut place).cloned().unwrap_or_default()
}

/// All values in a document, itself included.
fn count(document: &Value) -> usize {
    match document {
        Value::Array(items) => 1 + items.iter().map(count).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(count).sum::<usize>(),
        _ => 1,
    }
}

/// The value at a place, in the order of writing.
fn nth<'d>(document: &'d mut Value, place: &mut usize) -> Option<&'d mut Value> {
    if *place == 0 {
        return Some(document);
    }
    *place -= 1;
    match document {
        Value::Array(items) => items.iter_mut().find_map(|item| nth(item, place)),
        Value::Object(members) => members.values_mut().find_map(|value| nth(value, place)),
        _ => None,
    }
}
