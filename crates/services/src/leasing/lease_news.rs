//! What happens to leases, as it happens: for those who hold a stream open.
//!
//! Nothing is kept for a listener but the place in the audit log's chain up to
//! which it was told, which it may come back with, to any replica.

use super::{
    context::Context,
    secret::{self, Secret},
};
use crate::fault::Fault;
use leasing::WebhookEvent;
use primitives::{SignedDuration, Timestamp, Ulid};
use std::{sync::Arc, time::Duration};
use store::leasing::{LeaseNewsQuery, LeaseNewsRow, StreamTicketRow};
use tokio::{sync::Mutex, time::Instant};

/// How long a ticket can be used.
const TICKET_LIFE: SignedDuration = SignedDuration::from_secs(30);

/// How often the chain is looked at, for all listeners together.
const POLL: Duration = Duration::from_millis(500);

/// Rows of a look, and places of the chain that it passes, at most.
const ROWS: u16 = 100;
const PLACES: u64 = 10_000;

/// What happens to leases. Clones share everything.
#[derive(Debug, Clone)]
pub struct LeaseNews {
    context: Arc<Context>,
    /// The last place of the chain, and when it was looked at.
    head: Arc<Mutex<Option<(Instant, u64)>>>,
}

/// What opens a stream once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamTicket {
    /// What is shown to open it.
    pub text: String,
    /// Until when.
    pub expires_at: Timestamp,
}

/// Something that happened to a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseEvent {
    /// Its place in the audit log's chain.
    pub position: u64,
    /// The lease that it happened to.
    pub lease: Ulid,
    /// What happened.
    pub event: WebhookEvent,
    /// When.
    pub at: Timestamp,
}

/// What is told at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseNewsPage {
    /// In the order of the chain.
    pub events: Vec<LeaseEvent>,
    /// Up to where everything is told.
    pub position: u64,
}

impl LeaseNews {
    pub(super) fn new(context: Arc<Context>) -> Self {
        Self {
            context,
            head: Arc::default(),
        }
    }

    /// Makes a ticket for a user.
    pub async fn ticket(&self, user: Ulid) -> Result<StreamTicket, Fault> {
        let secret = Secret::new(secret::STREAM, &*self.context.entropy);
        let expires_at = self.context.in_future(TICKET_LIFE);
        let mut tx = self.context.store.ledger().begin().await?;
        tx.insert_stream_ticket(&StreamTicketRow {
            digest: secret.digest(),
            user,
            expires_at,
        })
        .await?;
        tx.commit().await?;
        Ok(StreamTicket {
            text: secret.text,
            expires_at,
        })
    }

    /// The user of a ticket, which is used up by that.
    pub async fn redeem(&self, ticket: &str) -> Result<Option<Ulid>, Fault> {
        let mut tx = self.context.store.ledger().begin().await?;
        let row = tx.take_stream_ticket(&secret::digest(ticket)).await?;
        tx.commit().await?;
        let now = self.context.now();
        Ok(row.filter(|row| row.expires_at > now).map(|row| row.user))
    }

    /// The last place of the chain, as of half a second ago at most.
    pub async fn newest(&self) -> Result<u64, Fault> {
        let mut head = self.head.lock().await;
        if let Some((looked, newest)) = *head
            && looked.elapsed() < POLL
        {
            return Ok(newest);
        }
        let newest = self.context.store.ledger().audit_head().await?;
        *head = Some((Instant::now(), newest));
        Ok(newest)
    }

    /// Waits for something after a place, and tells what a user may know of it; none
    /// if there is no such user any more.
    pub async fn next(&self, user: Ulid, after: u64) -> Result<Option<LeaseNewsPage>, Fault> {
        let newest = self.beyond(after).await?;
        let ledger = self.context.store.ledger();
        let Some(user) = ledger.user(user).await? else {
            return Ok(None);
        };
        let to = newest.min(after.saturating_add(PLACES));
        let query = LeaseNewsQuery {
            of: (!user.roles.staff).then_some(user.id),
            after,
            to,
            limit: ROWS,
        };
        let rows = ledger.lease_news(&query).await?;
        let is_full = rows.len() == usize::from(ROWS);
        let last = rows.last().filter(|_| is_full).map(|row| row.position);
        Ok(Some(LeaseNewsPage {
            events: rows.iter().filter_map(event).collect(),
            position: last.unwrap_or(to),
        }))
    }

    async fn beyond(&self, position: u64) -> Result<u64, Fault> {
        loop {
            let newest = self.newest().await?;
            if newest > position {
                return Ok(newest);
            }
            tokio::time::sleep(POLL).await;
        }
    }
}

/// What a row tells, if it tells anything: as webhooks have it.
fn event(row: &LeaseNewsRow) -> Option<LeaseEvent> {
    Some(LeaseEvent {
        position: row.position,
        lease: row.lease,
        event: WebhookEvent::of_action(&row.action)?,
        at: row.at,
    })
}
