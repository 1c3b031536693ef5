//! What one subscriber was told, and from that what it is to be told next.
//!
//! No event is kept for anybody: whoever reads seldom is told less often, and then
//! what is so by then.

use super::{
    super::{date::Time, points::Candle, resolution},
    events::{
        BlockEvent, CandleEvent, Hash, LaggingEvent, News, NewsBody, OrdersEvent, PricesEvent,
        ReorganisationEvent, StreamedPrice,
    },
    query::{Wanted, WantedSeries},
    source::{PriceFigure, Source},
};
use market::{figures, series::Bucket};
use primitives::BlockRef;
use services::{BlockHead, Missed};

/// Candles of a series that are told at once, the newest ones: with a chain whose
/// time stands still, a block changes all buckets since then.
const MAX_CANDLES: i64 = 64;

/// One subscriber.
#[derive(Debug)]
pub(super) struct StreamProgress {
    wanted: Wanted,
    /// The newest block that it knows.
    known: Option<BlockRef>,
    /// Whether it is this stream that told it of that block.
    has_begun: bool,
    /// Of each token, what it was told.
    prices: Vec<Option<PriceFigure>>,
    /// Of each series, the buckets that may still change.
    candles: Vec<Vec<(Bucket, figures::Candle)>>,
    /// The imprint of the trader's orders.
    orders: Option<u64>,
}

impl StreamProgress {
    /// A subscriber that knows the chain up to a block.
    pub(super) fn new(wanted: Wanted, known: Option<BlockRef>) -> Self {
        Self {
            prices: vec![None; wanted.tokens.len()],
            candles: vec![Vec::new(); wanted.series.len()],
            orders: None,
            wanted,
            known,
            has_begun: false,
        }
    }

    /// What is new, and is told with this.
    pub(super) fn next(&mut self, source: &impl Source) -> Vec<News> {
        let Some(newest) = source.recent().newest().copied() else {
            return Vec::new();
        };
        let mut news = Vec::new();
        self.tell_blocks(source, newest, &mut news);
        let bodies = [
            self.changed_prices(source, newest),
            self.changed_orders(source),
        ];
        let bodies = bodies.into_iter().flatten();
        let bodies = bodies.chain(self.changed_candles(source));
        let block = newest.at;
        news.extend(bodies.map(|body| News { block, body }));
        self.known = Some(block);
        self.has_begun = true;
        news
    }

    fn tell_blocks(&mut self, source: &impl Source, newest: BlockHead, news: &mut Vec<News>) {
        let missed = match self.known {
            Some(known) => source.recent().since(known),
            None => Missed::Unknown,
        };
        match missed {
            Missed::Blocks(blocks) => news.extend(blocks.iter().map(block)),
            Missed::Replaced { common, blocks } => {
                let known = self.known.map_or(common.number, |known| known.number);
                news.push(News {
                    block: common,
                    body: NewsBody::Reorganisation(ReorganisationEvent {
                        number: common.number,
                        hash: Hash(common.hash),
                        depth: known.saturating_sub(common.number),
                    }),
                });
                news.extend(blocks.iter().map(block));
                self.forget_candles();
            }
            Missed::Unknown => {
                if let Some(known) = self.known.filter(|_| self.has_begun) {
                    let missed = newest.at.number.saturating_sub(known.number);
                    let body = NewsBody::Lagging(LaggingEvent { missed });
                    let block = newest.at;
                    news.push(News { block, body });
                    self.prices.fill(None);
                    self.forget_candles();
                    self.orders = None;
                }
                news.push(block(&newest));
            }
        }
    }

    fn forget_candles(&mut self) {
        self.candles.iter_mut().for_each(Vec::clear);
    }

    fn changed_prices(&mut self, source: &impl Source, newest: BlockHead) -> Option<NewsBody> {
        let mut prices = Vec::new();
        for (token, told) in self.wanted.tokens.iter().zip(&mut self.prices) {
            let now = source.price(*token);
            if now != *told {
                *told = now;
                prices.push(StreamedPrice {
                    address: *token,
                    price_usd: now.map(|it| it.usd),
                    change_24h: now.and_then(|it| it.change),
                });
            }
        }
        let is_new = !prices.is_empty();
        let block_number = newest.at.number;
        is_new.then_some(NewsBody::Prices(PricesEvent {
            block_number,
            prices,
        }))
    }

    fn changed_orders(&mut self, source: &impl Source) -> Option<NewsBody> {
        let trader = self.wanted.trader?;
        let now = source.orders(trader)?;
        let told = self.orders.replace(now.imprint);
        (told != Some(now.imprint)).then_some(NewsBody::Orders(OrdersEvent {
            trader,
            block_number: now.block,
        }))
    }

    fn changed_candles(&mut self, source: &impl Source) -> Vec<NewsBody> {
        let series = self.wanted.series.iter().zip(&mut self.candles);
        let changed = series.flat_map(|(series, told)| {
            // A block changes no bucket before the one that the last block is in.
            let open = series.resolution.bucket(source.head_time());
            let from = told.first().map_or(open, |(bucket, _)| *bucket);
            let now = candles(source, *series, from);
            let changed: Vec<_> = now
                .iter()
                .filter(|it| !told.contains(it))
                .copied()
                .collect();
            *told = now
                .into_iter()
                .filter(|(bucket, _)| *bucket >= open)
                .collect();
            changed.into_iter().map(|(bucket, candle)| {
                let date = Time(series.resolution.opens(bucket));
                NewsBody::Candle(CandleEvent {
                    address: series.token,
                    resolution: resolution::name(series.resolution),
                    candle: Candle::new(date, &candle),
                })
            })
        });
        changed.collect()
    }
}

/// The candles of a series from a bucket on.
fn candles(
    source: &impl Source,
    series: WantedSeries,
    from: Bucket,
) -> Vec<(Bucket, figures::Candle)> {
    let WantedSeries { token, resolution } = series;
    let now = resolution.bucket(source.now());
    let span = from.max(now - MAX_CANDLES + 1)..now + 1;
    source.candles(token, resolution, span)
}

fn block(head: &BlockHead) -> News {
    let BlockHead { at, time } = *head;
    News {
        block: at,
        body: NewsBody::Block(BlockEvent {
            number: at.number,
            hash: Hash(at.hash),
            timestamp: Time(time.as_second()),
        }),
    }
}
