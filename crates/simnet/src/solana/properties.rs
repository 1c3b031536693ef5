//! What holds whatever is sent, and whatever happens to the process.

use super::chain::{Chain, Commitment};
use super::config::Rules;
use super::node::SolanaNode;
use super::testing::{
    Change, Draft, NOW, ask, balance, blockhash, change, clock, config, get, nobody, node, verdict,
};
use super::wallet::SolanaKeypair;
use super::wire::{Transaction, Version};
use crate::journal::OpenError;
use base64::{Engine as _, prelude::BASE64_STANDARD};
use primitives::{PublicKey, SignedDuration, SolanaHash};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::json;
use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;

const MINIMUM: u64 = 890_880;

/// What somebody does next.
#[derive(Debug, Clone)]
enum Step {
    Send {
        payer: usize,
        from: usize,
        to: usize,
        lamports: u64,
        memo: bool,
        version: Version,
    },
    /// An earlier one once more.
    Again(prop::sample::Index),
    Pass(u64),
    Reorg(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let lamports = prop_oneof![
        Just(0),
        1..10_u64,
        MINIMUM - 2..MINIMUM + 2,
        0..20_000_000_000_000_u64,
        any::<u64>(),
    ];
    let version = prop_oneof![Just(Version::Legacy), Just(Version::V0)];
    let send = (
        0_usize..6,
        0_usize..6,
        0_usize..8,
        lamports,
        any::<bool>(),
        version,
    )
        .prop_map(|(payer, from, to, lamports, memo, version)| Step::Send {
            payer,
            from,
            to,
            lamports,
            memo,
            version,
        });
    let step = prop_oneof![
        6 => send,
        2 => any::<prop::sample::Index>().prop_map(Step::Again),
        2 => (0_u64..40).prop_map(Step::Pass),
        1 => (1_u64..40).prop_map(Step::Reorg),
    ];
    prop::collection::vec(step, 1..60)
}

/// Some with funds and some without.
fn people(genesis: &SolanaHash) -> Vec<SolanaKeypair> {
    let funded = (0..4).map(|number| SolanaKeypair::derive(genesis, "WALLET", number));
    let poor = (0..4).map(|number| SolanaKeypair::derive(genesis, "POOR", number));
    funded.chain(poor).collect()
}

/// All lamports that there are and that were burnt.
fn all_lamports(chain: &Chain) -> u128 {
    let fees = chain
        .history()
        .entries()
        .map(|entry| entry.outcome.fee.get());
    chain.accounts().total() + fees.map(u128::from).sum::<u128>()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn lamports_are_conserved_and_nothing_is_applied_twice(steps in steps()) {
        let now = u64::try_from(NOW).unwrap() * 1_000;
        let rules = Rules::from(&config(None));
        let mut chain = Chain::new(rules, now);
        let people = people(&chain.world.genesis.clone());
        let total = all_lamports(&chain);
        let mut sent: Vec<Transaction> = Vec::new();
        for step in steps {
            let transaction = match step {
                Step::Send { payer, from, to, lamports, memo, version } => {
                    let hash = chain.blockhash(chain.head(Commitment::Confirmed));
                    let [payer, from, to] = [payer, from, to].map(|index| &people[index]);
                    let mut draft = Draft::by(payer).version(version);
                    if from.public_key() != payer.public_key() {
                        draft = draft.signed_by(from);
                    }
                    if memo {
                        draft = draft.memo("x");
                    }
                    let draft = draft.pay(from.public_key(), to.public_key(), lamports, &[]);
                    draft.sign(hash)
                }
                Step::Again(_) if sent.is_empty() => continue,
                Step::Again(index) => index.get(&sent).clone(),
                Step::Pass(slots) => {
                    let mut timeline = chain.timeline().clone();
                    timeline.skip(slots, now);
                    chain.steer(timeline, now);
                    continue;
                }
                Step::Reorg(depth) => {
                    if let Ok((slot, timeline)) = chain.plan_reorg(Some(depth)) {
                        chain.take_back(slot);
                        chain.steer(timeline, now);
                    }
                    continue;
                }
            };
            let known = chain.history().by_signature(&transaction.id()).is_some();
            if let Ok((slot, outcome)) = chain.prepare(&transaction) {
                prop_assert!(!known, "it was there already");
                chain.append(slot, transaction.clone(), outcome);
            }
            sent.push(transaction);
            prop_assert_eq!(all_lamports(&chain), total);
        }
        let ids: HashSet<_> = chain.history().entries().map(|e| e.transaction.id()).collect();
        prop_assert_eq!(ids.len(), chain.history().len());
        let slots: Vec<u64> = chain.history().entries().map(|entry| entry.slot).collect();
        prop_assert!(slots.is_sorted());
        prop_assert_eq!(chain.base().total(), total);
        for (_, account) in chain.accounts().iter() {
            prop_assert!(account.lamports.get() < 600_000_000_000_000_000);
        }
    }

    #[test]
    fn the_past_is_what_it_was(steps in prop::collection::vec((0_usize..8, 0_u64..9, 0_u64..3), 1..20)) {
        let now = u64::try_from(NOW).unwrap() * 1_000;
        let mut chain = Chain::new(Rules::from(&config(None)), now);
        let people = people(&chain.world.genesis.clone());
        let watched: Vec<PublicKey> = people.iter().map(SolanaKeypair::public_key).collect();
        let holdings = |chain: &Chain, slot| -> Vec<_> {
            watched.iter().map(|key| chain.account(key, slot)).collect()
        };
        let mut seen = Vec::new();
        for (number, (to, amount, slots)) in (0..).zip(steps) {
            let hash = chain.blockhash(chain.head(Commitment::Processed));
            let draft = Draft::by(&people[0]).memo(&format!("{number}"));
            let transaction = draft.transfer(watched[to], MINIMUM + amount).sign(hash);
            if let Ok((slot, outcome)) = chain.prepare(&transaction) {
                chain.append(slot, transaction, outcome);
            }
            let mut timeline = chain.timeline().clone();
            timeline.skip(slots, now);
            chain.steer(timeline, now);
            let head = chain.head(Commitment::Processed);
            seen.push((head, holdings(&chain, head)));
        }
        for (slot, held) in seen {
            // Later transactions of the same slot cannot have come since.
            prop_assert_eq!(holdings(&chain, slot), held);
        }
    }
}

/// A payment with everything in it, changed before it was signed or after.
fn hostile(node: &SolanaNode, changes: &[Change], signs_last: bool) -> Vec<u8> {
    let payer = &node.wallets()[0];
    let draft = Draft::by(payer)
        .budget(&[3, 1, 0, 0, 0, 0, 0, 0, 0])
        .memo("hostile")
        .transfer(nobody(7), MINIMUM);
    let whole = draft.sign(blockhash(node));
    let mut bytes = if signs_last {
        whole.message_bytes().to_vec()
    } else {
        whole.bytes().to_vec()
    };
    for change in changes {
        change.apply(&mut bytes);
    }
    if signs_last {
        let signature = payer.sign(&bytes);
        bytes = [&[1], &signature.as_bytes()[..], &bytes].concat();
    }
    bytes
}

#[test]
fn no_bytes_in_a_transactions_place_do_harm() {
    let node = node();
    let total = node.look(all_lamports);
    let cases = (
        prop::collection::vec(change(), 0..5),
        any::<bool>(),
        any::<bool>(),
    );
    let landed = std::cell::Cell::new(0);
    let mut runner = TestRunner::new(ProptestConfig::with_cases(5_000));
    let ran = runner.run(&cases, |(changes, signs_last, skip_preflight)| {
        let bytes = hostile(&node, &changes, signs_last);
        let text = BASE64_STANDARD.encode(&bytes);
        let config = json!({"encoding": "base64", "skipPreflight": skip_preflight});
        let count = node.look(|chain| chain.history().len());
        // Whatever the answers are, there are some.
        let _ = ask(&node, "simulateTransaction", &json!([text, config]));
        let message = BASE64_STANDARD.encode(bytes.get(65..).unwrap_or_default());
        let _ = ask(&node, "getFeeForMessage", &json!([message]));
        let _ = ask(&node, "sendTransaction", &json!([text, config]));
        let taken = node.look(|chain| chain.history().len()) - count;
        prop_assert!(taken <= 1);
        landed.set(landed.get() + taken);
        prop_assert_eq!(node.look(all_lamports), total);
        node.mine(2).unwrap();
        Ok(())
    });
    ran.unwrap();
    assert!(landed.get() > 100, "{}", landed.get());
}

fn open(folder: &Path) -> SolanaNode {
    SolanaNode::open(config(Some(folder)), clock()).unwrap()
}

/// Everything that can be seen of a chain.
fn image(node: &SolanaNode) -> Vec<serde_json::Value> {
    let payer = node.wallets()[0].public_key();
    let confirmed = json!({"commitment": "confirmed"});
    let processed = json!({"commitment": "processed"});
    vec![
        get(node, "getEpochInfo", &json!([processed])),
        get(node, "getLatestBlockhash", &json!([processed])),
        get(node, "getSignaturesForAddress", &json!([payer, confirmed])),
        get(node, "getBalance", &json!([payer, processed])),
        get(node, "getBalance", &json!([nobody(7), processed])),
        get(node, "getAccountInfo", &json!([nobody(7), processed])),
    ]
}

#[test]
fn a_chain_goes_on_where_it_was_left() {
    let folder = tempfile::tempdir().unwrap();
    let node = open(folder.path());
    let payer = node.wallets()[0].clone();
    Draft::by(&payer)
        .memo("a")
        .transfer(nobody(7), MINIMUM)
        .force(&node);
    Draft::by(&payer).transfer(nobody(8), u64::MAX).force(&node);
    node.mine(7).unwrap();
    let dropped = Draft::by(&payer).transfer(nobody(9), MINIMUM).force(&node);
    node.reorg(Some(4)).unwrap();
    node.advance(100).unwrap();
    node.pause().unwrap();
    let waiting = Draft::by(&payer)
        .transfer(nobody(7), 5)
        .send(&node)
        .unwrap();
    let before = image(&node);
    drop(node);
    let node = open(folder.path());
    assert_eq!(image(&node), before);
    assert_eq!(verdict(&node, &dropped), None);
    node.mine(2).unwrap();
    assert_eq!(verdict(&node, &waiting), Some(serde_json::Value::Null));
    let before = image(&node);
    drop(node);
    assert_eq!(image(&open(folder.path())), before);
}

#[test]
fn slots_pass_while_nobody_runs_the_node() {
    let folder = tempfile::tempdir().unwrap();
    let first = open(folder.path()).slot();
    let later = clock();
    later.advance(SignedDuration::from_secs(400));
    let node = SolanaNode::open(config(Some(folder.path())), later).unwrap();
    assert_eq!(node.slot(), first + 1_000);
}

#[test]
fn a_chain_keeps_the_length_of_its_epochs() {
    let folder = tempfile::tempdir().unwrap();
    let before = image(&open(folder.path()));
    let mut other = config(Some(folder.path()));
    other.slots_per_epoch *= 2;
    let node = SolanaNode::open(other, clock()).unwrap();
    assert_eq!(image(&node), before);
}

#[test]
fn a_torn_end_is_cut_off_and_all_before_it_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let node = open(folder.path());
    let payer = node.wallets()[0].clone();
    let newest = || {
        let files = fs::read_dir(folder.path()).unwrap();
        let files = files.map(|entry| entry.unwrap().path());
        files
            .filter(|path| path.extension().is_some())
            .max()
            .unwrap()
    };
    let (mut lengths, mut images) = (Vec::new(), Vec::new());
    for index in 0..4 {
        lengths.push(fs::metadata(newest()).unwrap().len());
        images.push(image(&node));
        Draft::by(&payer)
            .transfer(nobody(7), MINIMUM + index)
            .force(&node);
    }
    drop(node);
    let whole = fs::read(newest()).unwrap();
    let path = newest();
    for (index, length) in lengths.iter().enumerate().rev() {
        fs::write(&path, &whole[..usize::try_from(*length).unwrap() + 3]).unwrap();
        let others = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().path());
        for other in others.filter(|other| other.extension().is_some() && *other != path) {
            fs::remove_file(other).unwrap();
        }
        let node = open(folder.path());
        assert_eq!(image(&node), images[index]);
    }
    let mut file = OpenOptions::new().append(true).open(newest()).unwrap();
    file.write_all(b"rubbish").unwrap();
    assert_eq!(image(&open(folder.path())), images[0]);
}

#[test]
fn a_folder_has_one_user_and_one_seed() {
    let folder = tempfile::tempdir().unwrap();
    let node = open(folder.path());
    let error = |seed| {
        let config = super::SolanaConfig {
            seed,
            ..config(Some(folder.path()))
        };
        SolanaNode::open(config, clock()).unwrap_err()
    };
    assert!(matches!(error(9), OpenError::InUse { .. }));
    drop(node);
    assert!(matches!(error(8), OpenError::Seed { found: 9, .. }));
}

#[test]
fn what_cannot_be_kept_does_not_happen() {
    let folder = tempfile::tempdir().unwrap();
    let node = open(folder.path());
    let payer = node.wallets()[0].clone();
    node.break_for_test();
    let error = Draft::by(&payer)
        .transfer(nobody(7), MINIMUM)
        .send(&node)
        .unwrap_err();
    assert_eq!(error["code"], -32603);
    assert!(node.mine(1).is_err() && node.failure().is_some());
    assert_eq!(balance(&node, nobody(7)), 0);
    drop(node);
    let node = open(folder.path());
    Draft::by(&payer).transfer(nobody(7), MINIMUM).force(&node);
    assert_eq!(balance(&node, nobody(7)), MINIMUM);
}

#[test]
fn old_transactions_go_and_their_effects_stay() {
    let folder = tempfile::tempdir().unwrap();
    let config = || super::SolanaConfig {
        kept_transactions: 3,
        ..config(Some(folder.path()))
    };
    let node = SolanaNode::open(config(), clock()).unwrap();
    let payer = node.wallets()[0].clone();
    let first = Draft::by(&payer).transfer(nobody(7), MINIMUM).force(&node);
    for index in 1..6 {
        Draft::by(&payer)
            .transfer(nobody(7), MINIMUM + index)
            .force(&node);
    }
    node.mine(60).unwrap();
    let searched = json!([[first], {"searchTransactionHistory": true}]);
    let unknown =
        |node: &SolanaNode| get(node, "getSignatureStatuses", &searched)["value"][0].is_null();
    assert!(unknown(&node));
    let count = |node: &SolanaNode| get(node, "getTransactionCount", &json!([]));
    assert_eq!(count(&node), 6);
    let before = image(&node);
    drop(node);
    let node = SolanaNode::open(config(), clock()).unwrap();
    assert_eq!((image(&node), count(&node)), (before, json!(6)));
    assert!(unknown(&node));
    assert_eq!(balance(&node, nobody(7)), 6 * MINIMUM + 15);
}

#[test]
fn the_same_seed_gives_the_same_chain() {
    let node = |seed| {
        let config = super::SolanaConfig {
            seed,
            ..config(None)
        };
        SolanaNode::new(config, clock())
    };
    assert_eq!(image(&node(9)), image(&node(9)));
    assert_eq!(blockhash(&node(9)), blockhash(&node(9)));
    assert_ne!(blockhash(&node(9)), blockhash(&node(8)));
    assert_ne!(node(9).genesis_hash(), node(8).genesis_hash());
}
