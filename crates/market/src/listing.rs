//! Curated facts about tokens, from a file in the token-lists convention.
//!
//! The chain says what a token is called; a list says who vouches for it, how
//! it looks and what it is called elsewhere.

use crate::tag::Tag;
use primitives::{Address, Felt, felt_from_hex, short_string};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use thiserror::Error;

const MAX_ENTRIES: usize = 100_000;
const MAX_EXTENSIONS: usize = 32;
const MAX_TEXT_CHARS: usize = 2_048;

/// The extension that holds a token's name at a global market-data aggregator;
/// lists in the wild use the second word.
const AGGREGATOR_KEYS: [&str; 2] = ["aggregatorId", "coingeckoId"];

/// What a list says of one token.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// Address of a picture.
    pub logo_uri: Option<String>,
    /// Tags, each once.
    pub tags: Vec<Tag>,
    /// Identifier at a global market-data aggregator.
    pub aggregator_id: Option<String>,
    /// Further facts.
    pub extensions: BTreeMap<String, String>,
}

/// The listings of one chain.
#[derive(Debug, Clone, Default)]
pub struct Listings(HashMap<Address, Arc<Listing>>);

/// What is wrong with a token list.
#[derive(Debug, Error)]
pub enum ListingError {
    /// It is not JSON, or not of the convention's shape.
    #[error("not a token list")]
    Shape(#[from] serde_json::Error),
    /// It has more entries than any real list.
    #[error("has {found} tokens, at most {MAX_ENTRIES} are read")]
    TooMany {
        /// Entries found.
        found: usize,
    },
    /// One entry is wrong.
    #[error("tokens[{index}].{field}: {problem}")]
    RawListing {
        /// Position in `tokens`, from 0.
        index: usize,
        /// The name that it has in the JSON.
        field: &'static str,
        /// What is wrong with it.
        problem: String,
    },
}

#[derive(Deserialize)]
struct File {
    tokens: Vec<RawListing>,
    #[serde(default)]
    tags: HashMap<String, Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawListing {
    chain_id: Value,
    address: String,
    #[serde(rename = "logoURI")]
    logo_uri: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    extensions: BTreeMap<String, Value>,
}

impl Listings {
    /// Reads a list and keeps the entries of one chain. A later entry of an
    /// address replaces an earlier one.
    pub fn parse(json: &str, chain_id: Felt) -> Result<Self, ListingError> {
        let file: File = serde_json::from_str(json)?;
        if file.tokens.len() > MAX_ENTRIES {
            return Err(ListingError::TooMany {
                found: file.tokens.len(),
            });
        }
        let mut listings = HashMap::new();
        for (index, entry) in file.tokens.into_iter().enumerate() {
            let wrong = |field, problem| ListingError::RawListing {
                index,
                field,
                problem,
            };
            let chain = read_chain_id(&entry.chain_id).map_err(|p| wrong("chainId", p))?;
            if chain != chain_id {
                continue;
            }
            let address: Address = entry
                .address
                .parse()
                .map_err(|error| wrong("address", format!("{:?} {error}", entry.address)))?;
            let listing = Listing {
                logo_uri: read_logo(entry.logo_uri).map_err(|p| wrong("logoURI", p))?,
                tags: read_tags(&entry.tags, &file.tags).map_err(|p| wrong("tags", p))?,
                aggregator_id: AGGREGATOR_KEYS
                    .iter()
                    .find_map(|key| entry.extensions.get(*key).and_then(scalar_text)),
                extensions: read_extensions(&entry.extensions)
                    .map_err(|p| wrong("extensions", p))?,
            };
            listings.insert(address, Arc::new(listing));
        }
        Ok(Self(listings))
    }

    /// What the list says of a token; of an unlisted one, that it is unknown.
    pub fn get(&self, address: Address) -> Arc<Listing> {
        self.0.get(&address).cloned().unwrap_or_else(|| {
            Arc::new(Listing {
                tags: vec![Tag::Unknown],
                ..Listing::default()
            })
        })
    }

    /// Whether a token is shown: one that is no more than a share of a pool is
    /// only if the list names it.
    pub fn shows(&self, address: Address, is_share: impl FnOnce(Address) -> bool) -> bool {
        self.0.contains_key(&address) || !is_share(address)
    }

    /// The names of listed tokens at the aggregator, each once and in order.
    pub fn aggregator_ids(&self) -> BTreeSet<&str> {
        let ids = self.0.values();
        ids.filter_map(|listing| listing.aggregator_id.as_deref())
            .collect()
    }

    /// How many tokens are listed.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no token is listed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A number, its hexadecimal or decimal text, or the network's name such as
/// `SN_MAIN`.
fn read_chain_id(value: &Value) -> Result<Felt, String> {
    match value {
        Value::Number(number) => number.as_u64().map(Felt::from),
        Value::String(text) if text.starts_with("0x") => felt_from_hex(text).ok(),
        Value::String(text) if text.starts_with(|c: char| c.is_ascii_digit()) => {
            Felt::from_dec_str(text).ok()
        }
        Value::String(text) if text.is_ascii() && (1..=31).contains(&text.len()) => {
            Some(short_string(text))
        }
        _ => None,
    }
    .ok_or_else(|| format!("{value} is not a chain id"))
}

fn read_logo(logo: Option<String>) -> Result<Option<String>, String> {
    let Some(logo) = logo.filter(|logo| !logo.is_empty()) else {
        return Ok(None);
    };
    let known = ["https://", "http://", "ipfs://"];
    if !known.iter().any(|scheme| logo.starts_with(scheme)) {
        return Err("must begin with https://, http:// or ipfs://".to_owned());
    }
    bounded(&logo).map(Some)
}

/// Our tags by name; other words may stand there if the list defines them.
fn read_tags(words: &[String], defined: &HashMap<String, Value>) -> Result<Vec<Tag>, String> {
    let mut tags = Vec::new();
    for word in words {
        match word.parse::<Tag>() {
            Ok(tag) if !tags.contains(&tag) => tags.push(tag),
            Ok(_) => {}
            Err(_) if defined.contains_key(word) => {}
            Err(_) => {
                let known = Tag::ALL.map(Tag::name).join(", ");
                return Err(format!(
                    "{word:?} is neither one of {known} nor defined in the list's tags"
                ));
            }
        }
    }
    if tags.is_empty() {
        tags.push(Tag::Unknown);
    }
    Ok(tags)
}

/// Scalars as text; what has no plain text is left out.
fn read_extensions(
    extensions: &BTreeMap<String, Value>,
) -> Result<BTreeMap<String, String>, String> {
    if extensions.len() > MAX_EXTENSIONS {
        return Err(format!("has more than {MAX_EXTENSIONS} keys"));
    }
    extensions
        .iter()
        .filter(|(key, _)| !AGGREGATOR_KEYS.contains(&key.as_str()))
        .filter_map(|(key, value)| Some((key, scalar_text(value)?)))
        .map(|(key, text)| Ok((bounded(key)?, bounded(&text)?)))
        .collect()
}

fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn bounded(text: &str) -> Result<String, String> {
    if text.chars().count() > MAX_TEXT_CHARS {
        return Err(format!("is longer than {MAX_TEXT_CHARS} characters"));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn chain() -> Felt {
        short_string("SN_STOA")
    }

    fn parse(entry: &Value) -> Result<Listings, ListingError> {
        let list =
            json!({"name": "Test", "tokens": [entry], "tags": {"stable": {"name": "Stable"}}});
        Listings::parse(&list.to_string(), chain())
    }

    fn problem(entry: &Value) -> String {
        parse(entry).unwrap_err().to_string()
    }

    #[test]
    fn a_listed_token_has_tags_logo_and_extensions_as_text() {
        let listings = parse(&json!({
            "chainId": "SN_STOA", "address": "0x0001", "name": "One", "symbol": "ONE", "decimals": 18,
            "logoURI": "https://logo.example/one.svg", "tags": ["verified", "stable", "PLATFORM"],
            "extensions": {"coingeckoId": "one", "rank": 3, "bridge": {"a": 1}, "live": true}
        }))
        .unwrap();
        let listing = listings.get("0x1".parse().unwrap());
        assert_eq!(listing.tags, [Tag::Verified, Tag::Platform]);
        assert_eq!(
            listing.logo_uri.as_deref(),
            Some("https://logo.example/one.svg")
        );
        assert_eq!(listing.aggregator_id.as_deref(), Some("one"));
        assert_eq!(
            listing.extensions,
            BTreeMap::from([
                ("rank".to_owned(), "3".to_owned()),
                ("live".to_owned(), "true".to_owned())
            ])
        );
    }

    #[test]
    fn an_unlisted_token_is_unknown() {
        assert_eq!(
            Listings::default().get("0x1".parse().unwrap()).tags,
            [Tag::Unknown]
        );
    }

    #[test]
    fn entries_of_other_chains_are_passed_over_in_every_form_of_the_id() {
        for id in [json!(1), json!("0x1"), json!("1"), json!("SN_MAIN")] {
            assert!(
                parse(&json!({"chainId": id, "address": "0x1"}))
                    .unwrap()
                    .is_empty()
            );
        }
        let number = u64::try_from(chain()).unwrap();
        for id in [
            json!(number),
            json!(number.to_string()),
            json!("0x534e5f53544f41"),
        ] {
            assert_eq!(
                parse(&json!({"chainId": id, "address": "0x1"}))
                    .unwrap()
                    .len(),
                1
            );
        }
    }

    #[test]
    fn a_problem_names_the_entry_and_the_field() {
        let id = "SN_STOA";
        assert_eq!(
            problem(&json!({"chainId": id, "address": "1"})),
            r#"tokens[0].address: "1" must begin with 0x"#
        );
        assert!(
            problem(&json!({"chainId": null, "address": "0x1"}))
                .starts_with("tokens[0].chainId: null")
        );
        assert!(
            problem(&json!({"chainId": id, "address": "0x1", "logoURI": "javascript:alert(1)"}))
                .starts_with("tokens[0].logoURI: must begin")
        );
        assert!(
            problem(&json!({"chainId": id, "address": "0x1", "tags": ["Verifed"]}))
                .starts_with("tokens[0].tags: \"Verifed\" is neither")
        );
        assert!(
            problem(
                &json!({"chainId": id, "address": "0x1", "extensions": {"a": "b".repeat(3000)}})
            )
            .starts_with("tokens[0].extensions: is longer")
        );
        assert!(problem(&json!(3)).starts_with("not a token list"));
    }
}
