//! Refunds that were paid.

use super::{Applied, Locked, told};
use crate::{
    fault::Fault,
    leasing::{audit::Subject, context::Context},
};
use leasing::{Landed, Memo, RefundSettling};
use serde_json::json;
use store::leasing::Actor;

impl Context {
    pub(super) async fn apply_to_refund(
        &self,
        locked: Locked,
        memo: &Memo,
        landed: &Landed,
    ) -> Result<Applied, Fault> {
        let Locked { mut tx, lease, .. } = locked;
        let Some(refund) = tx.refund(memo).await? else {
            return Ok(Applied::Nothing);
        };
        let paid = match refund.settle(landed, self.now()) {
            RefundSettling::Ignored => return Ok(Applied::Nothing),
            RefundSettling::Stray(stray) => {
                return self.record(tx, &lease, &refund.payment, &stray).await;
            }
            RefundSettling::Paid(paid) => paid,
        };
        if !tx.update_refund(&refund, &paid).await? {
            return Ok(Applied::Nothing);
        }
        let detail = json!({
            "refund": refund.id,
            "debtor": refund.debtor.as_str(),
            "amount_lamports": refund.amount(),
            "payment": paid.stage.receipt().map(told),
        });
        let what = Subject::new("lease", &lease.id);
        self.audit(&mut tx, Actor::System, "refund.paid", what, &detail)
            .await?;
        tx.commit().await?;
        Ok(Applied::Refunded)
    }
}
