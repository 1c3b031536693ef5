//! Followed contracts, their events, and transactions of senders.

use crate::{
    blocks::{address, block, empty, fork},
    corruption::assert_corrupt,
};
use market::{
    BlockEffects,
    following::{ContractEvent, Fee, FeeUnit, FollowedContract, SentTransaction},
};
use primitives::{Address, BlockRef, Felt, Timestamp};
use rstest::rstest;
use std::collections::BTreeMap;
use store::Store;
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase,
};

const FACTORY: u64 = 1;
const OTHER: u64 = 2;
const ORDER: u64 = 7;
const SENDER: u64 = 9;

fn leads() -> BTreeMap<Address, [u8; 32]> {
    [(address(FACTORY), [1; 32]), (address(OTHER), [2; 32])].into()
}

fn contract(number: u64, lead: u64, from_block: u64) -> FollowedContract {
    FollowedContract {
        address: address(number),
        lead: address(lead),
        from_block,
    }
}

fn time(block: u64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + i64::try_from(block).unwrap()).unwrap()
}

fn event(contract: u64, block: u64, transaction: u32, index: u32) -> ContractEvent {
    ContractEvent {
        contract: address(contract),
        block,
        time: time(block),
        transaction,
        index,
        transaction_hash: Felt::from(1_000 * block + u64::from(transaction)),
        sender: (!block.is_multiple_of(2)).then_some(address(SENDER)),
        fee: block.is_multiple_of(3).then_some(Fee {
            amount: block.into(),
            unit: FeeUnit::Wei,
        }),
        keys: vec![Felt::MAX; usize::try_from(index).unwrap()],
        data: vec![Felt::from(block), Felt::ZERO],
    }
}

fn sent(block: u64, transaction: u32) -> SentTransaction {
    let reverted = transaction > 0;
    SentTransaction {
        sender: address(SENDER),
        block,
        time: time(block),
        transaction,
        hash: Felt::from(1_000 * block + u64::from(transaction)),
        fee: Fee {
            amount: u128::MAX - u128::from(transaction),
            unit: if reverted { FeeUnit::Wei } else { FeeUnit::Fri },
        },
        revert_reason: reverted.then(|| "u256_sub overflow: ⊥".to_owned()),
    }
}

/// Blocks 5 to 8 of fork 0. Block 5 makes two leads followed, one of them with a
/// past from before the first block; block 7 a contract with a past from block 6
/// on.
fn effects() -> Vec<BlockEffects> {
    let mut effects = fork(block(4, 0), 0, 4);
    let [five, six, seven, eight] = &mut effects[..] else {
        panic!("four blocks")
    };
    five.followed.contracts = vec![contract(FACTORY, FACTORY, 3), contract(OTHER, OTHER, 5)];
    five.followed.events = vec![
        event(FACTORY, 3, 0, 0),
        event(FACTORY, 3, 0, 4),
        event(FACTORY, 5, 0, 1),
        event(OTHER, 5, 0, 2),
    ];
    six.followed.transactions = vec![sent(6, 0), sent(6, 4)];
    seven.followed.contracts = vec![contract(ORDER, FACTORY, 6)];
    seven.followed.events = vec![
        event(ORDER, 6, 2, 0),
        event(FACTORY, 7, 0, 0),
        event(ORDER, 7, 1, 0),
        event(ORDER, 7, 1, 1),
    ];
    eight.followed.events = vec![event(ORDER, 8, 0, 0)];
    eight.followed.transactions = vec![sent(8, 1)];
    effects
}

async fn filled(database: &TestDatabase) -> Store {
    let store = database.store().await;
    let chain = store.chain();
    chain.bind_leads(&leads()).await.unwrap();
    chain.append(None, &effects()).await.unwrap();
    store
}

async fn events(store: &Store, contract: u64, at: BlockRef) -> Option<Vec<ContractEvent>> {
    let events = store
        .chain()
        .events_of(address(contract), None, at, None, 100);
    events.await.unwrap()
}

async fn followed(store: &Store) -> Vec<(u64, FollowedContract)> {
    store.chain().contents().await.unwrap().followed
}

#[rstest]
#[tokio::test]
async fn what_is_followed_is_read_back_in_the_order_of_the_chain(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = filled(&database).await;
    let expected = |contract: u64| {
        let all = effects().into_iter().flat_map(|it| it.followed.events);
        let of_it = all.filter(|event| event.contract == address(contract));
        of_it.collect::<Vec<_>>()
    };
    for contract in [FACTORY, OTHER, ORDER, 99] {
        let read = events(&store, contract, block(8, 0)).await;
        assert_eq!(read, Some(expected(contract)), "{contract}");
    }
    let chain = store.chain();
    let read = chain.transactions_of(address(SENDER), block(8, 0), None, 100);
    let all = [sent(6, 0), sent(6, 4), sent(8, 1)];
    assert_eq!(read.await.unwrap().unwrap(), all);
    let expected = [
        (5, contract(FACTORY, FACTORY, 3)),
        (5, contract(OTHER, OTHER, 5)),
        (7, contract(ORDER, FACTORY, 6)),
    ];
    assert_eq!(followed(&store).await, expected);
}

#[rstest]
#[tokio::test]
async fn pages_begin_after_a_place_and_end_where_asked(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = filled(&database).await;
    let (chain, at) = (store.chain(), block(8, 0));
    let all = events(&store, ORDER, at).await.unwrap();
    for (skipped, limit) in [(0, 1), (0, 2), (1, 2), (2, 5), (3, 1), (4, 3), (1, 0)] {
        let after = all[..skipped].last().map(ContractEvent::place);
        let page = chain.events_of(address(ORDER), None, at, after, limit);
        let ended = all.len().min(skipped + limit as usize);
        assert_eq!(page.await.unwrap().unwrap(), all[skipped..ended]);
    }
    let sender = address(SENDER);
    let page = chain.transactions_of(sender, at, Some((6, 0)), 1);
    assert_eq!(page.await.unwrap().unwrap(), [sent(6, 4)]);
    let page = chain.transactions_of(sender, at, Some((6, 4)), 9);
    assert_eq!(page.await.unwrap().unwrap(), [sent(8, 1)]);
}

#[rstest]
#[tokio::test]
async fn events_are_found_by_whom_they_name(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = filled(&database).await;
    let (chain, at) = (store.chain(), block(8, 0));
    let named = |subject: u64, index| ContractEvent {
        keys: vec![Felt::ONE, Felt::from(subject), Felt::from(7)],
        ..event(FACTORY, 9, 0, index)
    };
    let mut nine = empty(at, 0);
    let nobody = ContractEvent {
        keys: vec![Felt::from(7)],
        ..event(FACTORY, 9, 0, 3)
    };
    nine.followed.events = vec![named(7, 0), named(8, 1), named(7, 2), nobody];
    chain.append(Some(at), &[nine]).await.unwrap();
    let (factory, at) = (address(FACTORY), block(9, 0));
    let read = chain.events_of(factory, Some(Felt::from(7)), at, None, 9);
    assert_eq!(read.await.unwrap().unwrap(), [named(7, 0), named(7, 2)]);
    let read = chain.events_of(factory, Some(Felt::from(7)), at, Some((9, 0, 0)), 9);
    assert_eq!(read.await.unwrap().unwrap(), [named(7, 2)]);
    let read = chain.events_of(factory, Some(Felt::from(9)), at, None, 9);
    assert_eq!(read.await.unwrap().unwrap(), []);
    let before = chain.events_of(factory, Some(Felt::from(7)), block(8, 0), None, 9);
    assert_eq!(before.await.unwrap().unwrap(), []);
    let gone = chain.events_of(factory, Some(Felt::from(7)), block(9, 1), None, 9);
    assert_eq!(gone.await.unwrap(), None);
}

#[rstest]
#[tokio::test]
async fn the_last_block_of_a_time_is_found(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = filled(&database).await;
    let chain = store.chain();
    assert_eq!(chain.block_by(time(4)).await.unwrap(), None);
    for number in 5..=8 {
        let found = chain.block_by(time(number)).await.unwrap();
        assert_eq!(found, Some(block(number, 0)));
    }
    assert_eq!(
        chain.block_by(time(1_000)).await.unwrap(),
        Some(block(8, 0))
    );
}

#[rstest]
#[tokio::test]
async fn no_page_has_more_than_a_thousand_rows(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    store.chain().bind_leads(&leads()).await.unwrap();
    let mut busy = empty(block(4, 0), 0);
    busy.followed.contracts = vec![contract(FACTORY, FACTORY, 5)];
    let one = |index| ContractEvent {
        keys: Vec::new(),
        ..event(FACTORY, 5, 0, index)
    };
    busy.followed.events = (0..1_100).map(one).collect();
    busy.followed.transactions = (0..1_100).map(|place| sent(5, place)).collect();
    store.chain().append(None, &[busy]).await.unwrap();
    let (chain, at) = (store.chain(), block(5, 0));
    let first = chain.events_of(address(FACTORY), None, at, None, u32::MAX);
    let first = first.await.unwrap().unwrap();
    assert_eq!(first.len(), 1_000);
    let after = first.last().map(ContractEvent::place);
    let rest = chain.events_of(address(FACTORY), None, at, after, u32::MAX);
    assert_eq!(rest.await.unwrap().unwrap().len(), 100);
    let sent = chain.transactions_of(address(SENDER), at, None, u32::MAX);
    assert_eq!(sent.await.unwrap().unwrap().len(), 1_000);
}

#[rstest]
#[tokio::test]
async fn as_of_a_block_nothing_of_later_ones_is_told(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = filled(&database).await;
    // Of block 6, but not known before block 7.
    assert_eq!(events(&store, ORDER, block(6, 0)).await.unwrap(), []);
    assert_eq!(events(&store, ORDER, block(7, 0)).await.unwrap().len(), 3);
    let chain = store.chain();
    let read = chain.transactions_of(address(SENDER), block(7, 0), None, 9);
    assert_eq!(read.await.unwrap().unwrap().len(), 2);
    for unknown in [block(4, 0), block(8, 1), block(9, 0)] {
        assert_eq!(events(&store, FACTORY, unknown).await, None);
        let read = chain.transactions_of(address(SENDER), unknown, None, 9);
        assert_eq!(read.await.unwrap(), None);
    }
}

#[rstest]
#[tokio::test]
async fn a_rollback_takes_what_its_blocks_made_known(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = filled(&database).await;
    let chain = store.chain();
    let rolled = chain.rollback(block(8, 0), Some(block(6, 0)), None);
    rolled.await.unwrap();
    assert_eq!(followed(&store).await.len(), 2);
    assert_eq!(events(&store, ORDER, block(6, 0)).await.unwrap(), []);
    assert_eq!(events(&store, FACTORY, block(6, 0)).await.unwrap().len(), 3);
    // The other fork makes the same contract followed, and is not in its way.
    let mut branch = fork(block(6, 0), 1, 2);
    branch[1].followed.contracts = vec![contract(ORDER, OTHER, 8)];
    branch[1].followed.events = vec![event(ORDER, 8, 0, 0)];
    chain.append(Some(block(6, 0)), &branch).await.unwrap();
    let read = events(&store, ORDER, block(8, 1)).await;
    assert_eq!(read.unwrap(), [event(ORDER, 8, 0, 0)]);
    chain.rollback(block(8, 1), None, None).await.unwrap();
    assert_eq!(followed(&store).await, []);
}

#[rstest]
#[tokio::test]
async fn blocks_that_go_for_other_venues_take_what_is_followed_along(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = filled(&database).await;
    assert!(!store.chain().bind_venues(&[3; 32]).await.unwrap());
    assert_eq!(followed(&store).await, []);
    store.chain().append(None, &effects()).await.unwrap();
    assert_eq!(followed(&store).await.len(), 3);
}

#[rstest]
#[tokio::test]
async fn a_lead_that_is_configured_otherwise_goes_with_all_that_it_led_to(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = filled(&database).await;
    let chain = store.chain();
    chain.bind_leads(&leads()).await.unwrap();
    assert_eq!(followed(&store).await.len(), 3);
    let changed = [(address(FACTORY), [9; 32]), (address(OTHER), [2; 32])].into();
    chain.bind_leads(&changed).await.unwrap();
    assert_eq!(followed(&store).await, [(5, contract(OTHER, OTHER, 5))]);
    let at = block(8, 0);
    assert_eq!(events(&store, FACTORY, at).await.unwrap(), []);
    assert_eq!(events(&store, ORDER, at).await.unwrap(), []);
    assert_eq!(events(&store, OTHER, at).await.unwrap().len(), 1);
    assert_eq!(chain.tip().await.unwrap(), Some(at));
    chain.bind_leads(&BTreeMap::new()).await.unwrap();
    assert_eq!(followed(&store).await, []);
}

#[rstest]
#[tokio::test]
async fn contracts_are_told_to_those_who_follow_the_store(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = filled(&database).await;
    let told = store.chain().since(block(5, 0)).await.unwrap().unwrap();
    let contracts: Vec<_> = told.into_iter().map(|it| it.followed.contracts).collect();
    assert_eq!(
        contracts,
        [vec![], vec![contract(ORDER, FACTORY, 6)], vec![]]
    );
}

#[rstest]
#[tokio::test]
async fn rows_that_this_program_never_writes_are_refused_or_told(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = filled(&database).await;
    let (chain, at) = (store.chain(), block(8, 0));
    let bytes = |hex: &str| match engine {
        Sqlite => format!("X'{hex}'"),
        Postgres => format!("'\\x{hex}'::bytea"),
    };
    for refused in [
        "UPDATE followed_event SET learned_block = 5 WHERE block_number = 7".to_owned(),
        "UPDATE followed_event SET learned_block = 99".to_owned(),
        "UPDATE followed_contract SET from_block = -1".to_owned(),
        "UPDATE sent_transaction SET fee_unit = 'gwei'".to_owned(),
        "UPDATE sent_transaction SET block_number = 99".to_owned(),
        format!("UPDATE followed_event SET keys = {}", bytes("0102")),
        format!(
            "UPDATE followed_event SET contract = {}",
            bytes(&"05".repeat(32))
        ),
        format!(
            "UPDATE followed_contract SET lead = {}",
            bytes(&"05".repeat(32))
        ),
        format!("UPDATE sent_transaction SET fee = {}", bytes("01")),
    ] {
        let error = database.execute("chain", &refused).await.unwrap_err();
        let kind = error.as_database_error().unwrap().kind();
        assert_ne!(kind, sqlx::error::ErrorKind::Other, "{refused}: {error}");
    }
    let (good, above_the_prime) = (bytes(&"01".repeat(32)), bytes(&"ff".repeat(32)));
    for (table, column) in [
        ("followed_event", "transaction_hash"),
        ("followed_event", "sender"),
        ("followed_event", "keys"),
        ("followed_event", "data"),
        ("sent_transaction", "hash"),
    ] {
        let spoil = format!("UPDATE {table} SET {column} = {above_the_prime}");
        database.execute("chain", &spoil).await.unwrap();
        if table == "followed_event" {
            let read = chain.events_of(address(ORDER), None, at, None, 9).await;
            assert_corrupt(read, table, column);
        } else {
            let read = chain.transactions_of(address(SENDER), at, None, 9).await;
            assert_corrupt(read, table, column);
        }
        let repair = format!("UPDATE {table} SET {column} = {good}");
        database.execute("chain", &repair).await.unwrap();
    }
}
