//! What happens in a seeded run: commands of clients and faults of parts, in an order
//! that follows from the seed alone.

use crate::cluster::Part;
use primitives::{Entropy as _, SeededEntropy};

/// Epochs that clients want: few, so that they meet.
const EPOCHS: u64 = 12;

/// Blocks of Starknet that are replaced at most.
pub(crate) const DEEPEST: u64 = 5;

/// What may become of the answers of both nodes.
const OF_BOTH: [&str; 6] = [
    "http_429",
    "http_5xx",
    "dropped",
    "malformed",
    "truncated",
    "wrong_id",
];

/// What may become of those of the Starknet node alone.
pub(crate) const OF_STARKNET: [&str; 5] = [
    "delay",
    "stale_head",
    "wrong_parent",
    "missing_block",
    "empty_events",
];

/// One thing that happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// A trader books epochs.
    Book {
        trader: usize,
        start: u64,
        count: u64,
    },
    /// The payment of a lease that waits for one is sent.
    Pay { which: usize },
    /// A lease that waits for its payment is cancelled.
    Cancel { which: usize },
    /// One replica quotes, the other one builds, and a wallet executes that.
    Trade { quoted_by: Part, parts: u128 },
    /// A wallet orders something for every minute.
    Order { wish: usize, cycles: u128 },
    /// Cycles of orders fall due.
    Pass,
    /// A relayer sends what a user signed.
    Relay {
        user: usize,
        payer: Payer,
        twice: bool,
    },
    /// Starknet goes on.
    Mine { blocks: u64 },
    /// Starknet's newest blocks are replaced.
    Reorganise { depth: u64 },
    /// Transactions of Starknet wait, until some steps later.
    Congest,
    /// Solana goes on, until what was sent is final.
    Finalise,
    /// Solana's newest slots are replaced.
    ReorganiseSolana,
    /// The nodes spoil their next answers.
    Spoil { kind: &'static str, count: u64 },
    /// The Starknet node spoils its next answers to whoever sends something.
    SpoilSending { kind: &'static str, count: u64 },
    /// A process is killed, and started again at the end of the step.
    Kill(Part),
    /// A process stands still until the next step is done.
    Pause(Part),
    /// Whoever has a duty gets work, and is killed or replaced a moment later.
    Strike {
        duty: Duty,
        blow: Blow,
        after_ms: u64,
    },
    /// Redis forgets everything.
    RestartRedis,
}

/// Who pays for what is relayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Payer {
    /// A sponsor whose credits are soon used up.
    Poor,
    /// One who pays a little for each user and day.
    Careful,
    /// The user, in another token.
    User,
}

/// What one process does at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Duty {
    Keeper,
    Relayers,
}

impl Duty {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Keeper => "keeper",
            Self::Relayers => "relayers",
        }
    }
}

/// What happens to whoever has a duty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Blow {
    Kill,
    /// It stands still until another one has the duty.
    Pause,
}

/// The steps of a seed.
pub(crate) fn schedule(seed: u64, steps: usize) -> Vec<Step> {
    let dice = Dice(SeededEntropy::new(seed));
    (0..steps).map(|_| dice.step()).collect()
}

struct Dice(SeededEntropy);

impl Dice {
    fn below(&self, end: u64) -> u64 {
        let mut bytes = [0; 8];
        self.0.fill(&mut bytes);
        u64::from_be_bytes(bytes) % end
    }

    fn one_of<T: Copy>(&self, all: &[T]) -> T {
        all[self.index(all.len())]
    }

    fn index(&self, end: usize) -> usize {
        usize::try_from(self.below(u64::try_from(end).unwrap())).unwrap()
    }

    fn step(&self) -> Step {
        match self.below(40) {
            0..6 => Step::Book {
                trader: self.index(2),
                start: 1_000 + self.below(EPOCHS),
                count: 1 + self.below(3),
            },
            6..9 => Step::Pay {
                which: self.index(8),
            },
            9 => Step::Cancel {
                which: self.index(8),
            },
            10..14 => Step::Trade {
                quoted_by: self.one_of(&[Part::First, Part::Second]),
                parts: u128::from(1 + self.below(50)),
            },
            14..17 => Step::Order {
                wish: self.index(3),
                cycles: u128::from(1 + self.below(3)),
            },
            17 | 18 => Step::Pass,
            19..24 => Step::Relay {
                user: self.index(2),
                payer: self.one_of(&[Payer::Poor, Payer::Poor, Payer::Careful, Payer::User]),
                twice: self.below(2) == 0,
            },
            24 => Step::Mine {
                blocks: 1 + self.below(5),
            },
            25..27 => Step::Reorganise {
                depth: 1 + self.below(DEEPEST),
            },
            27 => Step::Congest,
            28 | 29 => Step::Finalise,
            30 => Step::ReorganiseSolana,
            31..37 => self.fault(),
            _ => Step::Strike {
                duty: self.one_of(&[Duty::Keeper, Duty::Relayers]),
                blow: self.one_of(&[Blow::Kill, Blow::Pause]),
                after_ms: self.below(900),
            },
        }
    }

    fn fault(&self) -> Step {
        let count = 1 + self.below(12);
        match self.below(8) {
            0 => Step::Spoil {
                kind: self.one_of(&OF_BOTH),
                count,
            },
            1 => Step::Spoil {
                kind: self.one_of(&OF_STARKNET),
                count,
            },
            2 => Step::SpoilSending {
                kind: self.one_of(&OF_BOTH),
                count: 1 + self.below(2),
            },
            3 | 4 => Step::Kill(self.one_of(&Part::ALL)),
            5 | 6 => Step::Pause(self.one_of(&Part::ALL)),
            _ => Step::RestartRedis,
        }
    }
}

#[test]
fn a_seed_is_a_schedule() {
    assert_eq!(schedule(7, 50), schedule(7, 50));
    assert_eq!(schedule(7, 50)[..20], schedule(7, 20));
    assert_ne!(schedule(7, 50), schedule(8, 50));
}
