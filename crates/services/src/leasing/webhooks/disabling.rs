//! Endpoints to which nothing is sent any more.

use crate::{
    fault::Fault,
    leasing::{audit::Subject, context::Context},
};
use leasing::DisabledReason;
use serde_json::json;
use store::leasing::{Actor, LedgerTx, WebhookRow};

impl Context {
    /// Disables a webhook whose lock is ours, and ends what is pending of it.
    pub(super) async fn disable_webhook(
        &self,
        tx: &mut LedgerTx,
        row: &mut WebhookRow,
        reason: DisabledReason,
    ) -> Result<(), Fault> {
        let now = self.now();
        row.disabled = Some((reason, now));
        tx.update_webhook(row).await?;
        let ended = tx.fail_pending(row.id, now).await?;
        tracing::warn!(webhook = %row.id, %reason, ended, "a webhook is disabled");
        let actor = match reason {
            DisabledReason::Asked => Actor::User(row.user),
            DisabledReason::Gone | DisabledReason::Failing | DisabledReason::Flooded => {
                Actor::System
            }
        };
        let detail = json!({"webhook": row.id, "reason": reason.as_str()});
        let what = Subject::new("user", &row.user);
        self.audit(tx, actor, "webhook.disabled", what, &detail)
            .await
    }
}
