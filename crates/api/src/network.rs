//! The path segment that names the network.

use std::{fmt, str::FromStr};
use thiserror::Error;

const MAX_CHARS: usize = 32;

/// Words that begin or follow `/v1` in other paths: a network of such a name
/// would make one path mean two things.
const TAKEN: [&str; 16] = [
    "chain-pay",
    "dca",
    "docs",
    "healthz",
    "leases",
    "metrics",
    "openapi",
    "paymaster",
    "readyz",
    "staking",
    "swap",
    "tokens",
    "v1",
    "v2",
    "v3",
    "validators",
];

/// A name that fits between `/v1/` and `/tokens`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkSegment(String);

impl NetworkSegment {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for NetworkSegment {
    fn default() -> Self {
        Self("starknet".to_owned())
    }
}

impl fmt::Display for NetworkSegment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a text cannot name the network.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NetworkSegmentError {
    /// Not 1 to 32 of the characters that need no escaping in a path.
    #[error("must be 1 to {MAX_CHARS} characters of a-z, 0-9 and -")]
    Form,
    /// Another path uses the word.
    #[error("{0:?} is a word of another path of the API; choose another name")]
    Taken(String),
}

impl FromStr for NetworkSegment {
    type Err = NetworkSegmentError;

    fn from_str(text: &str) -> Result<Self, NetworkSegmentError> {
        let allowed = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
        if !(1..=MAX_CHARS).contains(&text.len()) || !text.bytes().all(allowed) {
            return Err(NetworkSegmentError::Form);
        }
        if TAKEN.contains(&text) {
            return Err(NetworkSegmentError::Taken(text.to_owned()));
        }
        Ok(Self(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_network_has_a_short_plain_name() {
        for name in ["starknet", "starknet-sepolia", "l2", &"a".repeat(32)] {
            assert_eq!(name.parse::<NetworkSegment>().unwrap().as_str(), name);
        }
        for name in ["", "Starknet", "a/b", "{x}", "a b", "é", &"a".repeat(33)] {
            let error = name.parse::<NetworkSegment>().unwrap_err();
            assert_eq!(error, NetworkSegmentError::Form, "{name}");
        }
    }

    #[test]
    fn words_of_other_paths_are_refused() {
        for word in TAKEN {
            let error = word.parse::<NetworkSegment>().unwrap_err();
            assert!(error.to_string().contains(word), "{error}");
        }
    }

    #[test]
    fn the_default_is_a_name_that_would_be_accepted() {
        let default = NetworkSegment::default();
        assert_eq!(default.as_str().parse(), Ok(default));
    }

    proptest! {
        #[test]
        fn an_accepted_name_needs_no_escaping(text in any::<String>()) {
            if let Ok(segment) = text.parse::<NetworkSegment>() {
                prop_assert!(segment.as_str().bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'));
            }
        }
    }
}
