//! Onboarding: a token with which a validator's host registers without being
//! signed in.

use super::Leasing;
use crate::fault::Fault;
use primitives::{Timestamp, Ulid};

/// A session that was just opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Onboarding {
    /// What the host sends. Shown once, used once.
    pub token: String,
    /// Until when.
    pub expires_at: Timestamp,
}

/// How far an onboarding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnboardingStatus {
    /// Nobody has registered with it.
    Pending,
    /// A validator has registered with it, and is not listed now.
    Registered,
    /// That validator is listed.
    Listed,
}

/// An onboarding session as its holder sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OnboardingView {
    /// How far it is.
    pub status: OnboardingStatus,
    /// Who registered with it.
    pub validator: Option<Ulid>,
    /// Until when it can be used.
    pub expires_at: Timestamp,
}

impl Leasing {
    /// Opens a session for a user.
    pub async fn open_onboarding(&self, user: Ulid) -> Result<Onboarding, Fault> {
        let _ = (self, user);
        Err(Fault::NoSolanaNode)
    }

    /// The session of a token; `None` if it is unknown, or expired unused.
    pub async fn onboarding(&self, token: &str) -> Result<Option<OnboardingView>, Fault> {
        let _ = (self, token);
        Err(Fault::NoSolanaNode)
    }
}
