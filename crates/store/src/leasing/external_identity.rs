//! Users whom an external issuer knows.

use super::{
    LedgerTx,
    user::{StoredUser, User},
};
use crate::{
    LedgerStore,
    db::on,
    error::{StoreError, in_table},
};

const TABLE: &str = "external_identity";

/// Whom an issuer vouches for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalIdentity {
    /// The issuer, as it names itself.
    pub issuer: String,
    /// What it calls them: always the same, and nobody else's.
    pub subject: String,
}

impl LedgerTx {
    /// Says whom a user's issuer knows them as. An identity that is another
    /// user's is [`StoreError::Exists`].
    pub async fn insert_identity(
        &mut self,
        identity: &ExternalIdentity,
        user: &User,
    ) -> Result<(), StoreError> {
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "INSERT INTO external_identity (issuer, subject, user_id, created_at)
                 VALUES ($1, $2, $3, $4)",
            )
            .bind(&identity.issuer)
            .bind(&identity.subject)
            .bind(user.id.to_string())
            .bind(user.created_at.as_microsecond())
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(TABLE))
    }
}

impl LedgerStore {
    /// The user whom an issuer vouches for.
    pub async fn user_of_identity(
        &self,
        identity: &ExternalIdentity,
    ) -> Result<Option<User>, StoreError> {
        let user: Option<StoredUser> = on!(reader self.db(), pool =>
            sqlx::query_as(
                "SELECT lease_user.* FROM external_identity
                 JOIN lease_user ON lease_user.id = external_identity.user_id
                 WHERE external_identity.issuer = $1 AND external_identity.subject = $2",
            )
            .bind(&identity.issuer)
            .bind(&identity.subject)
            .fetch_optional(pool)
            .await
        )
        .map_err(in_table(TABLE))?;
        user.map(StoredUser::decode).transpose()
    }
}
