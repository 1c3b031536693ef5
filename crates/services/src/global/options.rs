//! What an operator may choose.

use std::{fmt, time::Duration};
use url::Url;

/// Which aggregator is asked, and how.
pub struct GlobalOptions {
    /// What its paths begin with.
    pub url: Url,
    /// Our key, if it wants one.
    pub key: Option<GlobalKey>,
    /// Time between two polls.
    pub interval: Duration,
    /// How long one answer may take.
    pub timeout: Duration,
    /// How long an answer counts.
    pub max_age: Duration,
}

/// The kind of account that a key belongs to. Each has a header of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GlobalPlan {
    /// Free of charge.
    Demo,
    /// Paid for.
    Pro,
}

impl GlobalPlan {
    pub(super) const fn header(self) -> &'static str {
        match self {
            Self::Demo => "x-cg-demo-api-key",
            Self::Pro => "x-cg-pro-api-key",
        }
    }
}

/// What an aggregator knows us by.
#[derive(Clone, PartialEq, Eq)]
pub struct GlobalKey {
    /// Whose key it is.
    pub plan: GlobalPlan,
    /// The key itself.
    pub secret: String,
}

impl fmt::Debug for GlobalKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GlobalKey")
            .field("plan", &self.plan)
            .finish_non_exhaustive()
    }
}
