//! Which contracts are followed.

use crate::{
    block_table::{ChainStore, NUMBER},
    bulk,
    column::Column,
    db::{Tx, on},
    error::{StoreError, in_table},
    row::row,
};
use market::{BlockEffects, following::FollowedContract};
use primitives::Address;
use sqlx::QueryBuilder;
use std::collections::BTreeMap;

const LEAD_TABLE: &str = "followed_lead";
const TABLE: &str = "followed_contract";

const fn column(name: &'static str) -> Column {
    Column { table: TABLE, name }
}

row! {
    struct ContractRow {
        address: Vec<u8>,
        lead: Vec<u8>,
        from_block: i64,
        learned_block: i64,
    }
}

impl ContractRow {
    fn decode(self) -> Result<(u64, FollowedContract), StoreError> {
        let contract = FollowedContract {
            address: column("address").address(&self.address)?,
            lead: column("lead").address(&self.lead)?,
            from_block: column("from_block").counter(self.from_block)?,
        };
        Ok((
            column("learned_block").counter(self.learned_block)?,
            contract,
        ))
    }
}

row! {
    struct LeadRow {
        contract: Vec<u8>,
        digest: Vec<u8>,
    }
}

impl ChainStore {
    /// Ties what is followed to its configuration: contracts with digests of all
    /// that is configured of them. What another digest or no configuration leads
    /// to is forgotten; blocks, pools and figures stay as they are.
    pub async fn bind_leads(&self, leads: &BTreeMap<Address, [u8; 32]>) -> Result<(), StoreError> {
        let mut tx = self.begin_writing().await?;
        let stored: Vec<LeadRow> = on!(tx &mut tx, connection =>
            sqlx::query_as("SELECT contract, digest FROM followed_lead")
                .fetch_all(connection)
                .await
        )
        .map_err(in_table(LEAD_TABLE))?;
        let is_bound = |contract: &[u8], digest: &[u8]| {
            let mut stored = stored.iter();
            stored.any(|row| row.contract == contract && row.digest == digest)
        };
        for row in &stored {
            let mut leads = leads.iter();
            if !leads.any(|(lead, digest)| row.contract == lead.to_bytes() && row.digest == digest)
            {
                unbind(&mut tx, &row.contract).await?;
            }
        }
        for (lead, digest) in leads {
            if !is_bound(&lead.to_bytes(), digest) {
                bind(&mut tx, &lead.to_bytes(), digest).await?;
            }
        }
        tx.commit().await
    }
}

async fn unbind(tx: &mut Tx, contract: &[u8]) -> Result<(), StoreError> {
    on!(tx tx, connection =>
        sqlx::query("DELETE FROM followed_lead WHERE contract = $1")
            .bind(contract)
            .execute(connection)
            .await
            .map(drop)
    )
    .map_err(in_table(LEAD_TABLE))
}

async fn bind(tx: &mut Tx, contract: &[u8], digest: &[u8]) -> Result<(), StoreError> {
    on!(tx tx, connection =>
        sqlx::query("INSERT INTO followed_lead (contract, digest) VALUES ($1, $2)")
            .bind(contract)
            .bind(digest)
            .execute(connection)
            .await
            .map(drop)
    )
    .map_err(in_table(LEAD_TABLE))
}

/// Those of the blocks after `after` and up to `last`.
pub(crate) async fn between(
    tx: &mut Tx,
    after: i64,
    last: i64,
) -> Result<Vec<(u64, FollowedContract)>, StoreError> {
    let rows: Vec<ContractRow> = on!(tx tx, connection =>
        sqlx::query_as(
            "SELECT address, lead, from_block, learned_block FROM followed_contract
             WHERE learned_block > $1 AND learned_block <= $2 ORDER BY learned_block, address",
        )
        .bind(after)
        .bind(last)
        .fetch_all(connection)
        .await
    )
    .map_err(in_table(TABLE))?;
    rows.into_iter().map(ContractRow::decode).collect()
}

pub(super) async fn insert(tx: &mut Tx, effects: &[BlockEffects]) -> Result<(), StoreError> {
    let mut rows = Vec::new();
    for effect in effects {
        let learned = NUMBER.to_stored(effect.block.number)?;
        for contract in &effect.followed.contracts {
            let from_block = column("from_block").to_stored(contract.from_block)?;
            rows.push((contract, from_block, learned));
        }
    }
    for portion in bulk::portions(&rows, |_| 0) {
        on!(tx &mut *tx, connection => {
            let mut insert = QueryBuilder::new(
                "INSERT INTO followed_contract (address, lead, from_block, learned_block) ",
            );
            insert.push_values(portion, |mut row, (contract, from_block, learned)| {
                row.push_bind(contract.address.to_bytes().to_vec())
                    .push_bind(contract.lead.to_bytes().to_vec())
                    .push_bind(*from_block)
                    .push_bind(*learned);
            });
            insert.build().persistent(false).execute(connection).await.map(drop)
        })
        .map_err(in_table(TABLE))?;
    }
    Ok(())
}
