//! The validators: who they are, what is staked with them, whether they vote,
//! and who leads when.
//!
//! All of it follows from the genesis and the slot, so that nothing is kept.
//! Some validators come and go, every epoch a few are away, and some identities
//! have more than one vote account.

use super::digest::{digest, number};
use super::wallet::SolanaKeypair;
use primitives::{Lamports, PublicKey, SolanaHash};
use std::collections::BTreeMap;

const VALIDATORS: u64 = 40;

/// Slots that a leader has in a row.
const TURN_SLOTS: u64 = 4;

/// One validator in this many comes and goes, and one has two vote accounts.
const RESTLESS_EVERY: u64 = 5;
const SECOND_VOTE_EVERY: u64 = 13;

/// Restless ones are there for three of four stretches of so many epochs.
const STRETCH_EPOCHS: u64 = 3;
const STRETCHES: u64 = 4;

/// One validator in this many is away in an epoch.
const AWAY_EVERY: u64 = 19;

/// Epochs of which credits are told.
const CREDITS_EPOCHS: u64 = 5;

/// Most credits for a vote.
const CREDITS_PER_SLOT: u64 = 16;

/// Votes end this many slots behind what they make a root.
const ROOT_DISTANCE: u64 = 31;

/// A validator with its keys.
#[derive(Debug, Clone)]
pub struct SimulatedValidator {
    /// The key that signs for it.
    pub identity: SolanaKeypair,
    /// Where it votes and what is staked with.
    pub vote_accounts: Vec<PublicKey>,
}

/// A vote account at some slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Vote {
    pub(crate) account: PublicKey,
    pub(crate) identity: PublicKey,
    pub(crate) commission: u8,
    /// What is staked in this epoch.
    pub(crate) stake: Lamports,
    pub(crate) last: u64,
    pub(crate) root: u64,
    /// Epoch, credits after it, credits before it.
    pub(crate) credits: Vec<(u64, u64, u64)>,
}

/// All validators of a chain.
#[derive(Debug)]
pub(crate) struct Validators {
    genesis: SolanaHash,
    slots_per_epoch: u64,
    all: Vec<SimulatedValidator>,
}

impl Validators {
    pub(crate) fn new(genesis: SolanaHash, slots_per_epoch: u64) -> Self {
        let validator = |index| {
            let votes = if index % SECOND_VOTE_EVERY == 1 { 2 } else { 1 };
            let vote = |vote| {
                let parts = [index, vote];
                PublicKey::from_bytes(digest("VOTE ACCOUNT", genesis.as_bytes(), &parts))
            };
            SimulatedValidator {
                identity: SolanaKeypair::derive(&genesis, "IDENTITY", index),
                vote_accounts: (0..votes).map(vote).collect(),
            }
        };
        Self {
            genesis,
            slots_per_epoch,
            all: (0..VALIDATORS).map(validator).collect(),
        }
    }

    pub(crate) fn all(&self) -> &[SimulatedValidator] {
        &self.all
    }

    pub(crate) fn epoch(&self, slot: u64) -> u64 {
        slot / self.slots_per_epoch
    }

    fn first_slot(&self, epoch: u64) -> u64 {
        epoch.saturating_mul(self.slots_per_epoch)
    }

    fn random(&self, what: &str, parts: &[u64], end: u64) -> u64 {
        number(what, self.genesis.as_bytes(), parts, end)
    }

    /// The first epoch of the absence that `epoch` is part of.
    fn left(index: u64, epoch: u64) -> Option<u64> {
        if index % RESTLESS_EVERY != 3 {
            return None;
        }
        let turn = (epoch / STRETCH_EPOCHS).saturating_add(index);
        turn.is_multiple_of(STRETCHES)
            .then_some(epoch / STRETCH_EPOCHS * STRETCH_EPOCHS)
    }

    fn is_away(index: u64, epoch: u64) -> bool {
        index.saturating_add(epoch.saturating_mul(3)) % AWAY_EVERY == 7
    }

    /// What is staked with a vote account in an epoch. Stake takes an epoch to
    /// become active.
    fn stake(&self, index: u64, vote: u64, epoch: u64) -> Lamports {
        let before = epoch.saturating_sub(1);
        if Self::left(index, epoch).is_some() || Self::left(index, before).is_some() {
            return Lamports::ZERO;
        }
        // A few have very much, and most have little.
        let most = 4_000_000 / (index + 1) + 20_000;
        let base = most / 2 + self.random("STAKE", &[index, vote], most / 2);
        let percent = 90 + self.random("DRIFT", &[index, vote, epoch], 21);
        let per_percent = Lamports::PER_SOL.get() / 100;
        Lamports::new(base.saturating_mul(percent).saturating_mul(per_percent))
    }

    /// The newest slot that a validator has voted for at `slot`.
    fn last_vote(&self, index: u64, slot: u64) -> u64 {
        let epoch = self.epoch(slot);
        let until = match Self::left(index, epoch) {
            Some(left) => self.first_slot(left),
            None if Self::is_away(index, epoch) => self.first_slot(epoch),
            None => slot.saturating_sub(self.random("LATE", &[index, slot], 3)),
        };
        until.saturating_sub(1)
    }

    /// All vote accounts as they are at a slot.
    pub(crate) fn votes(&self, slot: u64) -> Vec<Vote> {
        let epoch = self.epoch(slot);
        let mut votes = Vec::new();
        for (index, validator) in (0..).zip(&self.all) {
            let last = self.last_vote(index, slot);
            for (vote, account) in (0..).zip(&validator.vote_accounts) {
                let commission = self.random("COMMISSION", &[index, vote], 11);
                votes.push(Vote {
                    account: *account,
                    identity: validator.identity.public_key(),
                    commission: u8::try_from(commission).unwrap_or_default(),
                    stake: self.stake(index, vote, epoch),
                    last,
                    root: last.saturating_sub(ROOT_DISTANCE),
                    credits: self.credits(index, last),
                });
            }
        }
        votes
    }

    /// Credits until the last vote. Each validator earns the same share of the
    /// most that is possible, always.
    fn credits(&self, index: u64, last_vote: u64) -> Vec<(u64, u64, u64)> {
        let percent = 90 + self.random("QUALITY", &[index], 11);
        let until = |slot: u64| slot.saturating_mul(CREDITS_PER_SLOT * percent) / 100;
        let newest = self.epoch(last_vote);
        let oldest = newest.saturating_sub(CREDITS_EPOCHS - 1);
        (oldest..=newest)
            .map(|epoch| {
                let end = self.first_slot(epoch + 1).min(last_vote + 1);
                (epoch, until(end), until(self.first_slot(epoch)))
            })
            .collect()
    }

    /// The slots of each leader in an epoch, counted from its first slot.
    pub(crate) fn schedule(&self, epoch: u64) -> BTreeMap<PublicKey, Vec<u64>> {
        // The stake that counts is that of the epoch before.
        let staked = epoch.saturating_sub(1);
        let mut total = 0_u64;
        let mut ends = Vec::new();
        for (index, validator) in (0..).zip(&self.all) {
            for vote in (0..).take(validator.vote_accounts.len()) {
                total = total.saturating_add(self.stake(index, vote, staked).get());
            }
            ends.push((total, validator.identity.public_key()));
        }
        let mut schedule: BTreeMap<PublicKey, Vec<u64>> = BTreeMap::new();
        for first in (0..self.slots_per_epoch).step_by(4) {
            let drawn = self.random("LEADER", &[epoch, first], total);
            let place = ends.partition_point(|(end, _)| *end <= drawn);
            if let Some((_, leader)) = ends.get(place) {
                let end = (first + TURN_SLOTS).min(self.slots_per_epoch);
                schedule.entry(*leader).or_default().extend(first..end);
            }
        }
        schedule
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn validators() -> Validators {
        Validators::new(SolanaHash::from_bytes([7; 32]), 1_200)
    }

    #[test]
    fn stake_joins_and_leaves_by_the_epoch() {
        let validators = validators();
        let staked = |epoch: u64| -> BTreeSet<PublicKey> {
            let votes = validators.votes(epoch * 1_200 + 600);
            let staked = votes.iter().filter(|vote| vote.stake > Lamports::ZERO);
            staked.map(|vote| vote.account).collect()
        };
        let epochs: Vec<_> = (20..60).map(staked).collect();
        let joined = epochs.windows(2).any(|pair| !pair[1].is_subset(&pair[0]));
        let left = epochs.windows(2).any(|pair| !pair[0].is_subset(&pair[1]));
        assert!(joined && left);
        assert!(epochs.iter().all(|staked| staked.len() > 30));
        assert_eq!(epochs[0], staked(20));
    }

    #[test]
    fn some_identities_have_several_vote_accounts() {
        let validators = validators();
        let several = validators.all().iter();
        let several = several.filter(|validator| validator.vote_accounts.len() > 1);
        assert!(several.count() >= 3);
    }

    #[test]
    fn in_every_epoch_somebody_with_stake_stops_voting() {
        let validators = validators();
        for epoch in 20..40 {
            let slot = epoch * 1_200 + 600;
            let late = |vote: &Vote| vote.last + 128 < slot && vote.stake > Lamports::ZERO;
            assert!(validators.votes(slot).iter().any(late), "{epoch}");
            let early = validators.votes(epoch * 1_200);
            let there = early.iter().filter(|vote| vote.stake > Lamports::ZERO);
            assert!(there.clone().all(|vote| vote.last + 10 > epoch * 1_200));
        }
    }

    #[test]
    fn every_slot_has_one_leader_and_large_stakes_lead_more() {
        let validators = validators();
        let schedule = validators.schedule(21);
        let mut slots: Vec<u64> = schedule.values().flatten().copied().collect();
        slots.sort_unstable();
        assert!(slots.into_iter().eq(0..1_200));
        let led = |index: usize| {
            let identity = validators.all()[index].identity.public_key();
            schedule.get(&identity).map_or(0, Vec::len)
        };
        assert!(led(0) > 4 * (led(37) + led(39)));
        assert_eq!(schedule, validators.schedule(21));
        assert_ne!(schedule, validators.schedule(22));
        for turns in schedule.values() {
            assert!(
                turns
                    .chunks(4)
                    .all(|turn| turn[0] % 4 == 0 && turn[3] == turn[0] + 3)
            );
        }
    }

    #[test]
    fn credits_only_grow() {
        let validators = validators();
        for (early, late) in validators
            .votes(30_000)
            .iter()
            .zip(validators.votes(31_000))
        {
            assert!(early.credits.len() <= 5);
            let of = |vote: &Vote| vote.credits.last().map(|credits| credits.1);
            assert!(of(early) <= of(&late));
            for pair in early.credits.windows(2) {
                assert_eq!(pair[0].1, pair[1].2);
            }
        }
    }
}
