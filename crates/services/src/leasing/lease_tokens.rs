//! Lease tokens: minted for an active lease in its epochs, each with its row in
//! the audit log.

use super::{
    audit::Subject,
    context::Context,
    token_keys::{RotateError, TokenKeys},
};
use crate::{fault::Fault, refused::Refused};
use leasing::{Asker, Jwks, LeaseClaims, MintError, TOKEN_LIFETIME, assembled, signing_input};
use primitives::{PublicKey, SignedDuration, Timestamp, Ulid};
use serde_json::json;
use std::sync::Arc;
use store::leasing::Actor;

/// Lease tokens of a market. Clones share everything.
#[derive(Debug, Clone)]
pub struct LeaseTokens {
    context: Arc<Context>,
    keys: TokenKeys,
}

/// A token that was just minted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Minted {
    /// A signed JWT, which is not kept.
    pub token: String,
    /// How long it can be used.
    pub lifetime: SignedDuration,
    /// Until when.
    pub expires_at: Timestamp,
    /// The lease that it speaks of; active, and with the current epoch.
    pub lease: Ulid,
    /// The validator that it is for.
    pub identity: PublicKey,
    /// Where that is reached, if it has said.
    pub endpoint: Option<String>,
}

/// A key that was just made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTokenKey {
    /// Its name.
    pub kid: String,
    /// From when it signs.
    pub signs_from: Timestamp,
}

impl LeaseTokens {
    pub(super) fn new(context: Arc<Context>) -> Self {
        Self {
            keys: TokenKeys::new(Arc::clone(&context)),
            context,
        }
    }

    /// Mints a token of a lease for its trader or its key. There is none without
    /// its row in the audit log.
    pub async fn mint(&self, asker: Asker, id: Ulid) -> Result<Minted, Refused<MintError>> {
        let context = &*self.context;
        let ledger = context.store.ledger();
        let not_found = || Refused::Rejected(MintError::NotFound);
        let lease = ledger.lease(id).await?.ok_or_else(not_found)?;
        // Whoever is refused whatever the epoch is need not wait for a node.
        let epoch = context.epochs.number();
        let allowed = lease.may_mint(asker, epoch.unwrap_or(lease.window.start()));
        allowed.map_err(Refused::Rejected)?;
        epoch.ok_or(Fault::NoSolanaNode)?;
        let validator = ledger.validator(lease.validator).await?;
        let validator = validator.ok_or_else(not_found)?;
        let current = self.keys.current().await?;
        let issuer = &context.options.uri;
        let jti = context.new_id();
        let claims = LeaseClaims::new(&lease, issuer, validator.identity, jti, context.now());
        let input = signing_input(&current.key.kid(), &claims).map_err(Fault::from)?;
        let signature = current.signer.sign(&current.key, input.as_bytes()).await;
        let signature = signature.map_err(Fault::from)?;
        self.note(asker, &claims, &current.key.kid()).await?;
        Ok(Minted {
            token: assembled(&input, &signature),
            lifetime: TOKEN_LIFETIME,
            expires_at: Timestamp::from_second(claims.exp).unwrap_or(Timestamp::MAX),
            lease: lease.id,
            identity: validator.identity,
            endpoint: validator.endpoint,
        })
    }

    /// All keys that tokens may be signed with, for whoever verifies them.
    pub async fn published(&self) -> Result<Jwks, Fault> {
        self.keys.published().await
    }

    /// Makes a new key that signs from in ten minutes on.
    pub async fn rotate(&self) -> Result<NewTokenKey, Refused<RotateError>> {
        let row = self.keys.rotate().await?.map_err(Refused::Rejected)?;
        Ok(NewTokenKey {
            kid: row.key.kid(),
            signs_from: row.signs_from,
        })
    }

    async fn note(&self, asker: Asker, claims: &LeaseClaims, kid: &str) -> Result<(), Fault> {
        let written = async {
            let mut tx = self.context.store.ledger().begin().await?;
            let by_key = matches!(asker, Asker::Key(_));
            let detail =
                json!({"jti": claims.jti, "kid": kid, "exp": claims.exp, "by_lease_key": by_key});
            let what = Subject::new("lease", &claims.sub);
            // Whoever has the key stands for the trader.
            let actor = Actor::User(claims.trader);
            self.context
                .audit(&mut tx, actor, "lease.token_minted", what, &detail)
                .await?;
            Ok(tx.commit().await?)
        };
        written.await.map_err(|fault: Fault| match fault {
            Fault::Store(error) => Fault::Audit(error),
            other => other,
        })
    }
}
