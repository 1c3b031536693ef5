//! API tokens: bearers that stand for a user until they expire or are revoked.

use super::{
    audit::Subject,
    context::Context,
    names::is_name,
    secret::{self, Secret, is_word},
};
use crate::{fault::Fault, refused::Refused};
use primitives::{Timestamp, Ulid};
use serde_json::json;
use std::sync::Arc;
use store::leasing::{Actor, TokenRow};

/// Users' API tokens. Clones share everything.
#[derive(Debug, Clone)]
pub struct ApiTokens(pub(super) Arc<Context>);

/// A token that was just made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewToken {
    /// Its public id.
    pub id: String,
    /// What callers send. Shown once.
    pub token: String,
    /// Until when, if not for ever.
    pub expires_at: Option<Timestamp>,
}

/// A token without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenInfo {
    /// Its public id.
    pub id: String,
    /// What its user calls it.
    pub name: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// Until when, if not for ever.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

impl From<TokenRow> for TokenInfo {
    fn from(token: TokenRow) -> Self {
        Self {
            id: token.id,
            name: token.name,
            created_at: token.created_at,
            expires_at: token.expires_at,
            revoked_at: token.revoked_at,
        }
    }
}

/// Why no token was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenError {
    /// A name has 1 to 64 characters.
    Name,
    /// It would have expired already.
    Expiry,
    /// There are as many living tokens as there may be.
    TooMany,
    /// There is no such user (only for operators).
    NoUser,
}

/// Why a token was not revoked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenRevokeError {
    /// There is no such token, or it was revoked before.
    Unknown,
    /// It is another user's.
    NotOwner,
}

/// Living tokens that a user may have, and a validator.
pub(super) const MAX_TOKENS: usize = 100;

/// Whether a token of this name may live so long.
pub(super) fn check_token(
    name: &str,
    expires_at: Option<Timestamp>,
    now: Timestamp,
) -> Result<(), TokenError> {
    if !is_name(name) {
        return Err(TokenError::Name);
    }
    if expires_at.is_some_and(|until| until <= now) {
        return Err(TokenError::Expiry);
    }
    Ok(())
}

impl ApiTokens {
    /// Makes an API token of a user.
    pub async fn create(
        &self,
        user: Ulid,
        name: &str,
        expires_at: Option<Timestamp>,
    ) -> Result<NewToken, Refused<TokenError>> {
        let context = &*self.0;
        let now = context.now();
        check_token(name, expires_at, now).map_err(Refused::Rejected)?;
        if context.store.ledger().user(user).await?.is_none() {
            return Err(Refused::Rejected(TokenError::NoUser));
        }
        let tokens = context.store.ledger().tokens_of(user).await?;
        let living = tokens.iter().filter(|token| token.is_living(now));
        if living.count() >= MAX_TOKENS {
            return Err(Refused::Rejected(TokenError::TooMany));
        }
        let secret = Secret::new(secret::TOKEN, &*context.entropy);
        let row = TokenRow {
            digest: secret.digest(),
            id: secret.id,
            user,
            name: name.trim().to_owned(),
            created_at: now,
            expires_at,
            revoked_at: None,
        };
        self.insert_token(&row).await?;
        Ok(NewToken {
            id: row.id,
            token: secret.text,
            expires_at,
        })
    }

    /// The API tokens of a user, the oldest first.
    pub async fn list(&self, user: Ulid) -> Result<Vec<TokenInfo>, Fault> {
        let tokens = self.0.store.ledger().tokens_of(user).await?;
        Ok(tokens.into_iter().map(TokenInfo::from).collect())
    }

    /// Revokes a token of a user.
    pub async fn revoke(&self, user: Ulid, id: &str) -> Result<(), Refused<TokenRevokeError>> {
        let context = &*self.0;
        if !is_word(id) {
            return Err(Refused::Rejected(TokenRevokeError::Unknown));
        }
        let Some((token, _)) = context.store.ledger().token(id).await? else {
            return Err(Refused::Rejected(TokenRevokeError::Unknown));
        };
        if token.user != user {
            return Err(Refused::Rejected(TokenRevokeError::NotOwner));
        }
        let mut tx = context.store.ledger().begin().await?;
        if !tx.revoke_token(id, context.now()).await? {
            return Err(Refused::Rejected(TokenRevokeError::Unknown));
        }
        let what = Subject::new("token", id);
        context
            .audit(
                &mut tx,
                Actor::User(user),
                "token.revoked",
                what,
                &json!({}),
            )
            .await?;
        Ok(tx.commit().await?)
    }
}

impl ApiTokens {
    async fn insert_token(&self, token: &TokenRow) -> Result<(), Fault> {
        let mut tx = self.0.store.ledger().begin().await?;
        tx.insert_token(token).await?;
        let what = Subject::new("token", &token.id);
        let actor = Actor::User(token.user);
        self.0
            .audit(
                &mut tx,
                actor,
                "token.created",
                what,
                &json!({"name": token.name}),
            )
            .await?;
        Ok(tx.commit().await?)
    }
}
