//! What the services of a market share.

use super::{
    audit::{AuditIds, Subject},
    epochs::Epochs,
    key_hash::KeyHashes,
    options::LeasingOptions,
    pages::Pages,
    settling::Settling,
    solana::{SolanaNodes, Votes},
};
use crate::fault::Fault;
use primitives::{Clock, Entropy, SignedDuration, Timestamp, Ulid};
use serde_json::Value;
use std::sync::Arc;
use store::{
    Store,
    leasing::{Actor, AuditRow, LedgerTx},
};

/// A store, a cluster, a clock, randomness, and what is kept of answers.
#[derive(Debug)]
pub(super) struct Context {
    pub(super) store: Store,
    pub(super) nodes: SolanaNodes,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) entropy: Arc<dyn Entropy>,
    pub(super) options: LeasingOptions,
    pub(super) epochs: Epochs,
    pub(super) settling: Settling,
    pub(super) votes: Votes,
    pub(super) pages: Pages,
    pub(super) key_hashes: KeyHashes,
    audit_ids: AuditIds,
}

impl Context {
    pub(super) fn new(
        store: Store,
        nodes: SolanaNodes,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
        options: LeasingOptions,
    ) -> Self {
        Self {
            store,
            epochs: Epochs::new(Arc::clone(&clock)),
            settling: Settling::default(),
            votes: Votes::new(nodes.clone(), Arc::clone(&clock)),
            nodes,
            clock,
            entropy,
            options,
            pages: Pages::default(),
            key_hashes: KeyHashes::default(),
            audit_ids: AuditIds::default(),
        }
    }

    /// The time, no finer than what is kept of it: an answer says of a thing what
    /// later ones will say.
    pub(super) fn now(&self) -> Timestamp {
        let now = self.clock.now();
        Timestamp::from_microsecond(now.as_microsecond()).unwrap_or(now)
    }

    /// A time ahead of now; the end of the calendar if it would be beyond.
    pub(super) fn in_future(&self, by: SignedDuration) -> Timestamp {
        self.now().checked_add(by).unwrap_or(Timestamp::MAX)
    }

    pub(super) fn new_id(&self) -> Ulid {
        Ulid::new(self.now(), self.entropy.bytes())
    }

    /// Writes down what happens in a transaction. `detail` is an object.
    pub(super) async fn audit(
        &self,
        tx: &mut LedgerTx,
        actor: Actor,
        action: &str,
        subject: Subject,
        detail: &Value,
    ) -> Result<(), Fault> {
        let row = AuditRow {
            id: self.audit_ids.next(self.now(), self.entropy.bytes()),
            at: self.now(),
            actor,
            action: action.to_owned(),
            subject_kind: subject.kind.to_owned(),
            subject: subject.id,
            detail: detail.to_string(),
        };
        Ok(tx.audit(&row).await?)
    }
}
