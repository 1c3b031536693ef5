//! Prices spread from anchors over pools, to where most stands behind them
//! first.

use super::{
    Anchors, Before, Hub, Quote, Rules, Settled,
    graph::{Graph, Link, is_sound},
    guard::{self, Found, Last},
    median::{self, Candidate},
};
use crate::token_id::TokenId;
use std::{cmp::Ordering, collections::BinaryHeap};

/// No pool counts more than this, so that sums stay finite.
pub(super) const MOST_USD: f64 = 1e18;

/// What a token vouches for of which anchors say nothing: next to nothing, but
/// what hangs on it has a price, if one that is not trusted.
const LEAST_USD: f64 = 1e-6;

/// A total of weights that is this near to a threshold is looked at: the exact
/// sum may be rounded otherwise.
const NEARLY: f64 = 0.999;

/// What a token is to prices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Stable,
    Hub,
    Ordinary,
}

/// What a token whose price is trusted passes on to its neighbours.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hop {
    /// Its price.
    pub(super) usd: f64,
    /// That price as it is published.
    pub(super) quote: Quote,
    /// All that it can vouch for: manipulating it costs no more. What an
    /// ordinary token passes on is what anchors say of it, so that tokens that
    /// somebody mints cannot vouch for one another.
    pub(super) backing: f64,
    /// What a USD counts that is seen through it.
    pub(super) discount: f64,
}

/// What is known of a token so far.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub(super) role: Role,
    /// The weight of all pools to tokens that pass their price on.
    reached: f64,
    pub(super) hop: Option<Hop>,
}

/// The work of one block.
pub(super) struct Expansion<'a> {
    pub(super) graph: &'a Graph,
    pub(super) before: Before<'a>,
    pub(super) rules: &'a Rules,
    pub(super) nodes: Vec<Node>,
    pub(super) settled: Vec<Option<Settled>>,
    queue: BinaryHeap<Reached>,
    candidates: Vec<Candidate>,
    /// Whether those that were trusted are now judged by the lower threshold.
    is_lenient: bool,
}

impl<'a> Expansion<'a> {
    pub(super) fn new(
        graph: &'a Graph,
        anchors: &Anchors,
        before: Before<'a>,
        rules: &'a Rules,
    ) -> Self {
        let node = Node {
            role: Role::Ordinary,
            reached: 0.0,
            hop: None,
        };
        let mut nodes = vec![node; before.tokens];
        let named = [(&anchors.hubs, Role::Hub), (&anchors.stables, Role::Stable)];
        for (tokens, role) in named {
            for token in tokens {
                if let Some(node) = nodes.get_mut(token.index()) {
                    node.role = role;
                }
            }
        }
        Self {
            graph,
            before,
            rules,
            nodes,
            settled: vec![None; before.tokens],
            queue: BinaryHeap::new(),
            candidates: Vec::new(),
            is_lenient: false,
        }
    }

    /// All tokens of a role, in order.
    pub(super) fn tokens(&self, role: Role) -> Vec<TokenId> {
        (0..=u32::MAX)
            .map(TokenId)
            .zip(&self.nodes)
            .filter(|(_, node)| node.role == role)
            .map(|(token, _)| token)
            .collect()
    }

    /// What the block before published of a token.
    pub(super) fn last(&self, token: TokenId) -> Option<Last> {
        let standing = (*self.before.standings.get(token.index())?)?;
        let usd = (*self.before.usd.get(token.index())?)?;
        is_sound(usd).then_some(Last { standing, usd })
    }

    /// The support from which on a token is trusted.
    pub(super) fn threshold(&self, token: TokenId) -> f64 {
        let standing = self.before.standings.get(token.index()).copied().flatten();
        if standing.is_some_and(|standing| standing.is_trusted) {
            self.rules.leave_usd
        } else {
            self.rules.enter_usd
        }
    }

    /// The support that a token needs at this point.
    fn needed(&self, token: TokenId) -> f64 {
        if self.is_lenient {
            self.threshold(token)
        } else {
            self.rules.enter_usd
        }
    }

    /// Settles every token that is trusted: first as if none had been before,
    /// then those that stay trusted with less. So what was trusted before never
    /// changes the price of what is trusted anyway.
    pub(super) fn settle_trusted(&mut self, tokens: &[TokenId]) {
        self.settle_queued();
        self.is_lenient = true;
        for token in tokens {
            self.queue_if_enough(*token);
        }
        self.settle_queued();
        for token in tokens {
            self.settle_if_held(*token);
            self.settle_queued();
        }
    }

    /// Settles tokens in the order of what stands behind them, hubs first.
    fn settle_queued(&mut self) {
        while let Some(next) = self.queue.pop() {
            let is_due = self
                .nodes
                .get(next.token.index())
                .is_some_and(|node| node.hop.is_none() && node.reached <= next.usd);
            if !is_due {
                continue;
            }
            // One that falls short is asked again when more neighbours are
            // settled.
            if let Some((found, discount)) = self.find(next.token)
                && found.agreement.support >= self.needed(next.token)
            {
                self.publish(next.token, &found, discount);
            }
        }
    }

    /// Settles a token that is trusted only because an unconfirmed jump is held
    /// back: what hangs on it must not fall with it.
    fn settle_if_held(&mut self, token: TokenId) {
        let last = self.last(token).filter(|last| last.standing.is_trusted);
        if self.is_open(token)
            && let Some(last) = last
            && let Some((found, discount)) = self.find(token)
            && guard::is_held(&found, last, self.rules)
        {
            self.publish(token, &found, discount);
        }
    }

    /// Settles all that is left: tokens that are not trusted, and those that no
    /// pool says anything of any more.
    pub(super) fn settle_rest(&mut self, tokens: &[TokenId]) {
        for token in tokens {
            if !self.is_open(*token) {
                continue;
            }
            let settled = match self.find(*token) {
                Some((found, _)) => {
                    let last = self.last(*token);
                    Some(guard::publish(&found, false, last, self.rules))
                }
                None => self.kept(*token),
            };
            self.put(*token, settled);
        }
    }

    /// Whether a token is still to be settled.
    fn is_open(&self, token: TokenId) -> bool {
        self.settled.get(token.index()).is_some_and(Option::is_none)
    }

    /// The price that pools to trusted neighbours say, and what a USD counts
    /// that is seen through the token then.
    fn find(&mut self, token: TokenId) -> Option<(Found, f64)> {
        self.gather(token);
        let picked = median::weighted_median(&mut self.candidates)?;
        let through = self.nodes.get(picked.link.neighbour.index())?;
        let hop = through.hop?;
        let mut quote = if through.role == Role::Ordinary {
            Quote {
                hub: hop.quote.hub,
                ratio: picked.link.mid * hop.quote.ratio,
            }
        } else {
            Quote {
                hub: Hub::Token(picked.link.neighbour),
                ratio: picked.link.mid,
            }
        };
        let usd = quote.ratio * self.hub_usd(quote.hub)?;
        if self.role(token) != Role::Ordinary {
            quote = Quote {
                hub: Hub::Usd,
                ratio: usd,
            };
        }
        let agreement = median::agreement(&self.candidates, picked.usd, self.rules.agreement);
        let found = Found {
            quote,
            usd,
            agreement,
        };
        (is_sound(usd) && is_sound(quote.ratio))
            .then_some((found, hop.discount * self.rules.per_hop))
    }

    /// What pools to trusted neighbours say of a token. All pools to the same
    /// neighbour together count no more than the neighbour itself.
    pub(super) fn gather(&mut self, token: TokenId) -> &mut [Candidate] {
        self.candidates.clear();
        for links in self.graph.by_neighbour(token) {
            let neighbour = links
                .first()
                .and_then(|link| self.nodes.get(link.neighbour.index()));
            let Some((role, hop)) = neighbour.and_then(|node| Some((node.role, node.hop?))) else {
                continue;
            };
            let known = self.candidates.len();
            let said = links.iter().map(|link| Candidate {
                link: *link,
                usd: link.mid * hop.usd,
                weight: hop.worth(link.depth),
                is_anchored: role != Role::Ordinary,
            });
            self.candidates
                .extend(said.filter(|said| is_sound(said.usd) && is_sound(said.weight)));
            let new = self.candidates.get_mut(known..).unwrap_or_default();
            let total: f64 = new.iter().map(|candidate| candidate.weight).sum();
            let share = (hop.backing / total).min(1.0) * hop.discount;
            for candidate in new {
                candidate.weight *= share;
            }
        }
        &mut self.candidates
    }

    /// Publishes a trusted price, from which others are derived.
    pub(super) fn publish(&mut self, token: TokenId, found: &Found, discount: f64) {
        let last = self.last(token);
        let settled = guard::publish(found, true, last, self.rules);
        let backing = match last {
            Some(last) if settled.standing.held > 0 => last.standing.support,
            _ => found.agreement.backing.max(LEAST_USD),
        };
        self.put(token, Some(settled));
        self.pass_on(
            token,
            Hop {
                usd: settled.usd,
                quote: settled.standing.quote,
                backing,
                discount,
            },
        );
    }

    /// Lets neighbours see the price of a token.
    fn pass_on(&mut self, token: TokenId, hop: Hop) {
        self.remember(token, hop);
        for links in self.graph.by_neighbour(token) {
            let Some(neighbour) = links.first().map(|link| link.neighbour) else {
                continue;
            };
            if let Some(node) = self.nodes.get_mut(neighbour.index()) {
                node.reached += hop.passes_on(links);
                self.queue_if_enough(neighbour);
            }
        }
    }

    /// Queues a token that may be trusted by what has reached it.
    fn queue_if_enough(&mut self, token: TokenId) {
        let Some(node) = self.nodes.get(token.index()) else {
            return;
        };
        let is_open = node.hop.is_none() && node.role != Role::Stable;
        if is_open && node.reached >= self.needed(token) * NEARLY {
            self.queue.push(Reached {
                is_hub: node.role == Role::Hub,
                usd: node.reached,
                token,
            });
        }
    }

    /// Lets the price of a token be seen by those that ask for it.
    pub(super) fn remember(&mut self, token: TokenId, hop: Hop) {
        if let Some(node) = self.nodes.get_mut(token.index()) {
            node.hop = Some(hop);
        }
    }

    /// Takes that back.
    pub(super) fn forget(&mut self, token: TokenId) {
        if let Some(node) = self.nodes.get_mut(token.index()) {
            node.hop = None;
        }
    }

    /// What a token is to prices.
    pub(super) fn role(&self, token: TokenId) -> Role {
        self.nodes
            .get(token.index())
            .map_or(Role::Ordinary, |node| node.role)
    }

    /// The price of before, if there was one.
    pub(super) fn kept(&self, token: TokenId) -> Option<Settled> {
        let last = self.last(token)?;
        let is_ordinary = self.role(token) == Role::Ordinary;
        let quote = last.standing.quote;
        let usd = self.hub_usd(quote.hub).map(|usd| quote.ratio * usd);
        Some(match usd.filter(|usd| is_ordinary && is_sound(*usd)) {
            Some(usd) => guard::keep(quote, usd, last),
            None => guard::keep(
                Quote {
                    hub: Hub::Usd,
                    ratio: last.usd,
                },
                last.usd,
                last,
            ),
        })
    }

    /// The price of a hub in this block.
    fn hub_usd(&self, hub: Hub) -> Option<f64> {
        match hub {
            Hub::Usd => Some(1.0),
            Hub::Token(token) => {
                let settled = self.settled.get(token.index()).copied().flatten();
                settled
                    .filter(|_| self.role(token) != Role::Ordinary)
                    .map(|settled| settled.usd)
            }
        }
    }

    pub(super) fn put(&mut self, token: TokenId, settled: Option<Settled>) {
        if let Some(place) = self.settled.get_mut(token.index()) {
            *place = settled;
        }
    }
}

impl Hop {
    /// What an amount of the token is worth, as far as it counts.
    fn worth(self, units: f64) -> f64 {
        (units * self.usd).min(MOST_USD)
    }

    /// The weight of all its links to one neighbour.
    pub(super) fn passes_on(self, links: &[Link]) -> f64 {
        let depths = links.iter().map(|link| self.worth(link.own_depth));
        let total: f64 = depths.filter(|weight| is_sound(*weight)).sum();
        total.min(self.backing) * self.discount
    }
}

/// A token that prices have reached, in the order in which tokens are settled.
#[derive(Debug, Clone, Copy)]
struct Reached {
    is_hub: bool,
    usd: f64,
    token: TokenId,
}

impl Ord for Reached {
    fn cmp(&self, other: &Self) -> Ordering {
        self.is_hub
            .cmp(&other.is_hub)
            .then_with(|| self.usd.total_cmp(&other.usd))
            .then_with(|| other.token.cmp(&self.token))
    }
}

impl PartialOrd for Reached {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Reached {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Reached {}
