//! The tracks of all tokens, cheap to copy and to change in few places.

use super::bar::Bar;
use crate::{series::track::Track, token_id::TokenId};
use std::sync::Arc;

/// Tokens whose places are copied together when one of them changes.
const BOARD: usize = 32;

type Board = Vec<Option<Arc<Track<Bar>>>>;

/// A track per token, which copies share until one of them changes it.
#[derive(Debug, Clone, Default)]
pub(super) struct Tracks(Vec<Arc<Board>>);

impl Tracks {
    pub(super) fn get(&self, token: TokenId) -> Option<&Track<Bar>> {
        let index = token.index();
        let track = self.0.get(index / BOARD)?.get(index % BOARD)?;
        track.as_deref()
    }

    /// The track of a token, a new one if it has none.
    pub(super) fn get_mut(&mut self, token: TokenId) -> &mut Track<Bar> {
        Arc::make_mut(self.slot(token).get_or_insert_default())
    }

    pub(super) fn remove(&mut self, token: TokenId) {
        *self.slot(token) = None;
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (TokenId, &Track<Bar>)> {
        let boards = (0..).step_by(BOARD).zip(&self.0);
        boards.flat_map(|(first, board)| {
            let tracks = (first..).zip(board.iter());
            tracks.filter_map(|(token, track)| Some((TokenId(token), track.as_deref()?)))
        })
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "the board was made to hold the index"
    )]
    fn slot(&mut self, token: TokenId) -> &mut Option<Arc<Track<Bar>>> {
        let (board, place) = (token.index() / BOARD, token.index() % BOARD);
        if board >= self.0.len() {
            self.0
                .resize_with(board + 1, || Arc::new(vec![None; BOARD]));
        }
        &mut Arc::make_mut(&mut self.0[board])[place]
    }
}
