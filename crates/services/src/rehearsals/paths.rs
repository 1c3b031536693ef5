//! Paths from the token that every account has to a token that is tried out.

use amm::{
    Side,
    book::{PoolView, Pools},
};
use primitives::Address;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashMap},
};
use trading::{Params, Step};

/// Tokens that a path passes, at most, before the last swap.
const MAX_STONES: usize = 2;

/// Paths to one token, at most: others are tried when one does not work.
const MAX_PATHS: usize = 4;

/// A pool seen from one of its tokens.
#[derive(Debug, Clone, Copy)]
struct Door {
    to: Address,
    step: Step,
    /// What it holds of the token that is sold to it.
    depth: u128,
}

/// A path to a token.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Path {
    /// The swaps.
    pub(super) steps: Vec<Step>,
    /// The last token that they pass before it.
    pub(super) stone: Address,
}

/// All paths that begin with one token and pass only stepping stones: tokens
/// that are known to behave.
#[derive(Debug)]
pub(super) struct Paths {
    doors: HashMap<Address, Vec<Door>>,
    /// How each stone is reached, the purse itself by no step.
    stones: BTreeMap<Address, Vec<Step>>,
}

impl Paths {
    pub(super) fn new(pools: &Pools, purse: Address, is_stone: impl Fn(Address) -> bool) -> Self {
        let mut paths = Self {
            doors: HashMap::new(),
            stones: BTreeMap::from([(purse, Vec::new())]),
        };
        for view in pools.iter().filter(is_usable) {
            for sold in Side::BOTH {
                let (from, to) = sold.of(view.tokens());
                let (depth, _) = sold.of(view.pool.holdings());
                let step = Step {
                    pool: view.id,
                    sold,
                };
                let doors = paths.doors.entry(from).or_default();
                doors.push(Door { to, step, depth });
            }
        }
        let mut last = vec![purse];
        for _ in 0..MAX_STONES {
            last = last
                .iter()
                .flat_map(|stone| paths.reach(*stone, &is_stone))
                .collect();
        }
        paths
    }

    /// Every token that a route might pass.
    pub(super) fn tokens(&self) -> BTreeSet<Address> {
        self.doors.keys().copied().collect()
    }

    /// Takes up the stones beside one, each by its deepest pool.
    fn reach(&mut self, stone: Address, is_stone: impl Fn(Address) -> bool) -> Vec<Address> {
        let path = self.stones.get(&stone).cloned().unwrap_or_default();
        let doors = self.doors.get(&stone).into_iter().flatten();
        let mut deepest: BTreeMap<Address, Door> = BTreeMap::new();
        for door in doors.filter(|door| is_stone(door.to) && !self.stones.contains_key(&door.to)) {
            let best = deepest.entry(door.to).or_insert(*door);
            if door.depth > best.depth {
                *best = *door;
            }
        }
        for (token, door) in &deepest {
            let steps = [&path[..], &[door.step]].concat();
            self.stones.insert(*token, steps);
        }
        deepest.into_keys().collect()
    }

    /// Some paths to a token, the shortest first, and of those the deepest.
    pub(super) fn to(&self, token: Address) -> Vec<Path> {
        let doors = self.doors.get(&token).into_iter().flatten();
        let mut paths: Vec<_> = doors
            .filter_map(|door| {
                let path = self.stones.get(&door.to).filter(|_| door.to != token)?;
                // What is sold on the way out is what the token is bought with.
                let step = Step {
                    sold: door.step.sold.other(),
                    ..door.step
                };
                let steps = [&path[..], &[step]].concat();
                let stone = door.to;
                Some((path.len(), Reverse(door.depth), Path { steps, stone }))
            })
            .collect();
        paths.sort_unstable();
        paths.truncate(MAX_PATHS);
        paths.into_iter().map(|(_, _, path)| path).collect()
    }
}

/// Whether the exchange contract can trade with a pool.
fn is_usable(view: &PoolView<'_>) -> bool {
    view.router().is_some() && Params::of(view).is_some()
}
