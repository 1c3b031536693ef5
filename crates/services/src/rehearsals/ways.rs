//! Ways from the token that every account has to a token that is tried out.

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

/// Tokens that a way passes, at most, before the last swap.
const MAX_STONES: usize = 2;

/// Ways to one token, at most: others are tried when one does not work.
const MAX_WAYS: usize = 4;

/// A pool seen from one of its tokens.
#[derive(Debug, Clone, Copy)]
struct Door {
    to: Address,
    step: Step,
    /// What it holds of the token that is sold to it.
    depth: u128,
}

/// A way to a token.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Way {
    /// The swaps.
    pub(super) steps: Vec<Step>,
    /// The last token that they pass before it.
    pub(super) stone: Address,
}

/// All ways that begin with one token and pass only stepping stones: tokens
/// that are known to behave.
#[derive(Debug)]
pub(super) struct Ways {
    doors: HashMap<Address, Vec<Door>>,
    /// How each stone is reached, the purse itself by no step.
    stones: BTreeMap<Address, Vec<Step>>,
}

impl Ways {
    pub(super) fn new(pools: &Pools, purse: Address, is_stone: impl Fn(Address) -> bool) -> Self {
        let mut ways = Self {
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
                let doors = ways.doors.entry(from).or_default();
                doors.push(Door { to, step, depth });
            }
        }
        let mut last = vec![purse];
        for _ in 0..MAX_STONES {
            last = last
                .iter()
                .flat_map(|stone| ways.reach(*stone, &is_stone))
                .collect();
        }
        ways
    }

    /// Every token that a route might pass.
    pub(super) fn tokens(&self) -> BTreeSet<Address> {
        self.doors.keys().copied().collect()
    }

    /// Takes up the stones beside one, each by its deepest pool.
    fn reach(&mut self, stone: Address, is_stone: impl Fn(Address) -> bool) -> Vec<Address> {
        let way = self.stones.get(&stone).cloned().unwrap_or_default();
        let doors = self.doors.get(&stone).into_iter().flatten();
        let mut deepest: BTreeMap<Address, Door> = BTreeMap::new();
        for door in doors.filter(|door| is_stone(door.to) && !self.stones.contains_key(&door.to)) {
            let best = deepest.entry(door.to).or_insert(*door);
            if door.depth > best.depth {
                *best = *door;
            }
        }
        for (token, door) in &deepest {
            let steps = [&way[..], &[door.step]].concat();
            self.stones.insert(*token, steps);
        }
        deepest.into_keys().collect()
    }

    /// Some ways to a token, the shortest first, and of those the deepest.
    pub(super) fn to(&self, token: Address) -> Vec<Way> {
        let doors = self.doors.get(&token).into_iter().flatten();
        let mut ways: Vec<_> = doors
            .filter_map(|door| {
                let way = self.stones.get(&door.to).filter(|_| door.to != token)?;
                // What is sold on the way out is what the token is bought with.
                let step = Step {
                    sold: door.step.sold.other(),
                    ..door.step
                };
                let steps = [&way[..], &[step]].concat();
                let stone = door.to;
                Some((way.len(), Reverse(door.depth), Way { steps, stone }))
            })
            .collect();
        ways.sort_unstable();
        ways.truncate(MAX_WAYS);
        ways.into_iter().map(|(_, _, way)| way).collect()
    }
}

/// Whether the exchange contract can trade with a pool.
fn is_usable(view: &PoolView<'_>) -> bool {
    view.router().is_some() && Params::of(view).is_some()
}
