//! Which ledger the chain's half was written beside. The chain can be read again,
//! the ledger cannot: one that is lost must not be replaced by an empty one.

use crate::{
    db::{Db, on},
    error::{StoreError, in_table},
};

const TABLE: &str = "identity";

/// Ties the chain's half to the ledger, or refuses one that is tied to another.
pub(crate) async fn tie(chain: &Db, ledger: &Db) -> Result<(), StoreError> {
    let Some(id) = read(ledger).await? else {
        return Err(StoreError::Corrupt {
            table: TABLE,
            column: "id".to_owned(),
        });
    };
    on!(writer chain, pool =>
        sqlx::query("INSERT INTO identity (one, id) VALUES (1, $1) ON CONFLICT DO NOTHING")
            .bind(&id)
            .execute(pool)
            .await
            .map(drop)
    )
    .map_err(in_table(TABLE))?;
    if read(chain).await?.as_ref() == Some(&id) {
        Ok(())
    } else {
        Err(StoreError::OtherLedger)
    }
}

/// Lets the chain's half be tied to another ledger.
pub(crate) async fn untie(chain: &Db) -> Result<(), StoreError> {
    let deleted = on!(writer chain, pool =>
        sqlx::query("DELETE FROM identity").execute(pool).await.map(drop)
    );
    deleted.map_err(in_table(TABLE))
}

/// Tries whether a ledger can be written to.
pub(crate) async fn try_write(ledger: &Db) -> Result<(), StoreError> {
    let written = on!(writer ledger, pool =>
        sqlx::query("UPDATE identity SET trials = trials + 1").execute(pool).await.map(drop)
    );
    written.map_err(in_table(TABLE))
}

async fn read(db: &Db) -> Result<Option<String>, StoreError> {
    on!(reader db, pool =>
        sqlx::query_scalar("SELECT id FROM identity").fetch_optional(pool).await
    )
    .map_err(in_table(TABLE))
}
