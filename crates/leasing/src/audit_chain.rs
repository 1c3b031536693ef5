//! The chain of the audit log: whoever changes a row that has its link has to
//! change every link after it.

use primitives::{bytes_from_hex, bytes_to_hex};
use sha2::{Digest as _, Sha256};
use std::{fmt, str::FromStr};

/// What the hashes of this chain begin with, so that they are no other's.
const DOMAIN: &[u8] = b"stoa audit log v1";

/// The hash of a row and of the link before it. It is written in hexadecimal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditHash([u8; 32]);

/// The text is no hash: it has not 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAuditHash;

impl AuditHash {
    /// What the first link has before it.
    pub const BEGINNING: Self = Self([0; 32]);

    /// The hash of these bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The hash as it is stored and hashed on, not as it is written.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The hash of the link after this one, whose row has these fields. The
    /// length of each comes before it: nothing can move from one to the next.
    #[must_use]
    pub fn next(&self, fields: &[&str]) -> Self {
        let mut hash = Sha256::new_with_prefix(DOMAIN);
        hash.update(self.0);
        for field in fields {
            let length = u64::try_from(field.len()).unwrap_or(u64::MAX);
            hash.update(length.to_be_bytes());
            hash.update(field);
        }
        Self(hash.finalize().into())
    }
}

impl fmt::Display for AuditHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&bytes_to_hex(&self.0))
    }
}

impl FromStr for AuditHash {
    type Err = NotAuditHash;

    fn from_str(text: &str) -> Result<Self, NotAuditHash> {
        bytes_from_hex(text).map(Self).ok_or(NotAuditHash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_depends_on_every_field_and_on_all_links_before_it() {
        let beginning = AuditHash::BEGINNING;
        let first = beginning.next(&["a", "b"]);
        let others = [
            first.next(&["a", "b"]),
            beginning.next(&["ab", ""]),
            beginning.next(&["", "ab"]),
            beginning.next(&["a", "b", ""]),
            beginning.next(&["a", "c"]),
        ];
        for (place, other) in others.iter().enumerate() {
            assert_ne!(*other, first);
            assert!(!others[..place].contains(other));
        }
        assert_eq!(beginning.next(&["a", "b"]), first);
    }

    #[test]
    fn a_hash_is_read_as_it_is_written() {
        let hash = AuditHash::BEGINNING.next(&["a"]);
        assert_eq!(hash.to_string().parse(), Ok(hash));
        for wrong in ["", &"0".repeat(63), &"0".repeat(65)] {
            assert_eq!(wrong.parse::<AuditHash>(), Err(NotAuditHash), "{wrong}");
        }
    }
}
