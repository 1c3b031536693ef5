//! Random and hostile transactions: the simulated node says of each what the
//! network's own machine says, and both end with the same accounts.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a failed step is a failed test"
)]

mod damage;
mod people;
mod random;

use damage::Damage;
use people::People;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use svm::{Draft, Pair, Verdict};

/// Chains, rounds on each, and transactions in each round, which have one
/// blockhash.
const CHAINS: u64 = 8;
const ROUNDS: usize = 25;
const PER_ROUND: usize = 20;

/// Larger runs are asked for by this variable.
fn chains() -> u64 {
    let asked = std::env::var("STOA_SVM_CHAINS").ok();
    asked.map_or(CHAINS, |asked| asked.parse().unwrap())
}

/// How often which verdict was given.
#[derive(Default)]
struct Seen {
    count: usize,
    beyond: usize,
    verdicts: BTreeMap<String, usize>,
}

impl Seen {
    fn note(&mut self, verdict: Option<&Verdict>) {
        self.count += 1;
        let Some(verdict) = verdict else {
            self.beyond += 1;
            return;
        };
        let name = match verdict {
            Verdict::Landed { error, .. } => format!("landed {error}"),
            other => format!("{other:?}"),
        };
        *self.verdicts.entry(name).or_default() += 1;
    }

    /// How many verdicts have a name that contains this.
    fn times(&self, part: &str) -> usize {
        let named = self.verdicts.iter().filter(|(name, _)| name.contains(part));
        named.map(|(_, times)| times).sum()
    }
}

/// Everything of `chains` chains with transactions that are damaged at random.
fn run(first_seed: u64, damage: impl Fn(&mut ChaCha8Rng) -> Damage) -> Seen {
    let mut seen = Seen::default();
    for seed in first_seed..first_seed + chains() {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut pair = Pair::new(seed);
        let people = People::new(&mut rng, &mut pair);
        let mut last = Vec::new();
        for _ in 0..ROUNDS {
            let expired = pair.blockhash();
            people.refresh(&mut pair);
            pair.renew();
            for _ in 0..PER_ROUND {
                let draft: Draft = random::draft(&mut rng, &people, &pair);
                let damage = damage(&mut rng);
                let now = pair.blockhash();
                let bytes = damage.apply(&mut rng, &draft, &people, &[now, expired], &last);
                seen.note(pair.execute(&bytes).as_ref());
                last = bytes;
            }
        }
    }
    seen
}

#[test]
fn random_transactions_end_as_on_the_network() {
    let seen = run(100, |_| Damage::None);
    // The generator reaches every way to end that it is made for.
    for (part, least) in [
        ("landed null", seen.count / 5),
        (r#"{"Custom":0}"#, 1),
        (r#"{"Custom":1}"#, 10),
        ("InsufficientFundsForRent", 10),
        ("MissingRequiredSignature", 10),
        ("InvalidInstructionData", 10),
        ("ReadonlyLamportChange", 1),
        ("MissingAccount", 1),
        ("ProgramAccountNotFound", 1),
        ("InvalidProgramForExecution", 1),
        ("duplicate instruction", 1),
        ("ComputationalBudgetExceeded", 1),
        ("MaxLoadedAccountsDataSizeExceeded", 1),
        ("Insufficient funds for fee", 1),
        ("no record of a prior credit", 1),
        ("may not be used to pay", 1),
        ("must be greater than 0", 1),
    ] {
        assert!(seen.times(part) >= least, "{part}: {:#?}", seen.verdicts);
    }
    assert!(seen.beyond < seen.count / 10, "{} beyond", seen.beyond);
}

#[test]
fn hostile_transactions_are_refused_as_on_the_network() {
    let seen = run(200, Damage::any);
    for (part, least) in [
        ("landed null", 10),
        ("Unreadable", 50),
        ("Unsigned", 50),
        ("Account loaded twice", 10),
        ("failed to sanitize", 50),
        ("Blockhash not found", 50),
        ("already been processed", 10),
        ("address table account", 10),
    ] {
        assert!(seen.times(part) >= least, "{part}: {:#?}", seen.verdicts);
    }
    assert!(seen.beyond < seen.count / 10, "{} beyond", seen.beyond);
}

#[test]
fn one_changed_byte_means_the_same_to_both() {
    let seen = run(300, |rng| {
        if rng.random_bool(0.5) {
            Damage::Byte
        } else {
            Damage::SignedByte
        }
    });
    assert!(seen.times("landed") > 10, "{:#?}", seen.verdicts);
    assert!(seen.beyond < seen.count / 10, "{} beyond", seen.beyond);
}
