//! Reading a journal back.

use super::record::{ACCOUNTS, EPOCHS, FORGOTTEN, TAKEN_BACK, TIMELINE, TRANSACTION};
use crate::journal::codec::load;
use crate::journal::frame::Part;
use crate::journal::segment::{self, HEADER_BYTES};
use crate::journal::{Damage, OpenError};
use crate::solana::account::{Account, Accounts};
use crate::solana::chain::Chain;
use crate::solana::config::{PAST_EPOCHS, Rules};
use crate::solana::timeline::Timeline;
use crate::solana::wire::Transaction;
use crate::solana::world::World;
use primitives::PublicKey;
use std::fs;
use std::path::Path;

/// Slots from one block to the next, at most.
const MAX_STEP: u64 = 2;

/// A time at which it is the slot that a timeline was last steered to: what
/// passed since is known only at the end of a journal.
const LONG_AGO: u64 = 0;

/// The chain of a segment as it is when the clock says `clock`, if there is one
/// in it, and what was lost of it.
pub(super) fn read(
    path: &Path,
    rules: Rules,
    clock: u64,
) -> Result<(Option<Chain>, Damage), OpenError> {
    let bytes = fs::read(path).map_err(OpenError::read(path))?;
    let segment = segment::read(&bytes, rules.seed, path)?;
    let mut damage = Damage::default();
    if segment.header_damaged {
        damage.count_bytes(bytes.len().min(HEADER_BYTES));
    }
    for part in &segment.parts {
        damage.count(part);
    }
    let (checkpoint, later) = Checkpoint::read(&segment.parts);
    if checkpoint.is_empty() {
        // A segment is there with its checkpoint or not at all: it was not torn.
        damage.bytes += u64::try_from(bytes.len()).unwrap_or(u64::MAX) - segment.length;
        damage.left_behind = true;
        return Ok((None, damage));
    }
    let mut chain = checkpoint.chain(rules, clock);
    let mut behind_damage = false;
    for part in later {
        if let Part::Entry(entry) = part {
            let applied = apply(&mut chain, entry, behind_damage);
            damage.useless_entries += u64::from(applied.is_none());
        }
        behind_damage = matches!(part, Part::Damaged(_));
    }
    go_on(&mut chain, clock);
    Ok((Some(chain), damage))
}

/// Lets the time pass that nobody has written about.
fn go_on(chain: &mut Chain, clock: u64) {
    let newest = chain.history().newest().map_or(0, |entry| entry.slot);
    let mut timeline = chain.timeline().clone();
    // The clock may have been set back: what was seen stays seen.
    let least = newest.saturating_sub(MAX_STEP);
    let now = clock.saturating_add(timeline.ahead);
    timeline.go_on(chain.rules.slot_ms, least, now);
    chain.steer(timeline, now);
}

/// What can be read of a checkpoint.
#[derive(Debug, Default)]
struct Checkpoint {
    timeline: Option<Timeline>,
    slots_per_epoch: Option<u64>,
    accounts: Vec<(PublicKey, Account)>,
    /// Some of the accounts are missing.
    accounts_damaged: bool,
    forgotten: Option<u64>,
}

impl Checkpoint {
    /// The checkpoint, and the parts behind it.
    fn read<'p, 'b>(parts: &'p [Part<'b>]) -> (Self, &'p [Part<'b>]) {
        let mut checkpoint = Self::default();
        let mut behind_damage = false;
        for (index, part) in parts.iter().enumerate() {
            let Part::Entry(entry) = part else {
                // Whatever is missing before the epochs, it is no account.
                behind_damage |= checkpoint.slots_per_epoch.is_some();
                continue;
            };
            if checkpoint.forgotten.is_some() || checkpoint.take(entry).is_none() {
                return (checkpoint, parts.get(index..).unwrap_or_default());
            }
            checkpoint.accounts_damaged |= behind_damage;
        }
        (checkpoint, &[])
    }

    /// `None` if the entry belongs to no checkpoint, or not at this place.
    fn take(&mut self, entry: &[u8]) -> Option<()> {
        match split(entry)? {
            (TIMELINE, body) if self.is_empty() => self.timeline = Some(load(body)?),
            (EPOCHS, body) => self.slots_per_epoch = Some(load(body)?),
            (ACCOUNTS, body) => self
                .accounts
                .extend(load::<Vec<(PublicKey, Account)>>(body)?),
            (FORGOTTEN, body) => self.forgotten = Some(load(body)?),
            _ => return None,
        }
        Some(())
    }

    fn is_empty(&self) -> bool {
        self.timeline.is_none()
            && self.slots_per_epoch.is_none()
            && self.accounts.is_empty()
            && self.forgotten.is_none()
    }

    /// The chain that begins with it. What is missing is as in a new chain.
    fn chain(self, rules: Rules, clock: u64) -> Chain {
        // Epochs of another length would have other numbers.
        let slots_per_epoch = self.slots_per_epoch.unwrap_or(rules.slots_per_epoch);
        let rules = Rules {
            slots_per_epoch,
            ..rules
        };
        let world = World::new(&rules);
        let timeline = self.timeline.unwrap_or_else(|| {
            let slot = slots_per_epoch.saturating_mul(PAST_EPOCHS);
            Timeline::new(slot, clock, rules.slot_ms)
        });
        let mut accounts = if self.accounts_damaged || self.accounts.is_empty() {
            world.accounts()
        } else {
            Accounts::default()
        };
        for (key, account) in self.accounts {
            accounts.set(key, account);
        }
        let forgotten = self.forgotten.unwrap_or(0);
        Chain::with(rules, world, timeline, accounts, forgotten, LONG_AGO)
    }
}

fn split(entry: &[u8]) -> Option<(u8, &[u8])> {
    entry.split_first().map(|(tag, body)| (*tag, body))
}

/// `None` if the entry makes no sense after what was before.
fn apply(chain: &mut Chain, entry: &[u8], behind_damage: bool) -> Option<()> {
    match split(entry)? {
        (TIMELINE, body) => {
            let timeline: Timeline = load(body)?;
            // That transactions were taken back is said right before their fork.
            if behind_damage && let Some(slot) = newer_fork(chain.timeline(), &timeline) {
                chain.take_back(slot);
            }
            chain.steer(timeline, LONG_AGO);
        }
        (TRANSACTION, body) => {
            let (slot, bytes): (u64, Vec<u8>) = load(body)?;
            chain.append_again(slot, Transaction::read(&bytes).ok()?)?;
        }
        (TAKEN_BACK, body) => chain.take_back(load(body)?),
        _ => return None,
    }
    Some(())
}

/// Where the newest fork begins, if it is newer than any of the timeline before.
fn newer_fork(before: &Timeline, after: &Timeline) -> Option<u64> {
    let newest = after.forks.back()?;
    let known = before.forks.back().map_or(0, |fork| fork.number);
    (newest.number > known).then_some(newest.slot)
}
