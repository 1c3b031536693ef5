//! What is left of a journal in which bits flipped.

use super::record::{ACCOUNTS, TIMELINE, TRANSACTION};
use crate::journal::frame::{self, HEAD_BYTES, Part};
use crate::journal::segment::{self, HEADER_BYTES};
use crate::journal::testing::{flip, kept_aside, warnings};
use crate::solana::chain::Commitment;
use crate::solana::testing::{Draft, balance, clock, config, nobody};
use crate::solana::{SolanaKeypair, SolanaNode};
use primitives::Signature;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const MINIMUM: u64 = 890_880;

/// Bytes between two flips: less than any entry has, and more in the accounts,
/// which are one entry and most of the file.
const STEP: usize = 7;
const STEP_IN_ACCOUNTS: usize = 97;

fn open(folder: &Path) -> SolanaNode {
    SolanaNode::open(config(Some(folder)), clock()).unwrap()
}

fn newest(folder: &Path) -> PathBuf {
    let number = segment::numbers(folder).unwrap().pop().unwrap();
    segment::path(folder, number)
}

/// The transactions of a chain, and what the last address of each holds.
fn history(node: &SolanaNode) -> Vec<(Signature, u64)> {
    let entries: Vec<_> = node.look(|chain| chain.history().entries().cloned().collect());
    let receiver = |entry: &crate::solana::history::HistoryEntry| entry.transaction.message.keys[1];
    entries
        .iter()
        .map(|entry| (entry.transaction.id(), balance(node, receiver(entry))))
        .collect()
}

/// What a chain is besides its transactions.
fn state(node: &SolanaNode) -> (u64, String, u128) {
    node.look(|chain| {
        let head = chain.head(Commitment::Processed);
        let hash = chain.blockhash(head).to_string();
        (chain.slot(), hash, chain.accounts().total())
    })
}

/// A journal of some transactions in its checkpoint and some after it, one of
/// which was taken back.
fn lived() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let pay = |node: &SolanaNode, number: u8| {
        let payer = &node.wallets()[usize::from(number)];
        Draft::by(payer)
            .transfer(nobody(number + 1), MINIMUM + u64::from(number))
            .force(node);
    };
    let node = open(folder.path());
    (0..3).for_each(|number| pay(&node, number));
    drop(node);
    let node = open(folder.path());
    (3..6).for_each(|number| pay(&node, number));
    node.reorg(Some(2)).unwrap();
    assert_eq!(history(&node).len(), 5, "the last one is taken back");
    pay(&node, 6);
    folder
}

fn copy(folder: &Path) -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    let path = newest(folder);
    fs::copy(&path, copy.path().join(path.file_name().unwrap())).unwrap();
    copy
}

/// The kind of the entry that a byte belongs to, and how many of this kind come
/// before; `None` in the header.
fn place(bytes: &[u8], at: usize) -> Option<(u8, usize)> {
    let at = at.checked_sub(HEADER_BYTES)?;
    let mut end = 0;
    let mut kinds = Vec::new();
    for part in frame::read(&bytes[HEADER_BYTES..]).parts {
        let Part::Entry(entry) = part else {
            panic!("nothing is damaged yet");
        };
        end += HEAD_BYTES + entry.len();
        if at < end {
            let before = kinds.iter().filter(|kind| **kind == entry[0]);
            return Some((entry[0], before.count()));
        }
        kinds.push(entry[0]);
    }
    panic!("no such byte");
}

#[test]
fn a_flipped_bit_is_told_kept_and_costs_one_entry() {
    let lived = lived();
    let bytes = fs::read(newest(lived.path())).unwrap();
    let (expected, expected_state) = {
        let node = open(copy(lived.path()).path());
        (history(&node), state(&node))
    };
    let step = |place| match place {
        None => 1,
        Some((ACCOUNTS, _)) => STEP_IN_ACCOUNTS,
        Some(_) => STEP,
    };
    let flips = (0..bytes.len()).map(|at| (at, place(&bytes, at)));
    for (at, place) in flips.filter(|(at, place)| at % step(*place) == 0) {
        let folder = copy(lived.path());
        let path = newest(folder.path());
        flip(&path, at, at);
        let damaged = fs::read(&path).unwrap();
        let (node, said) = warnings(|| open(folder.path()));
        let context = format!("byte {at}, {place:?}: {said:?}");
        assert_eq!(said.len(), 1, "{context}");
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(said[0].contains(&format!("{name}.damaged-1")), "{context}");
        assert!(said[0].contains("goes_on=\"from slot"), "{context}");
        let kept = kept_aside(folder.path());
        assert_eq!(kept.len(), 1, "{context}");
        assert_eq!(fs::read(&kept[0]).unwrap(), damaged, "{context}");

        // The sixth payment was taken back.
        let lost = match place {
            Some((TRANSACTION, number)) if number < 5 => Some(number),
            Some((TRANSACTION, 6)) => Some(5),
            _ => None,
        };
        let mut left = expected.clone();
        lost.map(|lost| left.remove(lost));
        if lost.is_none() && !matches!(place, Some((TIMELINE, _))) {
            assert_eq!(state(&node), expected_state, "{context}");
        }

        // Slots that were let pass may be lost, and transactions wait again.
        node.mine(3).unwrap();
        assert_eq!(history(&node), left, "{context}");
        let before = (history(&node), state(&node));
        drop(node);
        let (node, said) = warnings(|| open(folder.path()));
        assert_eq!(said, Vec::<String>::new(), "it is told once");
        assert_eq!((history(&node), state(&node)), before, "{context}");
        assert_eq!(kept_aside(folder.path()).len(), 1);
    }
}

#[test]
fn transactions_that_need_a_lost_one_are_lost_and_told() {
    let folder = tempfile::tempdir().unwrap();
    let node = open(folder.path());
    let rich = &node.wallets()[0];
    let poor = &SolanaKeypair::derive(&node.genesis_hash(), "POOR", 0);
    let first = HEADER_BYTES + {
        let bytes = fs::read(newest(folder.path())).unwrap();
        frame::read(&bytes[HEADER_BYTES..]).length
    };
    Draft::by(rich)
        .transfer(poor.public_key(), 5 * MINIMUM)
        .force(&node);
    Draft::by(poor).transfer(nobody(1), MINIMUM).force(&node);
    Draft::by(rich).transfer(nobody(2), MINIMUM).force(&node);
    drop(node);
    flip(&newest(folder.path()), first + HEAD_BYTES + 40, 3);
    let (node, said) = warnings(|| open(folder.path()));
    assert!(said[0].contains("useless_entries=1 "), "{said:?}");
    assert_eq!(balance(&node, nobody(1)), 0);
    assert_eq!(balance(&node, nobody(2)), MINIMUM);
}

#[test]
fn a_torn_end_is_no_damage() {
    let lived = lived();
    let bytes = fs::read(newest(lived.path())).unwrap();
    let Some(Part::Entry(last)) = frame::read(&bytes[HEADER_BYTES..]).parts.pop() else {
        panic!("an entry");
    };
    for cut in 1..HEAD_BYTES + last.len() {
        let folder = copy(lived.path());
        fs::write(newest(folder.path()), &bytes[..bytes.len() - cut]).unwrap();
        let (node, said) = warnings(|| open(folder.path()));
        assert_eq!(said, Vec::<String>::new());
        assert_eq!(history(&node).len(), 6);
        assert!(kept_aside(folder.path()).is_empty());
    }
}

#[test]
fn a_journal_without_a_beginning_is_kept_and_a_new_chain_begun() {
    let lived = lived();
    let folder = copy(lived.path());
    let path = newest(folder.path());
    for length in [0, HEADER_BYTES, HEADER_BYTES + 5] {
        fs::write(&path, &fs::read(newest(lived.path())).unwrap()[..length]).unwrap();
        let (node, said) = warnings(|| open(folder.path()));
        assert!(said[0].contains("with a new chain"), "{said:?}");
        assert_eq!(history(&node).len(), 0);
        drop(node);
        fs::remove_file(newest(folder.path())).unwrap();
    }
    assert_eq!(kept_aside(folder.path()).len(), 3);
}
