//! The tokens that a request for prices names.

use super::known_tokens::KnownTokens;
use crate::error::{Problems, shown};
use primitives::Address;
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

/// The places of the known tokens among those asked for, each once, in the
/// order in which they first appear.
pub(super) fn places(
    name: &str,
    asked: &[&str],
    most: usize,
    known: Option<&KnownTokens>,
    problems: &mut Problems,
) -> Vec<usize> {
    let given = asked.len();
    if given == 0 || given > most {
        problems.add(format!(
            "{name} must have 1 to {most} addresses, not {given}"
        ));
        return Vec::new();
    }
    let mut places = Vec::with_capacity(given);
    for text in asked {
        // A text that is known need not be read as a number.
        let place = known.and_then(|it| it.by_text(text));
        let place = place.or_else(|| match text.parse::<Address>() {
            Ok(address) => known?.list().by_address(address).map(|(place, _)| place),
            Err(error) => {
                problems.add(format!("{name}: {} {error}", shown(text)));
                None
            }
        });
        if let Some(place) = place.filter(|it| !places.contains(it)) {
            places.push(place);
        }
    }
    places
}
