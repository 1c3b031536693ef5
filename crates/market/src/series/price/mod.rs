//! The prices of all tokens over time.
//!
//! A price is a step function: it changes with a block, and only its value
//! after the block counts. A token hangs on a hub, so that its price in USD
//! moves whenever the hub's does. A bucket is stored only if the token's own
//! quote changed in it. In every other bucket the candle is the ratio times the
//! hub's candle: rounding the product with a positive constant keeps the order
//! of numbers, so that highs, lows and closes are those of the step function,
//! bit for bit. A hub without a record in a bucket did not move in it.

mod bar;
mod cut;
mod pages;
mod ratio;
mod read;
mod tracks;

#[cfg(test)]
mod tests;

use super::{
    Resolution,
    track::{Track, place},
};
use crate::{
    price::{Hub, Quote},
    token_id::TokenId,
};
use bar::{Bar, is_price};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use tracks::Tracks;

pub use bar::Ohlc;
pub(crate) use {bar::Course, read::Make};

/// The price of one token over time; what it means depends on its hubs.
#[derive(Debug, Clone, Default)]
pub struct PriceTrack(Track<Bar>);

/// The prices of all tokens over time. Clones are cheap and share everything
/// that does not change.
#[derive(Debug, Clone, Default)]
pub struct PriceBoard {
    tracks: Tracks,
    /// The newest week in which anything changed, and what changed in it: the
    /// tokens with records that their hubs may still move.
    week: u32,
    fresh: Arc<BTreeSet<TokenId>>,
}

/// What a block does to one token.
struct Step {
    token: TokenId,
    quote: Quote,
    usd: f64,
    had_hub: bool,
}

impl PriceBoard {
    /// Applies a block: the quotes that it changed, each token at most once.
    /// Times never fall. A hub is on the dollar, and stays so while anything
    /// hangs on it. A quote that makes no price, because its hub has none or
    /// the product is not a positive number, changes nothing.
    pub fn block(&mut self, time: i64, quotes: &[(TokenId, Quote)]) {
        let mut steps = self.steps(quotes);
        if steps.is_empty() {
            return;
        }
        self.enter(place(Resolution::Week.bucket(time)));
        // What hangs on a hub begins its candle from what the hub's was before.
        steps.sort_by_key(|step| !step.had_hub);
        for step in &steps {
            self.step(time, step);
        }
        let moved: BTreeMap<TokenId, f64> = steps
            .iter()
            .filter(|step| step.quote.hub == Hub::Usd)
            .map(|step| (step.token, step.usd))
            .collect();
        if !moved.is_empty() {
            self.drift(time, &moved);
        }
    }

    /// The price of now.
    pub fn usd(&self, token: TokenId) -> Option<f64> {
        let Bar { course, quote } = self.tracks.get(token)?.last()?;
        match quote.hub {
            Hub::Usd => Some(course.close),
            Hub::Token(hub) => Some(quote.ratio * self.tracks.get(hub)?.last()?.course.close),
        }
    }

    /// The quote of now.
    pub fn quote(&self, token: TokenId) -> Option<Quote> {
        Some(self.tracks.get(token)?.last()?.quote)
    }

    /// When the minute of the first price begins.
    pub fn first(&self, token: TokenId) -> Option<i64> {
        self.tracks.get(token)?.first()
    }

    /// The price of a token that is on the dollar.
    fn dollars(&self, hub: TokenId) -> Option<f64> {
        let bar = self.tracks.get(hub)?.last()?;
        (bar.quote.hub == Hub::Usd).then_some(bar.course.close)
    }

    /// What really changes.
    fn steps(&self, quotes: &[(TokenId, Quote)]) -> Vec<Step> {
        let hubs: BTreeMap<TokenId, f64> = quotes
            .iter()
            .filter(|(_, quote)| quote.hub == Hub::Usd)
            .map(|(token, quote)| (*token, quote.ratio))
            .collect();
        let step = |&(token, quote): &(TokenId, Quote)| {
            let before = self.quote(token);
            let hub = match quote.hub {
                Hub::Usd => 1.0,
                Hub::Token(hub) if hub == token => return None,
                Hub::Token(hub) => hubs.get(&hub).copied().or_else(|| self.dollars(hub))?,
            };
            let usd = quote.ratio * hub;
            let changes = before != Some(quote) && is_price(quote.ratio) && is_price(usd);
            changes.then_some(Step {
                token,
                quote,
                usd,
                had_hub: before.is_some_and(|before| before.hub != Hub::Usd),
            })
        };
        quotes.iter().filter_map(step).collect()
    }

    fn enter(&mut self, week: u32) {
        if week > self.week {
            self.week = week;
            self.fresh = Arc::default();
        }
    }

    /// Gives a token a new price of its own.
    fn step(&mut self, time: i64, step: &Step) {
        for resolution in Resolution::STORED {
            let bucket = place(resolution.bucket(time));
            let begun = self.begun(step.token, resolution, bucket);
            let begun = begun.unwrap_or(Course::flat(step.usd));
            let bar = Bar {
                course: begun.reaching(step.usd),
                quote: step.quote,
            };
            let track = self.tracks.get_mut(step.token);
            track.lane_mut(resolution).put(bucket, bar);
        }
        if !self.fresh.contains(&step.token) {
            Arc::make_mut(&mut self.fresh).insert(step.token);
        }
    }

    /// The candle of the newest bucket before a block that falls into it.
    fn begun(&self, token: TokenId, resolution: Resolution, bucket: u32) -> Option<Course> {
        let (at, bar) = self.tracks.get(token)?.lane(resolution).last()?;
        if at >= bucket {
            return Some(bar.course);
        }
        let Hub::Token(hub) = bar.quote.hub else {
            return Some(Course::flat(bar.course.close));
        };
        let (at, hub) = self.tracks.get(hub)?.lane(resolution).last()?;
        Some(if at >= bucket {
            hub.course.times(bar.quote.ratio)
        } else {
            Course::flat(bar.quote.ratio * hub.course.close)
        })
    }

    /// Moves what hangs on hubs that moved, in the buckets in which it has
    /// records; elsewhere it follows from the hub's.
    fn drift(&mut self, time: i64, moved: &BTreeMap<TokenId, f64>) {
        for &token in Arc::clone(&self.fresh).iter() {
            let newest = self.tracks.get(token).and_then(Track::last);
            let usd = newest.and_then(|bar| match bar.quote.hub {
                Hub::Usd => None,
                Hub::Token(hub) => Some(bar.quote.ratio * moved.get(&hub)?),
            });
            let Some(usd) = usd else { continue };
            let track = self.tracks.get_mut(token);
            for resolution in Resolution::STORED.into_iter().rev() {
                let lane = track.lane_mut(resolution);
                let Some(open) = lane.open_at(place(resolution.bucket(time))) else {
                    break;
                };
                open.course = open.course.reaching(usd);
            }
        }
    }

    /// Finds again what follows from the tracks.
    fn refresh(&mut self) {
        let weeks = |(token, track): (TokenId, &Track<Bar>)| {
            let (week, _) = track.lane(Resolution::Week).last()?;
            Some((week, token))
        };
        let weeks: Vec<(u32, TokenId)> = self.tracks.iter().filter_map(weeks).collect();
        self.week = weeks.iter().map(|(week, _)| *week).max().unwrap_or(0);
        let newest = weeks.iter().filter(|(week, _)| *week == self.week);
        self.fresh = Arc::new(newest.map(|(_, token)| *token).collect());
    }
}
