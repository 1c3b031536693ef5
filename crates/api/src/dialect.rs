//! Whose names the API speaks. The only place that knows the differences.

use market::Tag;
use primitives::{Impossible, OrImpossible as _};
use serde::Serialize;
use serde_json::{Map, Serializer, Value, ser::Formatter};
use std::{fmt, io, str::FromStr};
use thiserror::Error;

/// A name that differs: as the plain dialect has it, and as published SDKs do.
const RENAMED: [(&str, &str); 10] = [
    ("PLATFORM", "AVNU"),
    (AGGREGATOR_KEY, "coingeckoId"),
    ("network", "starknet"),
    ("networkMarket", "starknetMarket"),
    ("networkTvl", "starknetTvl"),
    ("networkVolume24h", "starknetVolume24h"),
    ("networkTradingVolume24h", "starknetTradingVolume24h"),
    ("platformFees", "avnuFees"),
    ("platformFeesInUsd", "avnuFeesInUsd"),
    ("platformFeesBps", "avnuFeesBps"),
];

/// The extension that holds a token's name at a global market-data aggregator.
const AGGREGATOR_KEY: &str = "aggregatorId";

/// A set of names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Dialect {
    /// Neutral names.
    #[default]
    Plain,
    /// The names that published AVNU SDKs expect.
    Avnu,
}

/// A text that names no dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("must be plain or avnu")]
pub struct UnknownDialect;

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(text: &str) -> Result<Self, UnknownDialect> {
        match text {
            "plain" => Ok(Self::Plain),
            "avnu" => Ok(Self::Avnu),
            _ => Err(UnknownDialect),
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Plain => "plain",
            Self::Avnu => "avnu",
        })
    }
}

impl Dialect {
    /// What this dialect calls a tag.
    pub(crate) fn tag(self, tag: Tag) -> &'static str {
        self.word(tag.name())
    }

    /// The tag of a name of this dialect, in any case.
    pub(crate) fn parse_tag(self, text: &str) -> Option<Tag> {
        Tag::ALL
            .into_iter()
            .find(|tag| self.tag(*tag).eq_ignore_ascii_case(text))
    }

    /// What this dialect calls the aggregator's identifier of a token.
    pub(crate) fn aggregator_key(self) -> &'static str {
        self.word(AGGREGATOR_KEY)
    }

    /// Whether the market host answers an unknown token in a path with 404
    /// instead of 400.
    pub(crate) fn unknown_token_is_not_found(self) -> bool {
        self == Self::Avnu
    }

    /// Whether what an aggregator does not know is null instead of absent.
    pub(crate) fn absent_is_null(self) -> bool {
        self == Self::Avnu
    }

    /// Whether an order's bounds are told both or not at all.
    pub(crate) fn bounds_come_in_pairs(self) -> bool {
        self == Self::Avnu
    }

    /// Whether answers have what no published API has.
    pub(crate) fn has_additions(self) -> bool {
        self == Self::Plain
    }

    /// What is told of something that may not be known.
    pub(crate) fn optional<T>(self, value: Option<T>) -> Optional<T> {
        match value {
            Some(value) => Optional::Told(value),
            None if self.absent_is_null() => Optional::Null,
            None => Optional::Absent,
        }
    }

    /// A body of plain names as it is sent: JSON with the keys of this dialect, and a
    /// newline.
    pub(crate) fn json(self, body: &impl Serialize) -> Result<Vec<u8>, Impossible> {
        let mut out = self.one_line(body)?;
        out.push(b'\n');
        Ok(out)
    }

    /// The same without the newline, to stand in something else.
    pub(crate) fn one_line(self, body: &impl Serialize) -> Result<Vec<u8>, Impossible> {
        let mut out = Vec::new();
        let keys = Keys {
            dialect: self,
            is_key: false,
        };
        let written = body.serialize(&mut Serializer::with_formatter(&mut out, keys));
        written.or_impossible("a body can be written")?;
        Ok(out)
    }

    /// Rewrites a document of plain names: keys, values, and names in
    /// backticks in descriptions.
    pub(crate) fn translate(self, document: Value) -> Value {
        if self == Self::Plain {
            return document;
        }
        match document {
            Value::String(text) => Value::String(self.translate_text(text)),
            Value::Array(items) => {
                Value::Array(items.into_iter().map(|item| self.translate(item)).collect())
            }
            Value::Object(fields) => Value::Object(
                fields
                    .into_iter()
                    .map(|(key, value)| (self.translate_text(key), self.translate(value)))
                    .collect::<Map<_, _>>(),
            ),
            Value::Null | Value::Bool(_) | Value::Number(_) => document,
        }
    }

    fn translate_text(self, text: String) -> String {
        if !text.contains('`') {
            return self.word(&text).to_owned();
        }
        RENAMED.iter().fold(text, |text, (plain, _)| {
            text.replace(&format!("`{plain}`"), &format!("`{}`", self.word(plain)))
        })
    }

    /// What this dialect calls what the plain one calls `plain`.
    fn word(self, plain: &str) -> &str {
        match self {
            Self::Plain => plain,
            Self::Avnu => RENAMED
                .iter()
                .find(|(name, _)| *name == plain)
                .map_or(plain, |(_, word)| word),
        }
    }
}

/// A field of something that may not be known. It is skipped if it is absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum Optional<T> {
    Told(T),
    Null,
    Absent,
}

impl<T> Optional<T> {
    pub(crate) const fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }
}

/// Writes compact JSON whose keys are those of a dialect.
struct Keys {
    dialect: Dialect,
    is_key: bool,
}

impl Formatter for Keys {
    fn begin_object_key<W: io::Write + ?Sized>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.is_key = true;
        if first {
            Ok(())
        } else {
            writer.write_all(b",")
        }
    }

    fn end_object_key<W: io::Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.is_key = false;
        Ok(())
    }

    fn write_string_fragment<W: io::Write + ?Sized>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let fragment = if self.is_key {
            self.dialect.word(fragment)
        } else {
            fragment
        };
        writer.write_all(fragment.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_body_has_the_keys_of_its_dialect_and_its_own_values() {
        let body = json!({"network": {"usd": 1.5}, "symbol": "network", "tags": ["a\"network"]});
        let text = |dialect: Dialect| String::from_utf8(dialect.json(&body).unwrap()).unwrap();
        assert_eq!(text(Dialect::Plain), format!("{body}\n"));
        let renamed = body
            .to_string()
            .replacen("\"network\":", "\"starknet\":", 1);
        assert_eq!(text(Dialect::Avnu), format!("{renamed}\n"));
    }

    #[test]
    fn what_is_not_known_is_absent_or_null() {
        assert!(Dialect::Plain.optional(None::<u8>).is_absent());
        assert!(!Dialect::Avnu.optional(None::<u8>).is_absent());
        for dialect in [Dialect::Plain, Dialect::Avnu] {
            let told = [dialect.optional(Some(1)), Optional::Null];
            assert_eq!(dialect.json(&told).unwrap(), b"[1,null]\n");
        }
    }

    #[test]
    fn each_dialect_knows_its_own_word_and_not_the_others() {
        assert_eq!(Dialect::Plain.parse_tag("platform"), Some(Tag::Platform));
        assert_eq!(Dialect::Plain.parse_tag("AVNU"), None);
        assert_eq!(Dialect::Avnu.parse_tag("avnu"), Some(Tag::Platform));
        assert_eq!(Dialect::Avnu.parse_tag("PLATFORM"), None);
        for dialect in [Dialect::Plain, Dialect::Avnu] {
            assert_eq!(dialect.to_string().parse(), Ok(dialect));
            for tag in Tag::ALL {
                assert_eq!(dialect.parse_tag(dialect.tag(tag)), Some(tag));
            }
        }
    }

    #[test]
    fn a_document_is_translated_in_keys_values_and_prose() {
        let plain =
            json!({"aggregatorId": ["PLATFORM", "`PLATFORM` tokens"], "n": 1, "x": "a PLATFORM"});
        assert_eq!(Dialect::Plain.translate(plain.clone()), plain);
        assert_eq!(
            Dialect::Avnu.translate(plain),
            json!({"coingeckoId": ["AVNU", "`AVNU` tokens"], "n": 1, "x": "a PLATFORM"})
        );
    }
}
