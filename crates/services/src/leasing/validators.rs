//! Validators: registering, changing, finding.

use super::{LeaseView, Leasing, Page};
use crate::{fault::Fault, refused::Refused};
use leasing::{
    Amendment, BelowRent, Draft, FieldError, ListingStatus, Mode, PayoutDraft, Region, Span, Terms,
    Tier,
};
use primitives::{Lamports, PublicKey, Timestamp, Ulid};
use store::leasing::User;

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

/// Why there is no stake to tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StakeError {
    /// There is no such validator.
    NotFound,
    /// No vote account has this identity.
    NotAChainValidator,
}

/// What is staked with an identity, by the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StakeView {
    /// The identity.
    pub identity: PublicKey,
    /// The epoch.
    pub epoch: u64,
    /// The stake of all its vote accounts.
    pub stake: Lamports,
    /// The stake of all vote accounts of the cluster.
    pub cluster_stake: Lamports,
    /// Whether it fell behind.
    pub delinquent: bool,
    /// Its vote accounts.
    pub vote_accounts: Vec<PublicKey>,
}

/// Who leads when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaders {
    /// The epoch.
    pub epoch: u64,
    /// Its first slot.
    pub first_slot: u64,
    /// How many slots it has.
    pub slots_in_epoch: u64,
    /// Those who lead, by the order of their ids.
    pub leaders: Vec<Leader>,
}

/// One who leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leader {
    /// The validator.
    pub validator: Ulid,
    /// Its identity.
    pub identity: PublicKey,
    /// Its slots, counted from the chain's first.
    pub slots: Vec<u64>,
}

/// Why there is no schedule to tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScheduleError {
    /// There is no such validator.
    NotFound,
    /// Only the current and the next epoch are known.
    Epoch,
}

/// Which validators are looked for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Browse {
    /// At least this price, of the mode looked for.
    pub price_min: Option<Lamports>,
    /// At most this price.
    pub price_max: Option<Lamports>,
    /// In this region.
    pub region: Option<Region>,
    /// Of this class.
    pub tier: Option<Tier>,
    /// That offer this mode. Prices are of it, or of the exclusive one.
    pub mode: Option<Mode>,
    /// That can be booked in this epoch, in the mode looked for or any.
    pub available_epoch: Option<i32>,
    /// In this order.
    pub sort: Sort,
    /// After this one.
    pub after: Option<BrowseKey>,
    /// At most so many.
    pub limit: u16,
}

/// An order of validators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sort {
    /// The cheapest first.
    Price,
    /// The most stake first.
    Stake,
    /// The newest first.
    Newest,
}

/// A place in an order of validators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BrowseKey {
    /// The price or the stake, in lamports; nothing for the newest.
    pub value: i64,
    /// The validator.
    pub id: Ulid,
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
        let _ = (self, user, draft, onboard_token);
        Err(Fault::NoSolanaNode.into())
    }

    /// Changes where the share of a validator goes. Payments that were asked
    /// for keep the wallet that they name.
    pub async fn change_payout_wallet(
        &self,
        user: &User,
        draft: &PayoutDraft,
    ) -> Result<ValidatorView, Refused<PayoutError>> {
        let _ = (self, user, draft);
        Err(Fault::NoSolanaNode.into())
    }

    /// Changes an offer. Leases that are booked keep their price.
    pub async fn patch(
        &self,
        user: &User,
        id: Ulid,
        amendment: &Amendment,
    ) -> Result<ValidatorView, Refused<PatchError>> {
        let _ = (self, user, id, amendment);
        Err(Fault::NoSolanaNode.into())
    }

    /// A validator. One that is not listed is there for its owner and staff
    /// alone.
    pub async fn validator(
        &self,
        id: Ulid,
        viewer: Option<&User>,
    ) -> Result<Option<ValidatorView>, Fault> {
        let _ = (self, id, viewer);
        Err(Fault::NoSolanaNode)
    }

    /// Listed validators. What it tells may be a second old.
    pub async fn browse(&self, browse: &Browse) -> Result<Page<ValidatorView, BrowseKey>, Fault> {
        let _ = (self, browse);
        Err(Fault::NoSolanaNode)
    }

    /// What the cluster says now of a validator's stake.
    pub async fn stake(&self, id: Ulid) -> Result<StakeView, Refused<StakeError>> {
        let _ = (self, id);
        Err(Fault::NoSolanaNode.into())
    }

    /// The same of any identity.
    pub async fn stake_of(&self, identity: PublicKey) -> Result<StakeView, Refused<StakeError>> {
        let _ = (self, identity);
        Err(Fault::NoSolanaNode.into())
    }

    /// When a validator leads, or all listed ones do; in the current epoch if
    /// none is named.
    pub async fn leader_schedule(
        &self,
        epoch: Option<i64>,
        validator: Option<Ulid>,
    ) -> Result<Leaders, Refused<ScheduleError>> {
        let _ = (self, epoch, validator);
        Err(Fault::NoSolanaNode.into())
    }

    /// The leases of a validator, the newest first, for its owner and staff.
    pub async fn leases_of(
        &self,
        user: &User,
        validator: Ulid,
        after: Option<Ulid>,
        limit: u16,
    ) -> Result<Page<LeaseView, Ulid>, Refused<OwnerError>> {
        let _ = (self, user, validator, after, limit);
        Err(Fault::NoSolanaNode.into())
    }
}
