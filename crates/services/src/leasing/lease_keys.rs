//! Keys of leases: credentials that read one lease and mint its tokens, and do
//! nothing else. A lease has one key, which is shown once and can be replaced.

use super::{
    audit::Subject,
    context::Context,
    key_hash::KeyCost,
    secret::{self, Secret},
};
use crate::{fault::Fault, refused::Refused};
use leasing::{KeyError, Lease};
use primitives::{PublicKey, Ulid};
use serde_json::json;
use std::sync::Arc;
use store::leasing::{Actor, LeaseKeyRow, User};
use subtle::ConstantTimeEq as _;

/// Keys of leases. Clones share everything.
#[derive(Debug, Clone)]
pub struct LeaseKeys(pub(super) Arc<Context>);

/// A key that was just made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewLeaseKey {
    /// What callers send. Shown once.
    pub key: String,
    /// Its public part.
    pub id: String,
    /// Rises with every new key of the lease.
    pub version: u64,
    /// What it opens; an earlier key of it is worth nothing from now on.
    pub lease: Ulid,
    /// The validator that it is of.
    pub identity: PublicKey,
    /// Where that is reached, if it has said.
    pub endpoint: Option<String>,
}

/// Why a key was not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RevealError {
    /// There is none to be had.
    Key(KeyError),
    /// It was shown before.
    AlreadyShown,
}

/// Why a key was not replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplaceError {
    /// There is none to be had.
    Key(KeyError),
    /// It is not the expected one, or was replaced just now.
    Concurrent,
}

impl LeaseKeys {
    /// Makes the first key of a lease and shows it, once.
    pub async fn reveal(&self, user: &User, id: Ulid) -> Result<NewLeaseKey, Refused<RevealError>> {
        let ledger = self.0.store.ledger();
        let lease = self.lease(user, id).await;
        let lease = lease.map_err(|refused| refused.map(RevealError::Key))?;
        if ledger.lease_key_version(id).await? > 0 {
            return Err(Refused::Rejected(RevealError::AlreadyShown));
        }
        let made = self.put(user, &lease, 1, "lease.key_shown").await?;
        made.ok_or(Refused::Rejected(RevealError::AlreadyShown))
    }

    /// Makes a key in the place of the one that a lease has, if that is the
    /// expected one; the old one is worth nothing from now on.
    pub async fn replace(
        &self,
        user: &User,
        id: Ulid,
        expected: Option<u64>,
    ) -> Result<NewLeaseKey, Refused<ReplaceError>> {
        let lease = self.lease(user, id).await;
        let lease = lease.map_err(|refused| refused.map(ReplaceError::Key))?;
        let version = self.0.store.ledger().lease_key_version(id).await?;
        let concurrent = || Refused::Rejected(ReplaceError::Concurrent);
        if expected.is_some_and(|expected| expected != version) {
            return Err(concurrent());
        }
        let next = version.saturating_add(1);
        let made = self.put(user, &lease, next, "lease.key_replaced").await?;
        made.ok_or_else(concurrent)
    }

    /// The lease of a key that somebody sends, and the key's public part.
    pub(super) async fn recognise(&self, id: &str, bearer: &str) -> Result<Option<Ulid>, Fault> {
        let Some(row) = self.0.store.ledger().lease_key(id).await? else {
            return Ok(None);
        };
        let hashes = &self.0.key_hashes;
        let (digest, version) = (secret::digest(bearer), row.version);
        if !hashes.is_known(&digest, version) {
            let cost = KeyCost {
                memory_kib: row.memory_kib,
                passes: row.passes,
            };
            let found = hashes.digest(bearer, row.salt, cost).await?;
            if !bool::from(found.as_slice().ct_eq(row.digest.as_slice())) {
                return Ok(None);
            }
            hashes.remember(digest, version);
        }
        Ok(Some(row.lease))
    }

    async fn lease(&self, user: &User, id: Ulid) -> Result<Lease, Refused<KeyError>> {
        let lease = self.0.store.ledger().lease(id).await?;
        let lease = lease.ok_or(Refused::Rejected(KeyError::NotFound))?;
        let epoch = self.0.epochs.current().map(|now| now.position.epoch);
        let allowed = lease.may_have_key(user.party(), epoch);
        allowed.map_err(Refused::Rejected)?;
        Ok(lease)
    }

    /// Makes a key of a version. `None` if another one was faster.
    async fn put(
        &self,
        user: &User,
        lease: &Lease,
        version: u64,
        action: &str,
    ) -> Result<Option<NewLeaseKey>, Fault> {
        let context = &*self.0;
        let cost = context.options.key_cost;
        let secret = Secret::new(secret::LEASE_KEY, &*context.entropy);
        let salt = context.entropy.bytes();
        let row = LeaseKeyRow {
            lease: lease.id,
            digest: context.key_hashes.digest(&secret.text, salt, cost).await?,
            salt,
            memory_kib: cost.memory_kib,
            passes: cost.passes,
            id: secret.id,
            version,
            created_at: context.now(),
        };
        let validator = context.store.ledger().validator(lease.validator).await?;
        let validator = validator.ok_or(Fault::LeaseChanged)?;
        let mut tx = context.store.ledger().begin().await?;
        if !tx.put_lease_key(&row).await? {
            return Ok(None);
        }
        let detail = json!({"key": row.id, "version": row.version});
        let what = Subject::new("lease", &lease.id);
        let actor = Actor::User(user.id);
        context.audit(&mut tx, actor, action, what, &detail).await?;
        tx.commit().await?;
        Ok(Some(NewLeaseKey {
            key: secret.text,
            id: row.id,
            version,
            lease: lease.id,
            identity: validator.identity,
            endpoint: validator.endpoint,
        }))
    }
}
