//! What proves who somebody is, for a while: challenges, sessions, onboarding.

use super::{LedgerTx, columns};
use crate::{
    LedgerStore,
    db::on,
    error::{StoreError, in_table},
    row::row,
};
use primitives::{PublicKey, Timestamp, Ulid};

const CHALLENGE: &str = "sign_in_challenge";
const SESSION: &str = "session";
const ONBOARDING: &str = "onboarding_session";

/// A text that somebody was given to sign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChallengeRow {
    /// By which it is named.
    pub nonce: String,
    /// Who is to sign it.
    pub address: PublicKey,
    /// The text.
    pub message: String,
    /// Until when it can be used.
    pub expires_at: Timestamp,
}

/// Somebody who signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRow {
    /// The public part of the token.
    pub id: String,
    /// What the token must hash to.
    pub digest: [u8; 32],
    /// Whose wallet signed.
    pub address: PublicKey,
    /// Since when.
    pub created_at: Timestamp,
    /// Until when.
    pub expires_at: Timestamp,
}

/// An onboarding session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OnboardingRow {
    /// What the token hashes to.
    pub digest: [u8; 32],
    /// Who opened it.
    pub user: Ulid,
    /// Until when it can be used.
    pub expires_at: Timestamp,
    /// Who registered with it.
    pub validator: Option<Ulid>,
}

row! {
    struct StoredChallenge {
        nonce: String,
        address: Vec<u8>,
        message: String,
        expires_at: i64,
    }
}

row! {
    struct StoredSession {
        id: String,
        digest: Vec<u8>,
        address: Vec<u8>,
        created_at: i64,
        expires_at: i64,
    }
}

row! {
    struct StoredOnboarding {
        digest: Vec<u8>,
        user_id: String,
        expires_at: i64,
        validator_id: Option<String>,
    }
}

impl StoredChallenge {
    fn decode(self) -> Result<ChallengeRow, StoreError> {
        let column = columns(CHALLENGE);
        Ok(ChallengeRow {
            nonce: self.nonce,
            address: column("address").key(&self.address)?,
            message: self.message,
            expires_at: column("expires_at").time(self.expires_at)?,
        })
    }
}

impl StoredSession {
    fn decode(self) -> Result<SessionRow, StoreError> {
        let column = columns(SESSION);
        Ok(SessionRow {
            id: self.id,
            digest: column("digest").bytes(&self.digest)?,
            address: column("address").key(&self.address)?,
            created_at: column("created_at").time(self.created_at)?,
            expires_at: column("expires_at").time(self.expires_at)?,
        })
    }
}

impl StoredOnboarding {
    fn decode(self) -> Result<OnboardingRow, StoreError> {
        let column = columns(ONBOARDING);
        Ok(OnboardingRow {
            digest: column("digest").bytes(&self.digest)?,
            user: column("user_id").id(&self.user_id)?,
            expires_at: column("expires_at").time(self.expires_at)?,
            validator: column("validator_id").ids(self.validator_id.as_deref())?,
        })
    }
}

impl LedgerTx {
    /// Keeps a text that somebody is to sign.
    pub async fn insert_challenge(&mut self, challenge: &ChallengeRow) -> Result<(), StoreError> {
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "INSERT INTO sign_in_challenge (nonce, address, message, expires_at)
                 VALUES ($1, $2, $3, $4)",
            )
            .bind(&challenge.nonce)
            .bind(challenge.address.as_bytes().as_slice())
            .bind(&challenge.message)
            .bind(challenge.expires_at.as_microsecond())
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(CHALLENGE))
    }

    /// Uses a challenge up.
    pub async fn take_challenge(
        &mut self,
        nonce: &str,
    ) -> Result<Option<ChallengeRow>, StoreError> {
        let taken: Option<StoredChallenge> = on!(tx &mut self.0, connection =>
            sqlx::query_as("DELETE FROM sign_in_challenge WHERE nonce = $1 RETURNING *")
                .bind(nonce)
                .fetch_optional(connection)
                .await
        )
        .map_err(in_table(CHALLENGE))?;
        taken.map(StoredChallenge::decode).transpose()
    }

    /// Opens a session.
    pub async fn insert_session(&mut self, session: &SessionRow) -> Result<(), StoreError> {
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "INSERT INTO session (id, digest, address, created_at, expires_at)
                 VALUES ($1, $2, $3, $4, $5)",
            )
            .bind(&session.id)
            .bind(session.digest.as_slice())
            .bind(session.address.as_bytes().as_slice())
            .bind(session.created_at.as_microsecond())
            .bind(session.expires_at.as_microsecond())
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(SESSION))
    }

    /// Ends a session. `false` if there is none of this id.
    pub async fn delete_session(&mut self, id: &str) -> Result<bool, StoreError> {
        let gone = on!(tx &mut self.0, connection =>
            sqlx::query("DELETE FROM session WHERE id = $1")
                .bind(id)
                .execute(connection)
                .await
                .map(|done| done.rows_affected())
        )
        .map_err(in_table(SESSION))?;
        Ok(gone == 1)
    }

    /// Opens an onboarding session.
    pub async fn insert_onboarding(&mut self, row: &OnboardingRow) -> Result<(), StoreError> {
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "INSERT INTO onboarding_session (digest, user_id, expires_at, validator_id)
                 VALUES ($1, $2, $3, $4)",
            )
            .bind(row.digest.as_slice())
            .bind(row.user.to_string())
            .bind(row.expires_at.as_microsecond())
            .bind(row.validator.map(|id| id.to_string()))
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(ONBOARDING))
    }

    /// Uses an onboarding session up. `false` if it is unknown, used or over.
    pub async fn use_onboarding(
        &mut self,
        digest: &[u8; 32],
        validator: Ulid,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let used = on!(tx &mut self.0, connection =>
            sqlx::query(
                "UPDATE onboarding_session SET validator_id = $2
                 WHERE digest = $1 AND validator_id IS NULL AND expires_at > $3",
            )
            .bind(digest.as_slice())
            .bind(validator.to_string())
            .bind(now.as_microsecond())
            .execute(connection)
            .await
            .map(|done| done.rows_affected())
        )
        .map_err(in_table(ONBOARDING))?;
        Ok(used == 1)
    }

    /// Forgets challenges, sessions, nonces, unused onboarding sessions, answers,
    /// keys of lease tokens and tickets of streams whose time is over. Returns how many rows went.
    pub async fn forget_expired(&mut self, now: Timestamp) -> Result<u64, StoreError> {
        let mut forgotten: u64 = 0;
        for delete in [
            "DELETE FROM sign_in_challenge WHERE expires_at <= $1",
            "DELETE FROM session WHERE expires_at <= $1",
            "DELETE FROM validator_nonce WHERE expires_at <= $1",
            "DELETE FROM onboarding_session WHERE expires_at <= $1 AND validator_id IS NULL",
            "DELETE FROM idempotency_key WHERE expires_at <= $1",
            "DELETE FROM token_key WHERE published_until <= $1",
            "DELETE FROM stream_ticket WHERE expires_at <= $1",
        ] {
            let rows = on!(tx &mut self.0, connection =>
                sqlx::query(delete)
                    .bind(now.as_microsecond())
                    .execute(connection)
                    .await
                    .map(|done| done.rows_affected())
            )?;
            forgotten = forgotten.saturating_add(rows);
        }
        Ok(forgotten)
    }
}

impl LedgerStore {
    /// The session of an id, over or not.
    pub async fn session(&self, id: &str) -> Result<Option<SessionRow>, StoreError> {
        let session: Option<StoredSession> = on!(reader self.db(), pool =>
            sqlx::query_as("SELECT * FROM session WHERE id = $1")
                .bind(id)
                .fetch_optional(pool)
                .await
        )
        .map_err(in_table(SESSION))?;
        session.map(StoredSession::decode).transpose()
    }

    /// The onboarding session of a token's digest, over or not.
    pub async fn onboarding(&self, digest: &[u8; 32]) -> Result<Option<OnboardingRow>, StoreError> {
        let row: Option<StoredOnboarding> = on!(reader self.db(), pool =>
            sqlx::query_as("SELECT * FROM onboarding_session WHERE digest = $1")
                .bind(digest.as_slice())
                .fetch_optional(pool)
                .await
        )
        .map_err(in_table(ONBOARDING))?;
        row.map(StoredOnboarding::decode).transpose()
    }
}
