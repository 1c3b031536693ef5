//! Which epochs of many validators are free.

use super::validators::{Validators, is_visible};
use crate::fault::Fault;
use leasing::{Occupancy, free_epochs};
use primitives::Ulid;
use std::collections::HashMap;
use store::leasing::User;

/// The next epochs of some validators.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FreeEpochs {
    /// The first of them: that of now.
    pub epoch: i32,
    /// Of each validator, whether nothing is booked of each epoch.
    pub validators: Vec<(Ulid, Vec<bool>)>,
}

impl Validators {
    /// Which of the next epochs of some validators are free, at most as many as the
    /// calendar looks ahead; none before a node has said which epoch it is. Those
    /// that the viewer may not see are left out.
    pub async fn free_epochs(
        &self,
        ids: &[Ulid],
        count: i32,
        viewer: Option<&User>,
    ) -> Result<Option<FreeEpochs>, Fault> {
        let Some(epoch) = self.0.epochs.number() else {
            return Ok(None);
        };
        let ledger = self.0.store.ledger();
        let mut rows = ledger.validators_named(ids).await?;
        rows.retain(|row| is_visible(row, viewer));
        let seen: Vec<Ulid> = rows.iter().map(|row| row.id).collect();
        let to = epoch.saturating_add(count);
        let mut booked: HashMap<Ulid, Vec<Occupancy>> = HashMap::new();
        for row in ledger.booked(&seen, epoch, to).await? {
            booked.entry(row.validator).or_default().push(row.occupancy);
        }
        let free = |id: Ulid| {
            let booked = booked.get(&id).map_or(&[][..], Vec::as_slice);
            (id, free_epochs(epoch, count, booked))
        };
        Ok(Some(FreeEpochs {
            epoch,
            validators: seen.into_iter().map(free).collect(),
        }))
    }
}
