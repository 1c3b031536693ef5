//! The audit log's chain: rows get their links after their transactions, so
//! that nobody who writes one waits for another.

use super::context::Context;
use crate::{fault::Fault, refused::Refused};
use leasing::AuditHash;
use primitives::{Timestamp, Ulid};
use std::{collections::HashMap, sync::Arc};
use store::{
    StoreError,
    leasing::{AuditLink, AuditRow},
};

/// Rows that are linked or checked at once.
const BATCH: u16 = 500;

/// Batches of a round, at most.
const MAX_BATCHES: usize = 200;

/// Links the rows of the audit log.
#[derive(Debug)]
pub struct AuditChain(Arc<Context>);

/// How far the chain is closed, and that it is whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditStanding {
    /// The last link, and when what it is of happened.
    pub last: Option<(AuditLink, Timestamp)>,
    /// Rows that wait for their links.
    pub waiting: u64,
}

/// Where the chain breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuditBreak {
    /// There is no link at this position, and there is a later one.
    NoLink(u64),
    /// The row of this link is gone.
    NoRow(AuditLink),
    /// The row of this link, or one before it, is not as it was.
    Changed(AuditLink),
    /// So many rows have no link, and do not wait for one.
    Unlinked(u64),
    /// At this position there is another link than was expected, or none.
    Unexpected(u64),
}

impl AuditChain {
    pub(super) fn new(context: Arc<Context>) -> Self {
        Self(context)
    }

    /// Links what waits. Returns how many rows it linked.
    pub async fn round(&mut self) -> Result<usize, Fault> {
        let mut linked: usize = 0;
        for _ in 0..MAX_BATCHES {
            let rows = self.0.store.ledger().unlinked_audit(BATCH).await?;
            if rows.is_empty() || !self.link(&rows).await? {
                break;
            }
            linked = linked.saturating_add(rows.len());
            if rows.len() < usize::from(BATCH) {
                break;
            }
        }
        Ok(linked)
    }

    /// Checks the whole chain, and that it has an expected hash at a position
    /// that was told before.
    pub async fn verify(
        &self,
        expected: Option<(u64, AuditHash)>,
    ) -> Result<AuditStanding, Refused<AuditBreak>> {
        let ledger = self.0.store.ledger();
        let broken = |at| Err(Refused::Rejected(at));
        let mut last: Option<(AuditLink, Timestamp)> = None;
        loop {
            let after = last.map_or(0, |(link, _)| link.position);
            let links = ledger.audit_links(after, BATCH).await?;
            let Some(end) = links.last() else {
                break;
            };
            let rows = ledger.linked_audit(after, end.position).await?;
            let rows: HashMap<Ulid, AuditRow> = rows.into_iter().map(|row| (row.id, row)).collect();
            for link in links {
                last = Some(next(last, link, &rows).map_err(Refused::Rejected)?);
                if expected.is_some_and(|(at, hash)| at == link.position && hash != link.hash) {
                    return broken(AuditBreak::Unexpected(link.position));
                }
            }
        }
        let closed = last.map_or(0, |(link, _)| link.position);
        if let Some((position, _)) = expected.filter(|(position, _)| *position > closed) {
            return broken(AuditBreak::Unexpected(position));
        }
        let counts = ledger.audit_counts().await?;
        let told = counts.linked.saturating_add(counts.waiting);
        if told != counts.rows {
            return broken(AuditBreak::Unlinked(counts.rows.abs_diff(told)));
        }
        Ok(AuditStanding {
            last,
            waiting: counts.waiting,
        })
    }

    /// Adds the links of rows. `false` if another replica was faster.
    async fn link(&self, rows: &[AuditRow]) -> Result<bool, Fault> {
        let mut tx = self.0.store.ledger().begin().await?;
        let last = tx.last_audit_link().await?;
        let beginning = (0, AuditHash::BEGINNING);
        let (mut position, mut hash) = last.map_or(beginning, |it| (it.position, it.hash));
        let mut links = Vec::with_capacity(rows.len());
        for row in rows {
            position = u64::saturating_add(position, 1);
            hash = after(hash, row);
            links.push(AuditLink {
                position,
                row: row.id,
                hash,
            });
        }
        match tx.insert_audit_links(&links).await {
            Err(StoreError::Exists { .. }) => Ok(false),
            Err(error) => Err(error.into()),
            Ok(()) => {
                tx.commit().await?;
                Ok(true)
            }
        }
    }
}

/// The link after another one, if it is what its row makes it.
fn next(
    last: Option<(AuditLink, Timestamp)>,
    link: AuditLink,
    rows: &HashMap<Ulid, AuditRow>,
) -> Result<(AuditLink, Timestamp), AuditBreak> {
    let beginning = (0, AuditHash::BEGINNING);
    let (position, hash) = last.map_or(beginning, |(link, _)| (link.position, link.hash));
    let position = position.saturating_add(1);
    if link.position != position {
        return Err(AuditBreak::NoLink(position));
    }
    let row = rows.get(&link.row).ok_or(AuditBreak::NoRow(link))?;
    if after(hash, row) != link.hash {
        return Err(AuditBreak::Changed(link));
    }
    Ok((link, row.at))
}

/// The hash of a row's link after another one.
fn after(previous: AuditHash, row: &AuditRow) -> AuditHash {
    let (kind, actor) = row.actor.parts();
    let actor = actor.map(|id| id.to_string()).unwrap_or_default();
    let (id, at) = (row.id.to_string(), row.at.as_microsecond().to_string());
    let fields = [
        &id,
        &at,
        kind,
        &actor,
        &row.action,
        &row.subject_kind,
        &row.subject,
        &row.detail,
    ];
    previous.next(&fields)
}
