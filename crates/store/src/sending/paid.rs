//! What users paid for what was sent for them, beside what it did cost.

use super::row::amount;
use crate::{
    LedgerStore,
    column::Column,
    db::on,
    error::{StoreError, in_table},
    leasing::LedgerTx,
};
use primitives::Felt;

const PAID_FEES: &str = "paid_fees";

/// Sums over everything final, in the smallest unit of STRK.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PaidFees {
    /// What users paid.
    pub paid: u128,
    /// What their transactions did cost.
    pub cost: u128,
}

type StoredPaid = (Vec<u8>, Vec<u8>);

fn decode((paid, cost): StoredPaid) -> Result<PaidFees, StoreError> {
    let column = |name| Column {
        table: PAID_FEES,
        name,
    };
    Ok(PaidFees {
        paid: amount(column("paid"), &paid)?,
        cost: amount(column("cost"), &cost)?,
    })
}

impl LedgerTx {
    /// Adds a transaction to the sums of its chain.
    pub async fn add_paid_fees(
        &mut self,
        chain_id: Felt,
        more: PaidFees,
    ) -> Result<(), StoreError> {
        let nothing = 0_u128.to_be_bytes();
        // The update of nothing is the row's lock.
        let sums: StoredPaid = on!(tx &mut self.0, connection =>
            sqlx::query_as(
                "INSERT INTO paid_fees (chain_id, paid, cost) VALUES ($1, $2, $2)
                 ON CONFLICT (chain_id) DO UPDATE SET chain_id = excluded.chain_id
                 RETURNING paid, cost",
            )
            .bind(chain_id.to_bytes_be().as_slice())
            .bind(nothing.as_slice())
            .fetch_one(connection)
            .await
        )
        .map_err(in_table(PAID_FEES))?;
        let sums = decode(sums)?;
        let paid = sums.paid.saturating_add(more.paid).to_be_bytes();
        let cost = sums.cost.saturating_add(more.cost).to_be_bytes();
        on!(tx &mut self.0, connection =>
            sqlx::query("UPDATE paid_fees SET paid = $2, cost = $3 WHERE chain_id = $1")
                .bind(chain_id.to_bytes_be().as_slice())
                .bind(paid.as_slice())
                .bind(cost.as_slice())
                .execute(connection)
                .await
                .map(drop)
        )
        .map_err(in_table(PAID_FEES))
    }
}

impl LedgerStore {
    /// What users paid on a chain, and what that did cost.
    pub async fn paid_fees(&self, chain_id: Felt) -> Result<PaidFees, StoreError> {
        let row: Option<StoredPaid> = on!(reader self.db(), pool =>
            sqlx::query_as("SELECT paid, cost FROM paid_fees WHERE chain_id = $1")
                .bind(chain_id.to_bytes_be().as_slice())
                .fetch_optional(pool)
                .await
        )
        .map_err(in_table(PAID_FEES))?;
        Ok(row.map(decode).transpose()?.unwrap_or_default())
    }
}
