//! Leases: booking, looking, giving up. What may become of one is said by
//! [`leasing::Lease`]; here it is loaded, asked, and written.

use super::{
    audit::Subject,
    context::Context,
    idempotency::{KeyGuard, StoredAnswer},
    page::Page,
    strays::NotStaff,
    validators::is_visible,
};
use crate::{fault::Fault, refused::Refused};
use leasing::{
    Asker, BookError, Booking, CancelError, EpochWindow, ExtendError, Extension, Lease, LeaseState,
    Memo, Mode, Platform, Refund, Stray, Trader, Usage,
};
use primitives::{Impossible, Ulid};
use serde_json::json;
use std::sync::Arc;
use store::leasing::{Actor, Drift, LeaseQuery, LedgerTx, User, ValidatorRow};

/// Epochs that a check of the calendar tells at most.
const MAX_DRIFT: u16 = 100;

/// Extensions that are shown with a lease, the newest ones.
const MAX_EXTENSIONS: u16 = 100;

/// Leases of a market. Clones share everything.
#[derive(Debug, Clone)]
pub struct Leases(pub(super) Arc<Context>);

/// A lease that was just booked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Booked {
    /// As it was written: it waits for its payment, and holds its epochs.
    pub lease: Lease,
    /// What its trader should know.
    pub warnings: Vec<BookingWarning>,
}

/// What a trader should know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BookingWarning {
    /// Some of its epochs are over, or have begun.
    Begun,
    /// All of its epochs are over: once paid, it is completed at once.
    Over,
}

/// Which leases are looked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LeaseFilter {
    /// Leases in this state; in any without it.
    pub state: Option<LeaseState>,
    /// Leases of this validator; of any without it.
    pub validator: Option<Ulid>,
}

/// A lease with everything about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseDetail {
    /// As it stands now.
    pub lease: Lease,
    /// Money that came for it and was not taken, in the order of the chain.
    pub strays: Vec<Stray>,
    /// Its extensions, paid and not, the newest first, 100 at most.
    pub extensions: Vec<Extension>,
    /// What is owed, or was, to whoever paid for it.
    pub refunds: Vec<Refund>,
    /// The version of its key; 0 if none was shown.
    pub key_version: u64,
    /// How much it was used.
    pub usage: Usage,
}

/// Why somebody may not look at what is an owner's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnerError {
    /// There is no such validator.
    NotFound,
    /// The user did not register it.
    Forbidden,
}

impl Leases {
    /// Books epochs of a validator. The lease, its payment, its place in the
    /// calendar and the answer that `render` makes are written together; on an
    /// error the key is free again.
    pub async fn book(
        &self,
        user: &User,
        booking: &Booking,
        mut guard: KeyGuard,
        render: impl FnOnce(&Booked) -> Result<StoredAnswer, Impossible> + Send,
    ) -> Result<(Booked, StoredAnswer), Refused<BookError>> {
        let booked = self.write(user, booking, &mut guard.tx).await;
        let answered = guard.finish(booked, render).await?;
        self.0.pages.forget();
        Ok(answered)
    }

    /// A lease, for its trader, the validator's owner, staff and its own key.
    pub async fn find(&self, id: Ulid, asker: Asker) -> Result<Option<LeaseDetail>, Fault> {
        let ledger = self.0.store.ledger();
        let lease = ledger.lease(id).await?;
        let visible = lease.filter(|lease| lease.is_shown_to(asker));
        let Some(lease) = visible else {
            return Ok(None);
        };
        Ok(Some(LeaseDetail {
            lease,
            strays: ledger.strays_of_lease(id).await?,
            extensions: ledger.extensions_of(id, MAX_EXTENSIONS).await?,
            refunds: ledger.refunds_of(id).await?,
            key_version: ledger.lease_key_version(id).await?,
            usage: ledger.usage_of(id).await?,
        }))
    }

    /// The leases of a trader, the newest first.
    pub async fn by_trader(
        &self,
        trader: Ulid,
        filter: LeaseFilter,
        after: Option<Ulid>,
        limit: u16,
    ) -> Result<Page<Lease, Ulid>, Fault> {
        let query = LeaseQuery {
            trader: Some(trader),
            validator: filter.validator,
            state: filter.state,
            after,
            limit,
        };
        self.page(query).await
    }

    /// All leases, the newest first, or those of a trader: for staff.
    pub async fn all(
        &self,
        user: &User,
        trader: Option<Ulid>,
        filter: LeaseFilter,
        after: Option<Ulid>,
        limit: u16,
    ) -> Result<Page<Lease, Ulid>, Refused<NotStaff>> {
        if !user.roles.staff {
            return Err(Refused::Rejected(NotStaff));
        }
        let query = LeaseQuery {
            trader,
            validator: filter.validator,
            state: filter.state,
            after,
            limit,
        };
        Ok(self.page(query).await?)
    }

    /// The leases of a validator, the newest first, for its owner and staff.
    pub async fn of_validator(
        &self,
        user: &User,
        validator: Ulid,
        state: Option<LeaseState>,
        after: Option<Ulid>,
        limit: u16,
    ) -> Result<Page<Lease, Ulid>, Refused<OwnerError>> {
        let row = self.0.store.ledger().validator(validator).await?;
        let row = row.filter(|row| is_visible(row, Some(user)));
        let Some(row) = row else {
            return Err(Refused::Rejected(OwnerError::NotFound));
        };
        if row.owner != user.id && !user.roles.staff {
            return Err(Refused::Rejected(OwnerError::Forbidden));
        }
        let query = LeaseQuery {
            validator: Some(validator),
            state,
            after,
            limit,
            trader: None,
        };
        Ok(self.page(query).await?)
    }

    /// Gives a lease up that is not paid. Its epochs are free at once.
    pub async fn cancel(&self, user: &User, id: Ulid) -> Result<Lease, Refused<CancelError>> {
        let lease = self.0.store.ledger().lease(id).await?;
        let lease = lease.ok_or(Refused::Rejected(CancelError::NotFound))?;
        let cancel = |lease: &Lease| lease.cancel(user.party(), self.0.now());
        let actor = Actor::User(user.id);
        self.end(&lease, actor, "lease.cancelled", cancel).await
    }

    /// Computes the calendar anew from the leases and tells the epochs, at most
    /// 100, in which the kept one differs. There are none, or there is a bug.
    pub async fn check_calendar(&self) -> Result<Vec<Drift>, Fault> {
        Ok(self.0.store.ledger().calendar_drift(MAX_DRIFT).await?)
    }
}

impl Leases {
    /// Writes a booking in the transaction of its request.
    async fn write(
        &self,
        user: &User,
        booking: &Booking,
        tx: &mut LedgerTx,
    ) -> Result<Booked, Refused<BookError>> {
        // Before the validator's lock: so everybody takes the two in one order.
        let unpaid = tx.count_unpaid(user.id).await?;
        let validator = tx.lock_validator(booking.validator).await?;
        let validator = validator.ok_or(Refused::Rejected(BookError::ValidatorNotFound))?;
        let platform = self.platform();
        let (memo, id) = (Memo::from(self.0.new_id()), self.0.new_id());
        let trader = Trader {
            party: user.party(),
            unpaid,
        };
        let (offer, now) = (validator.offer(), self.0.now());
        let lease = Lease::book(booking, trader, &offer, &platform, id, memo, now)
            .map_err(Refused::Rejected)?;
        tx.insert_lease(&lease).await?;
        claim(tx, &lease, lease.window, &validator)
            .await?
            .map_err(|taken| Refused::Rejected(taken.into()))?;
        let detail = json!({
            "validator": lease.validator,
            "mode": lease.mode.as_str(),
            "epoch_start": lease.window.start(),
            "epoch_end": lease.window.end(),
            "total_lamports": lease.total,
            "memo": lease.payment.memo().as_str(),
        });
        let what = Subject::new("lease", &lease.id);
        self.0
            .audit(tx, Actor::User(user.id), "lease.booked", what, &detail)
            .await?;
        Ok(Booked {
            warnings: self.booking_warnings(lease.window),
            lease,
        })
    }

    /// What the platform wants of everything that is sold.
    pub(super) fn platform(&self) -> Platform {
        Platform {
            wallet: self.0.options.platform_wallet,
            fee: self.0.options.fee,
            payment_window: self.0.options.payment_window,
            max_unpaid: self.0.options.max_unpaid,
        }
    }

    fn booking_warnings(&self, window: EpochWindow) -> Vec<BookingWarning> {
        let warning = match self.0.epochs.number() {
            Some(now) if window.end() <= now => Some(BookingWarning::Over),
            Some(now) if window.start() <= now => Some(BookingWarning::Begun),
            _ => None,
        };
        warning.into_iter().collect()
    }

    /// Ends a lease as `decide` says, and frees the epochs that it had.
    pub(super) async fn end<E>(
        &self,
        lease: &Lease,
        actor: Actor,
        action: &str,
        decide: impl Fn(&Lease) -> Result<Lease, E>,
    ) -> Result<Lease, Refused<E>> {
        // Whoever is refused anyway does not wait for the lock.
        decide(lease).map_err(Refused::Rejected)?;
        let mut tx = self.0.store.ledger().begin().await?;
        tx.lock_validator(lease.validator).await?;
        // As it is now: nobody else changes it before the transaction ends.
        let before = tx.lease(lease.id).await?.ok_or(Fault::LeaseChanged)?;
        let after = decide(&before).map_err(Refused::Rejected)?;
        if !tx.update_lease(&before, &after).await? {
            return Err(Fault::LeaseChanged.into());
        }
        if let Some(freed) = after.freed() {
            tx.release(after.validator, freed, after.id, after.mode)
                .await?;
        }
        let what = Subject::new("lease", &after.id);
        self.0
            .audit(&mut tx, actor, action, what, &json!({}))
            .await?;
        tx.commit().await?;
        self.0.pages.forget();
        Ok(after)
    }

    async fn page(&self, query: LeaseQuery) -> Result<Page<Lease, Ulid>, Fault> {
        let more = LeaseQuery {
            limit: query.limit.saturating_add(1),
            ..query
        };
        let rows = self.0.store.ledger().leases(&more).await?;
        Ok(Page::new(rows, usize::from(query.limit), |lease| lease.id))
    }
}

/// Who has epochs that somebody wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    /// Another lease, if that can be told.
    Slot { lease: Option<Ulid> },
    /// All seats are taken from this epoch on.
    Seats { first_full_epoch: i32 },
}

impl From<Taken> for BookError {
    fn from(taken: Taken) -> Self {
        match taken {
            Taken::Slot { lease } => Self::SlotTaken { lease },
            Taken::Seats { first_full_epoch } => Self::SharedFull { first_full_epoch },
        }
    }
}

impl From<Taken> for ExtendError {
    fn from(taken: Taken) -> Self {
        match taken {
            Taken::Slot { lease } => Self::SlotTaken { lease },
            Taken::Seats { first_full_epoch } => Self::SharedFull { first_full_epoch },
        }
    }
}

/// Takes epochs for a lease, or tells who has them.
pub(super) async fn claim(
    tx: &mut LedgerTx,
    lease: &Lease,
    window: EpochWindow,
    validator: &ValidatorRow,
) -> Result<Result<(), Taken>, Fault> {
    let id = lease.validator;
    Ok(match lease.mode {
        Mode::Exclusive => match tx.claim_exclusive(id, window, lease.id).await? {
            None => Ok(()),
            Some(_) => Err(Taken::Slot {
                lease: tx.holder_within(id, window, lease.id).await?,
            }),
        },
        Mode::Shared => {
            // Seats may be gone from the offer since a late payment was booked.
            let seats = validator.terms.seats();
            let full = if seats == 0 {
                Some(window.start())
            } else {
                tx.claim_seat(id, window, seats).await?
            };
            full.map_or(Ok(()), |first_full_epoch| {
                Err(Taken::Seats { first_full_epoch })
            })
        }
    })
}
