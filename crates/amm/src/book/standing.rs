//! How many pools are traded with, and why the others are not.

use super::venue::{Kind, Pin, VenueId};
use super::verdict::Verdict;
use super::view::{Off, Pools};
use primitives::Felt;
use std::collections::BTreeMap;
use std::fmt;

/// What is said of the pools of a venue that routes cannot pass at all.
const UNROUTED: &str = "the exchange contract cannot use their venue";

/// All pools, counted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Standing {
    /// Every venue, in the order of the list.
    pub venues: Vec<VenueStanding>,
}

/// The pools of a venue, counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VenueStanding {
    /// What people call it.
    pub name: String,
    /// How it speaks and computes.
    pub kind: Kind,
    /// Whether routes may pass its pools at all.
    pub is_routed: bool,
    /// Pools that would be traded with.
    pub on: usize,
    /// Pools that would not, by the reason's word.
    pub off: BTreeMap<&'static str, usize>,
    /// The classes that its pools' contracts run, and those that were judged.
    pub classes: Vec<ClassStanding>,
}

/// What is known of a class of a venue's contracts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClassStanding {
    /// The hash by which the list of venues and the records of swaps name it.
    pub class: Felt,
    /// The pools whose contract runs it now.
    pub pools: usize,
    /// What the list says of it.
    pub pin: Option<Pin>,
    /// What swaps say of it.
    pub verdict: Verdict,
    /// The swaps that agreed with the rule that fits best, by the token sold.
    pub agreed: [u8; 2],
}

impl Standing {
    /// Pools that routes pass.
    #[must_use]
    pub fn tradable(&self) -> usize {
        self.venues.iter().map(VenueStanding::tradable).sum()
    }

    /// How many there are, on or off.
    #[must_use]
    pub fn pools(&self) -> usize {
        self.venues.iter().map(VenueStanding::pools).sum()
    }

    /// Why pools are not traded with, in words, each with the number of pools.
    #[must_use]
    pub fn reasons(&self) -> Vec<(&'static str, usize)> {
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for venue in &self.venues {
            for (word, count) in &venue.off {
                *reasons.entry(explanation(word)).or_default() += count;
            }
            if !venue.is_routed && venue.on > 0 {
                *reasons.entry(UNROUTED).or_default() += venue.on;
            }
        }
        let mut reasons: Vec<_> = reasons.into_iter().collect();
        reasons.sort_by_key(|(_, count)| usize::MAX - count);
        reasons
    }
}

impl VenueStanding {
    /// Pools that routes pass.
    #[must_use]
    pub const fn tradable(&self) -> usize {
        if self.is_routed { self.on } else { 0 }
    }

    /// How many it has, on or off.
    #[must_use]
    pub fn pools(&self) -> usize {
        self.on + self.off.values().sum::<usize>()
    }
}

/// "3 of 10 pools are tradable; 7: their contract's class is not proven yet".
impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} of {} pools are tradable",
            self.tradable(),
            self.pools()
        )?;
        for (reason, count) in self.reasons() {
            write!(f, "; {count}: {reason}")?;
        }
        Ok(())
    }
}

/// What a reason's word means for many pools.
fn explanation(word: &str) -> &'static str {
    match word {
        "venue" => "their venue is switched off",
        "unread" => "their contract was not asked yet",
        "class" => "too few swaps were seen to prove their contract's class",
        "refuted" => "a swap of their contract's class was not what its rule says",
        "barred" => "the list of venues switches their contract's class off",
        "extension" => "their extension changes trades",
        "flaw" => "something happened to them that cannot be followed",
        _ => "they cannot be quoted in their state",
    }
}

impl Pools {
    /// All pools, counted. It looks at every one of them.
    #[must_use]
    pub fn standing(&self) -> Standing {
        let venues = self.registry().venues().iter();
        let mut venues: Vec<_> = venues
            .map(|venue| VenueStanding {
                name: venue.name.clone(),
                kind: venue.kind,
                is_routed: venue.is_routed(),
                on: 0,
                off: BTreeMap::new(),
                classes: Vec::new(),
            })
            .collect();
        for record in self.records() {
            if let Some(venue) = venues.get_mut(usize::from(record.venue.index())) {
                venue
                    .classes
                    .push(self.class_standing(record.venue, record.class));
            }
        }
        for view in self.iter() {
            let id = view.pool.venue();
            let Some(venue) = venues.get_mut(usize::from(id.index())) else {
                continue;
            };
            match view.curve() {
                Ok(_) => venue.on += 1,
                Err(off) => *venue.off.entry(Off::word(off)).or_default() += 1,
            }
            let Some(class) = view.class() else { continue };
            match venue.classes.iter_mut().find(|known| known.class == class) {
                Some(known) => known.pools += 1,
                None => venue.classes.push(ClassStanding {
                    pools: 1,
                    ..self.class_standing(id, class)
                }),
            }
        }
        Standing { venues }
    }

    fn class_standing(&self, venue: VenueId, class: Felt) -> ClassStanding {
        let listed = self.registry().venue(venue);
        let rules = listed.map_or(&[][..], |venue| venue.kind.rules());
        let tallies = rules
            .iter()
            .map(|maths| self.records.tally(venue, class, *maths));
        let standing = tallies.filter(|tally| !tally.is_refuted);
        let best = standing.max_by_key(|tally| tally.agreed.iter().min().copied());
        ClassStanding {
            class,
            pools: 0,
            pin: listed.and_then(|venue| venue.pin(class)),
            verdict: self.verdict(venue, class),
            agreed: best.map_or([0; 2], |best| best.agreed),
        }
    }
}
