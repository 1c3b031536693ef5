//! The series of one token, apart from its price.

use super::delta::{Flow, Stock};
use crate::series::{LevelTrack, SumTrack};
use amm::book::VenueId;
use primitives::Address;
use std::sync::Arc;

/// One token with what is counted of it.
#[derive(Debug, Clone)]
pub(super) struct TokenFigures {
    pub(super) address: Address,
    pub(super) decimals: u8,
    /// Trades at all venues together.
    pub(super) traded: SumTrack,
    pub(super) net: SumTrack,
    pub(super) transferred: SumTrack,
    pub(super) supply: LevelTrack,
    /// By venue, in their order.
    pub(super) venues: Vec<Arc<VenueFigures>>,
}

/// One token at one venue. Copies share it until something happens there: most that
/// happens to a token happens at one of its venues.
#[derive(Debug, Clone)]
pub(super) struct VenueFigures {
    pub(super) venue: VenueId,
    pub(super) traded: SumTrack,
    pub(super) locked: LevelTrack,
}

impl TokenFigures {
    pub(super) fn new(address: Address, decimals: u8) -> Self {
        Self {
            address,
            decimals,
            traded: SumTrack::default(),
            net: SumTrack::default(),
            transferred: SumTrack::default(),
            supply: LevelTrack::default(),
            venues: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, flow: Flow, time: i64, units: u128, usd: u128) {
        match flow {
            Flow::Net => self.net.add(time, units, usd),
            Flow::Transferred => self.transferred.add(time, units, usd),
            Flow::Traded(venue) => {
                self.traded.add(time, units, usd);
                self.at_mut(venue).traded.add(time, units, usd);
            }
        }
    }

    pub(super) fn set(&mut self, stock: Stock, time: i64, units: u128) {
        match stock {
            Stock::Supply => self.supply.set(time, units),
            Stock::Locked(venue) => self.at_mut(venue).locked.set(time, units),
        }
    }

    /// Whether anything happened from the minute of `time` on.
    pub(super) fn reaches(&self, time: i64) -> bool {
        let mut flows = [&self.traded, &self.net, &self.transferred].into_iter();
        let mut venues = self.venues.iter();
        self.supply.reaches(time)
            || flows.any(|flow| flow.reaches(time))
            || venues.any(|at| at.reaches(time))
    }

    /// Forgets the minute of `time` and everything after it.
    pub(super) fn cut(&mut self, time: i64) {
        self.traded.cut(time);
        self.net.cut(time);
        self.transferred.cut(time);
        self.supply.cut(time);
        for at in &mut self.venues {
            if at.reaches(time) {
                Arc::make_mut(at).cut(time);
            }
        }
        self.venues
            .retain(|at| at.traded.first().is_some() || at.locked.first().is_some());
    }

    pub(super) fn at_mut(&mut self, venue: VenueId) -> &mut VenueFigures {
        let place = match self.venues.binary_search_by_key(&venue, |at| at.venue) {
            Ok(place) => place,
            Err(place) => {
                let traded = SumTrack::default();
                let locked = LevelTrack::default();
                let new = VenueFigures {
                    venue,
                    traded,
                    locked,
                };
                self.venues.insert(place, Arc::new(new));
                place
            }
        };
        #[expect(clippy::indexing_slicing, reason = "found or put there just now")]
        let at = &mut self.venues[place];
        Arc::make_mut(at)
    }
}

impl VenueFigures {
    fn reaches(&self, time: i64) -> bool {
        self.traded.reaches(time) || self.locked.reaches(time)
    }

    fn cut(&mut self, time: i64) {
        self.traded.cut(time);
        self.locked.cut(time);
    }
}
