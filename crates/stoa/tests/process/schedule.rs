//! What happens in a seeded run: commands of clients and faults of parts, in an order
//! that follows from the seed alone.

use crate::cluster::Part;
use primitives::{Entropy as _, SeededEntropy};

/// Epochs that clients want: few, so that they meet.
const EPOCHS: u64 = 12;

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
    /// One replica quotes, the other one builds.
    Swap,
    /// Starknet goes on.
    Mine { blocks: u64 },
    /// Starknet's newest blocks are replaced.
    Reorganise { depth: u64 },
    /// Solana goes on, until what was sent is final.
    Finalise,
    /// Solana's newest slots are replaced.
    ReorganiseSolana,
    /// The nodes spoil their next answers.
    Spoil { count: u64 },
    /// A process is killed, and started again at the end of the step.
    Kill(Part),
    /// A process stands still until the next step is done.
    Pause(Part),
    /// Redis forgets everything.
    RestartRedis,
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

    fn index(&self, end: u64) -> usize {
        usize::try_from(self.below(end)).unwrap()
    }

    fn part(&self) -> Part {
        Part::ALL[self.index(4)]
    }

    fn step(&self) -> Step {
        match self.below(24) {
            0..8 => Step::Book {
                trader: self.index(2),
                start: 1_000 + self.below(EPOCHS),
                count: 1 + self.below(3),
            },
            8..12 => Step::Pay {
                which: self.index(8),
            },
            12 => Step::Cancel {
                which: self.index(8),
            },
            13 | 14 => Step::Swap,
            15 => Step::Mine {
                blocks: 1 + self.below(5),
            },
            16 => Step::Reorganise {
                depth: 1 + self.below(5),
            },
            17 | 18 => Step::Finalise,
            19 => Step::ReorganiseSolana,
            20 => Step::Spoil {
                count: 1 + self.below(6),
            },
            21 => Step::Kill(self.part()),
            22 => Step::Pause(self.part()),
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
