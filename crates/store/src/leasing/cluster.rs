//! Which cluster a ledger is of. What it knows of one is worth something else,
//! or nothing, on another: a ledger stays with the first that it was used for.

use super::columns;
use crate::{
    LedgerStore,
    db::on,
    error::{StoreError, in_table},
};
use primitives::SolanaHash;

const TABLE: &str = "cluster";

impl LedgerStore {
    /// The cluster that the ledger is of, by its genesis; `None` if it was used
    /// for none yet.
    pub async fn cluster(&self) -> Result<Option<SolanaHash>, StoreError> {
        let stored: Option<Vec<u8>> = on!(reader self.db(), pool =>
            sqlx::query_scalar("SELECT genesis FROM cluster").fetch_optional(pool).await
        )
        .map_err(in_table(TABLE))?;
        let genesis = stored.map(|stored| columns(TABLE)("genesis").bytes(&stored));
        Ok(genesis.transpose()?.map(SolanaHash::from_bytes))
    }

    /// Binds the ledger to a cluster, or refuses if it is bound to another.
    pub async fn bind_cluster(&self, genesis: SolanaHash) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        on!(tx &mut tx.0, connection =>
            sqlx::query(
                "INSERT INTO cluster (one, genesis) VALUES (1, $1) ON CONFLICT (one) DO NOTHING",
            )
            .bind(genesis.as_bytes().as_slice())
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(TABLE))?;
        tx.commit().await?;
        match self.cluster().await? {
            Some(stored) if stored == genesis => Ok(()),
            Some(stored) => Err(StoreError::OtherCluster {
                stored,
                given: genesis,
            }),
            None => Err(columns(TABLE)("genesis").corrupt()),
        }
    }

    /// Whether some bearer token is its own id: one that everybody knows, which
    /// only ledgers of simulated clusters have.
    pub async fn has_published_tokens(&self) -> Result<bool, StoreError> {
        let published: i64 = on!(reader self.db(), pool =>
            sqlx::query_scalar("SELECT COUNT(*) FROM bearer_token WHERE id = name AND length(id) > 8")
                .fetch_one(pool)
                .await
        )
        .map_err(in_table("bearer_token"))?;
        Ok(published > 0)
    }
}
