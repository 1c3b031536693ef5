//! A validator as people see it.

use leasing::{BelowRent, ListingStatus, RatingSum, Span, ValidatorTerms};
use primitives::{Lamports, PublicKey, Timestamp, Ulid};
use store::leasing::{Performance, ValidatorRow};

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
    pub terms: ValidatorTerms,
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
    /// What its lessees said.
    pub rating: RatingSum,
    /// How well it does.
    pub performance: Performance,
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
        rating: row.rating,
        performance: row.performance,
        next_free_epoch: None,
        availability: Vec::new(),
        created_at: row.created_at,
        warnings: Vec::new(),
    }
}
