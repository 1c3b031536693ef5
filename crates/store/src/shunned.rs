//! Tokens that no route passes: kept so that a start and every replica know
//! them. They belong to no block, and stay when blocks are taken back.

use crate::{
    bulk,
    chain::ChainStore,
    column::Column,
    db::on,
    error::{StoreError, in_table},
};
use primitives::Address;
use sqlx::QueryBuilder;
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

    /// Makes these the tokens that no route passes, and no others.
    pub async fn shun(&self, tokens: &BTreeSet<Address>) -> Result<(), StoreError> {
        let mut tx = self.begin_writing().await?;
        on!(tx &mut tx, connection =>
            sqlx::query("DELETE FROM shunned_token").execute(connection).await.map(drop)
        )
        .map_err(in_table(TABLE))?;
        let tokens: Vec<Address> = tokens.iter().copied().collect();
        for portion in bulk::portions(&tokens, |_| 0) {
            on!(tx &mut tx, connection => {
                let mut insert = QueryBuilder::new("INSERT INTO shunned_token (address) ");
                insert.push_values(portion, |mut row, token| {
                    row.push_bind(token.to_bytes().to_vec());
                });
                insert.build().persistent(false).execute(connection).await.map(drop)
            })
            .map_err(in_table(TABLE))?;
        }
        tx.commit().await
    }
}
