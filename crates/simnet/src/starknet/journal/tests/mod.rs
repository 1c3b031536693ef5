//! What outlives a process, whatever ends it.

mod damage;

use crate::journal::OpenError;
use crate::journal::segment::{HEADER_BYTES, header_of};
use crate::journal::testing::{kept_aside, warnings};
use crate::starknet::chain::Chain;
use crate::starknet::config::{History, StarknetConfig};
use crate::starknet::gas::{Resources, with_headroom};
use crate::starknet::node::StarknetNode;
use crate::starknet::state::Key;
use crate::starknet::transaction::{Action, Request, SignedTransaction, execute_calldata};
use primitives::transaction_hash::{Invoke, Terms, Version};
use primitives::{Felt, ManualClock, SignedDuration, Timestamp, U256};
use proptest::prelude::*;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tempfile::TempDir;

const NOW: i64 = 1_800_000_000;

fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::new(Timestamp::from_second(NOW).unwrap()))
}

/// Few blocks, made on request only.
fn config(data: Option<&Path>) -> StarknetConfig {
    StarknetConfig {
        seed: 3,
        block_time: None,
        history: History::blocks(4, Duration::from_secs(10)),
        transactions_per_block: 1,
        pools: 24,
        kept_blocks: 100,
        data: data.map(Path::to_owned),
        ..StarknetConfig::default()
    }
}

fn open(folder: &Path, clock: &Arc<ManualClock>) -> StarknetNode {
    StarknetNode::open(config(Some(folder)), Arc::clone(clock) as _).unwrap()
}

/// All that can be seen of a chain, and what it goes on with: each part with
/// what it has in it, shortened to a hash.
fn content(chain: &Chain) -> Vec<(String, u64)> {
    let shortened = |name: String, parts: Vec<String>| {
        let mut hasher = DefaultHasher::new();
        parts.hash(&mut hasher);
        (name, hasher.finish())
    };
    let values = |values: Vec<(Key, U256)>| {
        let values = values.iter().map(|value| format!("{value:?}"));
        let mut values: Vec<String> = values.collect();
        values.sort_unstable();
        values
    };
    let mut content = Vec::new();
    for block in chain.range(0, u64::MAX) {
        let name = |part| format!("{part} of {} {}", block.number, block.hash);
        let header = format!(
            "{} {} {:?}",
            block.parent_hash, block.timestamp, block.prices
        );
        content.push(shortened(name("header"), vec![header]));
        let transactions = format!("{:?}", block.transactions);
        content.push(shortened(name("transactions"), vec![transactions]));
        content.push(shortened(name("writes"), values(chain.writes_of(&block))));
    }
    for at in [chain.first_number(), chain.head().number] {
        content.push(shortened(
            format!("state at {at}"),
            values(chain.values_before(at)),
        ));
    }
    content.push((format!("{} reorgs", chain.fork()), 0));
    let open = chain.open();
    let begun = open.has_begun().then_some(open.timestamp);
    let open = format!("{begun:?} {:?}", open.transactions);
    content.push(shortened("open block".to_owned(), vec![open]));
    for request in chain.unsealed() {
        content.push((format!("unsealed {}", request.hash), 0));
    }
    content
}

/// A transaction of a pre-funded account, of which nobody checks the signature.
fn request(node: &StarknetNode, account: usize, nonce: u64) -> Request {
    let sender = node.accounts()[account].address.felt();
    let signed = SignedTransaction {
        action: Action::Invoke(Invoke {
            sender,
            calldata: execute_calldata(&[]),
            account_deployment_data: Vec::new(),
        }),
        terms: Terms {
            nonce,
            bounds: with_headroom(
                Resources::LEAST,
                node.read().open().prices.map(|mut price| {
                    price.fri *= 2;
                    price
                }),
            ),
            ..Terms::default()
        },
        signature: vec![Felt::ONE, Felt::TWO],
    };
    Request::new(signed, Version::V3)
}

#[derive(Debug, Clone)]
enum Step {
    Mine(u32),
    Reorg(u32),
    Advance(u64),
    Pause(bool),
    Wait(i64),
    Submit { account: usize, ahead: u64 },
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (1_u32..40).prop_map(Step::Mine),
        2 => (1_u32..120).prop_map(Step::Reorg),
        1 => (0_u64..1_000).prop_map(Step::Advance),
        1 => any::<bool>().prop_map(Step::Pause),
        2 => (0_i64..100).prop_map(Step::Wait),
        3 => (0_usize..3, 0_u64..3).prop_map(|(account, ahead)| Step::Submit { account, ahead }),
        3 => Just(Step::Restart),
    ]
}

fn take(node: &StarknetNode, clock: &ManualClock, step: &Step) {
    match step {
        Step::Mine(blocks) => node.mine(*blocks).unwrap(),
        // Some are too deep.
        Step::Reorg(depth) => drop(node.reorg(*depth)),
        Step::Advance(seconds) => drop(node.advance(*seconds, 2).unwrap()),
        Step::Pause(true) => node.pause().unwrap(),
        Step::Pause(false) => node.resume().unwrap(),
        Step::Wait(seconds) => clock.advance(SignedDuration::from_secs(*seconds)),
        Step::Submit { account, ahead } => {
            let sender = node.accounts()[*account].address.felt();
            let nonce = {
                let chain = node.read();
                chain.view(chain.open().number).nonce(sender)
            };
            let request = request(node, *account, nonce + ahead);
            // Some wait already.
            let _ = node.accept_for_test(request);
        }
        Step::Restart => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]
    #[test]
    fn a_node_that_is_restarted_goes_on_like_one_that_never_stopped(
        steps in prop::collection::vec(step(), 1..14),
    ) {
        let folder = TempDir::new().unwrap();
        let (clock, other_clock) = (clock(), clock());
        let lasting = StarknetNode::new(config(None), Arc::clone(&other_clock) as _);
        let mut node = open(folder.path(), &clock);
        for step in &steps {
            if matches!(step, Step::Restart) {
                drop(node);
                node = open(folder.path(), &clock);
            }
            take(&node, &clock, step);
            take(&lasting, &other_clock, step);
            prop_assert_eq!(node.head(), lasting.head());
        }
        drop(node);
        let node = open(folder.path(), &clock);
        prop_assert_eq!(node.now(), lasting.now());
        prop_assert_eq!(content(&node.read()), content(&lasting.read()));
        node.mine(2).unwrap();
        lasting.mine(2).unwrap();
        prop_assert_eq!(content(&node.read()), content(&lasting.read()));
    }
}

fn segments(folder: &Path) -> Vec<PathBuf> {
    let numbers = crate::journal::segment::numbers(folder).unwrap();
    numbers
        .iter()
        .map(|number| crate::journal::segment::path(folder, *number))
        .collect()
}

/// A copy of a folder as it is at this moment.
fn copy(folder: &Path) -> TempDir {
    let copy = TempDir::new().unwrap();
    for path in segments(folder) {
        fs::copy(&path, copy.path().join(path.file_name().unwrap())).unwrap();
    }
    copy
}

/// A folder of two segments and all heads that its chain ever had.
static LIVED: LazyLock<(TempDir, Vec<Felt>)> = LazyLock::new(|| {
    let folder = TempDir::new().unwrap();
    let clock = clock();
    let node = open(folder.path(), &clock);
    let mut heads = vec![node.head().hash];
    for round in 0..90 {
        match round {
            70 | 85 => node.reorg(3).unwrap(),
            75 => assert_eq!(node.advance(60, 1).unwrap(), 1),
            80 => node.accept_for_test(request(&node, 0, 0)).unwrap(),
            _ => node.mine(1).unwrap(),
        }
        heads.push(node.head().hash);
    }
    assert_eq!(segments(folder.path()).len(), 2);
    (folder, heads)
});

/// Where the checkpoint of a segment ends.
fn checkpoint_bytes(segment: &[u8]) -> usize {
    let entries = damage::entries(segment);
    let base = entries
        .iter()
        .find(|entry| damage::block(entry.body).is_some());
    base.unwrap().end
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]
    #[test]
    fn a_folder_that_was_cut_off_anywhere_has_a_chain_that_was(cut: prop::sample::Index) {
        let (lived, heads) = &*LIVED;
        let folder = copy(lived.path());
        let newest = segments(folder.path()).pop().unwrap();
        let newest_bytes = fs::read(&newest).unwrap();
        let length = newest_bytes.len();
        let cut = cut.index(length + 1);
        let file = fs::OpenOptions::new().write(true).open(&newest).unwrap();
        file.set_len(u64::try_from(cut).unwrap()).unwrap();

        let clock = clock();
        let (node, said) = warnings(|| open(folder.path(), &clock));
        // A checkpoint is written as a whole: only what follows can be torn.
        let torn = said.iter().all(|line| line.contains("a torn end is cut off"));
        prop_assert_eq!(torn, kept_aside(folder.path()).is_empty(), "{:?}", said);
        prop_assert_eq!(torn, cut >= checkpoint_bytes(&newest_bytes), "{:?}", said);
        let place = heads.iter().position(|head| *head == node.head().hash);
        prop_assert!(place.is_some(), "{cut} of {length}");
        node.mine(1).unwrap();
        let before = content(&node.read());
        drop(node);
        prop_assert_eq!(content(&open(folder.path(), &clock).read()), before);
    }
}

#[test]
fn the_whole_folder_has_the_last_head() {
    let (lived, heads) = &*LIVED;
    let folder = copy(lived.path());
    let node = open(folder.path(), &clock());
    assert_eq!(Some(&node.head().hash), heads.last());
}

#[test]
fn an_unfinished_first_start_is_begun_again() {
    let folder = TempDir::new().unwrap();
    drop(open(folder.path(), &clock()));
    let first = segments(folder.path()).pop().unwrap();
    let file = fs::OpenOptions::new().write(true).open(first).unwrap();
    file.set_len(1_000).unwrap();
    let node = open(folder.path(), &clock());
    assert_eq!(node.head().number, 3);
}

#[test]
fn a_reorg_below_the_newest_checkpoint_is_kept() {
    let folder = TempDir::new().unwrap();
    let clock = clock();
    let node = open(folder.path(), &clock);
    node.mine(80).unwrap();
    let before = segments(folder.path()).len();
    assert!(before > 1);
    node.reorg(78).unwrap();
    assert_eq!(segments(folder.path()).len(), before + 1);
    node.mine(3).unwrap();
    let expected = content(&node.read());
    drop(node);
    let node = open(folder.path(), &clock);
    assert_eq!(content(&node.read()), expected);
}

#[test]
fn segments_that_nothing_needs_are_deleted() {
    let folder = TempDir::new().unwrap();
    let clock = clock();
    let node = open(folder.path(), &clock);
    node.mine(700).unwrap();
    assert!(segments(folder.path()).len() <= 4);
    let expected = content(&node.read());
    assert_eq!(node.read().range(0, u64::MAX).len(), 100);
    drop(node);
    assert_eq!(content(&open(folder.path(), &clock).read()), expected);
}

#[test]
fn fewer_or_more_blocks_can_be_kept_after_a_restart() {
    let folder = TempDir::new().unwrap();
    let clock = clock();
    let node = open(folder.path(), &clock);
    node.mine(150).unwrap();
    node.reorg(50).unwrap();
    let head = node.head();
    drop(node);
    for kept_blocks in [10, 1_000] {
        let config = StarknetConfig {
            kept_blocks,
            ..config(Some(folder.path()))
        };
        let node = StarknetNode::open(config, Arc::clone(&clock) as _).unwrap();
        assert_eq!(node.head(), head);
        assert!(node.read().range(0, u64::MAX).len() >= 10);
    }
}

#[test]
fn acknowledged_transactions_wait_on_after_a_crash() {
    let folder = TempDir::new().unwrap();
    let clock = clock();
    let node = open(folder.path(), &clock);
    let (due, early) = (request(&node, 0, 0), request(&node, 1, 2));
    node.accept_for_test(due.clone()).unwrap();
    node.accept_for_test(early.clone()).unwrap();
    let crashed = copy(folder.path());
    let other = open(crashed.path(), &clock);
    for node in [&node, &other] {
        assert_eq!(node.read().open().transactions.len(), 1);
        assert!(node.read().waiting(early.hash).is_some());
        node.mine(1).unwrap();
        assert!(node.read().head().has_outside_transactions());
        assert!(node.read().transaction(due.hash).is_some());
    }
    assert_eq!(node.head(), other.head());
}

#[test]
fn a_chain_that_cannot_be_kept_stops_and_says_why() {
    let folder = TempDir::new().unwrap();
    let clock = clock();
    let node = open(folder.path(), &clock);
    node.mine(2).unwrap();
    let expected = content(&node.read());
    node.break_for_test();
    let error = node.mine(1).unwrap_err();
    assert!(error.reason().contains("cannot be written"), "{error}");
    assert!(node.failure().is_some());
    assert_eq!(content(&node.read()), expected);
    assert!(node.reorg(1).is_err() && node.advance(5, 1).is_err() && node.pause().is_err());
    assert!(node.accept_for_test(request(&node, 0, 0)).is_err());
    assert_eq!(content(&node.read()), expected);
    drop(node);
    let node = open(folder.path(), &clock);
    assert_eq!(content(&node.read()), expected);
    node.mine(1).unwrap();
}

#[test]
fn folders_of_others_are_refused() {
    let folder = TempDir::new().unwrap();
    let node = open(folder.path(), &clock());
    let error = |config| StarknetNode::open(config, clock()).unwrap_err();
    assert!(matches!(
        error(config(Some(folder.path()))),
        OpenError::InUse { .. }
    ));
    drop(node);
    let seeded = StarknetConfig {
        seed: 4,
        ..config(Some(folder.path()))
    };
    assert!(matches!(
        error(seeded),
        OpenError::Seed {
            found: 3,
            expected: 4,
            ..
        }
    ));
    let path = segments(folder.path()).pop().unwrap();
    let mut later = fs::read(&path).unwrap();
    later[..HEADER_BYTES].copy_from_slice(&header_of(2, 3));
    fs::write(&path, later).unwrap();
    assert!(matches!(
        error(config(Some(folder.path()))),
        OpenError::Format { found: 2, .. }
    ));
    fs::write(&path, "notes about segments of simulated chains").unwrap();
    assert!(matches!(
        error(config(Some(folder.path()))),
        OpenError::Foreign { .. }
    ));
    fs::remove_file(path).unwrap();
    fs::write(folder.path().join("notes.segment"), "").unwrap();
    assert!(matches!(
        error(config(Some(folder.path()))),
        OpenError::Foreign { .. }
    ));
    let file = folder.path().join("lock");
    assert!(matches!(error(config(Some(&file))), OpenError::Write(_)));
}

/// A node that makes blocks by the clock.
fn open_lively(folder: &Path, clock: &Arc<ManualClock>) -> StarknetNode {
    let config = StarknetConfig {
        block_time: Some(Duration::from_secs(2)),
        history: History::default(),
        transactions_per_block: 0,
        kept_blocks: 40_000,
        ..config(Some(folder))
    };
    StarknetNode::open(config, Arc::clone(clock) as _).unwrap()
}

#[test]
fn the_time_of_absence_is_filled_with_few_blocks_up_to_now() {
    let folder = TempDir::new().unwrap();
    let clock = clock();
    let mut head = open_lively(folder.path(), &clock).head().number;
    for (absence, least, most) in [
        (0, 0, 0),
        (1, 1, 1),
        (3_600, 360, 360),
        (86_400, 1_000, 2_000),
        (365 * 86_400, 2_000, 20_000),
    ] {
        clock.advance(SignedDuration::from_secs(absence));
        let node = open_lively(folder.path(), &clock);
        let chain = node.read();
        assert_eq!(chain.head().timestamp, node.now());
        let made = chain.head().number - head;
        assert!((least..=most).contains(&made), "{made} in {absence} s");
        head = chain.head().number;
    }
}

#[test]
fn a_paused_chain_stands_still_while_the_node_is_away() {
    let folder = TempDir::new().unwrap();
    let clock = clock();
    let node = open_lively(folder.path(), &clock);
    node.pause().unwrap();
    let head = node.head();
    drop(node);
    clock.advance(SignedDuration::from_hours(1));
    let node = open_lively(folder.path(), &clock);
    assert_eq!(node.head(), head);
}
