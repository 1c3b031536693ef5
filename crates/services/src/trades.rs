//! The trades of a token, newest first.
//!
//! Figures know the minutes in which a token was traded, and the store has what
//! happened to pools in each block: a request reads the blocks of those minutes
//! alone, so many at most, however rarely the token is traded.

use crate::{
    fault::Fault,
    snapshot::{Snapshot, Snapshots},
};
use amm::book::PoolId;
use market::{TokenId, figures::UsdE8, trades_among};
use primitives::{Address, Felt, SignedDuration, Timestamp};
use std::{ops::Range, sync::Arc, time::Duration};
use store::{Store, TradedBlock};

/// Minutes that a request looks at, and blocks of them.
const MAX_MINUTES: usize = 256;
const MAX_BLOCKS: usize = 512;

/// Blocks that it looks at first.
const FIRST_BLOCKS: usize = 32;

const MINUTE_S: i64 = 60;

/// A snapshot whose block the store has taken back is followed by the next one at
/// once: how often that is looked for, and after how long.
const LOOKS: u32 = 20;
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// The place of a trade in the chain. Trades come before those of a higher place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TradePlace {
    /// The height of its block.
    pub block: u64,
    /// Its place among the trades of the block.
    pub place: u32,
}

/// Some trades of a token in a span of time, the newest first.
#[derive(Debug, Clone)]
pub struct TradesAsked {
    /// Trades that sold or bought it.
    pub token: Address,
    /// Of these seconds since 1970.
    pub span: Range<i64>,
    /// Before this one, whose block is of this time, in seconds since 1970.
    pub before: Option<(TradePlace, i64)>,
    /// At most so many.
    pub limit: usize,
}

/// A trade, seen from one of its tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToldTrade {
    /// Where it is.
    pub place: TradePlace,
    /// The time in its block's header.
    pub time: Timestamp,
    /// The hash of its transaction, if it is kept.
    pub transaction: Option<Felt>,
    /// The pool that was traded with, by its place in the page's snapshot.
    pub pool: PoolId,
    /// Whether the token was bought from the pool.
    pub is_purchase: bool,
    /// How much of the token.
    pub amount: u128,
    /// The other token.
    pub other: Address,
    /// How much of it.
    pub other_amount: u128,
    /// What it was worth, in hundred-millionths of a dollar, if that is known.
    pub usd: Option<UsdE8>,
}

/// Some trades, newest first.
#[derive(Debug, Clone)]
pub struct TradePage {
    /// As of this snapshot, which knows the pools.
    pub snapshot: Arc<Snapshot>,
    /// At most as many as were asked for.
    pub trades: Vec<ToldTrade>,
    /// Where to go on, with the time of that block; none after the oldest.
    pub next: Option<(TradePlace, i64)>,
}

/// Where trades are read.
#[derive(Debug, Clone)]
pub struct TradeHistory {
    store: Store,
    snapshots: Snapshots,
    /// How long trades are kept, seen from the newest block.
    keep: Option<SignedDuration>,
}

impl TradeHistory {
    /// The trades that a store has.
    #[must_use]
    pub const fn new(store: Store, snapshots: Snapshots) -> Self {
        Self {
            store,
            snapshots,
            keep: None,
        }
    }

    /// Tells of no trade that is older than those that are kept, seen from the newest
    /// block, although the store may still have it: all processes tell the same.
    #[must_use]
    pub const fn keeping(mut self, keep: Option<SignedDuration>) -> Self {
        self.keep = keep;
        self
    }

    /// Some trades of a token as of the newest snapshot; none while the store does
    /// not have its block: before the first one, while history is still indexed,
    /// or while a reorganisation is taken up.
    pub async fn page(&self, asked: &TradesAsked) -> Result<Option<TradePage>, Fault> {
        for _ in 0..LOOKS {
            let Some(snapshot) = self.snapshots.load().filter(|it| !it.provisional) else {
                return Ok(None);
            };
            if let Some(page) = self.read(snapshot, asked).await? {
                return Ok(Some(page));
            }
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
        Ok(None)
    }

    /// What is asked for, without what is not kept.
    fn kept(&self, snapshot: &Snapshot, asked: &TradesAsked) -> TradesAsked {
        let oldest = self
            .keep
            .and_then(|keep| snapshot.head_time.checked_sub(keep).ok());
        let oldest = oldest.map_or(i64::MIN, Timestamp::as_second);
        let Range { start, end } = asked.span;
        TradesAsked {
            span: start.max(oldest)..end,
            ..asked.clone()
        }
    }

    async fn read(
        &self,
        snapshot: Arc<Snapshot>,
        asked: &TradesAsked,
    ) -> Result<Option<TradePage>, Fault> {
        let asked = &self.kept(&snapshot, asked);
        let token = snapshot.figures.token(asked.token);
        let minutes = token.map(|token| minutes(&snapshot, token, asked));
        let minutes = minutes.unwrap_or_default();
        let mut search = Search::new(asked, spans(&minutes, &asked.span));
        while let Some(most) = search.wants() {
            let (last, spans) = (search.last, &search.spans);
            let read = self
                .store
                .chain()
                .traded_blocks(snapshot.head, last, spans, most);
            let Some(blocks) = read.await? else {
                return Ok(None);
            };
            search.take(&snapshot, &blocks, most);
        }
        let next = search.next.or_else(|| {
            let (token, oldest) = (token?, minutes.last()?);
            search.earlier(&snapshot, token, *oldest)
        });
        Ok(Some(TradePage {
            snapshot,
            trades: search.trades,
            next,
        }))
    }
}

/// The minutes that are looked at, newest first.
fn minutes(snapshot: &Snapshot, token: TokenId, asked: &TradesAsked) -> Vec<i64> {
    let Range { start, end } = asked.span;
    let end = asked
        .before
        .map_or(end, |(_, time)| end.min(time.saturating_add(1)));
    snapshot
        .figures
        .traded_minutes(token, start..end, MAX_MINUTES)
}

/// The times that minutes take, newest first; those that follow one another are
/// one.
fn spans(minutes: &[i64], within: &Range<i64>) -> Vec<Range<Timestamp>> {
    let mut spans: Vec<Range<i64>> = Vec::new();
    for minute in minutes {
        let end = minute.saturating_add(MINUTE_S);
        match spans.last_mut() {
            Some(later) if later.start == end => later.start = *minute,
            _ => spans.push(*minute..end),
        }
    }
    let cut = spans.into_iter().map(|span| {
        let second = |second: i64| Timestamp::from_second(second).unwrap_or(Timestamp::MAX);
        second(span.start.max(within.start))..second(span.end.min(within.end))
    });
    cut.collect()
}

/// What was found, and where to look on. Few blocks are read at first: mostly they
/// are enough.
struct Search<'a> {
    asked: &'a TradesAsked,
    /// Times that were not looked at, newest first.
    spans: Vec<Range<Timestamp>>,
    /// The highest block that was not looked at.
    last: u64,
    /// Blocks that may still be read, and those of the next look.
    room: usize,
    batch: usize,
    trades: Vec<ToldTrade>,
    /// Where to go on, if it is known.
    next: Option<(TradePlace, i64)>,
}

impl<'a> Search<'a> {
    fn new(asked: &'a TradesAsked, spans: Vec<Range<Timestamp>>) -> Self {
        Self {
            asked,
            spans,
            last: asked.before.map_or(u64::MAX, |(place, _)| place.block),
            room: MAX_BLOCKS,
            batch: FIRST_BLOCKS,
            trades: Vec::new(),
            next: None,
        }
    }

    /// How many blocks are to be read; none if there is nothing left to do.
    fn wants(&self) -> Option<usize> {
        let is_done = self.next.is_some() || self.spans.is_empty();
        (!is_done).then_some(self.batch.min(self.room))
    }

    /// Takes up the blocks that were found where at most so many were wanted.
    fn take(&mut self, snapshot: &Snapshot, blocks: &[TradedBlock], most: usize) {
        for block in blocks {
            for trade in of_block(snapshot, self.asked.token, block) {
                let before = self.asked.before;
                if before.is_some_and(|(place, _)| trade.place >= place) {
                    continue;
                }
                if self.trades.len() == self.asked.limit {
                    let last = self.trades.last();
                    self.next = last.map(|it| (it.place, it.time.as_second()));
                    return;
                }
                self.trades.push(trade);
            }
        }
        self.room = self.room.saturating_sub(blocks.len());
        self.batch = self.batch.saturating_mul(2);
        let Some(oldest) = blocks.last().filter(|_| blocks.len() >= most) else {
            self.spans.clear();
            return;
        };
        let (block, place) = (oldest.block.number, 0);
        if self.room == 0 {
            let time = oldest.time.as_second();
            self.next = Some((TradePlace { block, place }, time));
        }
        self.last = block.saturating_sub(1);
        self.spans.retain(|span| span.start <= oldest.time);
    }

    /// Where to go on before a minute, if there is anything before it.
    fn earlier(
        &self,
        snapshot: &Snapshot,
        token: TokenId,
        minute: i64,
    ) -> Option<(TradePlace, i64)> {
        let before = self.asked.span.start..minute;
        let figures = &snapshot.figures;
        figures.traded_minutes(token, before, 1).first()?;
        // Everything in between was looked at.
        let block = self.last.min(snapshot.head.number);
        let place = TradePlace {
            block,
            place: u32::MAX,
        };
        Some((place, minute.saturating_sub(1)))
    }
}

/// The trades of a token in a block, newest first.
fn of_block(snapshot: &Snapshot, token: Address, block: &TradedBlock) -> Vec<ToldTrade> {
    let all = trades_among(&block.changes);
    let kept = block.trades.as_ref().filter(|kept| kept.len() == all.len());
    let told = (0..).zip(&all).filter_map(|(place, trade)| {
        let tokens = snapshot.pools.get(trade.pool)?.tokens();
        let side = tokens.iter().position(|it| *it == token)?;
        let (own, other) = (*trade.gained.get(side)?, *trade.gained.get(1 - side)?);
        let kept = kept.and_then(|kept| kept.get(usize::try_from(place).ok()?));
        Some(ToldTrade {
            place: TradePlace {
                block: block.block.number,
                place,
            },
            time: block.time,
            transaction: kept.and_then(|kept| kept.transaction),
            pool: trade.pool,
            is_purchase: own.is_negative(),
            amount: own.magnitude(),
            other: *tokens.get(1 - side)?,
            other_amount: other.magnitude(),
            usd: kept.map(|kept| kept.usd).filter(|usd| *usd > 0),
        })
    });
    let mut told: Vec<ToldTrade> = told.collect();
    told.reverse();
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_that_follow_one_another_are_one_span() {
        let second = |second| Timestamp::from_second(second).unwrap();
        let minutes = [600, 540, 480, 300, 60];
        let expected = [480..660, 300..360, 60..120].map(|it| second(it.start)..second(it.end));
        assert_eq!(spans(&minutes, &(0..1_000)), expected);
        let cut = spans(&minutes, &(70..630));
        assert_eq!(cut.first().unwrap().end, second(630));
        assert_eq!(cut.last().unwrap().start, second(70));
        assert!(spans(&[], &(0..9)).is_empty());
    }
}
