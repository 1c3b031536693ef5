//! The sender: what is due is sent, a few webhooks at once.
//!
//! Each webhook that something is due for gets a task, which sends one delivery
//! after the other: a slow one holds up nobody else. A delivery is claimed in
//! the ledger before it is sent, so that no two send the same attempt; if the
//! process dies, the claim ends and it is sent again, under the same id.
//!
//! So each delivery is a duty of its own: the claim has an end, and the count of
//! attempts is the number that [`Courier::conclude`] checks. Whoever was paused and
//! wakes up later writes nothing over what another one did; a further lease on all
//! webhooks would add nothing, and one process would have to send everything.

use super::{
    carrier::{Carrier, Parcel},
    lookup::Lookup,
};
use crate::{fault::Fault, leasing::context::Context};
use leasing::{DeliveryProblem, DeliveryStatus, DisabledReason, FAILING_FOR, WebhookSecret, pause};
use primitives::{Impossible, SignedDuration, Timestamp, Ulid};
use std::{collections::HashMap, sync::Arc, time::Duration};
use store::leasing::{DeliveryRow, WebhookRow};
use tokio::task::{self, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

/// Webhooks that are sent to at once.
const AT_ONCE: usize = 64;

/// Deliveries that a task sends before others have their turn; one that fails
/// ends it sooner.
const IN_A_ROW: usize = 10;

/// How much longer than the longest attempt a claim holds.
const CLAIM_BEYOND: SignedDuration = SignedDuration::from_secs(60);

/// How long what is under way is waited for when the process ends, so that it is
/// not sent again for that alone.
const PARTING: Duration = Duration::from_secs(2);

/// The status of an answer that says that nobody is there any more.
const GONE: u16 = 410;

/// Sends what is due.
#[derive(Debug)]
pub struct WebhookSender {
    courier: Arc<Courier>,
    under_way: JoinSet<Result<(), Fault>>,
    /// The webhooks that tasks send to.
    busy: HashMap<task::Id, Ulid>,
}

impl WebhookSender {
    pub(in crate::leasing) fn new(
        context: Arc<Context>,
        lookup: &Arc<dyn Lookup>,
    ) -> Result<Self, reqwest::Error> {
        let options = &context.options.webhooks;
        let carrier = Carrier::new(lookup, options.networks, options.timeout)?;
        Ok(Self {
            courier: Arc::new(Courier {
                context,
                carrier,
                stop: CancellationToken::new(),
            }),
            under_way: JoinSet::new(),
            busy: HashMap::new(),
        })
    }

    /// Looks once for what is due, and begins to send it. Returns for how many
    /// webhooks; a failure of earlier ones is told.
    pub async fn round(&mut self) -> Result<usize, Fault> {
        while let Some(joined) = self.under_way.try_join_next_with_id() {
            self.ended(joined)?;
        }
        let context = &self.courier.context;
        let limit = u16::try_from(AT_ONCE.saturating_add(self.busy.len())).unwrap_or(u16::MAX);
        let due = context.store.ledger().webhooks_due(context.now(), limit);
        let (due, pending) = due.await?;
        let shown = u32::try_from(pending).unwrap_or(u32::MAX);
        metrics::gauge!("stoa_webhook_deliveries_pending").set(shown);
        let idle = due
            .iter()
            .filter(|id| !self.busy.values().any(|it| it == *id));
        let free = AT_ONCE.saturating_sub(self.busy.len());
        let chosen: Vec<Ulid> = idle.take(free).copied().collect();
        for webhook in &chosen {
            let (courier, webhook) = (Arc::clone(&self.courier), *webhook);
            let task = async move { courier.send_due(webhook).await };
            let started = self.under_way.spawn(task);
            self.busy.insert(started.id(), webhook);
        }
        Ok(chosen.len())
    }

    /// Waits until what is under way is sent.
    pub async fn finish(&mut self) -> Result<(), Fault> {
        while let Some(joined) = self.under_way.join_next_with_id().await {
            self.ended(joined)?;
        }
        Ok(())
    }

    /// Begins nothing more, and waits a little for what is under way.
    pub(in crate::leasing) async fn leave(mut self) {
        self.courier.stop.cancel();
        if tokio::time::timeout(PARTING, self.finish()).await.is_err() {
            tracing::info!("deliveries to webhooks are cut off; they are sent again");
        }
    }

    fn ended(
        &mut self,
        joined: Result<(task::Id, Result<(), Fault>), JoinError>,
    ) -> Result<(), Fault> {
        let (id, result) = match joined {
            Ok(done) => done,
            Err(error) => (error.id(), Err(Fault::Interrupted(error))),
        };
        self.busy.remove(&id);
        result
    }
}

/// What the tasks share.
#[derive(Debug)]
struct Courier {
    context: Arc<Context>,
    carrier: Carrier,
    /// Nothing more is to be sent.
    stop: CancellationToken,
}

impl Courier {
    /// Sends what is due for a webhook, one after the other.
    async fn send_due(&self, webhook: Ulid) -> Result<(), Fault> {
        for _ in 0..IN_A_ROW {
            if self.stop.is_cancelled() {
                break;
            }
            let Some(delivery) = self.claim(webhook).await? else {
                break;
            };
            let Some(row) = self.context.store.ledger().webhook(webhook).await? else {
                break;
            };
            let result = if row.disabled.is_some() {
                Err(DeliveryProblem::EndpointDisabled)
            } else {
                self.carrier.send(self.parcel(&row, &delivery)?).await
            };
            self.conclude(&delivery, result).await?;
            if !matches!(result, Ok(200..=299)) {
                break;
            }
        }
        Ok(())
    }

    async fn claim(&self, webhook: Ulid) -> Result<Option<DeliveryRow>, Fault> {
        let context = &self.context;
        let timeout = SignedDuration::try_from(context.options.webhooks.timeout);
        let longest = timeout.unwrap_or(SignedDuration::MAX);
        let until = context.in_future(longest.saturating_add(CLAIM_BEYOND));
        let mut tx = context.store.ledger().begin().await?;
        let claimed = tx.claim_delivery(webhook, context.now(), until).await?;
        tx.commit().await?;
        Ok(claimed)
    }

    fn parcel<'a>(
        &self,
        webhook: &'a WebhookRow,
        delivery: &DeliveryRow,
    ) -> Result<Parcel<'a>, Impossible> {
        let (now, id) = (self.context.now(), delivery.event_id.to_string());
        let sign = |secret: &WebhookSecret| secret.signature(&id, now, &delivery.body);
        let previous = webhook.previous.iter().filter(|(_, until)| now < *until);
        let previous = previous.map(|(secret, _)| sign(secret));
        let signatures = std::iter::once(sign(&webhook.secret)).chain(previous);
        let signatures: Vec<String> = signatures.collect::<Result<_, _>>()?;
        Ok(Parcel {
            url: &webhook.url,
            signature: signatures.join(" "),
            id,
            timestamp: now.as_second().to_string(),
            body: delivery.body.clone(),
        })
    }

    /// Writes what became of an attempt, and what that means for the webhook.
    async fn conclude(
        &self,
        delivery: &DeliveryRow,
        result: Result<u16, DeliveryProblem>,
    ) -> Result<(), Fault> {
        let context = &*self.context;
        let chance = u16::from_be_bytes(context.entropy.bytes());
        let after = concluded(delivery, result, context.now(), chance);
        let mut tx = context.store.ledger().begin().await?;
        let Some(mut webhook) = tx.lock_webhook(delivery.webhook).await? else {
            return Ok(());
        };
        // Disabled meanwhile, it has ended; claimed anew, that attempt says how.
        if !tx.update_delivery(delivery, &after).await? {
            tx.rollback().await?;
            return Ok(());
        }
        let failing_since = match after.status {
            DeliveryStatus::Delivered => None,
            _ => webhook.failing_since.or(Some(context.now())),
        };
        if webhook.failing_since != failing_since {
            webhook.failing_since = failing_since;
            tx.update_webhook(&webhook).await?;
        }
        let reason = disabling(&after, failing_since, context.now());
        if let Some(reason) = reason.filter(|_| webhook.disabled.is_none()) {
            context
                .disable_webhook(&mut tx, &mut webhook, reason)
                .await?;
        }
        tx.commit().await?;
        tell(&after);
        Ok(())
    }
}

/// A delivery after an attempt.
fn concluded(
    before: &DeliveryRow,
    result: Result<u16, DeliveryProblem>,
    now: Timestamp,
    chance: u16,
) -> DeliveryRow {
    let after = DeliveryRow {
        answer: result.ok(),
        problem: match result {
            Ok(200..=299) => None,
            Ok(_) => Some(DeliveryProblem::Status),
            Err(problem) => Some(problem),
        },
        ..before.clone()
    };
    let is_final = matches!(result, Ok(GONE) | Err(DeliveryProblem::EndpointDisabled));
    let next = pause(before.attempts, chance).filter(|_| !is_final);
    let (status, due_at) = match (after.problem, next) {
        (None, _) => (DeliveryStatus::Delivered, None),
        (Some(_), Some(pause)) => {
            let due_at = now.checked_add(pause).unwrap_or(Timestamp::MAX);
            (DeliveryStatus::Pending, Some(due_at))
        }
        (Some(_), None) => (DeliveryStatus::Failed, None),
    };
    DeliveryRow {
        status,
        due_at,
        ended_at: due_at.is_none().then_some(now),
        ..after
    }
}

/// Why a webhook is disabled after this, if it is.
fn disabling(
    after: &DeliveryRow,
    failing_since: Option<Timestamp>,
    now: Timestamp,
) -> Option<DisabledReason> {
    let is_failed = after.status == DeliveryStatus::Failed;
    let failing_for = failing_since.map(|since| now.duration_since(since));
    if is_failed && after.answer == Some(GONE) {
        Some(DisabledReason::Gone)
    } else {
        let is_long = failing_for.is_some_and(|failing| failing >= FAILING_FOR);
        (is_failed && is_long).then_some(DisabledReason::Failing)
    }
}

/// Counts what became of an attempt, and logs what ended badly.
fn tell(after: &DeliveryRow) {
    let result = match after.status {
        DeliveryStatus::Delivered => "delivered",
        DeliveryStatus::Pending => "retried",
        DeliveryStatus::Failed => "failed",
    };
    metrics::counter!("stoa_webhook_attempts_total", "result" => result).increment(1);
    if after.status == DeliveryStatus::Failed {
        let problem = after.problem.map(DeliveryProblem::as_str);
        tracing::warn!(
            webhook = %after.webhook, delivery = %after.id, problem, attempts = after.attempts,
            "a delivery has failed"
        );
    }
}
