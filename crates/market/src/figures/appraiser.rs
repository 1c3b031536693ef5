//! From what happened in a block to what that means for figures.

use super::{
    UsdE8,
    delta::{Delta, Flow, FlowPoint, NewToken, PricePoint, Stock, StockPoint},
    legs::{self, TradedPool, Worth},
    state::{Figures, Taken},
    trade::Trade,
};
use crate::{
    metadata::TokenReading,
    price::{AnchorList, Anchors, Before, Edge, Rules, Settled, settle},
    token_id::TokenId,
    whole::scale,
};
use amm::book::{PoolId, PoolView, Pools, Quotation, VenueId};
use primitives::{Address, U256};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What happened in a block.
#[derive(Debug, Clone, Copy)]
pub struct Happened<'a> {
    /// The block's time, in seconds since 1970.
    pub time: i64,
    /// What was read of tokens.
    pub readings: &'a [(Address, TokenReading)],
    /// All pools after the block.
    pub pools: &'a Pools,
    /// Those that changed.
    pub touched: &'a BTreeSet<PoolId>,
    /// Trades with them, in order.
    pub trades: &'a [Trade],
    /// What was transferred of tokens.
    pub transfers: &'a [(Address, U256)],
    /// How much there is of tokens, where that was asked.
    pub supplies: &'a [(Address, U256)],
}

/// What a block means.
#[derive(Debug, Clone, PartialEq)]
pub struct Appraised {
    /// What it does to figures.
    pub delta: Delta,
    /// What each of its trades was worth; 0 where nobody knows.
    pub worths: Vec<UsdE8>,
}

/// Makes figures of what happens to pools. It remembers what pools said and
/// held last, which can always be made again from the pools.
#[derive(Debug, Clone)]
pub struct Appraiser {
    list: AnchorList,
    rules: Rules,
    anchors: Anchors,
    watched: Vec<Watched>,
    /// Pools with a token that is not known yet, by that token.
    waiting: HashMap<Address, Vec<PoolId>>,
    pub(super) locked: HashMap<(TokenId, VenueId), U256>,
    pub(super) edges: Vec<Edge>,
}

/// A pool as it was last seen.
#[derive(Debug, Clone, Copy)]
struct Watched {
    venue: VenueId,
    tokens: [Option<TokenId>; 2],
    held: [u128; 2],
    edge: Option<Edge>,
}

impl Appraiser {
    /// One that knows the pools of a block and what their tokens are called in
    /// `figures` of the same block.
    pub fn new(list: AnchorList, figures: &Figures, pools: &Pools) -> Self {
        let mut appraiser = Self {
            list,
            rules: Rules::default(),
            anchors: Anchors::default(),
            watched: Vec::new(),
            waiting: HashMap::new(),
            locked: HashMap::new(),
            edges: Vec::new(),
        };
        appraiser.find_anchors(figures);
        let mut moved = BTreeSet::new();
        for view in pools.iter() {
            appraiser.look(figures, &view, &mut moved);
        }
        appraiser.collect_edges();
        appraiser
    }

    /// Takes up what happened, and says what it did to `figures` and what its
    /// trades were worth.
    pub fn take_up(&mut self, figures: &mut Figures, happened: &Happened<'_>) -> Appraised {
        let time = happened.time;
        let tokens = self.meet(figures, happened);
        let mut moved = BTreeSet::new();
        let edges_changed = self.look_again(figures, happened, &tokens, &mut moved);
        if edges_changed {
            self.collect_edges();
        }
        let before: Vec<Option<f64>> = figures.all_usd();
        let settled = self.settle(figures, &before, edges_changed);
        let worth = |token: TokenId| worth(figures, &before, settled.as_deref(), token);
        let supply = |token| figures.supply(token);
        let place = |trade: &Trade| self.place(trade);
        let (mut flows, worths) = legs::flows(happened.trades, place, worth, supply);
        flows.extend(transfers(figures, happened.transfers, worth));
        flows.sort_unstable_by_key(|point| (point.token, point.flow));
        let mut stocks = self.stocks(moved);
        stocks.extend(supplies(figures, happened.supplies));
        let prices = settled.map_or_else(Vec::new, |settled| points(figures, &settled));
        let rest = Delta {
            tokens: Vec::new(),
            prices,
            flows,
            stocks,
        };
        let block = Taken { time, delta: rest };
        figures.apply(&block);
        let delta = Delta {
            tokens,
            ..block.delta
        };
        Appraised { delta, worths }
    }

    /// Gives new tokens their place.
    fn meet(&mut self, figures: &mut Figures, happened: &Happened<'_>) -> Vec<NewToken> {
        let mut tokens = Vec::new();
        for (address, reading) in happened.readings {
            if let TokenReading::Readable(metadata) = reading
                && figures.token(*address).is_none()
            {
                tokens.push(NewToken {
                    address: *address,
                    decimals: metadata.decimals,
                });
            }
        }
        let delta = Delta {
            tokens: tokens.clone(),
            ..Delta::default()
        };
        let time = happened.time;
        figures.apply(&Taken { time, delta });
        if !tokens.is_empty() {
            self.find_anchors(figures);
        }
        tokens
    }

    fn find_anchors(&mut self, figures: &Figures) {
        let known = |list: &[Address]| list.iter().filter_map(|it| figures.token(*it)).collect();
        self.anchors = Anchors {
            stables: known(&self.list.stables),
            hubs: known(&self.list.hubs),
        };
    }

    /// Looks at the pools that changed, or whose tokens became known. Returns
    /// whether any says something else of prices than before.
    fn look_again(
        &mut self,
        figures: &Figures,
        happened: &Happened<'_>,
        tokens: &[NewToken],
        moved: &mut BTreeSet<(TokenId, VenueId)>,
    ) -> bool {
        let waited = tokens
            .iter()
            .filter_map(|token| self.waiting.remove(&token.address))
            .flatten();
        let mut pools: BTreeSet<PoolId> = waited.collect();
        pools.extend(happened.touched);
        let mut changed = !tokens.is_empty();
        for pool in pools {
            if let Some(view) = happened.pools.get(pool) {
                changed |= self.look(figures, &view, moved);
            }
        }
        changed
    }

    /// Looks at a pool. Returns whether it says something else of prices.
    fn look(
        &mut self,
        figures: &Figures,
        view: &PoolView<'_>,
        moved: &mut BTreeSet<(TokenId, VenueId)>,
    ) -> bool {
        let addresses = view.tokens();
        let tokens = addresses.map(|address| figures.token(address));
        let seen = Watched {
            venue: view.pool.venue(),
            tokens,
            held: if view.pool.is_flawed() {
                [0, 0]
            } else {
                view.pool.holdings()
            },
            edge: edge(figures, view, tokens),
        };
        let place = usize::try_from(view.id.index()).unwrap_or(usize::MAX);
        let before = self.watched.get(place).copied();
        if before.is_none_or(|before| before.tokens != tokens) {
            for (address, _) in addresses.iter().zip(tokens).filter(|(_, it)| it.is_none()) {
                let waiting = self.waiting.entry(*address).or_default();
                if !waiting.contains(&view.id) {
                    waiting.push(view.id);
                }
            }
        }
        if let Some(before) = before {
            self.lock(&before, U256::wrapping_sub, moved);
        }
        self.lock(&seen, U256::wrapping_add, moved);
        match self.watched.get_mut(place) {
            Some(watched) => *watched = seen,
            // Places are given in order, and every new pool is looked at.
            None => self.watched.push(seen),
        }
        before.and_then(|before| before.edge) != seen.edge
    }

    fn lock(
        &mut self,
        pool: &Watched,
        change: impl Fn(U256, U256) -> U256,
        moved: &mut BTreeSet<(TokenId, VenueId)>,
    ) {
        for (token, held) in pool.tokens.into_iter().zip(pool.held) {
            if let Some(token) = token.filter(|_| held > 0) {
                let key = (token, pool.venue);
                let locked = self.locked.entry(key).or_default();
                *locked = change(*locked, U256::from(held));
                moved.insert(key);
            }
        }
    }

    fn collect_edges(&mut self) {
        self.edges.clear();
        let edges = self.watched.iter().filter_map(|pool| pool.edge);
        self.edges.extend(edges);
    }

    /// The prices of the block; none if nothing can have changed.
    fn settle(
        &self,
        figures: &Figures,
        before: &[Option<f64>],
        edges_changed: bool,
    ) -> Option<Vec<Option<Settled>>> {
        let waits = figures.standings.iter().flatten();
        if !edges_changed && !waits.clone().any(|standing| standing.held > 0) {
            return None;
        }
        let before = Before {
            tokens: figures.tokens.len(),
            standings: &figures.standings,
            usd: before,
        };
        Some(settle(&self.edges, &self.anchors, before, &self.rules))
    }

    fn place(&self, trade: &Trade) -> Option<TradedPool> {
        let place = usize::try_from(trade.pool.index()).ok()?;
        let pool = self.watched.get(place)?;
        Some(TradedPool {
            venue: pool.venue,
            tokens: pool.tokens,
        })
    }

    /// What lies in venues now, where that changed.
    fn stocks(&self, moved: BTreeSet<(TokenId, VenueId)>) -> Vec<StockPoint> {
        moved
            .into_iter()
            .map(|key @ (token, venue)| StockPoint {
                token,
                stock: Stock::Locked(venue),
                units: self.locked.get(&key).map_or(0, U256::saturating_to),
            })
            .collect()
    }
}

/// What a pool says of the price between two known tokens, in whole ones.
fn edge(figures: &Figures, view: &PoolView<'_>, tokens: [Option<TokenId>; 2]) -> Option<Edge> {
    let [Some(first), Some(second)] = tokens else {
        return None;
    };
    let (scale0, scale1) = (
        scale(figures.decimals(first)?),
        scale(figures.decimals(second)?),
    );
    let Quotation { mid, depth } = view.quotation()?;
    let [depth0, depth1] = depth;
    Some(Edge {
        pool: view.id,
        tokens: [first, second],
        mid: mid * (scale0 / scale1),
        depth: [depth0 / scale0, depth1 / scale1],
    })
}

/// What a trusted token was worth before the block, or is now if it had no
/// price before.
fn worth(
    figures: &Figures,
    before: &[Option<f64>],
    settled: Option<&[Option<Settled>]>,
    token: TokenId,
) -> Option<Worth> {
    let index = token.index();
    let standing = figures.standings.get(index).copied().flatten();
    let published = standing.zip(before.get(index).copied().flatten());
    let now = || {
        let settled = settled?.get(index)?.as_ref()?;
        Some((settled.standing, settled.usd))
    };
    let (standing, usd) = published.or_else(now)?;
    Some(Worth {
        usd,
        support: standing.support,
        decimals: figures.decimals(token)?,
    })
    .filter(|_| standing.is_trusted)
}

fn transfers(
    figures: &Figures,
    transfers: &[(Address, U256)],
    worth: impl Fn(TokenId) -> Option<Worth>,
) -> Vec<FlowPoint> {
    let mut sums: BTreeMap<TokenId, u128> = BTreeMap::new();
    for (address, amount) in transfers {
        if let Some(token) = figures.token(*address) {
            let sum = sums.entry(token).or_default();
            *sum = sum.saturating_add(amount.saturating_to());
        }
    }
    let moved = sums.into_iter().filter(|(_, units)| *units > 0);
    moved
        .map(|(token, units)| FlowPoint {
            token,
            flow: Flow::Transferred,
            units,
            usd: worth(token).map_or(0, |worth| worth.of(units)),
        })
        .collect()
}

fn supplies(figures: &Figures, supplies: &[(Address, U256)]) -> Vec<StockPoint> {
    let known = supplies
        .iter()
        .filter_map(|(address, units)| Some((figures.token(*address)?, units)));
    known
        .map(|(token, units)| StockPoint {
            token,
            stock: Stock::Supply,
            units: units.saturating_to(),
        })
        .collect()
}

/// Where prices stand differently.
fn points(figures: &Figures, settled: &[Option<Settled>]) -> Vec<PricePoint> {
    let tokens = (0..).map(TokenId).zip(figures.standings.iter());
    tokens
        .zip(settled)
        .filter_map(|((token, before), settled)| {
            let after = settled.as_ref()?.standing;
            (*before != Some(after)).then_some(PricePoint {
                token,
                before: *before,
                after,
            })
        })
        .collect()
}
