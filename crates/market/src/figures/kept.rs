//! Figures as they are kept: pages of series, and what is known beside them.
//!
//! What each block does to figures is kept with the block. Pages are kept only
//! now and then: figures are the pages of some block and what the blocks after
//! it did.

use super::{state::Figures, token::TokenFigures};
use crate::{
    price::Standing,
    series::{
        LevelTrack, PageError, PriceBoard, PriceTrack, Resolution, SumTrack, TrackPage, page_at,
    },
    token_id::TokenId,
};
use amm::book::VenueId;
use primitives::{Address, OrImpossible as _};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use thiserror::Error;

/// Consecutive buckets of one series in one resolution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptPage {
    /// The number of a token times 256, plus that of the series among the token's.
    pub series: u32,
    /// Which resolution, from the finest on.
    pub resolution: u8,
    /// Which page of it, in the order of time.
    pub page: u32,
    /// The buckets.
    pub bytes: Vec<u8>,
}

/// What is new or changed in the pages since they were last kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptFigures {
    /// Everything that is not in pages.
    pub state: Vec<u8>,
    /// New and changed pages.
    pub pages: Vec<KeptPage>,
}

/// What pages become when blocks are taken back that they tell of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutFigures {
    /// Series from this one on are gone.
    pub series: u32,
    /// For each resolution, pages from this one on are gone.
    pub pages_from: Vec<(u8, u32)>,
    /// What stands in the place of what is gone.
    pub kept: KeptFigures,
}

/// Why figures cannot be made of what is kept.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum KeptError {
    /// The state makes no sense.
    #[error("the kept state of figures makes no sense")]
    State(#[from] postcard::Error),
    /// The state was written by another program.
    #[error("the form of the kept state of figures is not known")]
    Form,
    /// A page makes no sense.
    #[error("a kept page of series {series}")]
    Page {
        /// As `KeptPage` numbers it.
        series: u32,
        /// What is wrong.
        source: PageError,
    },
    /// A page belongs to no series.
    #[error("there is no series {0}")]
    Series(u32),
}

/// The form of the state, so that another form is never misread.
const FORM: u8 = 1;

/// Numbers of series that each token has for itself.
const PER_TOKEN: u32 = 256;

/// What is kept beside pages.
#[derive(Debug, Default, Serialize, Deserialize)]
struct KeptState {
    head_time: i64,
    tokens: Vec<(Address, u8)>,
    standings: Vec<Option<Standing>>,
}

/// The series of one token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slot {
    Price,
    Traded,
    Net,
    Transferred,
    Supply,
    TradedAt(VenueId),
    LockedAt(VenueId),
}

impl Slot {
    /// A token's series have numbers of their own: five, and two for each of at
    /// most 64 venues.
    fn number(self) -> u32 {
        match self {
            Self::Price => 0,
            Self::Traded => 1,
            Self::Net => 2,
            Self::Transferred => 3,
            Self::Supply => 4,
            Self::TradedAt(venue) => 64 + u32::from(venue.index()),
            Self::LockedAt(venue) => 128 + u32::from(venue.index()),
        }
    }

    fn of(number: u32) -> Option<Self> {
        let venue = |from: u32| VenueId::at(number.checked_sub(from)?.try_into().ok()?);
        Some(match number {
            0 => Self::Price,
            1 => Self::Traded,
            2 => Self::Net,
            3 => Self::Transferred,
            4 => Self::Supply,
            64..128 => Self::TradedAt(venue(64)?),
            128..192 => Self::LockedAt(venue(128)?),
            _ => return None,
        })
    }
}

/// A series that comes in pages.
trait Paged {
    fn changed(&mut self) -> Vec<TrackPage>;
    fn later(&self, time: i64) -> Vec<TrackPage>;
}

impl Paged for SumTrack {
    fn changed(&mut self) -> Vec<TrackPage> {
        self.take_pages()
    }

    fn later(&self, time: i64) -> Vec<TrackPage> {
        self.pages_from(time)
    }
}

impl Paged for LevelTrack {
    fn changed(&mut self) -> Vec<TrackPage> {
        self.take_pages()
    }

    fn later(&self, time: i64) -> Vec<TrackPage> {
        self.pages_from(time)
    }
}

impl Figures {
    /// What to keep after the newest block, beside what is kept already.
    pub fn keep(&mut self) -> KeptFigures {
        let mut pages = price_pages(self.prices.take_pages());
        let tokens = Arc::make_mut(&mut self.tokens);
        for (token, figures) in (0..).map(TokenId).zip(tokens) {
            for (slot, series) in Arc::make_mut(figures).series() {
                collect(&mut pages, token, slot, series.changed());
            }
        }
        let state = self.state();
        KeptFigures { state, pages }
    }

    /// What to put in the place of kept pages that tell of blocks after the
    /// newest one; from then on, everything is kept.
    pub fn cut_pages(&mut self) -> CutFigures {
        let time = self.head_time;
        let mut pages = price_pages(self.prices.pages_from(time));
        self.prices.take_pages();
        let tokens = Arc::make_mut(&mut self.tokens);
        for (token, figures) in (0..).map(TokenId).zip(tokens) {
            for (slot, series) in Arc::make_mut(figures).series() {
                collect(&mut pages, token, slot, series.later(time));
                series.changed();
            }
        }
        let tokens = u32::try_from(self.tokens.len()).unwrap_or(u32::MAX);
        let pages_from = Resolution::STORED
            .into_iter()
            .zip(0..)
            .map(|(resolution, index)| (index, page_at(resolution, time)));
        CutFigures {
            series: tokens.saturating_mul(PER_TOKEN),
            pages_from: pages_from.collect(),
            kept: KeptFigures {
                state: self.state(),
                pages,
            },
        }
    }

    /// Everything, as it would be kept.
    pub fn everything(&self) -> KeptFigures {
        let mut all = Self {
            head_time: 0,
            ..self.clone()
        };
        let CutFigures { kept, .. } = all.cut_pages();
        let state = self.state();
        KeptFigures { state, ..kept }
    }

    /// Figures of what was kept; the pages are in the order of series,
    /// resolutions and time.
    pub fn from_kept(kept: KeptFigures) -> Result<Self, KeptError> {
        let state = match kept.state.split_first() {
            Some((&FORM, bytes)) => postcard::from_bytes::<KeptState>(bytes)?,
            _ => return Err(KeptError::Form),
        };
        let mut figures = Self {
            head_time: state.head_time,
            ..Self::default()
        };
        for (address, decimals) in state.tokens {
            figures.know(TokenFigures::new(address, decimals));
        }
        let mut prices = Vec::new();
        let mut pages = kept.pages.into_iter().peekable();
        while let Some(first) = pages.next() {
            let series = first.series;
            let rest = std::iter::from_fn(|| pages.next_if(|page| page.series == series));
            let pages = std::iter::once(first).chain(rest);
            let pages = pages.map(|page| (page.resolution, page.page, page.bytes));
            figures.read(series, pages.collect(), &mut prices)?;
        }
        figures.prices = PriceBoard::from_tracks(prices);
        let standings = Arc::make_mut(&mut figures.standings);
        for (place, standing) in standings.iter_mut().zip(state.standings) {
            *place = standing;
        }
        Ok(figures)
    }

    /// Lets caches of readers know that these are not the figures that they
    /// have seen.
    pub fn begin_epoch(&mut self, epoch: u64) {
        self.epoch = epoch;
    }

    /// Takes up all pages of one series.
    fn read(
        &mut self,
        series: u32,
        pages: Vec<TrackPage>,
        prices: &mut Vec<(TokenId, PriceTrack)>,
    ) -> Result<(), KeptError> {
        let unknown = || KeptError::Series(series);
        let slot = Slot::of(series % PER_TOKEN).ok_or_else(unknown)?;
        let id = TokenId(series / PER_TOKEN);
        let token = Arc::make_mut(&mut self.tokens).get_mut(id.index());
        let token = Arc::make_mut(token.ok_or_else(unknown)?);
        let wrong = |source| KeptError::Page { series, source };
        let sums = |pages| SumTrack::from_pages(pages).map_err(wrong);
        let levels = |pages| LevelTrack::from_pages(pages).map_err(wrong);
        match slot {
            Slot::Price => {
                let track = PriceTrack::from_pages(pages).map_err(wrong)?;
                prices.push((id, track));
            }
            Slot::Traded => token.traded = sums(pages)?,
            Slot::Net => token.net = sums(pages)?,
            Slot::Transferred => token.transferred = sums(pages)?,
            Slot::Supply => token.supply = levels(pages)?,
            Slot::TradedAt(venue) => token.at_mut(venue).traded = sums(pages)?,
            Slot::LockedAt(venue) => token.at_mut(venue).locked = levels(pages)?,
        }
        Ok(())
    }

    fn state(&self) -> Vec<u8> {
        let tokens = self.tokens.iter();
        let state = KeptState {
            head_time: self.head_time,
            tokens: tokens
                .map(|token| (token.address, token.decimals))
                .collect(),
            standings: self.standings.to_vec(),
        };
        // Numbers and lists of them: there is nothing that could fail.
        let bytes = postcard::to_extend(&state, vec![FORM]);
        bytes
            .or_impossible("numbers and lists of them can be written")
            .unwrap_or_default()
    }
}

impl TokenFigures {
    /// Every series but the price.
    fn series(&mut self) -> impl Iterator<Item = (Slot, &mut dyn Paged)> {
        let own: [(Slot, &mut dyn Paged); 4] = [
            (Slot::Traded, &mut self.traded),
            (Slot::Net, &mut self.net),
            (Slot::Transferred, &mut self.transferred),
            (Slot::Supply, &mut self.supply),
        ];
        let venues = self.venues.iter_mut().flat_map(|at| {
            let at = Arc::make_mut(at);
            let both: [(Slot, &mut dyn Paged); 2] = [
                (Slot::TradedAt(at.venue), &mut at.traded),
                (Slot::LockedAt(at.venue), &mut at.locked),
            ];
            both
        });
        own.into_iter().chain(venues)
    }
}

fn price_pages(pages: Vec<(TokenId, TrackPage)>) -> Vec<KeptPage> {
    let mut kept = Vec::with_capacity(pages.len());
    for (token, page) in pages {
        collect(&mut kept, token, Slot::Price, vec![page]);
    }
    kept
}

fn collect(pages: &mut Vec<KeptPage>, token: TokenId, slot: Slot, bytes: Vec<TrackPage>) {
    let series = token.0.saturating_mul(PER_TOKEN) + slot.number();
    pages.extend(bytes.into_iter().map(|(resolution, page, bytes)| KeptPage {
        series,
        resolution,
        page,
        bytes,
    }));
}
