//! How far wallets were looked at, and secrets that replicas share.

use super::{LedgerTx, columns};
use crate::{
    LedgerStore,
    db::on,
    error::{StoreError, in_table},
    row::row,
};
use primitives::{PublicKey, Signature, SolanaHash};

const TABLE: &str = "chain_cursor";
const SECRET: &str = "market_secret";

/// How far a wallet's history was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChainCursor {
    /// The newest transaction that was looked at.
    pub signature: Signature,
    /// Where it landed.
    pub slot: u64,
}

row! {
    struct StoredCursor {
        signature: Vec<u8>,
        slot: i64,
    }
}

impl LedgerTx {
    /// Moves the cursor of a wallet on a cluster. It never goes back: another
    /// replica may be further.
    pub async fn advance_cursor(
        &mut self,
        wallet: PublicKey,
        genesis: SolanaHash,
        cursor: ChainCursor,
    ) -> Result<(), StoreError> {
        let slot = columns(TABLE)("slot").to_stored(cursor.slot)?;
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "INSERT INTO chain_cursor (wallet, genesis, signature, slot)
                 VALUES ($1, $2, $3, $4)
                 ON CONFLICT (wallet, genesis) DO UPDATE
                 SET signature = excluded.signature, slot = excluded.slot
                 WHERE chain_cursor.slot <= excluded.slot",
            )
            .bind(wallet.as_bytes().as_slice())
            .bind(genesis.as_bytes().as_slice())
            .bind(cursor.signature.as_bytes().as_slice())
            .bind(slot)
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(TABLE))
    }
}

impl LedgerStore {
    /// The cursor of a wallet on a cluster.
    pub async fn cursor(
        &self,
        wallet: PublicKey,
        genesis: SolanaHash,
    ) -> Result<Option<ChainCursor>, StoreError> {
        let row: Option<StoredCursor> = on!(reader self.db(), pool =>
            sqlx::query_as(
                "SELECT signature, slot FROM chain_cursor WHERE wallet = $1 AND genesis = $2",
            )
            .bind(wallet.as_bytes().as_slice())
            .bind(genesis.as_bytes().as_slice())
            .fetch_optional(pool)
            .await
        )
        .map_err(in_table(TABLE))?;
        let column = columns(TABLE);
        row.map(|row| {
            Ok(ChainCursor {
                signature: column("signature").signature(&row.signature)?,
                slot: column("slot").counter(row.slot)?,
            })
        })
        .transpose()
    }

    /// The secret of a name: the one that is there, or `fresh` from now on.
    pub async fn secret(&self, name: &str, fresh: [u8; 32]) -> Result<[u8; 32], StoreError> {
        let mut tx = self.begin().await?;
        on!(tx &mut tx.0, connection =>
            sqlx::query(
                "INSERT INTO market_secret (name, secret) VALUES ($1, $2)
                 ON CONFLICT (name) DO NOTHING",
            )
            .bind(name)
            .bind(fresh.as_slice())
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(SECRET))?;
        let secret: Vec<u8> = on!(tx &mut tx.0, connection =>
            sqlx::query_scalar("SELECT secret FROM market_secret WHERE name = $1")
                .bind(name)
                .fetch_one(connection)
                .await
        )
        .map_err(in_table(SECRET))?;
        tx.commit().await?;
        columns(SECRET)("secret").bytes(&secret)
    }
}
