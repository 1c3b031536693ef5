//! Refunds of what came and paid for nothing: each leg of a transaction is given
//! back once.

use super::{
    LedgerTx, columns,
    payment::{COLUMNS, StoredPayment},
};
use crate::{
    db::on,
    error::{StoreError, in_table},
    row::row,
};
use leasing::{Leg, PaymentKind, Refund, StrayLeg};
use primitives::Signature;
use sqlx::AssertSqlSafe;

const LEG: &str = "stray_leg";

row! {
    struct StoredLeg {
        wallet: Vec<u8>,
        gain: i64,
        paid_by: Vec<u8>,
        lease_id: String,
        ..payment: StoredPayment,
    }
}

impl StoredLeg {
    fn decode(self, signature: Signature) -> Result<StrayLeg, StoreError> {
        let column = columns(LEG);
        Ok(StrayLeg {
            signature,
            payer: columns("stray")("payer").key(&self.paid_by)?,
            leg: Leg {
                wallet: column("wallet").key(&self.wallet)?,
                amount: column("gain").lamports(self.gain)?,
            },
            lease: columns("payment")("lease_id").id(&self.lease_id)?,
            payment: self.payment.payment()?,
        })
    }
}

impl LedgerTx {
    /// What wallets got by a transaction that paid for nothing and is not asked
    /// back yet, each with a payment that the transaction names and whose wallet
    /// it is. What came by refunds is not among it.
    pub async fn stray_legs_kept(
        &mut self,
        signature: Signature,
    ) -> Result<Vec<StrayLeg>, StoreError> {
        let refund = PaymentKind::Refund;
        let rows: Vec<StoredLeg> = on!(tx &mut self.0, connection =>
            sqlx::query_as(AssertSqlSafe(format!(
                "SELECT g.wallet, g.gain, s.payer AS paid_by, p.lease_id, {COLUMNS}
                 FROM stray_leg AS g
                 JOIN stray AS s ON s.signature = g.signature
                 JOIN payment AS p ON p.memo = s.memo AND p.kind <> '{refund}'
                  AND g.wallet IN (p.payout_wallet, p.platform_wallet)
                 WHERE g.signature = $1 AND g.refund_memo IS NULL
                 ORDER BY g.wallet, p.memo"
            )))
            .bind(signature.as_bytes().as_slice())
            .fetch_all(connection)
            .await
        )
        .map_err(in_table(LEG))?;
        let legs = rows.into_iter().map(|row| row.decode(signature));
        let mut legs: Vec<StrayLeg> = legs.collect::<Result<_, _>>()?;
        // Whichever payment it is that names the wallet, it got the money once.
        legs.dedup_by_key(|leg| leg.leg.wallet);
        Ok(legs)
    }

    /// Adds the refund of a leg. `false` if it is asked back already; the
    /// transaction must be given up then.
    pub async fn owe_stray(&mut self, leg: &StrayLeg, refund: &Refund) -> Result<bool, StoreError> {
        self.insert_refund(refund).await?;
        let owed = on!(tx &mut self.0, connection =>
            sqlx::query(
                "UPDATE stray_leg SET refund_memo = $3
                 WHERE signature = $1 AND wallet = $2 AND refund_memo IS NULL",
            )
            .bind(leg.signature.as_bytes().as_slice())
            .bind(leg.leg.wallet.as_bytes().as_slice())
            .bind(refund.payment.memo().as_str())
            .execute(connection)
            .await
            .map(|done| done.rows_affected())
        )
        .map_err(in_table(LEG))?;
        Ok(owed == 1)
    }
}
