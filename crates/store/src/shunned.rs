//! Tokens that no route passes: kept so that a start and every replica know
//! them. They belong to no block, and stay when blocks are taken back.

use crate::{
    block_table::ChainStore,
    column::Column,
    db::{Tx, on},
    error::{StoreError, in_table},
};
use primitives::Address;
use std::collections::BTreeSet;

const TABLE: &str = "shunned_token";
const ADDRESS: Column = Column {
    table: TABLE,
    name: "address",
};

impl ChainStore {
    /// The tokens that no route passes.
    pub async fn shunned(&self) -> Result<BTreeSet<Address>, StoreError> {
        let rows: Vec<Vec<u8>> = on!(reader self.db(), pool =>
            sqlx::query_scalar("SELECT address FROM shunned_token").fetch_all(pool).await
        )
        .map_err(in_table(TABLE))?;
        rows.iter()
            .map(|address| ADDRESS.address(address))
            .collect()
    }

    /// From now on no route passes `tokens`, and routes may pass those that are
    /// taken `back`. Other tokens stay as they are: several processes may learn
    /// at once.
    pub async fn shun(&self, tokens: &[Address], back: &[Address]) -> Result<(), StoreError> {
        let mut tx = self.begin_writing().await?;
        for token in tokens {
            execute(
                &mut tx,
                "INSERT INTO shunned_token (address) VALUES ($1) ON CONFLICT (address) DO NOTHING",
                *token,
            )
            .await?;
        }
        for token in back {
            execute(
                &mut tx,
                "DELETE FROM shunned_token WHERE address = $1",
                *token,
            )
            .await?;
        }
        tx.commit().await
    }
}

/// One statement about one token.
async fn execute(tx: &mut Tx, sql: &'static str, token: Address) -> Result<(), StoreError> {
    let address = token.to_bytes();
    on!(tx tx, connection =>
        sqlx::query(sql)
            .bind(address.as_slice())
            .execute(connection)
            .await
            .map(drop)
    )
    .map_err(in_table(TABLE))
}
