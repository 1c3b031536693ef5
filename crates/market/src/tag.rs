//! Tags: who vouches for a token.

use std::str::FromStr;
use thiserror::Error;

/// What is known of a token's standing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tag {
    /// Nobody has vouched for it.
    Unknown,
    /// Verified by the operator.
    Verified,
    /// Approved by the community.
    Community,
    /// From the launch platform of that name.
    Unruggable,
    /// Of the service's own ecosystem.
    Platform,
}

impl Tag {
    /// Every tag, in the order in which they are documented.
    pub const ALL: [Self; 5] = [
        Self::Unknown,
        Self::Verified,
        Self::Community,
        Self::Unruggable,
        Self::Platform,
    ];

    /// The name in token lists and in the plain dialect of the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unknown => "Unknown",
            Self::Verified => "Verified",
            Self::Community => "Community",
            Self::Unruggable => "Unruggable",
            Self::Platform => "PLATFORM",
        }
    }
}

/// A text that names no tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("is not a tag")]
pub struct UnknownTag;

impl FromStr for Tag {
    type Err = UnknownTag;

    fn from_str(text: &str) -> Result<Self, UnknownTag> {
        Self::ALL
            .into_iter()
            .find(|tag| tag.name().eq_ignore_ascii_case(text))
            .ok_or(UnknownTag)
    }
}
