//! What a dollar is: the middle of all stables that pools connect.
//!
//! Stables are compared with each other over pools between stables alone, never
//! through a token whose own price moves. One stable has one vote: one that
//! loses its peg is seen to, and does not move the others.

use super::{
    Hub, Quote, Settled, Standing,
    expansion::{Expansion, Hop, MOST_USD, Role},
    graph::{Link, is_sound},
    guard::Found,
    median::{self, Agreement},
};
use crate::token_id::TokenId;

/// How much deeper another of two stables in the middle must be to take over
/// from the one that is the dollar: two that are equally deep must not take
/// turns while they differ.
const TAKEOVER: f64 = 2.0;

/// A stable in comparison with the root, the stable that comparing begins at.
struct Member {
    token: TokenId,
    /// Of its own units that move its pools to other anchors by two per cent.
    depth: f64,
    /// The same of pools to other stables.
    own_to_stables: f64,
    /// The same in units of whichever of the two is worth more there.
    depth_to_stables: f64,
    /// The weight of pools to stables that are compared already.
    reached: f64,
    /// Its price in units of the root, and what agrees with it.
    compared: Option<(f64, Agreement)>,
}

/// Settles all stables.
pub(super) fn settle(work: &mut Expansion<'_>) {
    let mut members: Vec<Member> = work
        .tokens(Role::Stable)
        .into_iter()
        .map(|token| member(work, token))
        .collect();
    let Some(root) = root(&members, work) else {
        return;
    };
    compare(work, &mut members, root);
    let dollar = dollar(work, &members, root);
    // The comparison is over: nothing else may be derived from its units.
    for member in &members {
        work.forget(member.token);
    }
    for member in &members {
        settle_member(work, member, root, dollar);
    }
}

fn member(work: &Expansion<'_>, token: TokenId) -> Member {
    let (mut depth, mut own_to_stables, mut depth_to_stables) = (0.0, 0.0, 0.0);
    for link in work.graph.links(token) {
        let role = work.role(link.neighbour);
        let own_depth = link.own_depth.min(MOST_USD);
        if role != Role::Ordinary {
            depth += own_depth;
        }
        if role == Role::Stable {
            own_to_stables += own_depth;
            depth_to_stables += own_depth.min(link.depth);
        }
    }
    Member {
        token,
        depth,
        own_to_stables,
        depth_to_stables,
        reached: 0.0,
        compared: None,
    }
}

/// The stable with the deepest pools to other stables; of equals, as two that
/// have only each other, the one that is worth more, so that what counts as deep
/// is not counted in units that lost their worth. Where those pools are too thin
/// to say anything, the one with the deepest pools to anchors.
fn root(members: &[Member], work: &Expansion<'_>) -> Option<TokenId> {
    let rank = |member: &Member| {
        if member.depth_to_stables >= work.rules.enter_usd {
            let worth = member.depth_to_stables / member.own_to_stables;
            [member.depth_to_stables, worth, member.depth]
        } else {
            [0.0, 0.0, member.depth]
        }
    };
    let root = members.iter().max_by(|one, other| {
        let pairs = rank(one).into_iter().zip(rank(other));
        pairs
            .map(|(one, other)| one.total_cmp(&other))
            .find(|order| order.is_ne())
            .unwrap_or_else(|| other.token.cmp(&one.token))
    });
    root.map(|member| member.token)
}

/// Compares stables with the root over pools between stables, those first that
/// most stands behind.
fn compare(work: &mut Expansion<'_>, members: &mut [Member], root: TokenId) {
    let tolerance = work.rules.agreement;
    admit(work, members, root, 1.0, None);
    for _ in 0..members.len() {
        let next = members
            .iter_mut()
            .filter(|member| member.compared.is_none() && member.reached > 0.0)
            .max_by(|one, other| {
                one.reached
                    .total_cmp(&other.reached)
                    .then_with(|| other.token.cmp(&one.token))
            });
        let Some(next) = next else {
            break;
        };
        // Asked once: pools with absurd prices may leave nothing to compare.
        next.reached = 0.0;
        let token = next.token;
        let candidates = work.gather(token);
        let picked = median::weighted_median(candidates);
        if let Some(relative) = picked.map(|picked| picked.usd) {
            let agreement = median::agreement(candidates, relative, tolerance);
            admit(work, members, token, relative, Some(agreement));
        }
    }
    // What supports the root is what is at stake in all of its pools: whatever
    // others say of it, they say in its units.
    let agreement = median::agreement(work.gather(root), 1.0, tolerance);
    let own = |link: &Link| link.own_depth.min(MOST_USD);
    let support = work.graph.links(root).iter().map(own).sum();
    let agreement = Agreement {
        support,
        backing: support,
        ..agreement
    };
    if let Some(member) = members.iter_mut().find(|member| member.token == root) {
        member.compared = Some((1.0, agreement));
    }
}

/// Takes a stable up among those that are compared.
fn admit(
    work: &mut Expansion<'_>,
    members: &mut [Member],
    token: TokenId,
    relative: f64,
    agreement: Option<Agreement>,
) {
    let hop = Hop {
        usd: relative,
        quote: usd_quote(relative),
        backing: agreement.map_or(MOST_USD, |agreement| agreement.support),
        discount: 1.0,
    };
    work.remember(token, hop);
    for member in members.iter_mut() {
        if member.token == token {
            member.compared = Some((relative, agreement.unwrap_or_default()));
        }
    }
    for links in work.graph.by_neighbour(token) {
        let neighbour = links.first().map(|link| link.neighbour);
        let member = members
            .iter_mut()
            .find(|member| Some(member.token) == neighbour && member.compared.is_none());
        if let Some(member) = member {
            member.reached += hop.passes_on(links);
        }
    }
}

/// Whether enough stands behind a stable to count, in units of the root. The
/// root always counts: without it there would be no price at all.
fn is_heard(work: &Expansion<'_>, member: &Member, root: TokenId) -> bool {
    let support = member.compared.map(|(_, agreement)| agreement.support);
    member.token == root || support.is_some_and(|support| support >= work.threshold(member.token))
}

/// What a dollar is in units of the root: the middle of all stables that enough
/// stands behind. Of two in the middle the deeper decides.
fn dollar(work: &Expansion<'_>, members: &[Member], root: TokenId) -> f64 {
    let mut votes: Vec<(f64, &Member)> = members
        .iter()
        .filter_map(|member| {
            let (relative, _) = member.compared?;
            is_heard(work, member, root).then_some((relative, member))
        })
        .collect();
    votes.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let middle = votes.len() / 2;
    let below = middle.checked_sub(1).and_then(|place| votes.get(place));
    let depth = |(relative, member): &(f64, &Member)| {
        let was_dollar = work.before.usd.get(member.token.index()) == Some(&Some(1.0));
        relative * member.depth * if was_dollar { TAKEOVER } else { 1.0 }
    };
    match (below, votes.get(middle)) {
        (Some(lower), Some(upper))
            if votes.len().is_multiple_of(2) && depth(lower) >= depth(upper) =>
        {
            lower.0
        }
        (_, Some((relative, _))) => *relative,
        _ => 1.0,
    }
}

/// A stable that enough stands behind has the price that comparing says. The
/// others are worth what they were last seen to be, at first a dollar.
fn settle_member(work: &mut Expansion<'_>, member: &Member, root: TokenId, dollar: f64) {
    let token = member.token;
    let found = member.compared.and_then(|(relative, agreement)| {
        let usd = relative / dollar;
        let support = agreement.support / dollar;
        let is_trusted = is_heard(work, member, root) && support > 0.0;
        let found = Found {
            quote: usd_quote(usd),
            usd,
            agreement: Agreement {
                support,
                backing: support,
                ..agreement
            },
        };
        (is_sound(usd) && is_trusted).then_some(found)
    });
    if let Some(found) = found {
        work.publish(token, &found, 1.0);
        return;
    }
    let kept = work.kept(token).unwrap_or_else(nominal);
    work.put(token, Some(kept));
}

/// A stable of which nothing is known.
fn nominal() -> Settled {
    Settled {
        standing: Standing {
            quote: usd_quote(1.0),
            support: 0.0,
            pools: [None; 3],
            is_trusted: false,
            held: 0,
        },
        usd: 1.0,
    }
}

fn usd_quote(usd: f64) -> Quote {
    Quote {
        hub: Hub::Usd,
        ratio: usd,
    }
}
