//! Validators: registering, changing, finding.

use super::{Inner, Leasing, Page, audit::Subject, secret, solana::Told};
use crate::{fault::Fault, refused::Refused};
use chain::SolanaClient;
use leasing::{
    Amendment, BelowRent, Bill, Draft, FieldError, HORIZON, Lease, LeaseState, Leg, ListingStatus,
    Memo, Payment, PayoutDraft, Proof, Span, Terms, availability, next_free_epoch,
    verify_challenge,
};
use primitives::{Lamports, PublicKey, SignedDuration, Timestamp, Ulid};
use serde_json::json;
use store::{
    StoreError,
    leasing::{Actor, LeaseQuery, LedgerTx, StakeRow, User, ValidatorRow},
};

/// How long a nonce is remembered: no challenge that has it can be timely then.
const NONCE_LIFETIME: SignedDuration = SignedDuration::from_mins(15);

/// A validator as people see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidatorView {
    /// Its public id.
    pub id: Ulid,
    /// Who registered it.
    pub owner: Ulid,
    /// Its identity on the chain.
    pub identity: PublicKey,
    /// The vote account with the most stake, when last looked.
    pub vote_account: Option<PublicKey>,
    /// What people call it.
    pub name: Option<String>,
    /// What it offers.
    pub terms: Terms,
    /// Whether it can be seen and booked.
    pub status: ListingStatus,
    /// Where its share goes.
    pub payout_wallet: PublicKey,
    /// Where lessees connect.
    pub endpoint: Option<String>,
    /// Its stake, when last looked.
    pub stake: Lamports,
    /// The epoch of that look.
    pub stake_epoch: u64,
    /// Whether it had fallen behind then.
    pub delinquent: bool,
    /// The first of the next 60 epochs of which nothing is booked; `None` if
    /// there is none, or the epoch is not known yet.
    pub next_free_epoch: Option<i32>,
    /// What can be booked of the next 60 epochs. Empty in lists.
    pub availability: Vec<Span>,
    /// When it was registered.
    pub created_at: Timestamp,
    /// What its owner should know. Only after registering or a new wallet.
    pub warnings: Vec<ValidatorWarning>,
}

/// What an owner should know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValidatorWarning {
    /// The chain would refuse a payment of one epoch: the payout wallet would
    /// hold too little.
    PayoutBelowRent(BelowRent),
}

/// Why a validator was not registered, in the order of the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegisterError {
    /// Neither a user nor an onboarding token.
    NoOwner,
    /// The user is no validator.
    Forbidden,
    /// A field.
    Field(FieldError),
    /// The challenge is not of the last or next five minutes.
    TimestampSkew,
    /// The identity did not sign the challenge.
    Signature,
    /// The nonce was used.
    NonceReplay,
    /// The onboarding token is unknown, expired or used.
    OnboardingToken,
    /// The identity is registered.
    AlreadyRegistered,
    /// No vote account has this identity.
    NotAChainValidator,
}

/// Why a payout wallet was not changed, in the order of the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PayoutError {
    /// A field.
    Field(FieldError),
    /// The challenge is not of the last or next five minutes.
    TimestampSkew,
    /// The identity did not sign the challenge.
    Signature,
    /// The nonce was used.
    NonceReplay,
    /// No such identity is registered.
    NotFound,
    /// The user did not register it.
    Forbidden,
}

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

/// Why somebody may not look at what is an owner's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnerError {
    /// There is no such validator.
    NotFound,
    /// The user did not register it.
    Forbidden,
}

impl Leasing {
    /// Registers a validator, for a user or for whoever opened the onboarding
    /// session. Nonce, token and validator are written together or not at all.
    pub async fn register(
        &self,
        user: Option<&User>,
        draft: &Draft,
        onboard_token: Option<&str>,
    ) -> Result<ValidatorView, Refused<RegisterError>> {
        let inner = &*self.0;
        let reject = |error| Err(Refused::Rejected(error));
        match (user, onboard_token) {
            (None, None) => return reject(RegisterError::NoOwner),
            (Some(user), None) if !user.roles.validator => {
                return reject(RegisterError::Forbidden);
            }
            _ => {}
        }
        let options = &inner.options;
        let registration = draft
            .check(&options.regions, options.platform_wallet)
            .map_err(|error| Refused::Rejected(RegisterError::Field(error)))?;
        let (identity, proof) = (registration.identity, &registration.proof);
        let text = registration.challenge(&options.domain);
        match inner.check_proof(identity, proof, &text).await? {
            Proven::Yes => {}
            Proven::Skewed => return reject(RegisterError::TimestampSkew),
            Proven::Not => return reject(RegisterError::Signature),
            Proven::Replayed => return reject(RegisterError::NonceReplay),
        }
        let token = onboard_token.map(secret::digest);
        let Some(owner) = inner.owner(user, token.as_ref()).await? else {
            return reject(RegisterError::OnboardingToken);
        };
        if inner.store.ledger().validator_of(identity).await?.is_some() {
            return reject(RegisterError::AlreadyRegistered);
        }
        let told = inner.votes().await?;
        let Some(stake) = stake_row(&told, identity) else {
            return reject(RegisterError::NotAChainValidator);
        };
        let row = ValidatorRow {
            id: inner.new_id(),
            owner,
            identity,
            payout_wallet: registration.payout_wallet,
            name: registration.name.clone(),
            endpoint: registration.endpoint.clone(),
            terms: registration.terms.clone(),
            status: ListingStatus::Listed,
            stake,
            created_at: inner.now(),
        };
        let warnings = inner.warnings(&row).await?;
        let mut tx = inner.store.ledger().begin().await?;
        if !inner.use_nonce(&mut tx, identity, proof).await? {
            return reject(RegisterError::NonceReplay);
        }
        match tx.insert_validator(&row).await {
            Err(StoreError::Exists { .. }) => return reject(RegisterError::AlreadyRegistered),
            inserted => inserted?,
        }
        if let Some(token) = &token
            && !tx.use_onboarding(token, row.id, inner.now()).await?
        {
            return reject(RegisterError::OnboardingToken);
        }
        let detail = json!({
            "identity": row.identity,
            "payout_wallet": row.payout_wallet,
            "terms": row.terms.canonical(),
        });
        let what = Subject::new("validator", &row.id);
        inner
            .audit(
                &mut tx,
                Actor::User(owner),
                "validator.registered",
                what,
                &detail,
            )
            .await?;
        tx.commit().await?;
        inner.pages.forget();
        let mut view = inner.detailed(row).await?;
        view.warnings = warnings;
        Ok(view)
    }

    /// Changes where the share of a validator goes. Payments that were asked
    /// for keep the wallet that they name.
    pub async fn change_payout_wallet(
        &self,
        user: &User,
        draft: &PayoutDraft,
    ) -> Result<ValidatorView, Refused<PayoutError>> {
        let inner = &*self.0;
        let reject = |error| Err(Refused::Rejected(error));
        let change = draft
            .check(inner.options.platform_wallet)
            .map_err(|error| Refused::Rejected(PayoutError::Field(error)))?;
        let text = change.challenge(&inner.options.domain);
        match inner
            .check_proof(change.identity, &change.proof, &text)
            .await?
        {
            Proven::Yes => {}
            Proven::Skewed => return reject(PayoutError::TimestampSkew),
            Proven::Not => return reject(PayoutError::Signature),
            Proven::Replayed => return reject(PayoutError::NonceReplay),
        }
        let Some(found) = inner.store.ledger().validator_of(change.identity).await? else {
            return reject(PayoutError::NotFound);
        };
        if found.owner != user.id {
            return reject(PayoutError::Forbidden);
        }
        let mut tx = inner.store.ledger().begin().await?;
        if !inner
            .use_nonce(&mut tx, change.identity, &change.proof)
            .await?
        {
            return reject(PayoutError::NonceReplay);
        }
        let Some(mut row) = tx.lock_validator(found.id).await? else {
            return reject(PayoutError::NotFound);
        };
        let detail = json!({"from": row.payout_wallet, "to": change.payout_wallet});
        row.payout_wallet = change.payout_wallet;
        tx.update_validator(&row).await?;
        let what = Subject::new("validator", &row.id);
        let actor = Actor::User(user.id);
        inner
            .audit(&mut tx, actor, "validator.payout_wallet", what, &detail)
            .await?;
        tx.commit().await?;
        inner.pages.forget();
        // The wallet is changed; a node that is silent costs a warning alone.
        let warnings = inner.warnings(&row).await.unwrap_or_default();
        let mut view = inner.detailed(row).await?;
        view.warnings = warnings;
        Ok(view)
    }

    /// Changes an offer. Leases that are booked keep their price.
    pub async fn patch(
        &self,
        user: &User,
        id: Ulid,
        amendment: &Amendment,
    ) -> Result<ValidatorView, Refused<PatchError>> {
        let inner = &*self.0;
        let reject = |error| Err(Refused::Rejected(error));
        if amendment.is_empty() {
            return reject(PatchError::Empty);
        }
        let field = |error| Refused::Rejected(PatchError::Field(error));
        let amended = amendment.check(&inner.options.regions).map_err(field)?;
        let mut tx = inner.store.ledger().begin().await?;
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
        inner
            .audit(
                &mut tx,
                Actor::User(user.id),
                "validator.changed",
                what,
                &detail,
            )
            .await?;
        tx.commit().await?;
        inner.pages.forget();
        Ok(inner.detailed(row).await?)
    }

    /// A validator. One that is not listed is there for its owner and staff
    /// alone.
    pub async fn validator(
        &self,
        id: Ulid,
        viewer: Option<&User>,
    ) -> Result<Option<ValidatorView>, Fault> {
        let row = self.0.store.ledger().validator(id).await?;
        match row.filter(|row| is_visible(row, viewer)) {
            Some(row) => Ok(Some(self.0.detailed(row).await?)),
            None => Ok(None),
        }
    }

    /// The leases of a validator, the newest first, for its owner and staff.
    pub async fn leases_of(
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
        Ok(self.0.lease_page(query).await?)
    }
}

/// What a proof is worth.
enum Proven {
    Yes,
    Skewed,
    Not,
    Replayed,
}

fn is_visible(row: &ValidatorRow, viewer: Option<&User>) -> bool {
    row.status == ListingStatus::Listed
        || viewer.is_some_and(|user| user.id == row.owner || user.roles.staff)
}

/// What the cluster says of an identity, if it is one of a validator.
pub(super) fn stake_row(told: &Told, identity: PublicKey) -> Option<StakeRow> {
    let stake = told.votes.stake_of(identity)?;
    let accounts = told.votes.current.iter().chain(&told.votes.delinquent);
    let own = accounts.filter(|account| account.identity == identity);
    Some(StakeRow {
        vote_account: own
            .max_by_key(|account| account.activated_stake)
            .map(|account| account.key),
        stake: stake.stake,
        epoch: told.epoch,
        delinquent: stake.delinquent,
    })
}

impl Inner {
    async fn check_proof(
        &self,
        identity: PublicKey,
        proof: &Proof,
        text: &str,
    ) -> Result<Proven, Fault> {
        if !proof.is_timely(self.now()) {
            return Ok(Proven::Skewed);
        }
        if verify_challenge(identity, text, proof.signature).is_err() {
            return Ok(Proven::Not);
        }
        let used = self
            .store
            .ledger()
            .is_nonce_used(identity, &proof.nonce)
            .await?;
        Ok(if used { Proven::Replayed } else { Proven::Yes })
    }

    async fn use_nonce(
        &self,
        tx: &mut LedgerTx,
        identity: PublicKey,
        proof: &Proof,
    ) -> Result<bool, Fault> {
        let until = self.in_future(NONCE_LIFETIME);
        Ok(tx.use_nonce(identity, &proof.nonce, until).await?)
    }

    /// Whose validator it becomes: of whoever opened the onboarding session,
    /// or else of the user. `None` if the session cannot be used.
    async fn owner(
        &self,
        user: Option<&User>,
        token: Option<&[u8; 32]>,
    ) -> Result<Option<Ulid>, Fault> {
        let Some(token) = token else {
            return Ok(user.map(|user| user.id));
        };
        let session = self.store.ledger().onboarding(token).await?;
        let usable = session
            .filter(|session| session.validator.is_none() && self.now() < session.expires_at);
        Ok(usable.map(|session| session.user))
    }

    /// What an owner should know of the payout wallet.
    async fn warnings(&self, row: &ValidatorRow) -> Result<Vec<ValidatorWarning>, Fault> {
        let client = self.nodes.client()?;
        let Ok(bill) = Bill::new(row.terms.price, 1, self.options.fee) else {
            return Ok(Vec::new());
        };
        let Ok(memo) = "RENT".parse::<Memo>() else {
            return Ok(Vec::new());
        };
        let payment = Payment::new(
            memo,
            Leg {
                wallet: row.payout_wallet,
                amount: bill.share,
            },
            Leg {
                wallet: self.options.platform_wallet,
                amount: Lamports::ZERO,
            },
        )?;
        let below = check_rent(&client, &payment).await?;
        Ok(below
            .into_iter()
            .map(ValidatorWarning::PayoutBelowRent)
            .collect())
    }

    /// The view of one validator, with its calendar.
    async fn detailed(&self, row: ValidatorRow) -> Result<ValidatorView, Fault> {
        let mut view = view(row);
        let Some(now) = self.current_epoch() else {
            return Ok(view);
        };
        let ids = [view.id];
        let booked = self
            .store
            .ledger()
            .booked(&ids, now, now.saturating_add(HORIZON));
        let booked: Vec<_> = booked.await?.iter().map(|row| row.occupancy).collect();
        view.availability = availability(now, view.terms.seats(), &booked);
        view.next_free_epoch = next_free_epoch(now, &booked);
        Ok(view)
    }
}

/// Which wallet of a payment the chain would not let receive its part.
pub(super) async fn check_rent(
    client: &SolanaClient,
    payment: &Payment,
) -> Result<Option<BelowRent>, Fault> {
    let (payout, platform, minimum) = futures_util::try_join!(
        client.balance(payment.payout().wallet),
        client.balance(payment.platform().wallet),
        client.rent_minimum(0),
    )
    .map_err(Fault::Solana)?;
    Ok(payment.check_rent(payout, platform, minimum).err())
}

/// The view of a validator, without its calendar.
pub(super) fn view(row: ValidatorRow) -> ValidatorView {
    ValidatorView {
        id: row.id,
        owner: row.owner,
        identity: row.identity,
        vote_account: row.stake.vote_account,
        name: row.name,
        terms: row.terms,
        status: row.status,
        payout_wallet: row.payout_wallet,
        endpoint: row.endpoint,
        stake: row.stake.stake,
        stake_epoch: row.stake.epoch,
        delinquent: row.stake.delinquent,
        next_free_epoch: None,
        availability: Vec::new(),
        created_at: row.created_at,
        warnings: Vec::new(),
    }
}
