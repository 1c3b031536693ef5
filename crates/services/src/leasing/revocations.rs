//! The feed of revocations, for gateways: a token that was minted before its
//! lease was revoked is good until it expires, unless somebody tells them.

use super::{context::Context, page::Page};
use crate::fault::Fault;
use primitives::{PublicKey, SignedDuration, Timestamp};
use std::sync::Arc;
use store::leasing::{RevocationPlace, RevocationRow};

/// How far the feed goes back unless asked otherwise: no token of a lease that
/// was revoked earlier is alive.
const RECENT: SignedDuration = SignedDuration::from_hours(1);

/// Leases that were revoked. Clones share everything.
#[derive(Debug, Clone)]
pub struct Revocations(pub(super) Arc<Context>);

impl Revocations {
    /// The leases, of all validators or one, that were revoked at or after a
    /// time or in the last hour, the oldest first.
    pub async fn since(
        &self,
        since: Option<Timestamp>,
        identity: Option<PublicKey>,
        after: Option<RevocationPlace>,
        limit: u16,
    ) -> Result<Page<RevocationRow, RevocationPlace>, Fault> {
        let recent = || self.0.now().checked_sub(RECENT).unwrap_or(Timestamp::MIN);
        let since = since.unwrap_or_else(recent);
        let more = limit.saturating_add(1);
        let ledger = self.0.store.ledger();
        let rows = ledger.revocations(since, identity, after, more).await?;
        Ok(Page::new(rows, usize::from(limit), |row| row.place))
    }
}
