//! Those who pay fees of others, and every transaction that they pay for.
//!
//! What a transaction may cost is taken from a sponsor's credits in the ledger
//! transaction that also writes what is sent, and what it did cost is settled
//! once: credits are never below zero, and nothing is charged twice.

mod activity;
mod reserve;
mod row;
mod settle;
mod sponsored;

pub use activity::{Activity, ActivityPart};
pub use reserve::{NewReservation, Reservation};
pub use row::{RuleKind, SponsorRow, SponsorRule};
pub use sponsored::{SponsoredOutcome, SponsoredProgress, SponsoredRow, SponsoredState};

use crate::{
    LedgerStore,
    db::on,
    error::{StoreError, in_table},
    leasing::LedgerTx,
};
use primitives::Timestamp;
use row::{RULE, SPONSOR, StoredRule, StoredSponsor};

/// Rules of one sponsor.
const MAX_RULES: i64 = 1_024;

impl LedgerTx {
    /// Adds a sponsor. An id or a digest that is there already is
    /// [`StoreError::Exists`].
    pub async fn insert_sponsor(&mut self, sponsor: &SponsorRow) -> Result<(), StoreError> {
        let daily = sponsor.user_daily.map(u128::to_be_bytes);
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "INSERT INTO sponsor (id, name, digest, credits, user_daily, created_at)
                 VALUES ($1, $2, $3, $4, $5, $6)",
            )
            .bind(&sponsor.id)
            .bind(&sponsor.name)
            .bind(sponsor.digest.as_slice())
            .bind(sponsor.credits.to_be_bytes().as_slice())
            .bind(daily.as_ref().map(<[u8; 16]>::as_slice))
            .bind(sponsor.created_at.as_microsecond())
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(SPONSOR))
    }

    /// Adds a rule, unless it is there.
    pub async fn insert_sponsor_rule(
        &mut self,
        sponsor: &str,
        rule: &SponsorRule,
    ) -> Result<(), StoreError> {
        let selector = rule.selector.map(|selector| selector.to_bytes_be());
        let selector = selector.as_ref().map_or(&[][..], <[u8; 32]>::as_slice);
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "INSERT INTO sponsor_rule (sponsor, kind, contract, selector)
                 VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
            )
            .bind(sponsor)
            .bind(rule.kind.word())
            .bind(rule.contract.to_bytes().as_slice())
            .bind(selector)
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(RULE))
    }

    /// A sponsor, whom nobody else changes until the transaction ends.
    pub async fn lock_sponsor(&mut self, id: &str) -> Result<Option<SponsorRow>, StoreError> {
        let row: Option<StoredSponsor> = on!(tx &mut self.0, connection =>
            sqlx::query_as("UPDATE sponsor SET id = id WHERE id = $1 RETURNING *")
                .bind(id)
                .fetch_optional(connection)
                .await
        )
        .map_err(in_table(SPONSOR))?;
        row.map(StoredSponsor::decode).transpose()
    }

    /// Says what a sponsor has left.
    pub async fn set_credits(&mut self, id: &str, credits: u128) -> Result<(), StoreError> {
        on!(tx &mut self.0, connection =>
            sqlx::query("UPDATE sponsor SET credits = $2 WHERE id = $1")
                .bind(id)
                .bind(credits.to_be_bytes().as_slice())
                .execute(connection)
                .await
                .map(drop)
        )
        .map_err(in_table(SPONSOR))
    }

    /// Gives a sponsor another key; whether there is such a sponsor.
    pub async fn rotate_sponsor(
        &mut self,
        id: &str,
        digest: &[u8; 32],
    ) -> Result<bool, StoreError> {
        let rotated = on!(tx &mut self.0, connection =>
            sqlx::query("UPDATE sponsor SET digest = $2 WHERE id = $1 AND disabled_at IS NULL")
                .bind(id)
                .bind(digest.as_slice())
                .execute(connection)
                .await
                .map(|done| done.rows_affected())
        )
        .map_err(in_table(SPONSOR))?;
        Ok(rotated == 1)
    }

    /// Ends a sponsor's key; whether there was a living one.
    pub async fn disable_sponsor(&mut self, id: &str, at: Timestamp) -> Result<bool, StoreError> {
        let disabled = on!(tx &mut self.0, connection =>
            sqlx::query("UPDATE sponsor SET disabled_at = $2 WHERE id = $1 AND disabled_at IS NULL")
                .bind(id)
                .bind(at.as_microsecond())
                .execute(connection)
                .await
                .map(|done| done.rows_affected())
        )
        .map_err(in_table(SPONSOR))?;
        Ok(disabled == 1)
    }
}

impl LedgerStore {
    /// The sponsor whose key has a digest, disabled or not.
    pub async fn find_sponsor(&self, digest: &[u8; 32]) -> Result<Option<SponsorRow>, StoreError> {
        let row: Option<StoredSponsor> = on!(reader self.db(), pool =>
            sqlx::query_as("SELECT * FROM sponsor WHERE digest = $1")
                .bind(digest.as_slice())
                .fetch_optional(pool)
                .await
        )
        .map_err(in_table(SPONSOR))?;
        row.map(StoredSponsor::decode).transpose()
    }

    /// A sponsor by its id.
    pub async fn sponsor(&self, id: &str) -> Result<Option<SponsorRow>, StoreError> {
        let row: Option<StoredSponsor> = on!(reader self.db(), pool =>
            sqlx::query_as("SELECT * FROM sponsor WHERE id = $1")
                .bind(id)
                .fetch_optional(pool)
                .await
        )
        .map_err(in_table(SPONSOR))?;
        row.map(StoredSponsor::decode).transpose()
    }

    /// All sponsors, the oldest first.
    pub async fn list_sponsors(&self) -> Result<Vec<SponsorRow>, StoreError> {
        let rows: Vec<StoredSponsor> = on!(reader self.db(), pool =>
            sqlx::query_as("SELECT * FROM sponsor ORDER BY created_at, id")
                .fetch_all(pool)
                .await
        )
        .map_err(in_table(SPONSOR))?;
        rows.into_iter().map(StoredSponsor::decode).collect()
    }

    /// What a sponsor says of calls, by kind and contract; 1,024 rules at most.
    pub async fn sponsor_rules(&self, id: &str) -> Result<Vec<SponsorRule>, StoreError> {
        let rows: Vec<StoredRule> = on!(reader self.db(), pool =>
            sqlx::query_as(
                "SELECT kind, contract, selector FROM sponsor_rule WHERE sponsor = $1
                 ORDER BY kind, contract, selector LIMIT $2",
            )
            .bind(id)
            .bind(MAX_RULES)
            .fetch_all(pool)
            .await
        )
        .map_err(in_table(RULE))?;
        rows.into_iter().map(StoredRule::decode).collect()
    }
}
