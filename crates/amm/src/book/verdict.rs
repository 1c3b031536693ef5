//! What contracts' behaviour says of their classes.
//!
//! Each swap of a contract either is what a rule says, to the last unit, or is
//! not, or cannot be told. A rule is proven for a class once enough swaps agreed
//! in both directions (deposits of a vault in their only one), and refuted for good
//! by the first that differs.

use super::venue::{Kind, Maths, VenueId};
use crate::Side;
use primitives::Felt;
use serde::{Deserialize, Serialize};

/// The swaps in each direction that prove a rule. Each agrees to the last unit in
/// amounts of a million units and more, so that a rule with another fee or
/// rounding does not pass one of them by chance.
pub const PROOF: u8 = 8;

/// More classes than all venues together ever had; further ones stay unproven.
const MAX_CLASSES: usize = 1_024;

/// What one swap says of one rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Judgement {
    /// It did what the rule says, in the direction that sells this token.
    Agrees(Side),
    /// It did something else.
    Differs,
}

/// What is known of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Too few swaps were seen.
    Undecided,
    /// It computes like this.
    Learned(Maths),
    /// It computes like nothing that is known.
    Refuted,
}

impl Verdict {
    /// Every verdict in a word.
    pub const WORDS: [&str; 3] = ["undecided", "learned", "refuted"];

    /// The verdict in a word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Undecided => "undecided",
            Self::Learned(_) => "learned",
            Self::Refuted => "refuted",
        }
    }
}

/// How a rule stands for a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// The rule.
    pub maths: Maths,
    /// The swaps that agreed, by the token that was sold; counted up to
    /// [`PROOF`].
    pub agreed: [u8; 2],
    /// Whether one differed.
    pub is_refuted: bool,
}

impl Tally {
    const fn new(maths: Maths) -> Self {
        Self {
            maths,
            agreed: [0; 2],
            is_refuted: false,
        }
    }

    fn is_proven(self, kind: Kind) -> bool {
        let [deposits, _] = self.agreed;
        let agreed = if kind.is_vault() {
            deposits >= PROOF
        } else {
            self.agreed.iter().all(|agreed| *agreed >= PROOF)
        };
        agreed && !self.is_refuted
    }

    /// Whether a judgement would change it.
    pub(super) fn learns_from(self, judgement: Judgement) -> bool {
        let agreed = |side: Side| side.of(self.agreed).0;
        !self.is_refuted
            && match judgement {
                Judgement::Agrees(side) => agreed(side) < PROOF,
                Judgement::Differs => true,
            }
    }

    fn note(&mut self, judgement: Judgement) {
        let [agreed0, agreed1] = &mut self.agreed;
        match judgement {
            Judgement::Agrees(Side::Token0) => *agreed0 = PROOF.min(*agreed0 + 1),
            Judgement::Agrees(Side::Token1) => *agreed1 = PROOF.min(*agreed1 + 1),
            Judgement::Differs => self.is_refuted = true,
        }
    }
}

/// What swaps said of a class of a venue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Swaps of other venues do not count, not even those of the same class.
    pub venue: VenueId,
    /// The class of its contracts.
    pub class: Felt,
    /// Each rule of the venue's kind that was tried.
    pub tallies: Vec<Tally>,
}

/// The records of all classes that swapped.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Records(Vec<Record>);

impl Records {
    pub(super) fn iter(&self) -> impl Iterator<Item = &Record> {
        self.0.iter()
    }

    pub(super) fn get(&self, venue: VenueId, class: Felt) -> Option<&Record> {
        // They are few, and equality is cheaper than order.
        let is_it = |record: &&Record| record.venue == venue && record.class == class;
        self.0.iter().find(is_it)
    }

    /// How a rule stands for a class.
    pub(super) fn tally(&self, venue: VenueId, class: Felt, maths: Maths) -> Tally {
        let record = self.get(venue, class);
        let mut tallies = record.into_iter().flat_map(|record| &record.tallies);
        let tally = tallies.find(|tally| tally.maths == maths);
        tally.copied().unwrap_or(Tally::new(maths))
    }

    /// What is known of a class of a venue of this kind.
    pub(super) fn verdict(&self, kind: Kind, venue: VenueId, class: Felt) -> Verdict {
        if self.get(venue, class).is_none() {
            return Verdict::Undecided;
        }
        let mut tallies = kind.rules().iter().map(|it| self.tally(venue, class, *it));
        if let Some(proven) = tallies.clone().find(|tally| tally.is_proven(kind)) {
            Verdict::Learned(proven.maths)
        } else if tallies.all(|tally| tally.is_refuted) {
            Verdict::Refuted
        } else {
            Verdict::Undecided
        }
    }

    pub(super) fn note(&mut self, venue: VenueId, class: Felt, maths: Maths, judgement: Judgement) {
        let is_it = |record: &&mut Record| record.venue == venue && record.class == class;
        if let Some(record) = self.0.iter_mut().find(is_it) {
            record.note(maths, judgement);
        } else if self.0.len() < MAX_CLASSES {
            let mut record = Record {
                venue,
                class,
                tallies: Vec::new(),
            };
            record.note(maths, judgement);
            self.0.push(record);
        }
    }

    /// Takes over a record that was kept.
    pub(super) fn restore(&mut self, record: Record) {
        self.0.push(record);
    }
}

impl Record {
    fn note(&mut self, maths: Maths, judgement: Judgement) {
        let tally = self.tallies.iter_mut().find(|tally| tally.maths == maths);
        if let Some(tally) = tally {
            tally.note(judgement);
            return;
        }
        let mut tally = Tally::new(maths);
        tally.note(judgement);
        self.tallies.push(tally);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Judgement::{Agrees, Differs};

    const VENUE: VenueId = VenueId(3);
    const CLASS: Felt = Felt::TWO;

    fn verdict(records: &Records, kind: Kind) -> Verdict {
        records.verdict(kind, VENUE, CLASS)
    }

    fn agree(records: &mut Records, maths: Maths, side: Side, times: u8) {
        for _ in 0..times {
            records.note(VENUE, CLASS, maths, Agrees(side));
        }
    }

    #[test]
    fn both_directions_prove_a_rule_and_one_difference_refutes_it_for_good() {
        let mut records = Records::default();
        agree(&mut records, Maths::Usual, Side::Token0, 200);
        agree(&mut records, Maths::Usual, Side::Token1, PROOF - 1);
        assert_eq!(verdict(&records, Kind::JediSwap), Verdict::Undecided);
        agree(&mut records, Maths::Usual, Side::Token1, 1);
        let learned = Verdict::Learned(Maths::Usual);
        assert_eq!(verdict(&records, Kind::JediSwap), learned);
        records.note(VENUE, CLASS, Maths::Usual, Differs);
        assert_eq!(verdict(&records, Kind::JediSwap), Verdict::Refuted);
        agree(&mut records, Maths::Usual, Side::Token0, 100);
        agree(&mut records, Maths::Usual, Side::Token1, 100);
        assert_eq!(verdict(&records, Kind::JediSwap), Verdict::Refuted);
    }

    #[test]
    fn deposits_alone_prove_a_vault() {
        let mut records = Records::default();
        agree(&mut records, Maths::Usual, Side::Token0, PROOF - 1);
        assert_eq!(verdict(&records, Kind::Endur), Verdict::Undecided);
        agree(&mut records, Maths::Usual, Side::Token0, 1);
        let learned = Verdict::Learned(Maths::Usual);
        assert_eq!(verdict(&records, Kind::Endur), learned);
        assert_eq!(verdict(&records, Kind::JediSwap), Verdict::Undecided);
        records.note(VENUE, CLASS, Maths::Usual, Differs);
        assert_eq!(verdict(&records, Kind::Endur), Verdict::Refuted);
    }

    #[test]
    fn another_rule_of_the_kind_may_be_the_right_one() {
        let mut records = Records::default();
        for maths in [Maths::EkuboExact, Maths::EkuboOlder] {
            for side in Side::BOTH {
                agree(&mut records, maths, side, PROOF);
            }
        }
        let learned = |records: &Records| verdict(records, Kind::Ekubo);
        assert_eq!(learned(&records), Verdict::Learned(Maths::EkuboExact));
        records.note(VENUE, CLASS, Maths::EkuboExact, Differs);
        assert_eq!(learned(&records), Verdict::Learned(Maths::EkuboOlder));
        records.note(VENUE, CLASS, Maths::EkuboOlder, Differs);
        assert_eq!(learned(&records), Verdict::Refuted);
    }

    #[test]
    fn other_classes_and_other_venues_are_not_concerned() {
        let mut records = Records::default();
        records.note(VENUE, CLASS, Maths::Usual, Differs);
        for (venue, class) in [(VENUE, Felt::ONE), (VenueId(4), CLASS)] {
            let verdict = records.verdict(Kind::JediSwap, venue, class);
            assert_eq!(verdict, Verdict::Undecided);
        }
    }

    #[test]
    fn there_is_an_end_to_the_classes_that_are_judged() {
        let mut records = Records::default();
        for class in 0..2_000_u64 {
            records.note(VENUE, Felt::from(class), Maths::Usual, Differs);
        }
        assert_eq!(records.iter().count(), MAX_CLASSES);
    }
}
