//! The keys of lease tokens: which one signs, and which are published.
//!
//! Every replica publishes every key, for they are in the ledger. A key that is
//! kept there is replaced in time: the next one is published ten minutes before
//! it signs, and the last one for an hour after that, so that no token is ever
//! met by somebody who does not know its key. Keys that are kept elsewhere are
//! the operator's to replace; they are published as long as somebody uses them.

use super::{
    audit::Subject,
    context::Context,
    signer::{Signer, TokenSigner},
};
use crate::fault::Fault;
use leasing::{Jwks, TokenKey, TokenSecret};
use primitives::{SignedDuration, Timestamp};
use serde_json::json;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::{
    StoreError,
    leasing::{Actor, TokenKeyRow},
};

/// How long a key is published before it signs: longer than others keep the list.
const LEAD: SignedDuration = SignedDuration::from_mins(10);

/// How long a key is published after it signed last: longer than its tokens last.
const TAIL: SignedDuration = SignedDuration::from_hours(1);

/// How long the key that signs is believed to be it.
const BELIEVED: SignedDuration = SignedDuration::from_secs(60);

/// Draws after which randomness that gives no key is broken.
const MAX_DRAWS: usize = 8;

/// Why no new key was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RotateError {
    /// The key is not kept in the ledger.
    NotOurs,
    /// The last new key does not sign before this time.
    UnderWay(Timestamp),
}

/// A key that signs now.
#[derive(Debug)]
pub(super) struct Current {
    pub(super) key: TokenKey,
    pub(super) signer: Signer,
}

/// The key that signs, and when that was looked up.
type Believed = (Timestamp, Arc<Current>);

/// The keys of a market. Clones share everything.
#[derive(Debug, Clone)]
pub(super) struct TokenKeys {
    context: Arc<Context>,
    believed: Arc<Mutex<Option<Believed>>>,
}

impl TokenKeys {
    pub(super) fn new(context: Arc<Context>) -> Self {
        Self {
            context,
            believed: Arc::default(),
        }
    }

    /// The key that signs now.
    pub(super) async fn current(&self) -> Result<Arc<Current>, Fault> {
        let now = self.context.now();
        if let Some((since, current)) = &*self.lock()
            && now.duration_since(*since).abs() < BELIEVED
        {
            return Ok(Arc::clone(current));
        }
        let current = Arc::new(self.look().await?);
        *self.lock() = Some((now, Arc::clone(&current)));
        Ok(current)
    }

    /// All keys that tokens may be signed with, for whoever verifies them.
    pub(super) async fn published(&self) -> Result<Jwks, Fault> {
        // Those that are kept elsewhere become known by being used; a remote
        // signer that is silent takes nothing from the list.
        if let Err(error) = self.current().await {
            tracing::warn!(error = error.chain_text(), "no key signs lease tokens");
        }
        let rows = self.context.store.ledger().token_keys(self.context.now());
        let keys = rows.await?.into_iter().map(|row| row.key.jwk());
        Ok(Jwks {
            keys: keys.collect(),
        })
    }

    /// Makes a new key that signs from in ten minutes on.
    pub(super) async fn rotate(&self) -> Result<Result<TokenKeyRow, RotateError>, Fault> {
        if !matches!(self.context.options.token_signer, TokenSigner::Ledger) {
            return Ok(Err(RotateError::NotOurs));
        }
        let now = self.context.now();
        let rows = self.kept().await?;
        let Some(newest) = rows.iter().find(|row| row.published_until.is_none()) else {
            return Ok(Ok(self.make_first().await?));
        };
        if newest.signs_from > now {
            return Ok(Err(RotateError::UnderWay(newest.signs_from)));
        }
        Ok(self
            .replace(newest)
            .await?
            .ok_or(RotateError::UnderWay(now)))
    }

    /// The key that signs, which is looked for, or made.
    async fn look(&self) -> Result<Current, Fault> {
        match &self.context.options.token_signer {
            TokenSigner::Ledger => self.look_in_ledger().await,
            TokenSigner::Given { secret, next } => {
                let key = secret.public().map_err(Fault::from)?;
                self.publish([&key].into_iter().chain(next)).await?;
                Ok(Current {
                    key,
                    signer: Signer::Local(secret.clone()),
                })
            }
            TokenSigner::Remote(remote) => {
                let keys = remote.keys().await?;
                self.publish(keys.iter()).await?;
                let key = keys.into_iter().next().ok_or(Fault::NoTokenKey)?;
                Ok(Current {
                    key,
                    signer: Signer::Remote(remote.clone()),
                })
            }
        }
    }

    async fn publish<'a>(&self, keys: impl Iterator<Item = &'a TokenKey>) -> Result<(), Fault> {
        let until = self.context.in_future(TAIL);
        let mut tx = self.context.store.ledger().begin().await?;
        for key in keys {
            tx.publish_token_key(key, self.context.now(), until).await?;
        }
        Ok(tx.commit().await?)
    }

    async fn look_in_ledger(&self) -> Result<Current, Fault> {
        let now = self.context.now();
        let mut rows = self.kept().await?;
        if rows.is_empty() {
            self.make_first().await?;
            rows = self.kept().await?;
        }
        let newest = rows.iter().find(|row| row.published_until.is_none());
        let rotation = self.context.options.token_rotation;
        if let Some(newest) = newest
            && now.duration_since(newest.signs_from) >= rotation
        {
            self.replace(newest).await?;
        }
        // The newest of those that sign already; the first one if the clock was
        // set back.
        let signing = rows.iter().rev().find(|row| row.signs_from <= now);
        let signing = signing.or(rows.first()).ok_or(Fault::NoTokenKey)?;
        let secret = signing.secret.clone().ok_or(Fault::NoTokenKey)?;
        Ok(Current {
            key: signing.key.clone(),
            signer: Signer::Local(secret),
        })
    }

    /// The keys that are kept in the ledger, from the one that signs first.
    async fn kept(&self) -> Result<Vec<TokenKeyRow>, Fault> {
        let rows = self.context.store.ledger().token_keys(self.context.now());
        let kept = rows.await?.into_iter().filter(|row| row.secret.is_some());
        Ok(kept.collect())
    }

    /// The first key, or the one that another replica made just now.
    async fn make_first(&self) -> Result<TokenKeyRow, Fault> {
        let row = self.fresh(self.context.now())?;
        let mut tx = self.context.store.ledger().begin().await?;
        match tx.insert_newest_token_key(&row).await {
            Ok(()) => self.noted(tx, &row).await?,
            Err(StoreError::Exists { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(row)
    }

    /// Makes a key that replaces the newest, unless another replica just did.
    async fn replace(&self, newest: &TokenKeyRow) -> Result<Option<TokenKeyRow>, Fault> {
        let row = self.fresh(self.context.in_future(LEAD))?;
        let until = row.signs_from.checked_add(TAIL);
        let mut tx = self.context.store.ledger().begin().await?;
        let retired = tx
            .retire_token_key(&newest.key.kid(), until.unwrap_or(Timestamp::MAX))
            .await?;
        if !retired {
            return Ok(None);
        }
        tx.insert_newest_token_key(&row).await?;
        self.noted(tx, &row).await?;
        Ok(Some(row))
    }

    async fn noted(
        &self,
        mut tx: store::leasing::LedgerTx,
        row: &TokenKeyRow,
    ) -> Result<(), Fault> {
        let what = Subject::new("token_key", &row.key.kid());
        let detail = json!({"signs_from": row.signs_from.to_string()});
        self.context
            .audit(&mut tx, Actor::System, "token_key.made", what, &detail)
            .await?;
        Ok(tx.commit().await?)
    }

    fn fresh(&self, signs_from: Timestamp) -> Result<TokenKeyRow, Fault> {
        let draws = (0..MAX_DRAWS).map(|_| self.context.entropy.bytes());
        let mut secrets = draws.filter_map(|bytes| TokenSecret::from_bytes(&bytes).ok());
        let secret = secrets.next().ok_or(Fault::NoTokenKey)?;
        Ok(TokenKeyRow {
            key: secret.public().map_err(Fault::from)?,
            secret: Some(secret),
            created_at: self.context.now(),
            signs_from,
            published_until: None,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Option<Believed>> {
        self.believed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
