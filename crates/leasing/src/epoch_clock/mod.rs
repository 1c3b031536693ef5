//! Which epoch it is.
//!
//! A node is asked every few seconds. In between, and while it is silent, slots
//! are counted on at the rate that the last answers showed. The clock never
//! goes back: where it ran ahead of the chain, it waits.

use primitives::{SignedDuration, Timestamp};
use std::collections::VecDeque;

/// The rate is taken from this many answers.
const MAX_SAMPLES: usize = 32;

/// No chain makes slots faster. A node that jumps, or a chain that is moved by
/// hand, must not carry the clock away.
const FASTEST_SLOT: SignedDuration = SignedDuration::from_millis(50);

/// A place in the count of epochs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EpochPosition {
    /// By its number on the cluster, where the first epoch is 0.
    pub epoch: u64,
    /// The slot, counted from the chain's first.
    pub slot: u64,
    /// The slot, counted from the epoch's first; below `slots_in_epoch`.
    pub slot_index: u64,
    /// How many slots the epoch has.
    pub slots_in_epoch: u64,
}

impl EpochPosition {
    /// The position, if its parts can be true of one.
    pub fn new(epoch: u64, slot: u64, slot_index: u64, slots_in_epoch: u64) -> Option<Self> {
        (slot_index < slots_in_epoch && slot_index <= slot).then_some(Self {
            epoch,
            slot,
            slot_index,
            slots_in_epoch,
        })
    }

    /// The first slot of the epoch.
    pub fn first_slot(&self) -> u64 {
        self.slot.saturating_sub(self.slot_index)
    }

    /// The slots that are left of the epoch, this one included.
    pub fn slots_left(&self) -> u64 {
        self.slots_in_epoch.saturating_sub(self.slot_index)
    }

    /// The position some slots later, all epochs being as long as this one.
    fn later(self, slots: u64) -> Option<Self> {
        let index = self.slot_index.checked_add(slots)?;
        Some(Self {
            epoch: self
                .epoch
                .checked_add(index.checked_div(self.slots_in_epoch)?)?,
            slot: self.slot.checked_add(slots)?,
            slot_index: index.checked_rem(self.slots_in_epoch)?,
            slots_in_epoch: self.slots_in_epoch,
        })
    }
}

/// Follows a chain's epochs.
#[derive(Debug, Clone)]
pub struct EpochClock {
    /// Answers of rising slots, at most [`MAX_SAMPLES`].
    samples: VecDeque<Sample>,
    newest: Sample,
    /// The furthest position that was ever told.
    told: EpochPosition,
}

#[derive(Debug, Clone, Copy)]
struct Sample {
    position: EpochPosition,
    at: Timestamp,
}

/// So many slots in so many microseconds.
#[derive(Debug, Clone, Copy)]
struct Rate {
    slots: u64,
    micros: u64,
}

impl EpochClock {
    /// A clock that begins with what a node said at a time.
    pub fn new(position: EpochPosition, at: Timestamp) -> Self {
        let newest = Sample { position, at };
        Self {
            samples: VecDeque::from([newest]),
            newest,
            told: position,
        }
    }

    /// Takes up what a node said at a time. A node that is behind what another
    /// one said adds nothing.
    pub fn observe(&mut self, position: EpochPosition, at: Timestamp) {
        if position.slot < self.newest.position.slot {
            return;
        }
        let sample = Sample { position, at };
        if at < self.newest.at {
            // Somebody set the time back; older samples say nothing of the rate.
            self.samples.clear();
        }
        if self
            .samples
            .back()
            .is_none_or(|last| last.position.slot < position.slot)
        {
            if self.samples.len() == MAX_SAMPLES {
                self.samples.pop_front();
            }
            self.samples.push_back(sample);
        }
        self.newest = sample;
        self.tell(position);
    }

    /// Where the chain is now, as far as one can tell: never before a position
    /// that was told earlier.
    pub fn position(&mut self, now: Timestamp) -> EpochPosition {
        let elapsed = micros_between(self.newest.at, now);
        let slots = self.rate().map_or(0, |rate| rate.slots_in(elapsed));
        if let Some(position) = self.newest.position.later(slots) {
            self.tell(position);
        }
        self.told
    }

    /// When the current epoch ends at the present rate; `None` while there is
    /// no rate yet.
    pub fn epoch_end(&mut self, now: Timestamp) -> Option<Timestamp> {
        let left = self.position(now).slots_left();
        let micros = self.rate()?.micros_for(left)?;
        now.checked_add(SignedDuration::from_micros(i64::try_from(micros).ok()?))
            .ok()
    }

    /// How long no node has said anything new.
    pub fn silence(&self, now: Timestamp) -> SignedDuration {
        now.duration_since(self.newest.at).max(SignedDuration::ZERO)
    }

    /// How long the chain has stood still, by what nodes say.
    pub fn standstill(&self, now: Timestamp) -> SignedDuration {
        let moved = self.samples.back().map_or(self.newest.at, |last| last.at);
        now.duration_since(moved).max(SignedDuration::ZERO)
    }

    fn tell(&mut self, position: EpochPosition) {
        if position.slot >= self.told.slot && position.epoch >= self.told.epoch {
            self.told = position;
        }
    }

    /// The middle one of the rates between one sample and the next, so that a
    /// jump or a pause of the node does not count; the slower of two.
    fn rate(&self) -> Option<Rate> {
        let steps = self.samples.iter().zip(self.samples.iter().skip(1));
        let mut rates: Vec<_> = steps
            .filter_map(|(earlier, later)| Rate::between(earlier, later))
            .collect();
        rates.sort_unstable_by(|a, b| {
            let (a, b) = (a.scaled(b.micros), b.scaled(a.micros));
            a.cmp(&b)
        });
        let middle = rates.len().checked_sub(1)? / 2;
        rates.get(middle).copied()
    }
}

impl Rate {
    fn between(earlier: &Sample, later: &Sample) -> Option<Self> {
        let slots = later.position.slot.checked_sub(earlier.position.slot)?;
        let micros = micros_between(earlier.at, later.at);
        (micros > 0).then_some(Self { slots, micros })
    }

    fn scaled(self, factor: u64) -> u128 {
        u128::from(self.slots) * u128::from(factor)
    }

    /// The slots of a time, not more than there can be.
    fn slots_in(self, micros: u64) -> u64 {
        let by_rate = self.scaled(micros) / u128::from(self.micros).max(1);
        let most = u128::from(micros) / FASTEST_SLOT.as_micros().unsigned_abs().max(1);
        u64::try_from(by_rate.min(most)).unwrap_or(u64::MAX)
    }

    /// The time that some slots take; `None` if none pass.
    fn micros_for(self, slots: u64) -> Option<u64> {
        let by_rate =
            (u128::from(slots) * u128::from(self.micros)).checked_div(self.slots.into())?;
        let least = u128::from(slots) * FASTEST_SLOT.as_micros().unsigned_abs();
        u64::try_from(by_rate.max(least)).ok()
    }
}

/// The time from one moment to a later one, nothing if it is not later.
fn micros_between(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.duration_since(from).as_micros()).unwrap_or(0)
}

#[cfg(test)]
mod tests;
