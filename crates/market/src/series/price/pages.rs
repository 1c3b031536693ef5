//! Prices as pages.

use super::{PriceBoard, PriceTrack};
use crate::{
    series::{PageError, TrackPage, track::Track},
    token_id::TokenId,
};

impl PriceTrack {
    /// What pages hold, which come in the order of time within each resolution.
    pub fn from_pages(pages: impl IntoIterator<Item = TrackPage>) -> Result<Self, PageError> {
        Track::from_pages(pages).map(Self)
    }
}

impl PriceBoard {
    /// The board of tracks that were kept together.
    pub fn from_tracks(tracks: impl IntoIterator<Item = (TokenId, PriceTrack)>) -> Self {
        let mut board = Self::default();
        for (token, track) in tracks {
            if !track.0.is_empty() {
                *board.tracks.get_mut(token) = track.0;
            }
        }
        board.refresh();
        board
    }

    /// Pages that are new or changed since the last call, in the order of
    /// tokens.
    pub fn take_pages(&mut self) -> Vec<(TokenId, TrackPage)> {
        let changed = self.tracks.iter().filter(|(_, track)| track.is_changed());
        let changed: Vec<TokenId> = changed.map(|(token, _)| token).collect();
        let mut taken = Vec::new();
        for token in changed {
            let pages = self.tracks.get_mut(token).take_pages();
            taken.extend(pages.into_iter().map(|page| (token, page)));
        }
        taken
    }

    /// The page that a time lies in and all later ones, of every token and in
    /// each resolution.
    pub fn pages_from(&self, time: i64) -> Vec<(TokenId, TrackPage)> {
        let pages = |(token, track): (TokenId, &Track<_>)| {
            let pages = track.pages_from(time).into_iter();
            pages.map(move |page| (token, page))
        };
        self.tracks.iter().flat_map(pages).collect()
    }
}
