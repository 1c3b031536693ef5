//! The time that contracts see: fixed when a block begins, and the same
//! afterwards, whatever becomes of the chain.

use crate::starknet::config::{History, StarknetConfig};
use crate::starknet::contracts::account::outside::{ANY_CALLER, OutsideExecution, OutsideVersion};
use crate::starknet::contracts::erc20::transfer_call;
use crate::starknet::network::STRK;
use crate::starknet::node::StarknetNode;
use crate::starknet::wallet::Wallet;
use primitives::{Felt, ManualClock, SignedDuration, Timestamp, U256};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

const NOW: u64 = 1_800_000_000;

struct Stage {
    clock: Arc<ManualClock>,
    folder: TempDir,
}

impl Stage {
    fn new() -> Self {
        let now = Timestamp::from_second(i64::try_from(NOW).unwrap()).unwrap();
        Self {
            clock: Arc::new(ManualClock::new(now)),
            folder: TempDir::new().unwrap(),
        }
    }

    fn open(&self) -> StarknetNode {
        open(self.folder.path(), &self.clock)
    }

    fn wait(&self, seconds: i64) {
        self.clock.advance(SignedDuration::from_secs(seconds));
    }

    /// What a node says that is started from a copy of the folder is the same.
    fn assert_kept(&self, node: &StarknetNode, taken: Felt) {
        let copy = TempDir::new().unwrap();
        for file in std::fs::read_dir(self.folder.path()).unwrap() {
            let path = file.unwrap().path();
            std::fs::copy(&path, copy.path().join(path.file_name().unwrap())).unwrap();
        }
        let other = open(copy.path(), &self.clock);
        assert_eq!(other.head(), node.head());
        assert_eq!(fate(&other, taken), fate(node, taken));
    }
}

fn open(folder: &Path, clock: &Arc<ManualClock>) -> StarknetNode {
    let config = StarknetConfig {
        seed: 4,
        block_time: None,
        history: History::blocks(4, Duration::from_secs(10)),
        transactions_per_block: 1,
        pools: 0,
        data: Some(folder.to_owned()),
        ..StarknetConfig::default()
    };
    StarknetNode::open(config, Arc::clone(clock) as _).unwrap()
}

/// Lets the second account do something in the first one's name, only at a time
/// from `NOW` until a few seconds later.
fn timely(node: &StarknetNode, nonce: u64) -> Felt {
    let (owner, sender) = (Wallet::funded(node, 0), Wallet::funded(node, 1));
    let execution = OutsideExecution {
        caller: ANY_CALLER,
        nonce: Felt::from(nonce),
        execute_after: NOW - 1,
        execute_before: NOW + 3,
        calls: vec![transfer_call(STRK, sender.address, U256::ONE)],
    };
    let call = owner.outside(OutsideVersion::Two, &execution);
    node.submit(sender.invoke(nonce, &[call])).unwrap()
}

/// Why a transaction was reverted, and the time of its block.
fn fate(node: &StarknetNode, hash: Felt) -> (Option<String>, u64) {
    let chain = node.read();
    let (transaction, block) = chain.transaction(hash).unwrap();
    let reason = transaction.receipt.revert_reason.clone();
    (reason, chain.view(block).time)
}

#[test]
fn a_block_that_has_begun_keeps_its_time() {
    let stage = Stage::new();
    let node = stage.open();
    let first = timely(&node, 0);
    stage.wait(100);
    let second = timely(&node, 1);
    node.mine(1).unwrap();
    let third = timely(&node, 2);
    node.mine(1).unwrap();
    assert_eq!(fate(&node, first), (None, NOW));
    assert_eq!(fate(&node, second), (None, NOW));
    let (reason, time) = fate(&node, third);
    assert!(reason.unwrap().ends_with("SRC9: now >= execute_before"));
    assert_eq!(time, NOW + 100);
}

#[test]
fn a_block_without_transactions_is_of_the_time_when_it_is_made() {
    let stage = Stage::new();
    let node = stage.open();
    stage.wait(50);
    node.mine(1).unwrap();
    assert_eq!(node.read().head().timestamp, NOW + 50);
}

#[test]
fn a_restart_does_not_change_the_time_of_the_block_in_the_making() {
    let stage = Stage::new();
    let node = stage.open();
    let taken = timely(&node, 0);
    drop(node);
    stage.wait(100);
    let node = stage.open();
    assert_eq!(fate(&node, taken), (None, NOW));
    node.mine(1).unwrap();
    assert_eq!(fate(&node, taken), (None, NOW));
    assert_eq!(node.read().head().timestamp, NOW);
    drop(node);
    assert_eq!(fate(&stage.open(), taken), (None, NOW));
}

#[test]
fn a_reorg_replaces_blocks_by_blocks_of_the_same_times() {
    let stage = Stage::new();
    let node = stage.open();
    node.mine(1).unwrap();
    stage.wait(2);
    let taken = timely(&node, 0);
    node.mine(1).unwrap();
    stage.wait(100);
    node.mine(1).unwrap();
    let height = node.head().number;
    let times = |node: &StarknetNode| -> Vec<u64> {
        let blocks = node.read().range(0, height);
        blocks.iter().map(|block| block.timestamp).collect()
    };
    let before = times(&node);
    // The block of the transaction, then the one before it too, which is of the
    // same second as the beginning of the bounds.
    for depth in [2, 4] {
        node.reorg(depth).unwrap();
        assert_eq!(times(&node), before);
        let (reason, time) = fate(&node, taken);
        assert_eq!(reason, None, "{depth}");
        assert!((NOW..NOW + 3).contains(&time), "{depth}");
        stage.assert_kept(&node, taken);
    }
}

#[test]
fn advancing_makes_as_many_blocks_as_are_asked_for_at_equal_distances() {
    let stage = Stage::new();
    let node = stage.open();
    let head = node.head().number;
    assert_eq!(node.advance(1_000, 4).unwrap(), 4);
    let blocks = node.read().range(head + 1, u64::MAX);
    let times: Vec<u64> = blocks.iter().map(|block| block.timestamp - NOW).collect();
    assert_eq!(times, [250, 500, 750, 1_000]);
    assert_eq!(node.advance(7, 0).unwrap(), 1);
    assert_eq!(node.read().head().timestamp, NOW + 1_007);
    // One that has begun is ended first, at its own time.
    let taken = timely(&node, 0);
    assert_eq!(node.advance(10, 1).unwrap(), 2);
    assert_eq!(fate(&node, taken).1, NOW + 1_007);
    assert_eq!(node.read().head().timestamp, NOW + 1_017);
}
