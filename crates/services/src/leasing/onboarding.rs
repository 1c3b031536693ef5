//! Onboarding: a token with which a validator's host registers without being
//! signed in.

use super::{
    audit::Subject,
    context::Context,
    secret::{self, Secret},
};
use crate::fault::Fault;
use leasing::ListingStatus;
use primitives::{Timestamp, Ulid};
use serde_json::json;
use std::sync::Arc;
use store::leasing::{Actor, OnboardingRow};

/// Onboarding sessions of a market. Clones share everything.
#[derive(Debug, Clone)]
pub struct OnboardingSessions(pub(super) Arc<Context>);

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
    /// Whose validator it registers, which is part of what is signed.
    pub account: Ulid,
    /// Who registered with it.
    pub validator: Option<Ulid>,
    /// Until when it can be used.
    pub expires_at: Timestamp,
}

impl OnboardingSessions {
    /// Opens a session for a user.
    pub async fn open(&self, user: Ulid) -> Result<Onboarding, Fault> {
        let context = &*self.0;
        let secret = Secret::new(secret::ONBOARDING, &*context.entropy);
        let row = OnboardingRow {
            digest: secret.digest(),
            user,
            expires_at: context.in_future(context.options.onboarding_lifetime),
            validator: None,
        };
        let mut tx = context.store.ledger().begin().await?;
        tx.insert_onboarding(&row).await?;
        let what = Subject::new("user", &user);
        context
            .audit(
                &mut tx,
                Actor::User(user),
                "onboarding.opened",
                what,
                &json!({}),
            )
            .await?;
        tx.commit().await?;
        Ok(Onboarding {
            token: secret.text,
            expires_at: row.expires_at,
        })
    }

    /// The session of a token; `None` if it is unknown, or expired unused.
    pub async fn find(&self, token: &str) -> Result<Option<OnboardingView>, Fault> {
        let ledger = self.0.store.ledger();
        let Some(row) = ledger.onboarding(&secret::digest(token)).await? else {
            return Ok(None);
        };
        let status = match row.validator {
            None if row.expires_at <= self.0.now() => return Ok(None),
            None => OnboardingStatus::Pending,
            Some(id) => match ledger.validator(id).await? {
                Some(found) if found.status == ListingStatus::Listed => OnboardingStatus::Listed,
                _ => OnboardingStatus::Registered,
            },
        };
        Ok(Some(OnboardingView {
            status,
            account: row.user,
            validator: row.validator,
            expires_at: row.expires_at,
        }))
    }
}
