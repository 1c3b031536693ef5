//! Taking blocks back.

use super::{
    PriceBoard,
    bar::{Bar, Course, Ohlc},
};
use crate::{
    series::{
        Resolution,
        lane::Lane,
        track::{Track, place},
    },
    token_id::TokenId,
};

impl PriceBoard {
    /// Forgets every block from the minute of a time on, as if it had never
    /// been seen. Tokens without any older price have none any more.
    pub fn cut(&mut self, time: i64) {
        let start = Resolution::Minute.opens(Resolution::Minute.bucket(time));
        let week = place(Resolution::Week.bucket(start));
        let changed: Vec<TokenId> = self
            .tracks
            .iter()
            .filter(|(_, track)| {
                let newest = track.lane(Resolution::Week).last();
                newest.is_some_and(|(newest, _)| newest >= week)
            })
            .map(|(token, _)| token)
            .collect();
        // From the finest on: a bucket that begins before the cut is made anew
        // of finer ones, which are right already, those of hubs included.
        for resolution in Resolution::STORED {
            let bucket = place(resolution.bucket(start));
            for &token in &changed {
                let newest = self.tracks.get(token).map(|track| track.lane(resolution));
                let newest = newest.and_then(Lane::last);
                if newest.is_none_or(|(at, _)| at < bucket) {
                    continue;
                }
                let rest = self.rest(token, resolution, start);
                let lane = self.tracks.get_mut(token).lane_mut(resolution);
                lane.cut_within(bucket, rest);
            }
        }
        for token in changed {
            if self.tracks.get(token).is_some_and(Track::is_empty) {
                self.tracks.remove(token);
            }
        }
        self.refresh();
    }

    /// What is left of the bucket in which the cut lies, if it stays stored.
    fn rest(&self, token: TokenId, resolution: Resolution, start: i64) -> Option<Bar> {
        let finer = resolution.finer()?;
        let from = finer.bucket(resolution.opens(resolution.bucket(start)));
        let (from, to) = (
            place(from),
            place(finer.bucket(start.saturating_sub(1)) + 1),
        );
        let lane = self.tracks.get(token)?.lane(finer);
        let (_, newest) = lane.last().filter(|(at, _)| (from..to).contains(at))?;
        let bars = self
            .dense(token, finer, from..to, |bar: Ohlc| bar)
            .into_items();
        let course = bars.iter().map(Ohlc::course).reduce(Course::then)?;
        let quote = newest.quote;
        Some(Bar { course, quote })
    }
}
