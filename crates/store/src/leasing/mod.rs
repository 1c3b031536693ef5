//! The lease market's tables.
//!
//! Whatever is written is written in a [`LedgerTx`], which the caller composes
//! of the steps that each file here has; dropped without [`LedgerTx::commit`]
//! it leaves nothing. Also single statements are: a request that was cut off
//! while its transaction began may leave a connection of PostgreSQL within one,
//! which only the next commit ends. What only looks is a method of
//! [`LedgerStore`].

mod audit;
mod audit_chain;
mod browse;
mod calendar;
mod cluster;
mod cursor;
mod delivery;
mod extension;
mod external_identity;
mod idempotency;
mod lease;
mod lease_key;
mod lease_news;
mod parked;
mod payment;
mod performance;
mod rating;
mod refund;
mod revocation;
mod service_token;
mod session;
mod stray;
mod stray_refund;
mod stream_ticket;
mod token;
mod token_key;
mod usage;
mod user;
mod validator;
mod webhook;

pub use audit::{Actor, AuditQuery, AuditRow};
pub use audit_chain::{AuditCounts, AuditLink};
pub use browse::{BrowseOrder, BrowseQuery};
pub use calendar::{Drift, EpochRow};
pub use cursor::ChainCursor;
pub use delivery::{DeliveryQuery, DeliveryRow};
pub use external_identity::ExternalIdentity;
pub use idempotency::{KeyClaim, KeyName, StoredAnswer};
pub use lease::LeaseQuery;
pub use lease_key::LeaseKeyRow;
pub use lease_news::{LeaseNewsQuery, LeaseNewsRow};
pub use parked::{Parked, ParkedRow};
pub use payment::NamedPayment;
pub use performance::Performance;
pub use rating::RatingRow;
pub use refund::RefundQuery;
pub use revocation::{RevocationPlace, RevocationRow};
pub use service_token::ServiceTokenRow;
pub use session::{ChallengeRow, OnboardingRow, SessionRow};
pub use stray::{StrayLegRow, StrayPlace, StrayTransaction};
pub use stream_ticket::StreamTicketRow;
pub use token::TokenRow;
pub use token_key::TokenKeyRow;
pub use usage::{UsageDay, UsedLease};
pub use user::User;
pub use validator::{StakeRow, ValidatorRow};
pub use webhook::WebhookRow;

use crate::{LedgerStore, column::Column, db::Tx, error::StoreError};

/// A transaction on the ledger.
pub struct LedgerTx(pub(crate) Tx);

impl LedgerStore {
    /// Begins a transaction.
    pub async fn begin(&self) -> Result<LedgerTx, StoreError> {
        Ok(LedgerTx(self.begin_tx().await?))
    }
}

impl LedgerTx {
    /// Makes all of it last.
    pub async fn commit(self) -> Result<(), StoreError> {
        self.0.commit().await
    }

    /// Gives all of it up, and waits until that is done.
    pub async fn rollback(self) -> Result<(), StoreError> {
        self.0.rollback().await
    }
}

impl std::fmt::Debug for LedgerTx {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LedgerTx")
    }
}

/// The columns of a table.
const fn columns(table: &'static str) -> impl Fn(&'static str) -> Column {
    move |name| Column { table, name }
}
