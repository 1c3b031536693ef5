//! What the cluster says of validators: stake, and who leads when.

use super::context::Context;
use crate::{fault::Fault, refused::Refused};
use leasing::ListingStatus;
use primitives::{Lamports, PublicKey, Ulid};
use std::sync::Arc;
use store::leasing::ValidatorRow;

/// Validators whose slots are told at most.
const MAX_LEADERS: u16 = 1_000;

/// What the cluster says of validators. Clones share everything.
#[derive(Debug, Clone)]
pub struct Stakes(pub(super) Arc<Context>);

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
    /// The one that was asked about.
    pub identity: PublicKey,
    /// The epoch in which the stake counts.
    pub epoch: u64,
    /// The stake of all its vote accounts.
    pub stake: Lamports,
    /// The stake of all vote accounts of the cluster.
    pub cluster_stake: Lamports,
    /// Whether it fell behind.
    pub delinquent: bool,
    /// All that vote for the identity, delinquent ones too.
    pub vote_accounts: Vec<PublicKey>,
}

/// Who leads when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaders {
    /// The epoch that was asked about, or the current one.
    pub epoch: u64,
    /// The epoch's first slot, counted from the chain's first.
    pub first_slot: u64,
    /// How many slots it has.
    pub slots_in_epoch: u64,
    /// Those who lead, by the order of their ids.
    pub leaders: Vec<Leader>,
}

/// One who leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leader {
    /// A listed validator, by its public id.
    pub validator: Ulid,
    /// By which the cluster's schedule names it.
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

impl Stakes {
    /// What the cluster says of a validator's stake, at most a minute old.
    pub async fn of_validator(&self, id: Ulid) -> Result<StakeView, Refused<StakeError>> {
        let row = self.0.store.ledger().validator(id).await?;
        let listed = row.filter(|row| row.status == ListingStatus::Listed);
        let row = listed.ok_or(Refused::Rejected(StakeError::NotFound))?;
        self.of_identity(row.identity).await
    }

    /// The same of any identity.
    pub async fn of_identity(&self, identity: PublicKey) -> Result<StakeView, Refused<StakeError>> {
        let told = self.0.votes.told().await?;
        let stake = told.votes.stake_of(identity);
        let stake = stake.ok_or(Refused::Rejected(StakeError::NotAChainValidator))?;
        let all = || told.votes.current.iter().chain(&told.votes.delinquent);
        // A node may say anything; more than there can be is no reason to answer nothing.
        let cluster_stake = all().fold(Lamports::ZERO, |sum, account| {
            let sum = sum.checked_add(account.activated_stake);
            sum.unwrap_or(Lamports::new(u64::MAX))
        });
        Ok(StakeView {
            identity,
            epoch: told.epoch,
            stake: stake.stake,
            cluster_stake,
            delinquent: stake.delinquent,
            vote_accounts: all()
                .filter(|account| account.identity == identity)
                .map(|account| account.key)
                .collect(),
        })
    }

    /// When a validator leads, or all listed ones do, 1,000 at most; in the
    /// current epoch if none is named.
    pub async fn leader_schedule(
        &self,
        epoch: Option<i64>,
        validator: Option<Ulid>,
    ) -> Result<Leaders, Refused<ScheduleError>> {
        let context = &*self.0;
        let ledger = context.store.ledger();
        let rows = match validator {
            Some(id) => ledger.validator(id).await?.into_iter().collect(),
            None => ledger.validators(None, MAX_LEADERS).await?,
        };
        let listed = |row: &ValidatorRow| row.status == ListingStatus::Listed;
        let rows: Vec<_> = rows.into_iter().filter(listed).collect();
        let identity = match (validator, rows.first()) {
            (Some(_), None) => return Err(Refused::Rejected(ScheduleError::NotFound)),
            (Some(_), Some(row)) => Some(row.identity),
            (None, _) => None,
        };
        let client = context.nodes.client()?;
        let now = client.epoch_position().await.map_err(Fault::Solana)?;
        let out_of_range = Refused::Rejected(ScheduleError::Epoch);
        let ahead = match epoch.map(u64::try_from) {
            None => 0,
            Some(Ok(epoch)) if epoch == now.epoch => 0,
            Some(Ok(epoch)) if Some(epoch) == now.epoch.checked_add(1) => now.slots_in_epoch,
            Some(_) => return Err(out_of_range),
        };
        let first_slot = now.first_slot().saturating_add(ahead);
        let schedule = client.leader_schedule(first_slot, identity).await;
        let Some(schedule) = schedule.map_err(Fault::Solana)? else {
            return Err(out_of_range);
        };
        let slots_of = |identity| {
            let slots = schedule.get(&identity).map_or(&[][..], Vec::as_slice);
            slots.iter().map(|slot| first_slot.saturating_add(*slot))
        };
        Ok(Leaders {
            epoch: if ahead == 0 {
                now.epoch
            } else {
                now.epoch.saturating_add(1)
            },
            first_slot,
            slots_in_epoch: now.slots_in_epoch,
            leaders: rows
                .iter()
                .map(|row| Leader {
                    validator: row.id,
                    identity: row.identity,
                    slots: slots_of(row.identity).collect(),
                })
                .collect(),
        })
    }
}
