//! A disk that is full for a moment. The limit of file sizes is one of the whole
//! process, so that nothing else is tested here.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use market::BlockEffects;
use primitives::{BlockRef, Felt, Timestamp};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use store::{ApiKeyRow, Location, Store};
use tokio::signal::unix::{SignalKind, signal};

/// "File size limit exceeded": without a handler it ends the process.
const SIGXFSZ: i32 = 25;

/// Lets files grow to this size and no farther.
fn limit_files(bytes: Option<u64>) {
    let maximum = getrlimit(Resource::Fsize).maximum;
    let current = bytes.or(maximum);
    setrlimit(Resource::Fsize, Rlimit { current, maximum }).unwrap();
}

fn blocks(count: u64) -> Vec<BlockEffects> {
    let block = |number| BlockRef {
        number,
        hash: Felt::from(number + 1),
    };
    let quiet =
        |number| BlockEffects::quiet(block(number), Felt::from(number), Timestamp::UNIX_EPOCH);
    (0..count).map(quiet).collect()
}

fn key(number: u8) -> ApiKeyRow {
    ApiKeyRow {
        id: format!("key {number}"),
        name: "long ".repeat(100_000),
        digest: [number; 32],
        created_at: Timestamp::UNIX_EPOCH,
        revoked_at: None,
    }
}

/// A commit fails when it is written out, and SQLite has rolled back by itself
/// before anybody else can: the connection must not be taken for one in the middle
/// of a transaction.
#[tokio::test]
async fn writes_that_fail_for_want_of_space_cost_no_later_one() {
    let _handled = signal(SignalKind::from_raw(SIGXFSZ)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let location = Location::Sqlite {
        dir: folder.path().to_owned(),
    };
    let store = Store::open(&location).await.unwrap();
    store.migrate().await.unwrap();
    let blocks = blocks(2_000);
    limit_files(Some(50_000));
    for _ in 0..3 {
        store.chain().append(None, &blocks).await.unwrap_err();
        store.ledger().insert_key(&key(1)).await.unwrap_err();
    }
    limit_files(None);
    assert_eq!(store.chain().tip().await.unwrap(), None);
    store.chain().append(None, &blocks).await.unwrap();
    store.ledger().insert_key(&key(1)).await.unwrap();
    let tip = store.chain().tip().await.unwrap();
    assert_eq!(tip, blocks.last().map(|last| last.block));
    assert_eq!(store.ledger().list_keys().await.unwrap(), [key(1)]);
}
