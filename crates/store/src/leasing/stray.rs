//! Money that came and was not taken for a lease.
//!
//! A transaction has a row for each payment that it names, and a leg for each
//! wallet of theirs that gained by it: so what is to be given back is the sum of
//! all legs, whatever a transaction names.

use super::{LedgerTx, columns};
use crate::{
    LedgerStore,
    db::on,
    error::{StoreError, in_table},
    row::row,
};
use leasing::{Leg, Memo, Payment, PaymentKind, PaymentStatus, Stray, StrayReason};
use primitives::{PublicKey, Signature, Ulid};
use sqlx::{AssertSqlSafe, QueryBuilder};

const TABLE: &str = "stray";
const LEG: &str = "stray_leg";

/// A transaction that brought money which was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StrayTransaction {
    /// Where it landed, and its name.
    pub place: StrayPlace,
    /// Who paid.
    pub payer: PublicKey,
    /// What wallets gained by it, each once.
    pub legs: Vec<StrayLegRow>,
    /// The payments that it names, each with its lease and why it was not taken.
    pub named: Vec<(Memo, Ulid, StrayReason)>,
}

/// What a wallet gained by a transaction that paid for nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StrayLegRow {
    /// The wallet, and what it gained.
    pub leg: Leg,
    /// The refund by which that is given back, if it is asked for.
    pub refund: Option<Ulid>,
}

/// A place in the list of strays, the newest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StrayPlace {
    /// Where the transaction landed.
    pub slot: u64,
    /// Its name.
    pub signature: Signature,
}

/// Strays `s` of payments `p`, with what either wallet gained.
const SELECT: &str = "SELECT s.*, COALESCE(a.gain, 0) AS payout_gain,
        COALESCE(b.gain, 0) AS platform_gain
 FROM stray AS s
 JOIN payment AS p ON p.memo = s.memo
 LEFT JOIN stray_leg AS a ON a.signature = s.signature AND a.wallet = p.payout_wallet
 LEFT JOIN stray_leg AS b ON b.signature = s.signature AND b.wallet = p.platform_wallet";

row! {
    struct StoredStray {
        signature: Vec<u8>,
        memo: String,
        reason: String,
        slot: i64,
        payer: Vec<u8>,
        payout_gain: i64,
        platform_gain: i64,
        seen_at: i64,
    }
}

impl StoredStray {
    fn decode(self) -> Result<Stray, StoreError> {
        let column = columns(TABLE);
        Ok(Stray {
            signature: column("signature").signature(&self.signature)?,
            memo: column("memo").word(&self.memo)?,
            reason: column("reason").word(&self.reason)?,
            slot: column("slot").counter(self.slot)?,
            payer: column("payer").key(&self.payer)?,
            payout_gain: columns(LEG)("gain").lamports(self.payout_gain)?,
            platform_gain: columns(LEG)("gain").lamports(self.platform_gain)?,
            seen_at: column("seen_at").time(self.seen_at)?,
        })
    }
}

row! {
    struct StoredPlace {
        signature: Vec<u8>,
        slot: i64,
        payer: Vec<u8>,
    }
}

impl LedgerTx {
    /// Records money to be given back. `false` if it was recorded before, or
    /// nothing is left of it beside what the transaction paid for otherwise.
    pub async fn insert_stray(
        &mut self,
        stray: &Stray,
        payment: &Payment,
    ) -> Result<bool, StoreError> {
        let gains = [
            (payment.payout().wallet, stray.payout_gain),
            (payment.platform().wallet, stray.platform_gain),
        ];
        let mut legs = Vec::new();
        for (wallet, gain) in gains {
            let gain = columns(LEG)("gain").to_stored_lamports(gain)?;
            if gain > 0 && !self.is_spent(stray.signature, wallet).await? {
                legs.push((wallet, gain));
            }
        }
        if legs.is_empty() || !self.insert_stray_row(stray).await? {
            return Ok(false);
        }
        for (wallet, gain) in legs {
            self.insert_leg(stray.signature, wallet, gain).await?;
        }
        Ok(true)
    }

    /// Whether what a transaction brought to a wallet paid for something.
    async fn is_spent(
        &mut self,
        signature: Signature,
        wallet: PublicKey,
    ) -> Result<bool, StoreError> {
        // A refund asks nothing for the platform's wallet.
        let (settled, refund) = (PaymentStatus::Settled, PaymentKind::Refund);
        let spent: i64 = on!(tx &mut self.0, connection =>
            sqlx::query_scalar(AssertSqlSafe(format!(
                "SELECT COUNT(*) FROM payment
                 WHERE signature = $1 AND status = '{settled}'
                   AND (payout_wallet = $2 OR (platform_wallet = $2 AND kind <> '{refund}'))"
            )))
            .bind(signature.as_bytes().as_slice())
            .bind(wallet.as_bytes().as_slice())
            .fetch_one(connection)
            .await
        )
        .map_err(in_table("payment"))?;
        Ok(spent > 0)
    }

    async fn insert_stray_row(&mut self, stray: &Stray) -> Result<bool, StoreError> {
        let slot = columns(TABLE)("slot").to_stored(stray.slot)?;
        let added = on!(tx &mut self.0, connection =>
            sqlx::query(
                "INSERT INTO stray (signature, memo, reason, slot, payer, seen_at)
                 VALUES ($1, $2, $3, $4, $5, $6)
                 ON CONFLICT (signature, memo) DO NOTHING",
            )
            .bind(stray.signature.as_bytes().as_slice())
            .bind(stray.memo.as_str())
            .bind(stray.reason.as_str())
            .bind(slot)
            .bind(stray.payer.as_bytes().as_slice())
            .bind(stray.seen_at.as_microsecond())
            .execute(connection)
            .await
            .map(|done| done.rows_affected())
        )
        .map_err(in_table(TABLE))?;
        Ok(added == 1)
    }

    async fn insert_leg(
        &mut self,
        signature: Signature,
        wallet: PublicKey,
        gain: i64,
    ) -> Result<(), StoreError> {
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "INSERT INTO stray_leg (signature, wallet, gain) VALUES ($1, $2, $3)
                 ON CONFLICT (signature, wallet) DO NOTHING",
            )
            .bind(signature.as_bytes().as_slice())
            .bind(wallet.as_bytes().as_slice())
            .bind(gain)
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(LEG))
    }
}

impl LedgerStore {
    /// Money that came for a payment and was not taken, in the order in which
    /// it landed, 1,000 at most.
    pub async fn strays_of(&self, memo: &Memo) -> Result<Vec<Stray>, StoreError> {
        let found = format!("{SELECT} WHERE s.memo = $1 ORDER BY s.slot, s.signature LIMIT 1000");
        let rows: Vec<StoredStray> = on!(reader self.db(), pool =>
            sqlx::query_as(AssertSqlSafe(found)).bind(memo.as_str()).fetch_all(pool).await
        )
        .map_err(in_table(TABLE))?;
        rows.into_iter().map(StoredStray::decode).collect()
    }

    /// The same of all payments of a lease.
    pub async fn strays_of_lease(&self, lease: Ulid) -> Result<Vec<Stray>, StoreError> {
        let found =
            format!("{SELECT} WHERE p.lease_id = $1 ORDER BY s.slot, s.signature LIMIT 1000");
        let rows: Vec<StoredStray> = on!(reader self.db(), pool =>
            sqlx::query_as(AssertSqlSafe(found)).bind(lease.to_string()).fetch_all(pool).await
        )
        .map_err(in_table(TABLE))?;
        rows.into_iter().map(StoredStray::decode).collect()
    }

    /// Transactions that brought money which was not taken, for any reason or
    /// one, the newest first.
    pub async fn stray_transactions(
        &self,
        reason: Option<StrayReason>,
        after: Option<StrayPlace>,
        limit: u16,
    ) -> Result<Vec<StrayTransaction>, StoreError> {
        let column = columns(TABLE);
        let after = match after {
            Some(place) => Some((column("slot").to_stored(place.slot)?, place.signature)),
            None => None,
        };
        let rows: Vec<StoredPlace> = on!(reader self.db(), pool => {
            let mut select =
                QueryBuilder::new("SELECT DISTINCT signature, slot, payer FROM stray WHERE true");
            if let Some(reason) = reason {
                select.push(" AND reason = ").push_bind(reason.as_str());
            }
            if let Some((slot, signature)) = &after {
                select.push(" AND (slot, signature) < (").push_bind(*slot).push(", ");
                select.push_bind(signature.as_bytes().as_slice()).push(")");
            }
            select.push(" ORDER BY slot DESC, signature DESC LIMIT ");
            select.push_bind(i64::from(limit));
            select.build_query_as().fetch_all(pool).await
        })
        .map_err(in_table(TABLE))?;
        let mut transactions = Vec::new();
        for row in rows {
            let signature = column("signature").signature(&row.signature)?;
            transactions.push(StrayTransaction {
                place: StrayPlace {
                    slot: column("slot").counter(row.slot)?,
                    signature,
                },
                payer: column("payer").key(&row.payer)?,
                legs: self.stray_legs(signature).await?,
                named: self.named_by_stray(signature).await?,
            });
        }
        Ok(transactions)
    }

    async fn stray_legs(&self, signature: Signature) -> Result<Vec<StrayLegRow>, StoreError> {
        let rows: Vec<(Vec<u8>, i64, Option<String>)> = on!(reader self.db(), pool =>
            sqlx::query_as(
                "SELECT g.wallet, g.gain, p.id FROM stray_leg AS g
                 LEFT JOIN payment AS p ON p.memo = g.refund_memo
                 WHERE g.signature = $1 ORDER BY g.wallet",
            )
            .bind(signature.as_bytes().as_slice())
            .fetch_all(pool)
            .await
        )
        .map_err(in_table(LEG))?;
        let column = columns(LEG);
        let leg = |(wallet, gain, refund): (Vec<u8>, i64, Option<String>)| {
            let leg = Leg {
                wallet: column("wallet").key(&wallet)?,
                amount: column("gain").lamports(gain)?,
            };
            let refund = columns("payment")("id").ids(refund.as_deref())?;
            Ok(StrayLegRow { leg, refund })
        };
        rows.into_iter().map(leg).collect()
    }

    async fn named_by_stray(
        &self,
        signature: Signature,
    ) -> Result<Vec<(Memo, Ulid, StrayReason)>, StoreError> {
        let rows: Vec<(String, String, String)> = on!(reader self.db(), pool =>
            sqlx::query_as(
                "SELECT s.memo, p.lease_id, s.reason
                 FROM stray AS s JOIN payment AS p ON p.memo = s.memo
                 WHERE s.signature = $1 ORDER BY s.memo",
            )
            .bind(signature.as_bytes().as_slice())
            .fetch_all(pool)
            .await
        )
        .map_err(in_table(TABLE))?;
        let column = columns(TABLE);
        let named = |(memo, lease, reason): (String, String, String)| {
            Ok((
                column("memo").word(&memo)?,
                columns("payment")("lease_id").id(&lease)?,
                column("reason").word(&reason)?,
            ))
        };
        rows.into_iter().map(named).collect()
    }
}
