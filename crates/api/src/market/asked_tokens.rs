//! The tokens that a request for prices names.

use super::known_tokens::KnownToken;
use crate::http::error::{Problems, shown};
use primitives::FeltError;
use serde::{
    Deserialize, Deserializer,
    de::{Error, Visitor},
};
use std::{borrow::Cow, fmt};

/// A body that names tokens. Their texts are read in place.
#[derive(Debug, Deserialize)]
pub(super) struct TokensBody<'a> {
    #[serde(borrow)]
    tokens: Vec<TokenText<'a>>,
}

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
    read: impl FnOnce(&[&str]) -> Vec<Result<KnownToken, FeltError>>,
    problems: &mut Problems,
) -> Vec<KnownToken> {
    let given = asked.len();
    if given == 0 || given > most {
        problems.add(format!(
            "{name} must have 1 to {most} addresses, not {given}"
        ));
        return Vec::new();
    }
    let mut tokens: Vec<KnownToken> = Vec::with_capacity(given);
    for (token, text) in read(asked).into_iter().zip(asked) {
        match token {
            Ok(token) if tokens.iter().any(|it| it.address == token.address) => {}
            Ok(token) => tokens.push(token),
            Err(error) => problems.add(format!("{name}: {} {error}", shown(text))),
        }
    }
    tokens
}
