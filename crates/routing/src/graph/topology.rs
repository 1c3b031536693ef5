//! Which tokens are traded for which: what changes only when pools come into
//! being.

use super::board::Way;
use amm::book::{PoolId, Pools};
use primitives::Address;
use std::collections::HashMap;

/// The number of a token in a graph.
pub(crate) type TokenId = u32;
/// The number of a pair of tokens.
pub(crate) type PairId = u32;

/// No token, or no connector.
pub(crate) const NONE: u32 = u32::MAX;

/// Tokens that routes may pass beside the neighbours of their ends.
const CONNECTORS: usize = 512;

/// Tokens that most trade passes.
const HUBS: usize = 8;

/// A pair of tokens seen from one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Link {
    /// The other token; in lists of links to connectors, the connector.
    pub(crate) to: u32,
    /// The sale of the one for the other.
    pub(crate) sale: Sale,
}

/// A pair in one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sale(u32);

impl Sale {
    /// Selling the pair's first token (0) or its second (1).
    pub(crate) const fn new(pair: PairId, way: Way) -> Self {
        Self(pair << 1 | if way == 0 { 0 } else { 1 })
    }

    /// Selling a token for another in their pair.
    pub(crate) const fn of(pair: PairId, sold: TokenId, bought: TokenId) -> Self {
        Self::new(pair, if sold > bought { 1 } else { 0 })
    }

    /// The other direction.
    pub(crate) const fn back(self) -> Self {
        Self(self.0 ^ 1)
    }

    pub(crate) const fn pair(self) -> PairId {
        self.0 >> 1
    }

    pub(crate) const fn way(self) -> Way {
        (self.0 & 1) as Way
    }

    /// Its place in a list of all sales.
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Tokens, pairs, and who is next to whom. Pairs are numbered in the order in
/// which their first pools came into being.
#[derive(Debug, Default)]
pub(crate) struct Topology {
    addresses: Vec<Address>,
    /// Tokens by address.
    sorted: Vec<TokenId>,
    pairs: Vec<[TokenId; 2]>,
    /// Whether a pair has one pool and no other.
    single: Vec<bool>,
    /// The sale of each pool's first token in its pair.
    sales: Vec<Sale>,
    neighbours: Lists<Link>,
    /// The tokens with most pairs.
    hubs: Vec<TokenId>,
    connectors: Vec<TokenId>,
    /// The connector that a token is.
    connector_of: Vec<u32>,
    links: Lists<Link>,
}

/// Many short lists, one after the other.
#[derive(Debug)]
struct Lists<T> {
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self {
            starts: Vec::new(),
            items: Vec::new(),
        }
    }
}

impl<T: Copy> Lists<T> {
    /// Lists by number from items in any order; within a list the order stays.
    fn new(count: usize, items: &[(u32, T)]) -> Self {
        let mut starts = vec![0_u32; count + 1];
        for (list, _) in items {
            if let Some(start) = starts.get_mut(*list as usize + 1) {
                *start += 1;
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut order: Vec<u32> = (0..).take(items.len()).collect();
        order.sort_by_key(|at| items.get(*at as usize).map(|(list, _)| *list));
        let item = |at: &u32| items.get(*at as usize).map(|(_, item)| *item);
        let mut sorted = Vec::with_capacity(items.len());
        sorted.extend(order.iter().filter_map(item));
        Self {
            starts,
            items: sorted,
        }
    }

    /// These lists, which are gone through twice, so that no memory is spared.
    fn of<L: Iterator<Item = T>>(lists: impl Iterator<Item = L> + Clone) -> Self {
        let mut starts = vec![0];
        let mut sum = 0;
        for list in lists.clone() {
            sum += number(list.count());
            starts.push(sum);
        }
        starts.shrink_to_fit();
        let mut items = Vec::with_capacity(sum as usize);
        items.extend(lists.flatten());
        Self { starts, items }
    }

    fn get(&self, list: u32) -> &[T] {
        let list = list as usize;
        let (Some(start), Some(end)) = (self.starts.get(list), self.starts.get(list + 1)) else {
            return &[];
        };
        let items = self.items.get(*start as usize..*end as usize);
        items.unwrap_or_default()
    }
}

impl Topology {
    /// The tokens and pairs of all pools, those that are off included.
    pub(super) fn new(pools: &Pools) -> Self {
        let mut numbers: HashMap<Address, TokenId> = HashMap::new();
        let mut addresses = Vec::new();
        let mut pair_numbers: HashMap<[TokenId; 2], PairId> = HashMap::new();
        let mut pairs = Vec::new();
        let mut single = Vec::new();
        let mut sales = Vec::with_capacity(pools.len());
        for pool in pools.iter() {
            let tokens = pool.tokens().map(|address| {
                *numbers.entry(address).or_insert_with(|| {
                    addresses.push(address);
                    number(addresses.len() - 1)
                })
            });
            let pair = ordered(tokens);
            let next = number(pairs.len());
            let number = *pair_numbers.entry(pair).or_insert(next);
            if number == next {
                pairs.push(pair);
                single.push(true);
            } else if let Some(single) = single.get_mut(number as usize) {
                *single = false;
            }
            let [sold, bought] = tokens;
            sales.push(Sale::of(number, sold, bought));
        }
        let mut sorted: Vec<TokenId> = (0..).take(addresses.len()).collect();
        sorted.sort_unstable_by_key(|token| addresses.get(*token as usize));
        let mut ends = Vec::with_capacity(2 * pairs.len());
        for ([a, b], pair) in pairs.iter().zip(0..) {
            for (from, to) in [(*a, *b), (*b, *a)] {
                let sale = Sale::of(pair, from, to);
                ends.push((from, Link { to, sale }));
            }
        }
        ends.sort_unstable_by_key(|(token, link)| (*token, link.to));
        let neighbours = Lists::new(addresses.len(), &ends);
        let mut hubs: Vec<TokenId> = (0..).take(addresses.len()).collect();
        hubs.sort_by_key(|token| std::cmp::Reverse(neighbours.get(*token).len()));
        hubs.truncate(HUBS);
        hubs.shrink_to_fit();
        addresses.shrink_to_fit();
        pairs.shrink_to_fit();
        single.shrink_to_fit();
        Self {
            addresses,
            sorted,
            pairs,
            single,
            sales,
            neighbours,
            hubs,
            ..Self::default()
        }
    }

    /// Chooses the tokens that routes may pass: those that are worth most by
    /// the second deepest of their pairs, since who comes in has to go out.
    pub(super) fn choose_connectors(
        &mut self,
        depth: impl Fn(PairId, [TokenId; 2], TokenId) -> f64,
    ) {
        let reach = |token: TokenId| {
            let mut best = [0.0_f64; 2];
            for link in self.neighbours(token) {
                let pair = link.sale.pair();
                let depth = depth(pair, self.ends(pair), token);
                if depth > best[0] {
                    best = [depth, best[0]];
                } else if depth > best[1] {
                    best[1] = depth;
                }
            }
            best[1]
        };
        let tokens = (0..).take(self.addresses.len());
        let mut ranked: Vec<(f64, TokenId)> = tokens
            .map(|token| (reach(token), token))
            .filter(|(_, token)| self.neighbours(*token).len() > 1)
            .collect();
        ranked.sort_by(|(a, x), (b, y)| b.total_cmp(a).then(x.cmp(y)));
        ranked.truncate(CONNECTORS);
        self.connectors = ranked.iter().map(|(_, token)| *token).collect();
        self.connector_of = vec![NONE; self.addresses.len()];
        for (token, connector) in self.connectors.iter().zip(0..) {
            if let Some(slot) = self.connector_of.get_mut(*token as usize) {
                *slot = connector;
            }
        }
        let links = (0..).take(self.addresses.len()).map(|token| {
            let neighbours = self.neighbours(token).iter();
            neighbours.filter_map(|link| {
                let to = self.connector_of(link.to);
                (to != NONE).then_some(Link { to, ..*link })
            })
        });
        self.links = Lists::of(links);
    }

    pub(crate) fn token(&self, address: Address) -> Option<TokenId> {
        let at = |token: &TokenId| self.addresses.get(*token as usize);
        let found = self
            .sorted
            .binary_search_by(|token| at(token).cmp(&Some(&address)));
        self.sorted.get(found.ok()?).copied()
    }

    pub(crate) fn address(&self, token: TokenId) -> Option<Address> {
        self.addresses.get(token as usize).copied()
    }

    /// How many pools it knows.
    pub(super) const fn pool_count(&self) -> usize {
        self.sales.len()
    }

    pub(super) const fn pair_count(&self) -> usize {
        self.pairs.len()
    }

    /// The sale of a pool's first token in its pair.
    pub(super) fn sale_in(&self, pool: PoolId) -> Option<Sale> {
        self.sales.get(pool.index() as usize).copied()
    }

    /// Whether a pair has one pool and no other.
    pub(super) fn is_single(&self, pair: PairId) -> bool {
        self.single.get(pair as usize).copied().unwrap_or_default()
    }

    /// The tokens of a pair, the one that is numbered lower first.
    pub(crate) fn ends(&self, pair: PairId) -> [TokenId; 2] {
        self.pairs.get(pair as usize).copied().unwrap_or([NONE; 2])
    }

    /// All pairs of a token, by the number of the other.
    pub(crate) fn neighbours(&self, token: TokenId) -> &[Link] {
        self.neighbours.get(token)
    }

    /// The sale of one token for another.
    pub(crate) fn sale(&self, sold: TokenId, bought: TokenId) -> Option<Sale> {
        let pair = self.between(sold, bought)?;
        Some(Sale::of(pair, sold, bought))
    }

    /// The pair of two tokens.
    pub(crate) fn between(&self, a: TokenId, b: TokenId) -> Option<PairId> {
        let (few, many) = (self.neighbours(a), self.neighbours(b));
        let (links, other) = if few.len() <= many.len() {
            (few, b)
        } else {
            (many, a)
        };
        let found = links.binary_search_by_key(&other, |link| link.to).ok()?;
        Some(links.get(found)?.sale.pair())
    }

    /// The few tokens that have most pairs, the first first.
    pub(crate) fn hubs(&self) -> &[TokenId] {
        &self.hubs
    }

    /// The tokens that routes may pass.
    pub(crate) fn connectors(&self) -> &[TokenId] {
        &self.connectors
    }

    /// Which connector a token is, or [`NONE`].
    pub(crate) fn connector_of(&self, token: TokenId) -> u32 {
        let connector = self.connector_of.get(token as usize);
        connector.copied().unwrap_or(NONE)
    }

    /// The pairs of a token with connectors.
    pub(crate) fn links(&self, token: TokenId) -> &[Link] {
        self.links.get(token)
    }

    /// Bytes that it takes, for those who count.
    pub(super) fn bytes(&self) -> usize {
        let lists = |starts: usize, items: usize| 4 * starts + items;
        size_of::<Address>() * self.addresses.capacity()
            + 4 * (self.sorted.capacity() + self.sales.capacity() + self.connector_of.capacity())
            + 4 * (self.hubs.capacity() + self.connectors.capacity())
            + 9 * self.pairs.capacity()
            + lists(
                self.neighbours.starts.capacity(),
                8 * self.neighbours.items.capacity(),
            )
            + lists(
                self.links.starts.capacity(),
                8 * self.links.items.capacity(),
            )
    }
}

/// The lower number first.
pub(crate) const fn ordered([a, b]: [TokenId; 2]) -> [TokenId; 2] {
    if a <= b { [a, b] } else { [b, a] }
}

/// A number: no network has 2³² tokens or pairs.
fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(NONE)
}
