//! Service tokens: what a validator's gateway reports usage with. They belong to
//! one validator and do nothing else, and are worth nothing once the validator
//! is somebody else's.

use super::{
    audit::Subject,
    context::Context,
    secret::{self, Secret, is_word},
    tokens::{MAX_TOKENS, NewToken, TokenError, TokenInfo, check_token},
    validators::is_visible,
};
use crate::{fault::Fault, refused::Refused};
use primitives::{Timestamp, Ulid};
use serde_json::json;
use std::sync::Arc;
use store::leasing::{Actor, ServiceTokenRow, TokenRow, User};

/// Validators' service tokens. Clones share everything.
#[derive(Debug, Clone)]
pub struct ServiceTokens(pub(super) Arc<Context>);

/// Why nothing was done with a validator's tokens, in the order of the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServiceTokenError {
    /// The token cannot be.
    Token(TokenError),
    /// There is no such validator that the user may see.
    NotFound,
    /// The user did not register it.
    Forbidden,
    /// There is no such token, or it was revoked before.
    Unknown,
}

impl ServiceTokens {
    /// Makes a token of a validator, for its owner.
    pub async fn create(
        &self,
        user: &User,
        validator: Ulid,
        name: &str,
        expires_at: Option<Timestamp>,
    ) -> Result<NewToken, Refused<ServiceTokenError>> {
        let context = &*self.0;
        let refuse = |error| Refused::Rejected(ServiceTokenError::Token(error));
        check_token(name, expires_at, context.now()).map_err(refuse)?;
        self.own(user, validator).await?;
        let ledger = context.store.ledger();
        let tokens = ledger.service_tokens_of(validator, user.id).await?;
        let now = context.now();
        let living = tokens.iter().filter(|row| row.token.is_living(now));
        if living.count() >= MAX_TOKENS {
            return Err(refuse(TokenError::TooMany));
        }
        let secret = Secret::new(secret::SERVICE, &*context.entropy);
        let token = TokenRow {
            digest: secret.digest(),
            id: secret.id,
            user: user.id,
            name: name.trim().to_owned(),
            created_at: now,
            expires_at,
            revoked_at: None,
        };
        let row = ServiceTokenRow { validator, token };
        let mut tx = ledger.begin().await?;
        tx.insert_service_token(&row).await?;
        let (what, actor) = (Subject::new("validator", &validator), Actor::User(user.id));
        let detail = json!({"token": row.token.id, "name": row.token.name});
        context
            .audit(&mut tx, actor, "service_token.created", what, &detail)
            .await?;
        tx.commit().await?;
        Ok(NewToken {
            id: row.token.id,
            token: secret.text,
            expires_at,
        })
    }

    /// The tokens of a validator that its owner made, the oldest first.
    pub async fn list(
        &self,
        user: &User,
        validator: Ulid,
    ) -> Result<Vec<TokenInfo>, Refused<ServiceTokenError>> {
        self.own(user, validator).await?;
        let ledger = self.0.store.ledger();
        let tokens = ledger.service_tokens_of(validator, user.id).await?;
        let info = |row: ServiceTokenRow| TokenInfo::from(row.token);
        Ok(tokens.into_iter().map(info).collect())
    }

    /// Revokes a token of a validator.
    pub async fn revoke(
        &self,
        user: &User,
        validator: Ulid,
        id: &str,
    ) -> Result<(), Refused<ServiceTokenError>> {
        let context = &*self.0;
        self.own(user, validator).await?;
        let unknown = || Err(Refused::Rejected(ServiceTokenError::Unknown));
        if !is_word(id) {
            return unknown();
        }
        let mut tx = context.store.ledger().begin().await?;
        if !tx
            .revoke_service_token(validator, id, context.now())
            .await?
        {
            return unknown();
        }
        let (what, actor) = (Subject::new("validator", &validator), Actor::User(user.id));
        let detail = json!({"token": id});
        context
            .audit(&mut tx, actor, "service_token.revoked", what, &detail)
            .await?;
        Ok(tx.commit().await?)
    }

    /// The validator of a token that somebody sends, if it is a living one.
    pub(super) async fn recognise(&self, id: &str, bearer: &str) -> Result<Option<Ulid>, Fault> {
        let now = self.0.now();
        let row = self.0.store.ledger().service_token(id).await?;
        let good = row.filter(|ServiceTokenRow { token, .. }| {
            secret::is_digest_of(&token.digest, bearer) && token.is_living(now)
        });
        Ok(good.map(|row| row.validator))
    }

    async fn own(&self, user: &User, validator: Ulid) -> Result<(), Refused<ServiceTokenError>> {
        let row = self.0.store.ledger().validator(validator).await?;
        match row.filter(|row| is_visible(row, Some(user))) {
            None => Err(Refused::Rejected(ServiceTokenError::NotFound)),
            Some(row) if row.owner != user.id => {
                Err(Refused::Rejected(ServiceTokenError::Forbidden))
            }
            Some(_) => Ok(()),
        }
    }
}
