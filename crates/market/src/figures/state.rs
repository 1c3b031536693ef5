//! The figures themselves, and how blocks come and go.

use super::{
    delta::{Delta, PricePoint},
    ranking::Ranking,
    token::TokenFigures,
};
use crate::{
    price::{Quote, Standing},
    series::{PriceBoard, Resolution},
    token_id::TokenId,
};
use amm::book::Pools;
use primitives::Address;
use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

/// Prices, candles, volumes and TVL of every token, as of one block. Clones are
/// cheap and share everything that stays as it is.
#[derive(Debug, Clone, Default)]
pub struct Figures {
    pub(super) tokens: Arc<Vec<Arc<TokenFigures>>>,
    pub(super) by_address: Arc<HashMap<Address, TokenId>>,
    pub(super) standings: Arc<Vec<Option<Standing>>>,
    pub(super) prices: PriceBoard,
    pub(super) head_time: i64,
    pub(super) epoch: u64,
    /// The pools at the same block, and what is only worked out when asked.
    pub(super) pools: Pools,
    pub(super) ranking: Arc<OnceLock<Ranking>>,
}

/// A block that was taken up: what taking blocks back needs to know of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Taken {
    /// Its time, in seconds since 1970.
    pub time: i64,
    /// What it did.
    pub delta: Delta,
}

impl Figures {
    /// Takes up a block.
    pub fn apply(&mut self, block: &Taken) {
        self.head_time = self.head_time.max(block.time);
        for token in &block.delta.tokens {
            self.know(TokenFigures::new(token.address, token.decimals));
        }
        let standings = Arc::make_mut(&mut self.standings);
        for point in &block.delta.prices {
            if let Some(standing) = standings.get_mut(point.token.index()) {
                *standing = Some(point.after);
            }
        }
        self.follow(self.head_time, &block.delta);
    }

    /// Takes back the newest blocks, given newest first as far as
    /// [`Delta::to_take_back`] tells of them, so that a block of time `to` is
    /// the newest again. `rest` are the blocks that stay, the
    /// oldest first, of the minute of `to`: buckets are never taken apart, the
    /// last minute is made again.
    pub fn rollback(&mut self, undone: &[Taken], to: i64, rest: &[Taken]) {
        let gone: usize = undone.iter().map(|block| block.delta.tokens.len()).sum();
        let standings = Arc::make_mut(&mut self.standings);
        for point in undone.iter().flat_map(|block| &block.delta.prices) {
            if let Some(standing) = standings.get_mut(point.token.index()) {
                *standing = point.before;
            }
        }
        self.forget_newest(gone);
        self.prices.cut(to);
        for token in Arc::make_mut(&mut self.tokens) {
            // Readers share the others.
            if token.reaches(to) {
                Arc::make_mut(token).cut(to);
            }
        }
        for block in rest {
            self.follow(block.time, &block.delta);
        }
        self.head_time = to;
        self.epoch += 1;
    }

    /// The same figures with the pools of their block, for readers.
    #[must_use]
    pub fn with_pools(&self, pools: &Pools) -> Self {
        Self {
            pools: pools.clone(),
            ranking: Arc::default(),
            ..self.clone()
        }
    }

    /// How much there is of a token, if that was read and is not nothing.
    pub(super) fn supply(&self, token: TokenId) -> Option<u128> {
        let supply = self.tokens.get(token.index())?.supply.now()?;
        (supply > 0).then_some(supply)
    }

    /// The first second of the minute that [`Figures::rollback`] to a time
    /// makes again.
    pub fn boundary(to: i64) -> i64 {
        Resolution::Minute.opens(Resolution::Minute.bucket(to))
    }

    pub(super) fn know(&mut self, token: TokenFigures) {
        let Ok(number) = u32::try_from(self.tokens.len()) else {
            return;
        };
        Arc::make_mut(&mut self.by_address).insert(token.address, TokenId(number));
        Arc::make_mut(&mut self.tokens).push(Arc::new(token));
        Arc::make_mut(&mut self.standings).push(None);
    }

    /// What a block does to series; standings and tokens are settled already.
    fn follow(&mut self, time: i64, delta: &Delta) {
        let quotes: Vec<(TokenId, Quote)> = delta
            .prices
            .iter()
            .filter(|point| point.is_new_quote())
            .map(|PricePoint { token, after, .. }| (*token, after.quote))
            .collect();
        if !quotes.is_empty() {
            self.prices.block(time, &quotes);
        }
        if delta.flows.is_empty() && delta.stocks.is_empty() {
            return;
        }
        let tokens = Arc::make_mut(&mut self.tokens);
        for point in &delta.flows {
            if let Some(token) = tokens.get_mut(point.token.index()) {
                Arc::make_mut(token).add(point.flow, time, point.units, point.usd);
            }
        }
        for point in &delta.stocks {
            if let Some(token) = tokens.get_mut(point.token.index()) {
                Arc::make_mut(token).set(point.stock, time, point.units);
            }
        }
    }

    fn forget_newest(&mut self, tokens: usize) {
        if tokens == 0 {
            return;
        }
        let kept = self.tokens.len().saturating_sub(tokens);
        Arc::make_mut(&mut self.tokens).truncate(kept);
        Arc::make_mut(&mut self.standings).truncate(kept);
        Arc::make_mut(&mut self.by_address).retain(|_, token| token.index() < kept);
    }
}
