//! Versions of the specification.

/// The version of the specification that an endpoint speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spec {
    V0_9,
    V0_10,
}

impl Spec {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::V0_9 => "0.9.0",
            Self::V0_10 => "0.10.0",
        }
    }
}
