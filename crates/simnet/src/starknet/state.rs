//! What contracts remember, at every block that is still kept.
//!
//! Each variable has a list of (block, value), so that reading the past is a
//! binary search. A block knows which slots it wrote: undoing it restores
//! exactly what was before, and forgetting the past drops exactly what no kept
//! block can see.

use primitives::{Felt, U256};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, OnceLock};

/// A variable that contracts of a kind have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Variable {
    pub(crate) name: &'static str,
    pub(crate) shape: Shape,
}

/// What a variable holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Shape {
    /// Something that the protocol keeps beside the contract's storage.
    Protocol,
    Felt,
    U256,
}

impl Variable {
    const CLASS_HASH: Self = Self {
        name: "@class_hash",
        shape: Shape::Protocol,
    };

    const NONCE: Self = Self {
        name: "@nonce",
        shape: Shape::Protocol,
    };

    /// A variable, or a mapping to values, of one element.
    pub(crate) const fn felt(name: &'static str) -> Self {
        let shape = Shape::Felt;
        Self { name, shape }
    }

    /// A variable, or a mapping to values, of 256 bits.
    pub(crate) const fn u256(name: &'static str) -> Self {
        let shape = Shape::U256;
        Self { name, shape }
    }
}

/// Names a variable of a contract: a mapping's entry has up to two arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) contract: Felt,
    pub(crate) variable: Variable,
    args: [Option<Felt>; 2],
}

impl Key {
    /// The variable `variable` of `contract`, at `args` if it is a mapping.
    pub(crate) fn new(contract: Felt, variable: Variable, args: &[Felt]) -> Self {
        let mut args = args.iter().copied();
        Self {
            contract,
            variable,
            args: [args.next(), args.next()],
        }
    }

    /// The class of the contract: zero where nothing is deployed.
    pub(crate) fn class_hash(contract: Felt) -> Self {
        Self::new(contract, Variable::CLASS_HASH, &[])
    }

    /// The number of transactions that the account has sent.
    pub(crate) fn nonce(contract: Felt) -> Self {
        Self::new(contract, Variable::NONCE, &[])
    }

    pub(crate) fn is_class_hash(&self) -> bool {
        self.variable == Variable::CLASS_HASH
    }

    pub(crate) fn is_nonce(&self) -> bool {
        self.variable == Variable::NONCE
    }

    /// The arguments of a mapping's entry.
    pub(crate) fn args(&self) -> impl Iterator<Item = Felt> {
        self.args.into_iter().flatten()
    }
}

/// The place of a key's versions; never reused for another key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot(usize);

#[derive(Debug)]
struct Version {
    block: u64,
    value: U256,
}

/// Where a variable is in storage, once that is worked out.
type StorageAddress = Arc<OnceLock<Felt>>;

/// All variables with their past. A variable that was never written is zero.
#[derive(Debug, Default)]
pub(crate) struct State {
    index: HashMap<Key, Slot>,
    /// By slot.
    keys: Vec<Key>,
    versions: Vec<VecDeque<Version>>,
    /// By slot.
    places: Vec<StorageAddress>,
    /// By variable and arguments: every token has a holder's balance at one place.
    shared_places: HashMap<(Variable, [Option<Felt>; 2]), StorageAddress>,
    /// All slots of a contract, in the order in which they came into use.
    contracts: HashMap<Felt, Vec<Slot>>,
}

impl State {
    /// The value after the block `at`, which must be one that is kept.
    pub(crate) fn read(&self, key: &Key, at: u64) -> U256 {
        self.index
            .get(key)
            .and_then(|slot| self.versions.get(slot.0))
            .and_then(|versions| {
                // Most read what was written last.
                if let Some(newest) = versions.back().filter(|newest| newest.block <= at) {
                    return Some(newest);
                }
                let later = versions.partition_point(|version| version.block <= at);
                versions.get(later.checked_sub(1)?)
            })
            .map_or(U256::ZERO, |version| version.value)
    }

    /// Writes in the newest block, `block`. Answers with the slot when the block
    /// had not written it yet.
    pub(crate) fn write(&mut self, key: Key, block: u64, value: U256) -> Option<Slot> {
        let next = Slot(self.versions.len());
        let slot = *self.index.entry(key).or_insert(next);
        if slot == next {
            self.keys.push(key);
            self.versions.push(VecDeque::new());
            let place = self.shared_places.entry((key.variable, key.args));
            self.places.push(Arc::clone(place.or_default()));
            self.contracts.entry(key.contract).or_default().push(slot);
        }
        let versions = self.versions.get_mut(slot.0)?;
        match versions.back_mut() {
            Some(newest) if newest.block == block => {
                newest.value = value;
                None
            }
            _ => {
                versions.push_back(Version { block, value });
                Some(slot)
            }
        }
    }

    /// The variable of a slot.
    pub(crate) fn key(&self, slot: Slot) -> Option<&Key> {
        self.keys.get(slot.0)
    }

    /// Where the variable of a slot is in storage, worked out by `place` once.
    pub(crate) fn place(&self, key: &Key, place: impl FnOnce(&Key) -> Felt) -> Felt {
        let slot = self.index.get(key).and_then(|slot| self.places.get(slot.0));
        match slot {
            Some(known) => *known.get_or_init(|| place(key)),
            None => place(key),
        }
    }

    /// Every variable that was ever written.
    pub(crate) fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// The variables of a contract, without the `skipped` first ones.
    pub(crate) fn keys_of(&self, contract: Felt, skipped: usize) -> impl Iterator<Item = &Key> {
        let slots = self.contracts.get(&contract).map_or(&[][..], Vec::as_slice);
        slots
            .iter()
            .skip(skipped)
            .filter_map(|slot| self.key(*slot))
    }

    /// Takes back what the newest block, `block`, wrote.
    pub(crate) fn undo(&mut self, block: u64, writes: &[Slot]) {
        for slot in writes {
            if let Some(versions) = self.versions.get_mut(slot.0) {
                versions.pop_back_if(|newest| newest.block == block);
            }
        }
    }

    /// Drops what only blocks before `oldest` can see; `writes` are those of
    /// `oldest`, which hide it.
    pub(crate) fn forget_before(&mut self, oldest: u64, writes: &[Slot]) {
        for slot in writes {
            if let Some(versions) = self.versions.get_mut(slot.0) {
                while versions
                    .pop_front_if(|version| version.block < oldest)
                    .is_some()
                {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn key(variable: u8) -> Key {
        Key::new(
            Felt::ONE,
            Variable::u256("balances"),
            &[Felt::from(variable)],
        )
    }

    /// Blocks of writes, as (variable, value).
    fn blocks() -> impl Strategy<Value = Vec<Vec<(u8, u8)>>> {
        let write = (0_u8..6, any::<u8>());
        prop::collection::vec(prop::collection::vec(write, 0..5), 1..20)
    }

    type Snapshot = BTreeMap<u8, U256>;

    /// Writes the blocks, and remembers the full state after each.
    fn apply(state: &mut State, blocks: &[Vec<(u8, u8)>]) -> (Vec<Vec<Slot>>, Vec<Snapshot>) {
        let mut snapshot = Snapshot::new();
        let mut written = Vec::new();
        let mut snapshots = Vec::new();
        for (number, writes) in (0_u64..).zip(blocks) {
            written.push(
                writes
                    .iter()
                    .filter_map(|(variable, value)| {
                        snapshot.insert(*variable, U256::from(*value));
                        state.write(key(*variable), number, U256::from(*value))
                    })
                    .collect(),
            );
            snapshots.push(snapshot.clone());
        }
        (written, snapshots)
    }

    fn assert_reads(state: &State, at: usize, expected: &Snapshot) {
        for variable in 0..6 {
            assert_eq!(
                state.read(&key(variable), u64::try_from(at).unwrap()),
                expected.get(&variable).copied().unwrap_or_default()
            );
        }
    }

    proptest! {
        #[test]
        fn every_kept_block_reads_its_own_state(blocks in blocks(), dropped in 0_usize..20) {
            let mut state = State::default();
            let (written, snapshots) = apply(&mut state, &blocks);
            let oldest = dropped.min(blocks.len() - 1);
            for (number, writes) in (0..).zip(&written).take(oldest + 1).skip(1) {
                state.forget_before(number, writes);
            }
            for (at, snapshot) in snapshots.iter().enumerate().skip(oldest) {
                assert_reads(&state, at, snapshot);
            }
        }

        #[test]
        fn undone_blocks_leave_nothing_behind(blocks in blocks(), depth in 0_usize..20) {
            let mut state = State::default();
            let (written, snapshots) = apply(&mut state, &blocks);
            let kept = blocks.len() - depth.min(blocks.len() - 1);
            for number in (kept..blocks.len()).rev() {
                state.undo(u64::try_from(number).unwrap(), &written[number]);
            }
            for at in kept - 1..blocks.len() {
                assert_reads(&state, at, &snapshots[kept - 1]);
            }
        }
    }
}
