//! What is published of a price that was found, given what was published
//! before: a jump that little stands behind waits, and what did not change is
//! not said again.

use super::{Hub, Quote, Rules, Settled, Standing, median::Agreement};

/// What the block before published of a token.
#[derive(Debug, Clone, Copy)]
pub(super) struct Last {
    pub(super) standing: Standing,
    pub(super) usd: f64,
}

/// A price as this block's pools have it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub(super) quote: Quote,
    pub(super) usd: f64,
    pub(super) agreement: Agreement,
}

/// Takes a price as it was found, or goes on with the last one where it jumped.
pub(super) fn publish(
    found: &Found,
    is_trusted: bool,
    last: Option<Last>,
    rules: &Rules,
) -> Settled {
    let accepted = Settled {
        standing: Standing {
            quote: found.quote,
            support: found.agreement.support,
            pools: found.agreement.pools,
            is_trusted,
            held: 0,
        },
        usd: found.usd,
    };
    match last {
        Some(last) if is_held(found, last, rules) => hold(last),
        Some(last) => unchanged_or(accepted, last),
        None => accepted,
    }
}

/// Whether a price is a jump that waits: it moved far, less than a part of what
/// supported the old price supports the new one, and it has not waited long.
pub(super) fn is_held(found: &Found, last: Last, rules: &Rules) -> bool {
    let moved = (found.usd / last.usd).max(last.usd / found.usd);
    moved > rules.jump
        && found.agreement.support < last.standing.support * rules.confirmation
        && last.standing.held < rules.held_blocks
}

/// The price of before for one more block. What supported it stays beside it,
/// or the next block would compare the jump with itself.
fn hold(last: Last) -> Settled {
    Settled {
        standing: Standing {
            quote: Quote {
                hub: Hub::Usd,
                ratio: last.usd,
            },
            held: last.standing.held.saturating_add(1),
            ..last.standing
        },
        usd: last.usd,
    }
}

/// The price of before, to which no pool says anything any more.
pub(super) fn keep(quote: Quote, usd: f64, last: Last) -> Settled {
    let kept = Settled {
        standing: Standing {
            quote,
            support: 0.0,
            pools: [None; 3],
            is_trusted: false,
            held: 0,
        },
        usd,
    };
    unchanged_or(kept, last)
}

/// Support and pools change with every trade. They are published only with
/// something that matters.
fn unchanged_or(settled: Settled, last: Last) -> Settled {
    let (now, then) = (&settled.standing, &last.standing);
    let is_same = (now.quote, now.is_trusted, now.held) == (then.quote, then.is_trusted, then.held);
    Settled {
        standing: if is_same { *then } else { *now },
        ..settled
    }
}
