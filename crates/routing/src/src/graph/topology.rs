//! Which tokens are traded for which: what changes only when pools come into
//! being.

use amm::book::{PoolId, Pools};
use primitives::{Address, OrImpossible as _};
use std::collections::{BTreeSet, HashMap};

/// The number of a token in a graph.
pub(crate) type TokenId = u32;
/// The number of a pair of tokens.
pub(crate) type PairId = u32;

/// Which token of a pair is sold; the first is the one with the lower number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PairDirection {
    /// Selling the pair's first token,
    Forth,
    /// or its second.
    Back,
}

/// One token of a pair sold for the other, in whichever of its pools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sale {
    pub(crate) pair: PairId,
    pub(crate) direction: PairDirection,
}

impl Sale {
    /// Selling a token for another in their pair, whose first token is the one
    /// with the lower number.
    const fn of(pair: PairId, sold: TokenId, bought: TokenId) -> Self {
        let direction = if sold < bought {
            PairDirection::Forth
        } else {
            PairDirection::Back
        };
        Self { pair, direction }
    }

    /// The sale that undoes this one: of the other token, in the same pair.
    pub(crate) const fn back(self) -> Self {
        let direction = match self.direction {
            PairDirection::Forth => PairDirection::Back,
            PairDirection::Back => PairDirection::Forth,
        };
        Self { direction, ..self }
    }

    /// Its place in a list of all sales.
    pub(crate) const fn index(self) -> usize {
        self.pair as usize * 2 + self.direction as usize
    }
}

/// A pair of tokens seen from one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Link {
    /// The other token, which the sale buys.
    pub(crate) to: TokenId,
    /// The sale of the one for the other.
    pub(crate) sale: Sale,
}

impl Link {
    /// The same from the other token, whose link this is to `from`.
    pub(crate) const fn back(self, from: TokenId) -> Self {
        Self {
            to: from,
            sale: self.sale.back(),
        }
    }
}

/// Tokens, pairs, and who is next to whom, by adjacency lists. Tokens and pairs
/// are numbered in the order in which their first pools came into being.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Topology {
    addresses: Vec<Address>,
    tokens: HashMap<Address, TokenId>,
    /// The sale of each pool's first token in its pair; none where a token of
    /// the pool is shunned.
    sales: Vec<Option<Sale>>,
    pairs: usize,
    /// By token, in the order of the other token's number.
    neighbours: Vec<Box<[Link]>>,
    shunned: BTreeSet<Address>,
}

impl Topology {
    /// The tokens and pairs of all pools but those with a shunned token.
    pub(super) fn new(pools: &Pools, shunned: &BTreeSet<Address>) -> Self {
        let mut topology = Self {
            shunned: shunned.clone(),
            ..Self::default()
        };
        let mut numbers: HashMap<[TokenId; 2], PairId> = HashMap::new();
        let mut neighbours: Vec<Vec<Link>> = Vec::new();
        for pool in pools.iter() {
            let tokens = pool.tokens();
            let [first, second] = tokens;
            if first == second || tokens.iter().any(|token| shunned.contains(token)) {
                topology.sales.push(None);
                continue;
            }
            let [sold, bought] = tokens.map(|token| topology.numbered(token));
            let next = number(numbers.len());
            let key = [sold.min(bought), sold.max(bought)];
            let pair = *numbers.entry(key).or_insert(next);
            if pair == next {
                neighbours.resize_with(topology.addresses.len(), Vec::new);
                for [from, to] in [[sold, bought], [bought, sold]] {
                    let sale = Sale::of(pair, from, to);
                    if let Some(links) = neighbours.get_mut(from as usize) {
                        links.push(Link { to, sale });
                    }
                }
            }
            topology.sales.push(Some(Sale::of(pair, sold, bought)));
        }
        topology.pairs = numbers.len();
        topology.neighbours = neighbours
            .into_iter()
            .map(|mut links| {
                links.sort_unstable_by_key(|link| link.to);
                links.into_boxed_slice()
            })
            .collect();
        topology
    }

    /// The number of a token, which is given one if it has none.
    fn numbered(&mut self, token: Address) -> TokenId {
        let next = number(self.addresses.len());
        let found = *self.tokens.entry(token).or_insert(next);
        if found == next {
            self.addresses.push(token);
        }
        found
    }

    pub(crate) fn token(&self, address: Address) -> Option<TokenId> {
        self.tokens.get(&address).copied()
    }

    pub(crate) fn address(&self, token: TokenId) -> Option<Address> {
        self.addresses.get(token as usize).copied()
    }

    pub(crate) const fn token_count(&self) -> usize {
        self.addresses.len()
    }

    pub(super) const fn pair_count(&self) -> usize {
        self.pairs
    }

    /// How many pools it knows, those with shunned tokens included: others came later.
    pub(super) const fn pool_count(&self) -> usize {
        self.sales.len()
    }

    pub(super) const fn shunned(&self) -> &BTreeSet<Address> {
        &self.shunned
    }

    /// The sale of a pool's first token in its pair.
    pub(super) fn sale_in(&self, pool: PoolId) -> Option<Sale> {
        self.sales.get(pool.index() as usize).copied().flatten()
    }

    /// The pairs of a token, by the number of the other one.
    pub(crate) fn neighbours(&self, token: TokenId) -> &[Link] {
        let links = self.neighbours.get(token as usize);
        links.map(Box::as_ref).unwrap_or_default()
    }

    /// The sale of one token for another, if there are pools between them.
    pub(crate) fn sale(&self, sold: TokenId, bought: TokenId) -> Option<Sale> {
        let [from_sold, from_bought] = [sold, bought].map(|token| self.neighbours(token));
        let find = |links: &[Link], other: TokenId| {
            let found = links.binary_search_by_key(&other, |link| link.to).ok()?;
            links.get(found).map(|link| link.sale)
        };
        if from_sold.len() <= from_bought.len() {
            find(from_sold, bought)
        } else {
            find(from_bought, sold).map(Sale::back)
        }
    }
}

/// A number. Two that are the same would mix up tokens or pairs.
fn number(index: usize) -> u32 {
    u32::try_from(index)
        .or_impossible("no network has 2^32 tokens or pairs")
        .unwrap_or(u32::MAX)
}
