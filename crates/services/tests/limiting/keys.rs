//! API keys on a real store.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use primitives::{Clock, Entropy, ManualClock, SeededEntropy, SignedDuration, Timestamp};
use services::{ApiKeys, Recollection};
use std::sync::Arc;
use store::{Location, Store};
use tempfile::TempDir;

struct Bench {
    keys: ApiKeys,
    clock: Arc<ManualClock>,
    store: Store,
    _folder: TempDir,
}

async fn bench() -> Bench {
    let folder = TempDir::new().unwrap();
    let location = Location::Sqlite {
        dir: folder.path().to_owned(),
    };
    let store = Store::open(&location).await.unwrap();
    store.migrate().await.unwrap();
    let clock = Arc::new(ManualClock::new(Timestamp::UNIX_EPOCH));
    let entropy: Arc<dyn Entropy> = Arc::new(SeededEntropy::new(1));
    let keys = ApiKeys::new(store.clone(), Arc::clone(&clock) as Arc<dyn Clock>, entropy);
    Bench {
        keys,
        clock,
        store,
        _folder: folder,
    }
}

#[tokio::test]
async fn a_key_is_recognised_and_its_secret_is_not_stored() {
    let bench = bench().await;
    let key = bench.keys.create("bot").await.unwrap();
    let caller = bench.keys.recognise(&key.secret).await.unwrap().unwrap();
    assert_eq!(caller.id, key.id);
    let rows = bench.store.ledger().list_keys().await.unwrap();
    assert_eq!(rows.len(), 1);
    assert!(!format!("{rows:?}").contains(key.secret.trim_start_matches("stoa_")));
}

#[tokio::test]
async fn a_stranger_is_remembered_as_such_and_malformed_keys_never_reach_the_store() {
    let bench = bench().await;
    let unknown = format!("stoa_{}", "0".repeat(64));
    assert_eq!(bench.keys.recall(&unknown), Recollection::Nothing);
    assert_eq!(bench.keys.recognise(&unknown).await.unwrap(), None);
    assert_eq!(bench.keys.recall(&unknown), Recollection::Stranger);
    for malformed in ["", "stoa_", "secret", "stoa_zz"] {
        assert_eq!(
            bench.keys.recall(malformed),
            Recollection::Stranger,
            "{malformed:?}"
        );
    }
}

#[tokio::test]
async fn a_revoked_key_works_no_longer_than_answers_are_remembered() {
    let bench = bench().await;
    let key = bench.keys.create("bot").await.unwrap();
    bench.keys.recognise(&key.secret).await.unwrap();
    assert!(bench.keys.revoke(&key.id).await.unwrap());
    assert!(!bench.keys.revoke(&key.id).await.unwrap(), "only once");
    bench.clock.advance(SignedDuration::from_secs(10));
    assert_eq!(bench.keys.recall(&key.secret), Recollection::Former);
    assert_eq!(bench.keys.recognise(&key.secret).await.unwrap(), None);
}
