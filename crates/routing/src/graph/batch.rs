//! Pairs that are written together.

use super::board::{PairView, Size};
use super::boards::Boards;
use super::index::ROWS;
use super::topology::{PairId, Topology};
use amm::book::{PoolId, PoolView, Pools, State};

/// Bytes from which on a board is full.
pub(super) const FULL: usize = 128 * 1024;

/// A pair with so many pools changes often, and is long. It has a board of its
/// own that goes with it, and no other pair has to move because of it.
const LARGE: usize = 16;

/// Pairs that are looked at together. To look at many of them before they are
/// written costs little, since one look does not wait for the other, and then
/// nobody waits while they are written.
const LOOK: usize = 32;

const _: () = assert!(Size::of_rows(ROWS as usize - LOOK).bytes() >= FULL);

/// Pools that changed or came, with their pair, in the order of their numbers.
pub(super) type Changed = [(PairId, PoolId)];

/// A pair that will be written.
pub(super) struct Rewrite<'a> {
    pub(super) number: PairId,
    /// Those of its pools that changed or came; none if it just moves.
    pub(super) changed: &'a Changed,
    /// The pair as it is, unless nothing of it stays.
    pub(super) before: Option<PairView<'a>>,
    /// How large it will be about, rather too large than too small: lists that
    /// have to grow are copied.
    pub(super) size: Size,
}

impl Rewrite<'_> {
    pub(super) const fn is_large(&self) -> bool {
        self.size.slots >= LARGE
    }
}

/// The next pairs, until a board is full of the small ones.
pub(super) fn next<'a>(
    pairs: &mut impl Iterator<Item = (PairId, &'a Changed)>,
    boards: &'a Boards,
    topology: &Topology,
    pools: &Pools,
) -> Vec<Rewrite<'a>> {
    // Cold memory is asked for nothing that is not needed.
    let before = |(pair, changed): &(PairId, &Changed)| {
        let is_new = !changed.is_empty() && topology.is_single(*pair);
        if is_new { None } else { boards.pair(*pair) }
    };
    let mut batch = Vec::new();
    let mut small = Size::default();
    while small.bytes() < FULL {
        let seen: Vec<(PairId, &Changed)> = pairs.by_ref().take(LOOK).collect();
        if seen.is_empty() {
            break;
        }
        let changed = seen.iter().flat_map(|(_, changed)| *changed);
        let found: Vec<_> = changed.map(|(_, pool)| pools.get(*pool)).collect();
        let known: Vec<_> = seen.iter().map(before).collect();
        let mut found = found.iter();
        for ((number, changed), before) in seen.into_iter().zip(known) {
            let new = found.by_ref().take(changed.len()).flatten();
            let size = size(before, new);
            let pair = Rewrite {
                number,
                changed,
                before,
                size,
            };
            if !pair.is_large() {
                small = small + size;
            }
            batch.push(pair);
        }
    }
    batch
}

/// How large a pair will be about.
fn size<'a>(before: Option<PairView<'_>>, new: impl Iterator<Item = &'a PoolView<'a>>) -> Size {
    let mut size = before.map_or(Size::default(), |pair| pair.size());
    let new = new
        .map(size_on_board)
        .fold(Size::default(), |all, size| all + size);
    if size.slots == 1 && new.slots > 0 {
        // It is written anew.
        size = Size::default();
    }
    let mut size = size + new;
    size.rows = 1;
    if size.slots == 1 {
        // Of a pool that is alone no changes of slope are kept.
        size.changes = 0;
    }
    size
}

/// What a pool adds to a board, or about so much.
fn size_on_board(pool: &PoolView<'_>) -> Size {
    let pieces = match pool.pool.state() {
        State::Reserves(_) => 2,
        // Counted one by one, they are at hand when the curve is read: a search
        // among them would wait for each that it visits.
        State::Concentrated(ranges) => {
            2 + ranges.ticks.iter().filter(|tick| tick.gross > 0).count()
        }
    };
    Size {
        rows: 0,
        rungs: pieces,
        slots: 1,
        changes: pieces,
    }
}
