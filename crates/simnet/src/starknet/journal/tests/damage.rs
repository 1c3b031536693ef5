//! What is left of a journal in which bits flipped.

use super::{LIVED, clock, content, copy, open, segments};
use crate::journal::frame::{self, HEAD_BYTES, Part};
use crate::journal::segment::HEADER_BYTES;
use crate::journal::testing::{flip, kept_aside, warnings};
use crate::starknet::block::Block;
use crate::starknet::journal::record::Record;
use crate::starknet::node::StarknetNode;
use proptest::prelude::*;
use std::fs;
use std::ops::RangeInclusive;
use std::sync::LazyLock;
use tempfile::TempDir;

/// An entry and its place in a file.
pub(super) struct Placed<'b> {
    pub(super) body: &'b [u8],
    begin: usize,
    pub(super) end: usize,
}

pub(super) fn entries(segment: &[u8]) -> Vec<Placed<'_>> {
    let mut end = HEADER_BYTES;
    let parts = frame::read(&segment[HEADER_BYTES..]).parts;
    let placed = parts.into_iter().map(|part| {
        let Part::Entry(body) = part else {
            panic!("nothing is damaged yet");
        };
        let begin = end;
        end += HEAD_BYTES + body.len();
        Placed { body, begin, end }
    });
    placed.collect()
}

pub(super) fn block(entry: &[u8]) -> Option<Block> {
    match Record::read(entry) {
        Some(Record::Block(kept)) => Some(kept.block),
        _ => None,
    }
}

/// What a chain has of its blocks, and its state at the head.
fn blocks(node: &StarknetNode) -> Vec<(String, u64)> {
    let chain = node.read();
    let mut content = content(&chain);
    let head = format!("state at {}", chain.head().number);
    content.retain(|(name, _)| name.contains(" of ") || *name == head);
    content.sort();
    content.dedup();
    content
}

/// What there is without damage.
static WHOLE: LazyLock<Vec<(String, u64)>> = LazyLock::new(|| {
    let folder = copy(LIVED.0.path());
    blocks(&open(folder.path(), &clock()))
});

/// The numbers of the blocks that are left when an entry of a segment is lost.
fn left(segment: usize, entry: &[u8]) -> RangeInclusive<u64> {
    let bytes = fs::read(&segments(LIVED.0.path())[1]).unwrap();
    let checkpoint = entries(&bytes).iter().find_map(|entry| block(entry.body));
    let checkpoint = checkpoint.unwrap().number;
    let folder = copy(LIVED.0.path());
    let head = open(folder.path(), &clock()).head().number;
    let Some(lost) = block(entry) else {
        return 0..=head;
    };
    let final_name = format!("header of {} {}", lost.number, lost.hash);
    let is_final = WHOLE.iter().any(|(name, _)| *name == final_name);
    // The first block follows from the seed, the one of the checkpoint is there
    // twice, and what a reorg took back is not missed.
    if lost.number == 0 || lost.number == checkpoint || !is_final {
        0..=head
    } else if segment == 0 {
        checkpoint..=head
    } else {
        0..=lost.number - 1
    }
}

/// Flips a bit and opens the folder: what was damaged is told and kept, what is
/// left goes on, and is not damaged the next time.
fn survive(segment: usize, at: usize, bit: usize, left: &RangeInclusive<u64>) {
    let folder = copy(LIVED.0.path());
    let path = segments(folder.path())[segment].clone();
    flip(&path, at, bit);
    let damaged = fs::read(&path).unwrap();
    let (node, said) = warnings(|| open(folder.path(), &clock()));
    let context = format!("byte {at} of segment {segment}: {said:?}");
    assert_eq!(said.len(), 1, "{context}");
    let name = path.file_name().unwrap().to_str().unwrap();
    assert!(said[0].contains(&format!("{name}.damaged-1")), "{context}");
    let goes_on = format!("with blocks {} to {}", left.start(), left.end());
    assert!(said[0].contains(&goes_on), "{context}");
    let kept = kept_aside(folder.path());
    assert_eq!(kept.len(), 1, "{context}");
    assert_eq!(fs::read(&kept[0]).unwrap(), damaged, "{context}");

    let found = blocks(&node);
    let headers = found.iter().filter(|(name, _)| name.starts_with("header"));
    let expected = usize::try_from(left.end() - left.start() + 1).unwrap();
    assert_eq!(headers.count(), expected, "{context}");
    let head = WHOLE.iter().filter(|(name, _)| name.starts_with("header"));
    let ends_as_it_did = u64::try_from(head.count()).unwrap() == left.end() + 1;
    for part in &found {
        let same = !part.0.starts_with("state") || ends_as_it_did;
        assert!(!same || WHOLE.contains(part), "{part:?}, {context}");
    }

    node.mine(2).unwrap();
    let before = blocks(&node);
    drop(node);
    let (node, said) = warnings(|| open(folder.path(), &clock()));
    assert_eq!(said, Vec::<String>::new(), "it is told once");
    assert_eq!(blocks(&node), before, "{context}");
    assert_eq!(kept_aside(folder.path()).len(), 1);
}

/// Every kind of entry once, in every segment.
#[test]
fn whatever_is_hit_no_more_is_lost_than_has_to_be() {
    for (segment, path) in segments(LIVED.0.path()).iter().enumerate() {
        let bytes = fs::read(path).unwrap();
        let entries = entries(&bytes);
        let mut kinds = Vec::new();
        for (index, entry) in entries.iter().enumerate() {
            let is_checkpoint = entries[..index].iter().all(|e| block(e.body).is_none());
            let is_last = index + 1 == entries.len();
            let kind = (entry.body[0], is_checkpoint, is_last);
            if !kinds.contains(&kind) {
                kinds.push(kind);
                let left = left(segment, entry.body);
                survive(segment, entry.begin + index % HEAD_BYTES, index, &left);
            }
        }
        survive(segment, 3 + segment * 10, 1, &left(segment, &[]));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn a_flipped_bit_is_told_kept_and_costs_no_more_than_it_has_to(
        segment in 0_usize..2, entry: prop::sample::Index, at: prop::sample::Index, bit in 0_usize..8,
    ) {
        let bytes = fs::read(&segments(LIVED.0.path())[segment]).unwrap();
        let entries = entries(&bytes);
        let entry = entry.get(&entries);
        let at = entry.begin + at.index(entry.end - entry.begin);
        survive(segment, at, bit, &left(segment, entry.body));
    }
}

#[test]
fn segments_that_the_chain_goes_on_without_are_kept_too() {
    let folder = TempDir::new().unwrap();
    let node = open(folder.path(), &clock());
    node.mine(140).unwrap();
    let head = node.head();
    drop(node);
    let paths = segments(folder.path());
    assert_eq!(paths.len(), 3);
    let bytes = fs::read(&paths[1]).unwrap();
    let entries = entries(&bytes);
    flip(&paths[1], entries[entries.len() / 2].begin, 0);
    let (node, said) = warnings(|| open(folder.path(), &clock()));
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said.iter().all(|line| line.contains("left_behind=true")));
    assert_eq!(node.head(), head);
    let kept = kept_aside(folder.path());
    let kept: Vec<_> = kept.iter().map(|path| path.file_stem().unwrap()).collect();
    let names: Vec<_> = paths.iter().map(|path| path.file_stem().unwrap()).collect();
    for (kept, name) in kept.iter().zip(names) {
        let (kept, name) = (kept.to_str().unwrap(), name.to_str().unwrap());
        assert!(kept.starts_with(name), "{kept} {name}");
    }
    assert_eq!(kept.len(), 2);
}
