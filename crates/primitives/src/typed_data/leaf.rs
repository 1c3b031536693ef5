//! Values that are one element, or a text.

use super::error::{Problem, TypedDataError, text};
use super::revision::Revision;
use crate::felt::{felt_from_bytes, felt_from_hex};
use crate::selector::selector;
use ruint::aliases::U256;
use serde_json::{Number, Value};
use starknet_types_core::felt::Felt;

/// Whole numbers beyond this are not the same in every program that reads JSON.
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

const SHORT_STRING_BYTES: usize = 31;

/// A kind of value without parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leaf {
    /// A number or a short string; in revision 0 also everything that is not
    /// known by name.
    Felt,
    /// An address or a class: a number.
    Number,
    U128,
    I128,
    Bool,
    Selector,
    /// A text of any length.
    String,
}

impl Leaf {
    /// The kind that a revision calls by this name.
    pub(super) fn named(name: &str, revision: Revision) -> Option<Self> {
        match (name, revision) {
            ("selector", _) => Some(Self::Selector),
            (_, Revision::Zero) | ("felt" | "shortstring", _) => Some(Self::Felt),
            ("ClassHash" | "ContractAddress", _) => Some(Self::Number),
            ("u128" | "timestamp", _) => Some(Self::U128),
            ("i128", _) => Some(Self::I128),
            ("bool", _) => Some(Self::Bool),
            ("string", _) => Some(Self::String),
            _ => None,
        }
    }

    pub(super) fn encode(self, value: &Value) -> Result<Felt, TypedDataError> {
        Ok(match self {
            Self::Felt => felt_or_short_string(value)?,
            Self::Number => felt(value)?,
            Self::U128 => u128(value)?,
            Self::I128 => i128(value)?,
            Self::Bool => {
                let flag = value.as_bool();
                Felt::from(flag.ok_or(Problem::Expected("true or false"))?)
            }
            Self::Selector => {
                let name = text(value)?;
                if is_hexadecimal(name) {
                    felt(value)?
                } else {
                    selector(name)
                }
            }
            Self::String => Revision::One.hash_list(&byte_array(text(value)?)),
        })
    }
}

/// A whole number with its sign.
enum Integer {
    Plus(U256),
    Minus(U256),
}

fn felt_or_short_string(value: &Value) -> Result<Felt, Problem> {
    match value {
        Value::String(text) if !is_number(text) => short_string(text),
        _ => felt(value),
    }
}

fn short_string(text: &str) -> Result<Felt, Problem> {
    if text.is_ascii() && text.len() <= SHORT_STRING_BYTES {
        Ok(Felt::from_bytes_be_slice(text.as_bytes()))
    } else {
        Err(Problem::ShortString)
    }
}

fn felt(value: &Value) -> Result<Felt, Problem> {
    const OUT: Problem = Problem::OutOfRange("a felt");
    // Nearly every value of a document is written like this.
    if let Some(Ok(felt)) = value.as_str().map(felt_from_hex) {
        return Ok(felt);
    }
    match integer(value, OUT)? {
        Integer::Plus(number) => felt_from_bytes(&number.to_be_bytes()).ok_or(OUT),
        Integer::Minus(_) => Err(OUT),
    }
}

fn u128(value: &Value) -> Result<Felt, Problem> {
    const OUT: Problem = Problem::OutOfRange("an u128");
    match integer(value, OUT)? {
        Integer::Plus(number) => Ok(Felt::from(u128::try_from(number).map_err(|_| OUT)?)),
        Integer::Minus(_) => Err(OUT),
    }
}

fn i128(value: &Value) -> Result<Felt, Problem> {
    const OUT: Problem = Problem::OutOfRange("an i128");
    let most = U256::from(i128::MAX.unsigned_abs());
    match integer(value, OUT)? {
        Integer::Plus(number) if number <= most => {
            Ok(Felt::from(u128::try_from(number).map_err(|_| OUT)?))
        }
        Integer::Minus(number) if number <= most + U256::ONE => {
            Ok(-Felt::from(u128::try_from(number).map_err(|_| OUT)?))
        }
        _ => Err(OUT),
    }
}

/// The number that a value is, or why it is none; `out` if it is too large.
fn integer(value: &Value, out: Problem) -> Result<Integer, Problem> {
    match value {
        Value::Bool(flag) => Ok(Integer::Plus(U256::from(u8::from(*flag)))),
        Value::Number(number) => safe(number),
        Value::String(text) => written(text, out),
        _ => Err(Problem::Expected("a number")),
    }
}

fn safe(number: &Number) -> Result<Integer, Problem> {
    let size = number.as_i64().map(i64::unsigned_abs).or(number.as_u64());
    let size = size.ok_or(Problem::Expected("a whole number"))?;
    if size > MAX_SAFE_INTEGER {
        return Err(Problem::Expected("written as text, being so large"));
    }
    Ok(if number.as_i64().is_some_and(i64::is_negative) {
        Integer::Minus(U256::from(size))
    } else {
        Integer::Plus(U256::from(size))
    })
}

/// A number as JavaScript's `BigInt` reads it.
fn written(text: &str, out: Problem) -> Result<Integer, Problem> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(Integer::Plus(U256::ZERO));
    }
    let (digits, radix) = digits(text);
    let (digits, negative) = match digits.strip_prefix('-') {
        Some(digits) if radix == 10 => (digits, true),
        _ if radix == 10 => (digits.strip_prefix('+').unwrap_or(digits), false),
        _ => (digits, false),
    };
    let are_digits = digits.chars().all(|digit| digit.is_digit(radix));
    if digits.is_empty() || !are_digits {
        return Err(Problem::Expected("a number"));
    }
    let number = U256::from_str_radix(digits, radix.into()).map_err(|_| out)?;
    Ok(if negative && number != U256::ZERO {
        Integer::Minus(number)
    } else {
        Integer::Plus(number)
    })
}

/// The digits of a number, and how many kinds of them there are.
fn digits(text: &str) -> (&str, u32) {
    let prefixed = |[lower, upper]: [&str; 2]| {
        let digits = text.strip_prefix(lower);
        digits.or_else(|| text.strip_prefix(upper))
    };
    if let Some(digits) = prefixed(["0x", "0X"]) {
        (digits, 16)
    } else if let Some(digits) = prefixed(["0o", "0O"]) {
        (digits, 8)
    } else if let Some(digits) = prefixed(["0b", "0B"]) {
        (digits, 2)
    } else {
        (text, 10)
    }
}

fn is_number(text: &str) -> bool {
    let size = Problem::OutOfRange("a felt");
    !matches!(written(text, size), Err(Problem::Expected(_)))
}

fn is_hexadecimal(text: &str) -> bool {
    let (digits, radix) = digits(text);
    radix == 16 && digits.chars().all(|digit| digit.is_ascii_hexdigit())
}

/// A text as Cairo's `ByteArray`: words of 31 bytes, what is left, and its length.
fn byte_array(text: &str) -> Vec<Felt> {
    let mut words = text.as_bytes().chunks_exact(SHORT_STRING_BYTES);
    let mut felts = vec![Felt::from(words.len())];
    felts.extend(words.by_ref().map(Felt::from_bytes_be_slice));
    let pending = words.remainder();
    felts.push(Felt::from_bytes_be_slice(pending));
    felts.push(Felt::from(pending.len()));
    felts
}
