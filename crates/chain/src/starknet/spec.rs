//! Versions of the Starknet JSON-RPC spec.

use crate::error::{RpcError, cut};
use std::fmt;

/// A version that this program understands. Patch levels make no difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SpecVersion {
    /// 0.8: the block in the making is pending.
    V0_8,
    /// 0.9: the block in the making is pre-confirmed.
    V0_9,
    /// 0.10: blocks also tell how many events they have, and a commitment to receipts.
    V0_10,
}

impl SpecVersion {
    pub(super) fn parse(text: &str) -> Result<Self, RpcError> {
        let mut parts = text.split('.');
        match (parts.next(), parts.next()) {
            (Some("0"), Some("8")) => Ok(Self::V0_8),
            (Some("0"), Some("9")) => Ok(Self::V0_9),
            (Some("0"), Some("10")) => Ok(Self::V0_10),
            _ => Err(RpcError::UnsupportedSpec { found: cut(text) }),
        }
    }
}

impl fmt::Display for SpecVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::V0_8 => "0.8",
            Self::V0_9 => "0.9",
            Self::V0_10 => "0.10",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_from_0_8_to_0_10_are_understood() {
        for (text, version) in [
            ("0.8.1", SpecVersion::V0_8),
            ("0.9.0", SpecVersion::V0_9),
            ("0.10.0-rc.1", SpecVersion::V0_10),
            ("0.10.2", SpecVersion::V0_10),
        ] {
            let parsed = SpecVersion::parse(text).unwrap();
            assert_eq!(parsed, version);
            assert!(text.starts_with(&parsed.to_string()));
        }
    }

    #[test]
    fn other_versions_are_refused_by_name() {
        for text in ["0.7.1", "0.11.0", "0.80.0", "1.8.0", "v0.8.0", "", "8"] {
            let error = SpecVersion::parse(text).unwrap_err();
            assert!(error.to_string().contains(&format!("{text:?}")), "{error}");
            assert!(error.to_string().contains("0.8, 0.9 and 0.10"), "{error}");
        }
    }
}
