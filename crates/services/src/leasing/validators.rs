//! Validators: what they offer, and changing it.

use super::{
    audit::Subject,
    context::Context,
    validator_view::{ValidatorView, view},
};
use crate::{fault::Fault, refused::Refused};
use leasing::{Amendment, FieldError, HORIZON, ListingStatus, availability, next_free_epoch};
use primitives::Ulid;
use serde_json::json;
use std::sync::Arc;
use store::leasing::{Actor, User, ValidatorRow};

/// Validators of a market. Clones share everything.
#[derive(Debug, Clone)]
pub struct Validators(pub(super) Arc<Context>);

/// Why an offer was not changed, in the order of the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatchError {
    /// Nothing is to be changed.
    Empty,
    /// A field; [`FieldError::SharedIncomplete`] is `shared-config-incomplete`.
    Field(FieldError),
    /// There is no such validator.
    NotFound,
    /// The user did not register it.
    Forbidden,
}

impl Validators {
    /// Changes an offer. Leases that are booked keep their price.
    pub async fn patch(
        &self,
        user: &User,
        id: Ulid,
        amendment: &Amendment,
    ) -> Result<ValidatorView, Refused<PatchError>> {
        let context = &*self.0;
        let reject = |error| Err(Refused::Rejected(error));
        if amendment.is_empty() {
            return reject(PatchError::Empty);
        }
        let field = |error| Refused::Rejected(PatchError::Field(error));
        let amended = amendment.check(&context.options.regions).map_err(field)?;
        let mut tx = context.store.ledger().begin().await?;
        let Some(mut row) = tx.lock_validator(id).await? else {
            return reject(PatchError::NotFound);
        };
        if row.owner != user.id {
            // What is not listed is not there for others.
            return reject(if is_visible(&row, Some(user)) {
                PatchError::Forbidden
            } else {
                PatchError::NotFound
            });
        }
        row.terms = amended.terms(&row.terms).map_err(field)?;
        row.name = amended.name.applied(row.name);
        row.endpoint = amended.endpoint.applied(row.endpoint);
        if let Some(status) = amended.status {
            // Only staff lifts what staff imposed.
            if row.status == ListingStatus::Stopped {
                return reject(PatchError::Forbidden);
            }
            row.status = status;
        }
        tx.update_validator(&row).await?;
        let detail = json!({"terms": row.terms.canonical(), "status": row.status.as_str()});
        let what = Subject::new("validator", &row.id);
        context
            .audit(
                &mut tx,
                Actor::User(user.id),
                "validator.changed",
                what,
                &detail,
            )
            .await?;
        tx.commit().await?;
        context.pages.forget();
        Ok(self.detailed(row).await?)
    }

    /// A validator. One that is not listed is there for its owner and staff
    /// alone.
    pub async fn find(
        &self,
        id: Ulid,
        viewer: Option<&User>,
    ) -> Result<Option<ValidatorView>, Fault> {
        let row = self.0.store.ledger().validator(id).await?;
        match row.filter(|row| is_visible(row, viewer)) {
            Some(row) => Ok(Some(self.detailed(row).await?)),
            None => Ok(None),
        }
    }
}

pub(super) fn is_visible(row: &ValidatorRow, viewer: Option<&User>) -> bool {
    row.status == ListingStatus::Listed
        || viewer.is_some_and(|user| user.id == row.owner || user.roles.staff)
}

impl Validators {
    /// The view of one validator, with its calendar.
    pub(super) async fn detailed(&self, row: ValidatorRow) -> Result<ValidatorView, Fault> {
        let mut view = view(row);
        let Some(now) = self.0.epochs.number() else {
            return Ok(view);
        };
        let ids = [view.id];
        let booked = self
            .0
            .store
            .ledger()
            .booked(&ids, now, now.saturating_add(HORIZON));
        let booked: Vec<_> = booked.await?.iter().map(|row| row.occupancy).collect();
        view.availability = availability(now, view.terms.seats(), &booked);
        view.next_free_epoch = next_free_epoch(now, &booked);
        Ok(view)
    }
}
