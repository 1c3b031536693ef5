//! The tokens that a request for prices names.

use crate::error::{Problems, shown};
use primitives::Address;
use serde::{
    Deserialize, Deserializer,
    de::{Error, Visitor},
};
use std::fmt;

/// A body that names tokens.
#[derive(Debug, Deserialize)]
pub(super) struct TokensBody {
    pub(super) tokens: Vec<AskedToken>,
}

/// An address, or what is wrong with it. Read in place: a request may name many.
#[derive(Debug)]
pub(super) struct AskedToken(Result<Address, String>);

impl AskedToken {
    pub(super) fn read(text: &str) -> Self {
        Self(
            text.parse()
                .map_err(|error| format!("{} {error}", shown(text))),
        )
    }
}

impl<'de> Deserialize<'de> for AskedToken {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = AskedToken;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a token address")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<AskedToken, E> {
                Ok(AskedToken::read(text))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

/// The addresses, each once, in the order in which they first appear.
pub(super) fn addresses(
    name: &str,
    asked: Vec<AskedToken>,
    most: usize,
    problems: &mut Problems,
) -> Vec<Address> {
    let given = asked.len();
    if given == 0 || given > most {
        problems.add(format!(
            "{name} must have 1 to {most} addresses, not {given}"
        ));
        return Vec::new();
    }
    let mut addresses: Vec<Address> = Vec::with_capacity(given);
    for AskedToken(token) in asked {
        match token {
            Ok(address) if addresses.contains(&address) => {}
            Ok(address) => addresses.push(address),
            Err(problem) => problems.add(format!("{name}: {problem}")),
        }
    }
    addresses
}
