//! The tokens that a request for prices names.

use crate::http::error::{Problems, shown};
use primitives::Address;
use serde::{
    Deserialize, Deserializer,
    de::{Error, Visitor},
};
use std::{borrow::Cow, fmt};
use utoipa::ToSchema;

/// The tokens that are asked about.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = TokenAddresses)]
pub(super) struct TokensBody<'a> {
    /// Their addresses. A token that is asked for twice is answered once.
    #[schema(
        value_type = Vec<String>, min_items = 1, max_items = 50,
        example = json!(["0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7"])
    )]
    #[serde(borrow)]
    tokens: Vec<TokenText<'a>>,
}

/// A text, which is read in place.
#[derive(Debug)]
struct TokenText<'a>(Cow<'a, str>);

impl TokensBody<'_> {
    pub(super) fn texts(&self) -> Vec<&str> {
        self.tokens.iter().map(|TokenText(text)| &**text).collect()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for TokenText<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = TokenText<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a token address")
            }

            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<TokenText<'de>, E> {
                Ok(TokenText(Cow::Borrowed(text)))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<TokenText<'de>, E> {
                Ok(TokenText(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

/// The tokens asked for, each once, in the order in which they first appear.
pub(super) fn each_once(
    name: &str,
    asked: &[&str],
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
    let mut tokens = Vec::with_capacity(given);
    for text in asked {
        match text.parse() {
            Ok(token) if tokens.contains(&token) => {}
            Ok(token) => tokens.push(token),
            Err(error) => problems.add(format!("{name}: {} {error}", shown(text))),
        }
    }
    tokens
}
