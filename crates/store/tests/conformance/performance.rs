//! How well validators do.

use crate::market_rows::{at, id, settle_in, validator};
use leasing::{LedSlots, Share};
use rstest::rstest;
use store::leasing::{BrowseOrder, BrowseQuery, Performance};
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase,
};

fn led(slots: u64, blocks: u64) -> LedSlots {
    LedSlots { slots, blocks }
}

#[rstest]
#[tokio::test]
async fn slots_of_epochs_add_up_while_they_are_young(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    settle_in(ledger).await;
    let note = async |first_slot, counts, seen| {
        let mut tx = ledger.begin().await.unwrap();
        let rows = [(id(10), counts)];
        tx.note_blocks(first_slot, &rows, at(seen)).await.unwrap();
        tx.note_blocks(first_slot, &[], at(seen)).await.unwrap();
        tx.commit().await.unwrap();
    };
    note(0, led(8, 4), 1).await;
    note(100, led(4, 4), 2).await;
    // The epoch goes on; a node that is behind does not take it back.
    note(100, led(8, 7), 3).await;
    note(100, led(4, 4), 4).await;
    assert_eq!(
        ledger.led_slots(at(0)).await.unwrap(),
        [(id(10), led(16, 11))].into()
    );
    assert_eq!(
        ledger.led_slots(at(2)).await.unwrap(),
        [(id(10), led(8, 7))].into()
    );
    // More blocks than slots are none.
    note(200, led(4, 9), 5).await;
    assert_eq!(
        ledger.led_slots(at(5)).await.unwrap(),
        [(id(10), led(4, 4))].into()
    );
    let mut tx = ledger.begin().await.unwrap();
    tx.forget_blocks(at(5)).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(
        ledger.led_slots(at(0)).await.unwrap(),
        [(id(10), led(4, 4))].into()
    );
}

#[rstest]
#[tokio::test]
async fn validators_are_sorted_by_how_well_they_do(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    settle_in(ledger).await;
    let mut tx = ledger.begin().await.unwrap();
    for number in [11, 12] {
        tx.insert_validator(&validator(number, 1)).await.unwrap();
    }
    let doing = |uptime, effectiveness| Performance {
        uptime: Share::from_millionths(uptime),
        effectiveness: Share::from_millionths(effectiveness),
    };
    tx.set_performance(id(10), doing(0, 1_000_000))
        .await
        .unwrap();
    tx.set_performance(id(11), doing(999_999, 0)).await.unwrap();
    tx.commit().await.unwrap();
    let row = ledger.validator(id(10)).await.unwrap().unwrap();
    assert_eq!(row.performance, doing(0, 1_000_000));
    let row = ledger.validator(id(12)).await.unwrap().unwrap();
    assert_eq!(row.performance, Performance::default());
    let browse = async |order, after| {
        let query = BrowseQuery {
            price_min: None,
            price_max: None,
            region: None,
            tier: None,
            mode: None,
            available_epoch: None,
            order,
            after,
            limit: 9,
        };
        let rows = ledger.browse(&query).await.unwrap();
        rows.iter().map(|row| row.id).collect::<Vec<_>>()
    };
    let (uptime, effectiveness) = (BrowseOrder::Uptime, BrowseOrder::Effectiveness);
    assert_eq!(browse(uptime, None).await, [id(11), id(10), id(12)]);
    assert_eq!(browse(uptime, Some((0, id(10)))).await, [id(12)]);
    assert_eq!(browse(effectiveness, None).await, [id(10), id(11), id(12)]);
    assert_eq!(browse(effectiveness, Some((-1, id(12)))).await, []);
}
