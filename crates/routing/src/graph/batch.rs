//! Pairs that are written together.

use super::board::{PairView, Size};
use super::boards::Boards;
use super::index::ROWS;
use super::topology::PairId;
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

/// A reason to write a pair. In their order, pairs with a single pool follow the
/// others: what hardly ever changes does not lie among what often does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Task {
    /// Whether the pair has one pool and no other.
    pub(super) is_single: bool,
    pub(super) pair: PairId,
    /// A pool of it that changed or came; none if the pair just moves.
    pub(super) changed: Option<PoolId>,
}

/// A pair that will be written.
pub(super) struct Rewrite<'a> {
    pub(super) number: PairId,
    pub(super) tasks: &'a [Task],
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

    /// Those of its pools that changed or came, in the order of their numbers.
    pub(super) fn changed(&self) -> impl Iterator<Item = PoolId> {
        self.tasks.iter().filter_map(|task| task.changed)
    }
}

/// The next pairs, until a board is full of the small ones.
pub(super) fn next<'a>(
    pairs: &mut impl Iterator<Item = &'a [Task]>,
    boards: &'a Boards,
    pools: &Pools,
) -> Vec<Rewrite<'a>> {
    let mut batch = Vec::with_capacity(8 * LOOK);
    let mut small = Size::default();
    let mut seen = Vec::with_capacity(LOOK);
    let mut found = Vec::with_capacity(2 * LOOK);
    while small.bytes() < FULL {
        seen.clear();
        seen.extend(pairs.by_ref().take(LOOK));
        if seen.is_empty() {
            break;
        }
        found.clear();
        let changed = seen.iter().copied().flatten();
        found.extend(changed.map(|task| pools.get(task.changed?)));
        let known: Vec<_> = seen.iter().map(|tasks| before(tasks, boards)).collect();
        let mut found = found.iter();
        for (tasks, before) in seen.iter().copied().zip(known) {
            let new = found.by_ref().take(tasks.len()).flatten();
            let Some(Task { pair, .. }) = tasks.first() else {
                continue;
            };
            let pair = Rewrite {
                number: *pair,
                tasks,
                before,
                size: size(before, new),
            };
            if !pair.is_large() {
                small = small + pair.size;
            }
            batch.push(pair);
        }
    }
    batch
}

/// The pair as it is. If its only pool changed, nothing of it stays, and cold
/// memory is not asked for it.
fn before<'a>(tasks: &[Task], boards: &'a Boards) -> Option<PairView<'a>> {
    match tasks.first()? {
        Task {
            is_single: true,
            changed: Some(_),
            ..
        } => None,
        task => boards.pair(task.pair),
    }
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
