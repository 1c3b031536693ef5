//! Slots and when they are.
//!
//! Which slot it is follows from the time alone, so that nothing has to be
//! produced, and a year without transactions costs nothing. What is steered from
//! outside is a short list of places where slots and time were joined anew.

use std::collections::VecDeque;

/// Joints that are remembered; times before the oldest are reckoned back.
const MAX_JOINTS: usize = 1_024;

/// Forks that are remembered: more than can matter to recent block hashes.
const MAX_FORKS: usize = 1_024;

/// One slot in this many has no block, as if its leader was away.
const SKIPPED_EVERY: u64 = 25;

/// Whether the slot has no block.
pub(crate) fn is_skipped(slot: u64) -> bool {
    slot % SKIPPED_EVERY == SKIPPED_EVERY - 1
}

/// The newest slot up to this one that has a block.
pub(crate) fn block_at(slot: u64) -> u64 {
    slot - u64::from(is_skipped(slot))
}

/// The slot of the block that follows.
pub(crate) fn block_after(slot: u64) -> u64 {
    let next = slot + 1;
    next + u64::from(is_skipped(next))
}

/// Blocks before the one of this slot.
pub(crate) fn height(slot: u64) -> u64 {
    slot - (slot + 1) / SKIPPED_EVERY
}

/// From `slot` at `ms` on, a slot takes `slot_ms`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Joint {
    pub(crate) slot: u64,
    pub(crate) ms: u64,
    pub(crate) slot_ms: u64,
}

/// From this slot on, blocks belong to the fork of this number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fork {
    pub(crate) slot: u64,
    pub(crate) number: u64,
}

/// Everything that is steered from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Timeline {
    /// By slot; never empty.
    pub(crate) joints: VecDeque<Joint>,
    /// By slot.
    pub(crate) forks: VecDeque<Fork>,
    /// Milliseconds by which the node's clock is ahead.
    pub(crate) ahead: u64,
    pub(crate) paused: bool,
}

impl Timeline {
    /// Begins with `slot` at `ms`.
    pub(crate) fn new(slot: u64, ms: u64, slot_ms: u64) -> Self {
        Self {
            joints: [Joint { slot, ms, slot_ms }].into(),
            forks: VecDeque::new(),
            ahead: 0,
            paused: false,
        }
    }

    /// The slot at a time of the node's clock.
    pub(crate) fn slot_at(&self, ms: u64) -> u64 {
        let joint = self.last();
        if self.paused {
            return joint.slot;
        }
        let passed = ms.saturating_sub(joint.ms) / joint.slot_ms.max(1);
        joint.slot.saturating_add(passed)
    }

    /// When a slot was or will be, in milliseconds.
    pub(crate) fn time_of(&self, slot: u64) -> u64 {
        let later = self.joints.partition_point(|joint| joint.slot <= slot);
        let end = self.joints.get(later).map_or(u64::MAX, |joint| joint.ms);
        let joint = later.checked_sub(1).and_then(|at| self.joints.get(at));
        let joint = joint.copied().unwrap_or_else(|| self.first());
        if slot < joint.slot {
            let before = (joint.slot - slot).saturating_mul(joint.slot_ms);
            return joint.ms.saturating_sub(before);
        }
        let after = (slot - joint.slot).saturating_mul(joint.slot_ms);
        joint.ms.saturating_add(after).min(end)
    }

    /// Stands still, or goes on with a new slot.
    pub(crate) fn pause(&mut self, paused: bool, now: u64) {
        let slot = self.slot_at(now);
        match (self.paused, paused) {
            (false, true) => self.join(slot, self.time_of(slot)),
            (true, false) => self.join(slot.saturating_add(1), now),
            _ => {}
        }
        self.paused = paused;
    }

    /// Makes the next `slots` pass at once.
    pub(crate) fn skip(&mut self, slots: u64, now: u64) {
        let slot = self.slot_at(now);
        if slots > 0 {
            self.join(slot.saturating_add(1), now);
            self.join(slot.saturating_add(slots), now);
        }
    }

    /// Moves the clock ahead together with the slots of that time. `now` is
    /// before the move.
    pub(crate) fn advance(&mut self, ms: u64, now: u64) {
        let slot_ms = self.last().slot_ms.max(1);
        let slot = self.slot_at(now).saturating_add(ms / slot_ms);
        self.ahead = self.ahead.saturating_add(ms);
        self.join(slot, now.saturating_add(ms));
    }

    /// Makes slots as long as this from now on, and it be at least this slot.
    pub(crate) fn go_on(&mut self, slot_ms: u64, least: u64, now: u64) {
        let slot = self.slot_at(now);
        let has = self.joints.back().map(|joint| joint.slot_ms);
        if has != Some(slot_ms) || slot < least {
            self.join(slot.max(least), now);
            if let Some(joint) = self.joints.back_mut() {
                joint.slot_ms = slot_ms;
            }
        }
    }

    /// Replaces the blocks from `slot` on by those of another fork.
    pub(crate) fn fork(&mut self, slot: u64) {
        let number = self.forks.back().map_or(0, |fork| fork.number) + 1;
        self.forks.retain(|fork| fork.slot < slot);
        self.forks.push_back(Fork { slot, number });
        if self.forks.len() > MAX_FORKS {
            self.forks.pop_front();
        }
    }

    /// The number of the fork that the block of a slot belongs to.
    pub(crate) fn fork_of(&self, slot: u64) -> u64 {
        let later = self.forks.partition_point(|fork| fork.slot <= slot);
        let fork = later.checked_sub(1).and_then(|at| self.forks.get(at));
        fork.map_or(0, |fork| fork.number)
    }

    #[expect(clippy::expect_used, reason = "one that is read has some, too")]
    fn first(&self) -> Joint {
        *self.joints.front().expect("a timeline has a joint")
    }

    #[expect(clippy::expect_used, reason = "one that is read has some, too")]
    fn last(&self) -> Joint {
        *self.joints.back().expect("a timeline has a joint")
    }

    fn join(&mut self, slot: u64, ms: u64) {
        let last = self.last();
        let slot_ms = last.slot_ms;
        let ms = ms.max(last.ms);
        if last.slot == slot {
            self.joints.pop_back();
        }
        self.joints.push_back(Joint { slot, ms, slot_ms });
        if self.joints.len() > MAX_JOINTS {
            self.joints.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const START: u64 = 1_000_000;

    fn timeline() -> Timeline {
        Timeline::new(100, START, 400)
    }

    #[test]
    fn slots_pass_with_the_time() {
        let timeline = timeline();
        for (ms, slot) in [
            (0, 100),
            (START, 100),
            (START + 399, 100),
            (START + 400, 101),
        ] {
            assert_eq!(timeline.slot_at(ms), slot);
        }
        assert_eq!(timeline.time_of(101), START + 400);
        assert_eq!(timeline.time_of(99), START - 400);
    }

    #[test]
    fn every_twenty_fifth_slot_has_no_block() {
        let blocks: Vec<u64> = (0..1_000).filter(|slot| !is_skipped(*slot)).collect();
        assert_eq!(blocks.len(), 960);
        for (index, slot) in (0..).zip(&blocks) {
            assert_eq!(height(*slot), index);
        }
        for pair in blocks.windows(2) {
            assert_eq!(block_after(pair[0]), pair[1]);
        }
        assert_eq!((block_at(24), block_at(25)), (23, 25));
    }

    #[test]
    fn a_pause_holds_the_slot_and_time_goes_on_behind_it() {
        let mut timeline = timeline();
        timeline.pause(true, START + 1_000);
        assert_eq!(timeline.slot_at(START + 50_000), 102);
        timeline.pause(false, START + 60_000);
        assert_eq!(timeline.slot_at(START + 60_000), 103);
        assert_eq!(timeline.time_of(102), START + 800);
        assert_eq!(timeline.time_of(103), START + 60_000);
    }

    #[test]
    fn a_fork_is_of_the_slots_from_its_first_on() {
        let mut timeline = timeline();
        timeline.fork(90);
        timeline.fork(95);
        timeline.fork(93);
        let of = |slot| timeline.fork_of(slot);
        assert_eq!([of(89), of(90), of(92), of(93), of(99)], [0, 1, 1, 3, 3]);
    }

    proptest! {
        #[test]
        fn slots_and_their_times_never_go_back(
            steps in prop::collection::vec((0_u8..5, 0_u64..5_000), 0..40),
        ) {
            let mut timeline = timeline();
            let mut clock = START;
            let mut last = 0;
            for (kind, amount) in steps {
                let now = clock + timeline.ahead;
                match kind {
                    0 => timeline.pause(true, now),
                    1 => timeline.pause(false, now),
                    2 => timeline.skip(amount % 7, now),
                    3 => timeline.advance(amount, now),
                    _ => clock += amount,
                }
                let now = clock + timeline.ahead;
                let slot = timeline.slot_at(now);
                prop_assert!(slot >= last);
                prop_assert!(timeline.time_of(slot) <= now);
                last = slot;
            }
            let times: Vec<u64> = (90..last + 2).map(|slot| timeline.time_of(slot)).collect();
            prop_assert!(times.is_sorted());
        }
    }
}
