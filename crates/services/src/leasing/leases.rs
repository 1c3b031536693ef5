//! Leases: booking, looking, giving up.

use super::{Inner, KeyGuard, Leasing, Page, StoredAnswer, audit::Subject};
use crate::{fault::Fault, refused::Refused};
use leasing::{
    Bill, EpochWindow, LeaseEvent, LeaseState, Leg, ListingStatus, Memo, Mode, Payment,
    PaymentError,
};
use primitives::{Lamports, PublicKey, Signature, Timestamp, Ulid};
use serde_json::json;
use store::leasing::{
    Actor, EndReason, LeaseEnd, LeaseQuery, LeaseRow, LedgerTx, PaymentKind, PaymentRow,
    PaymentStatus, User, ValidatorRow,
};

/// What a trader wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Booking {
    /// Of whom.
    pub validator: Ulid,
    /// When.
    pub window: EpochWindow,
    /// How.
    pub mode: Mode,
}

/// A lease that was just booked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Booked {
    /// The lease.
    pub lease: LeaseView,
    /// What is to be paid for it.
    pub payment: PaymentView,
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

/// A lease as its parties see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseView {
    /// Its public id.
    pub id: Ulid,
    /// Of whom.
    pub validator: Ulid,
    /// Who booked it.
    pub trader: Ulid,
    /// How.
    pub mode: Mode,
    /// Where it stands.
    pub state: LeaseState,
    /// When.
    pub window: EpochWindow,
    /// The price of one epoch when it was booked.
    pub price: Lamports,
    /// What was to be paid for all of them.
    pub total: Lamports,
    /// What is still to be paid; `None` unless the payment is pending.
    pub payment: Option<PaymentView>,
    /// The transaction that paid for it.
    pub settled_signature: Option<Signature>,
    /// Who paid.
    pub payer: Option<PublicKey>,
    /// When it was booked.
    pub created_at: Timestamp,
    /// When its payment settled.
    pub activated_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// Why it ended.
    pub end_reason: Option<EndReason>,
}

/// A payment as its payer sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentView {
    /// By which it is asked for.
    pub memo: Memo,
    /// What for.
    pub kind: PaymentKind,
    /// Where it stands.
    pub status: PaymentStatus,
    /// All of it.
    pub total: Lamports,
    /// The validator's share.
    pub payout: Leg,
    /// The platform's fee.
    pub platform: Leg,
    /// Until when it can be asked for.
    pub expires_at: Timestamp,
}

/// Why nothing was booked, in the order of the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BookError {
    /// There is no such validator, or it is not listed.
    ValidatorNotFound,
    /// The user is no trader.
    Forbidden,
    /// The trader registered it.
    OwnValidator,
    /// It has no seats.
    SharedNotOffered,
    /// The price times the epochs is too large.
    TotalOverflow,
    /// Somebody has some of the epochs.
    SlotTaken {
        /// Whose lease it is, if that can be told.
        lease: Option<Ulid>,
    },
    /// In some epoch no seat is free.
    SharedFull {
        /// The first such epoch.
        first_full_epoch: i32,
    },
}

/// Why a lease was not given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelError {
    /// There is no such lease that the user may see.
    NotFound,
    /// The user did not book it.
    Forbidden,
    /// It does not wait for its payment.
    NotPending(LeaseState),
}

/// Which leases are looked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LeaseFilter {
    /// In this state.
    pub state: Option<LeaseState>,
    /// Of this validator.
    pub validator: Option<Ulid>,
}

impl Leasing {
    /// Books epochs of a validator. The lease, its payment, its place in the
    /// calendar and the answer that `render` makes are written together; on an
    /// error the key is free again.
    pub async fn book(
        &self,
        user: &User,
        booking: &Booking,
        mut guard: KeyGuard,
        render: impl FnOnce(&Booked) -> StoredAnswer + Send,
    ) -> Result<(Booked, StoredAnswer), Refused<BookError>> {
        match self.0.book(user, booking, &mut guard.tx).await {
            Ok(booked) => {
                let answer = render(&booked);
                guard.answer(&answer).await?;
                self.0.pages.forget();
                Ok((booked, answer))
            }
            Err(refused) => {
                guard.release().await;
                Err(refused)
            }
        }
    }

    /// A lease, for its trader, the validator's owner and staff.
    pub async fn lease(&self, id: Ulid, viewer: &User) -> Result<Option<LeaseView>, Fault> {
        let lease = self.0.store.ledger().lease(id).await?;
        let lease = lease.filter(|lease| is_visible(lease, viewer));
        Ok(lease.map(|lease| view(&lease)))
    }

    /// The leases of a trader, the newest first.
    pub async fn leases(
        &self,
        trader: Ulid,
        filter: LeaseFilter,
        after: Option<Ulid>,
        limit: u16,
    ) -> Result<Page<LeaseView, Ulid>, Fault> {
        let query = LeaseQuery {
            trader: Some(trader),
            validator: filter.validator,
            state: filter.state,
            after,
            limit,
        };
        self.0.lease_page(query).await
    }

    /// Gives a lease up that is not paid. Its epochs are free at once.
    pub async fn cancel(&self, user: &User, id: Ulid) -> Result<LeaseView, Refused<CancelError>> {
        let inner = &*self.0;
        let reject = |error| Err(Refused::Rejected(error));
        let lease = inner.store.ledger().lease(id).await?;
        let Some(lease) = lease.filter(|lease| is_visible(lease, user)) else {
            return reject(CancelError::NotFound);
        };
        if lease.trader != user.id {
            return reject(CancelError::Forbidden);
        }
        let end = Ending {
            event: LeaseEvent::Cancelled,
            reason: EndReason::Cancelled,
            actor: Actor::User(user.id),
            action: "lease.cancelled",
        };
        match inner.give_up(&lease, &end).await? {
            Ok(lease) => Ok(view(&lease)),
            Err(state) => reject(CancelError::NotPending(state)),
        }
    }
}

/// How a lease that was not paid ends.
pub(super) struct Ending {
    pub(super) event: LeaseEvent,
    pub(super) reason: EndReason,
    pub(super) actor: Actor,
    pub(super) action: &'static str,
}

impl Inner {
    async fn book(
        &self,
        user: &User,
        booking: &Booking,
        tx: &mut LedgerTx,
    ) -> Result<Booked, Refused<BookError>> {
        let reject = |error| Err(Refused::Rejected(error));
        let validator = tx.lock_validator(booking.validator).await?;
        let listed = validator.filter(|row| row.status == ListingStatus::Listed);
        let Some(validator) = listed else {
            return reject(BookError::ValidatorNotFound);
        };
        if !user.roles.trader {
            return reject(BookError::Forbidden);
        }
        if validator.owner == user.id {
            return reject(BookError::OwnValidator);
        }
        let price = match (booking.mode, validator.terms.shared) {
            (Mode::Exclusive, _) => validator.terms.price,
            (Mode::Shared, Some(shared)) => shared.price,
            (Mode::Shared, None) => return reject(BookError::SharedNotOffered),
        };
        let Ok(bill) = Bill::new(price, booking.window.count(), self.options.fee) else {
            return reject(BookError::TotalOverflow);
        };
        let lease = self.new_lease(user, booking, &validator, price, bill)?;
        tx.insert_lease(&lease).await?;
        if let Err(taken) = claim(tx, &lease, &validator).await? {
            return reject(taken);
        }
        tx.insert_payment(lease.id, &lease.payment, lease.created_at)
            .await?;
        let detail = json!({
            "validator": lease.validator,
            "mode": lease.mode.as_str(),
            "epoch_start": lease.window.start(),
            "epoch_end": lease.window.end(),
            "total_lamports": lease.total,
            "memo": lease.payment.memo.as_str(),
        });
        let what = Subject::new("lease", &lease.id);
        let audit = self.audit_row(Actor::User(user.id), "lease.booked", what, &detail);
        tx.audit(&audit).await?;
        Ok(Booked {
            lease: view(&lease),
            payment: payment_view(&lease.payment),
            warnings: self.booking_warnings(booking.window),
        })
    }

    fn new_lease(
        &self,
        user: &User,
        booking: &Booking,
        validator: &ValidatorRow,
        price: Lamports,
        bill: Bill,
    ) -> Result<LeaseRow, Fault> {
        let memo: Memo = self
            .new_id()
            .to_string()
            .parse()
            .map_err(|_| Fault::Unpayable(PaymentError::NothingToPay))?;
        let payment = PaymentRow {
            memo,
            kind: PaymentKind::Booking,
            status: PaymentStatus::Open,
            share: bill.share,
            fee: bill.fee,
            payout_wallet: validator.payout_wallet,
            platform_wallet: self.options.platform_wallet,
            expires_at: self.in_future(self.options.payment_window),
            paying: None,
        };
        // What nobody could pay is not booked.
        to_pay(&payment)?;
        Ok(LeaseRow {
            id: self.new_id(),
            validator: validator.id,
            owner: validator.owner,
            trader: user.id,
            mode: booking.mode,
            state: LeaseState::PendingPayment,
            window: booking.window,
            price,
            total: bill.total,
            created_at: self.now(),
            activated_at: None,
            end: None,
            payment,
        })
    }

    fn booking_warnings(&self, window: EpochWindow) -> Vec<BookingWarning> {
        let warning = match self.current_epoch() {
            Some(now) if window.end() <= now => Some(BookingWarning::Over),
            Some(now) if window.start() <= now => Some(BookingWarning::Begun),
            _ => None,
        };
        warning.into_iter().collect()
    }

    /// Ends a lease that waits for its payment, and frees its epochs; or tells
    /// the state that it is in instead.
    pub(super) async fn give_up(
        &self,
        lease: &LeaseRow,
        ending: &Ending,
    ) -> Result<Result<LeaseRow, LeaseState>, Fault> {
        let mut tx = self.store.ledger().begin().await?;
        tx.lock_validator(lease.validator).await?;
        // As it is now: nobody else changes it before the transaction ends.
        let Some(mut lease) = tx.lease(lease.id).await? else {
            return Ok(Err(lease.state));
        };
        let Ok(over) = lease.state.after(ending.event) else {
            return Ok(Err(lease.state));
        };
        let end = LeaseEnd {
            at: self.now(),
            reason: ending.reason,
        };
        let moved = tx
            .move_lease(lease.id, lease.state, over, lease.activated_at, Some(end))
            .await?;
        let (open, expired) = (PaymentStatus::Open, PaymentStatus::Expired);
        let closed = tx.move_payment(&lease.payment.memo, open, expired, None);
        if !moved || !closed.await? {
            return Ok(Err(lease.state));
        }
        tx.release(lease.validator, lease.window, lease.id, lease.mode)
            .await?;
        let what = Subject::new("lease", &lease.id);
        let audit = self.audit_row(ending.actor, ending.action, what, &json!({}));
        tx.audit(&audit).await?;
        tx.commit().await?;
        self.pages.forget();
        lease.state = over;
        lease.end = Some(end);
        lease.payment.status = expired;
        Ok(Ok(lease))
    }

    pub(super) async fn lease_page(
        &self,
        query: LeaseQuery,
    ) -> Result<Page<LeaseView, Ulid>, Fault> {
        let more = LeaseQuery {
            limit: query.limit.saturating_add(1),
            ..query
        };
        let rows = self.store.ledger().leases(&more).await?;
        let page = Page::new(rows, usize::from(query.limit), |row| row.id);
        Ok(page.map(|row| view(&row)))
    }
}

/// Takes the epochs of a lease, or tells who has them.
pub(super) async fn claim(
    tx: &mut LedgerTx,
    lease: &LeaseRow,
    validator: &ValidatorRow,
) -> Result<Result<(), BookError>, Fault> {
    let (id, window) = (lease.validator, lease.window);
    Ok(match lease.mode {
        Mode::Exclusive => match tx.claim_exclusive(id, window, lease.id).await? {
            None => Ok(()),
            Some(_) => Err(BookError::SlotTaken {
                lease: tx.holder_within(id, window, lease.id).await?,
            }),
        },
        Mode::Shared => {
            // Seats may be gone from the offer since a late payment was booked.
            let seats = validator.terms.shared.map_or(0, |shared| shared.seats);
            let full = if seats == 0 {
                Some(window.start())
            } else {
                tx.claim_seat(id, window, seats).await?
            };
            full.map_or(Ok(()), |first_full_epoch| {
                Err(BookError::SharedFull { first_full_epoch })
            })
        }
    })
}

fn is_visible(lease: &LeaseRow, viewer: &User) -> bool {
    lease.trader == viewer.id || lease.owner == viewer.id || viewer.roles.staff
}

/// The payment as it is asked for.
pub(super) fn to_pay(row: &PaymentRow) -> Result<Payment, PaymentError> {
    let view = payment_view(row);
    Payment::new(view.memo, view.payout, view.platform)
}

fn payment_view(row: &PaymentRow) -> PaymentView {
    PaymentView {
        memo: row.memo.clone(),
        kind: row.kind,
        status: row.status,
        total: row.share.checked_add(row.fee).unwrap_or(row.share),
        payout: Leg {
            wallet: row.payout_wallet,
            amount: row.share,
        },
        platform: Leg {
            wallet: row.platform_wallet,
            amount: row.fee,
        },
        expires_at: row.expires_at,
    }
}

fn view(row: &LeaseRow) -> LeaseView {
    let pending = row.state == LeaseState::PendingPayment;
    let settled = row.payment.status == PaymentStatus::Settled;
    let paying = row.payment.paying.filter(|_| settled);
    LeaseView {
        id: row.id,
        validator: row.validator,
        trader: row.trader,
        mode: row.mode,
        state: row.state,
        window: row.window,
        price: row.price,
        total: row.total,
        payment: pending.then(|| payment_view(&row.payment)),
        settled_signature: paying.map(|paying| paying.signature),
        payer: paying.map(|paying| paying.payer),
        created_at: row.created_at,
        activated_at: row.activated_at,
        ended_at: row.end.map(|end| end.at),
        end_reason: row.end.map(|end| end.reason),
    }
}
