//! The memo of a payment: the text by which a transaction says what it pays.

use primitives::{PublicKey, Ulid};
use sha2::{Digest as _, Sha256};
use std::{fmt, str::FromStr};
use thiserror::Error;

/// Memo program version 3, which every cluster has: the one that we write to.
pub const MEMO_PROGRAM: PublicKey = PublicKey::from_bytes([
    0x05, 0x4a, 0x53, 0x5a, 0x99, 0x29, 0x21, 0x06, 0x4d, 0x24, 0xe8, 0x71, 0x60, 0xda, 0x38, 0x7c,
    0x7c, 0x35, 0xb5, 0xdd, 0xbc, 0x92, 0xbb, 0x81, 0xe4, 0x1f, 0xa8, 0x40, 0x41, 0x05, 0x44, 0x8d,
]);

/// Versions 1, 3 and 4 of the memo program: those that a memo is read from.
pub const MEMO_PROGRAMS: [PublicKey; 3] = [V1, MEMO_PROGRAM, V4];

const V1: PublicKey = PublicKey::from_bytes([
    0x05, 0x4a, 0x53, 0x50, 0xf8, 0x5d, 0xc8, 0x82, 0xd6, 0x14, 0xa5, 0x56, 0x72, 0x78, 0x8a, 0x29,
    0x6d, 0xdf, 0x1e, 0xab, 0xab, 0xd0, 0xa6, 0x06, 0x78, 0x88, 0x49, 0x32, 0xf4, 0xee, 0xf6, 0xa0,
]);
const V4: PublicKey = PublicKey::from_bytes([
    0x05, 0x4a, 0x53, 0x52, 0x28, 0x54, 0xcd, 0xd1, 0x03, 0xcc, 0x2e, 0x46, 0x31, 0xa3, 0xf5, 0x17,
    0x92, 0xac, 0x72, 0x7c, 0xf1, 0xe5, 0x0a, 0xbc, 0x97, 0x82, 0x8a, 0xc5, 0x99, 0x4f, 0x3c, 0xc2,
]);

/// What a reference key is derived from besides the memo.
const REFERENCE_DOMAIN: &[u8] = b"stoa payment reference: ";

/// A payment's memo: 1 to 64 letters, digits, `-` and `_`.
///
/// A node joins the memos of a transaction with other characters, so that a
/// memo of this form is always a word of its own there.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Memo(String);

/// Why a text is not a memo of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum MemoError {
    /// Nothing, or more than 64 characters.
    #[error("must have 1 to 64 characters")]
    Length,
    /// A character that memos do not have.
    #[error("must have letters, digits, - and _ only")]
    Character,
}

impl Memo {
    /// The most characters, which are as many bytes.
    pub const MAX_LENGTH: usize = 64;

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The key that marks the payment: it stands in the transaction without a
    /// part in it, so that a node finds the transaction by it.
    pub fn reference(&self) -> PublicKey {
        let digest = Sha256::new()
            .chain_update(REFERENCE_DOMAIN)
            .chain_update(&self.0)
            .finalize();
        PublicKey::from_bytes(digest.into())
    }

    /// Everything in a node's line about the memos of a transaction that may be
    /// a memo of ours: those that are, and perhaps words of other memos.
    pub fn mentioned(line: &str) -> impl Iterator<Item = Self> {
        line.split(|letter| !is_memo_character(letter))
            .filter_map(|word| word.parse().ok())
    }
}

fn is_memo_character(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_')
}

impl FromStr for Memo {
    type Err = MemoError;

    fn from_str(text: &str) -> Result<Self, MemoError> {
        if text.is_empty() || text.len() > Self::MAX_LENGTH {
            return Err(MemoError::Length);
        }
        if !text.chars().all(is_memo_character) {
            return Err(MemoError::Character);
        }
        Ok(Self(text.to_owned()))
    }
}

/// The digits of a ULID are letters and digits of a memo.
impl From<Ulid> for Memo {
    fn from(id: Ulid) -> Self {
        Self(id.to_string())
    }
}

impl fmt::Display for Memo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use primitives::Timestamp;
    use proptest::prelude::*;

    #[test]
    fn the_programs_have_their_well_known_names() {
        let names = MEMO_PROGRAMS.map(|key| key.to_string());
        assert_eq!(
            names,
            [
                "Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo",
                "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr",
                "Memo4c2pN8afCj432Lb7RMVKi9PbQnnW7ewFFaV3oAH",
            ]
        );
    }

    #[test]
    fn other_texts_are_no_memos() {
        let long = "a".repeat(65);
        for (text, error) in [
            ("", MemoError::Length),
            (long.as_str(), MemoError::Length),
            ("a b", MemoError::Character),
            ("a;", MemoError::Character),
            ("é", MemoError::Character),
        ] {
            assert_eq!(text.parse::<Memo>(), Err(error), "{text}");
        }
    }

    #[test]
    fn the_reference_is_the_digest_of_a_domain_and_the_memo() {
        // SHA-256 of "stoa payment reference: LEASE-1539" by Node's crypto.
        let memo: Memo = "LEASE-1539".parse().unwrap();
        let reference = "oKqxWGnyusBGxTmPPZVT5drzHssVXjp3BFRSWHpZF3t";
        assert_eq!(memo.reference().to_string(), reference);
    }

    #[test]
    fn a_memo_is_found_between_others() {
        let line = "[5] hello; [12] (unparseable); [4] lea1; [9] x; lea2;-";
        let found: Vec<_> = Memo::mentioned(line).map(|memo| memo.0).collect();
        assert!(found.contains(&"lea1".to_owned()), "{found:?}");
        assert!(!found.contains(&"lea".to_owned()), "{found:?}");
    }

    proptest! {
        #[test]
        fn a_ulid_is_a_memo(random in any::<[u8; 10]>(), at in 0_i64..1 << 37) {
            let id = Ulid::new(Timestamp::from_second(at).unwrap(), random);
            prop_assert_eq!(id.to_string().parse(), Ok(Memo::from(id)));
        }

        #[test]
        fn a_memo_is_its_text(text in "[A-Za-z0-9_-]{1,64}") {
            prop_assert_eq!(text.parse::<Memo>().unwrap().to_string(), text);
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in ".{0,80}") {
            let _ = text.parse::<Memo>();
            let _ = Memo::mentioned(&text).count();
        }

        #[test]
        fn a_memo_is_found_in_any_line_that_has_it(
            before in prop::collection::vec(".{0,20}", 0..3), memo in "[A-Za-z0-9_-]{1,64}",
            after in prop::collection::vec(".{0,20}", 0..3),
        ) {
            let memos: Vec<_> = before.iter().chain([&memo]).chain(&after)
                .map(|memo| format!("[{}] {memo}", memo.len())).collect();
            let memo: Memo = memo.parse().unwrap();
            prop_assert!(Memo::mentioned(&memos.join("; ")).any(|found| found == memo));
        }
    }
}
