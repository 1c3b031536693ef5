//! The tokens that prices hang on, from a file.

use primitives::Address;
use serde::Deserialize;
use std::collections::HashSet;
use thiserror::Error;

/// More anchors than any chain has.
const MAX_ANCHORS: usize = 64;

/// Which tokens prices hang on, by their addresses. No address is in it twice.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AnchorList {
    /// Tokens that are meant to be worth a dollar.
    pub stables: Vec<Address>,
    /// Other tokens that many pools are with.
    pub hubs: Vec<Address>,
}

/// What is wrong with a list of anchors.
#[derive(Debug, Error)]
pub enum AnchorError {
    /// It is not JSON, or not of the form.
    #[error("not a list of anchors")]
    Shape(#[from] serde_json::Error),
    /// It has more anchors than any chain.
    #[error("has {found} anchors, at most {MAX_ANCHORS} are used")]
    TooMany {
        /// Stables and hubs together.
        found: usize,
    },
    /// One token is named twice.
    #[error("names {0} twice")]
    Twice(Address),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct File {
    stables: Vec<Address>,
    hubs: Vec<Address>,
}

impl AnchorList {
    /// Reads a list.
    pub fn parse(json: &str) -> Result<Self, AnchorError> {
        let File { stables, hubs } = serde_json::from_str(json)?;
        let list = Self { stables, hubs };
        let found = list.iter().count();
        if found > MAX_ANCHORS {
            return Err(AnchorError::TooMany { found });
        }
        let mut seen = HashSet::new();
        let twice = list.iter().find(|address| !seen.insert(*address));
        twice.map_or(Ok(list), |twice| Err(AnchorError::Twice(twice)))
    }

    /// All anchors, the stables first.
    pub fn iter(&self) -> impl Iterator<Item = Address> {
        self.stables.iter().chain(&self.hubs).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use primitives::Felt;

    fn list(stables: impl Iterator<Item = u64>, hubs: impl Iterator<Item = u64>) -> String {
        let addresses = |numbers: Vec<u64>| -> Vec<String> {
            let hex = numbers.iter().map(|number| format!("{number:#x}"));
            hex.collect()
        };
        let (stables, hubs) = (addresses(stables.collect()), addresses(hubs.collect()));
        serde_json::json!({"stables": stables, "hubs": hubs}).to_string()
    }

    fn problem(json: &str) -> String {
        let error = AnchorList::parse(json).unwrap_err();
        let source = std::error::Error::source(&error);
        source.map_or_else(|| error.to_string(), |source| format!("{error}: {source}"))
    }

    #[test]
    fn a_list_keeps_its_order() {
        let anchors = AnchorList::parse(&list([3, 1].into_iter(), [2].into_iter())).unwrap();
        let expected = [3_u64, 1, 2].map(|number| Address::new(Felt::from(number)));
        assert_eq!(anchors.iter().collect::<Vec<_>>(), expected);
        assert_eq!(anchors.stables, expected[..2]);
    }

    #[test]
    fn no_token_is_two_anchors_however_it_is_written() {
        let both = r#"{"stables": ["0x1", "0x2"], "hubs": ["0x0002"]}"#;
        assert_eq!(problem(both), "names 0x2 twice");
    }

    #[test]
    fn sixty_four_anchors_are_enough() {
        assert!(AnchorList::parse(&list(0..30, 30..64)).is_ok());
        assert_eq!(
            problem(&list(0..30, 30..65)),
            "has 65 anchors, at most 64 are used"
        );
    }

    #[test]
    fn another_form_is_refused_with_the_place() {
        for (json, says) in [
            ("[]", "not a list of anchors: invalid"),
            (r#"{"stables": []}"#, "missing field `hubs`"),
            (
                r#"{"stables": [], "hubs": [], "hub": []}"#,
                "unknown field `hub`",
            ),
            (r#"{"stables": ["USDC"], "hubs": []}"#, "address"),
        ] {
            let problem = problem(json);
            assert!(problem.contains(says), "{json}: {problem}");
            assert!(json == "[]" || problem.contains("line 1"), "{problem}");
        }
    }
}
