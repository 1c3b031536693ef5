//! Orders are what the chain told, through reorganisations and restarts.

use crate::stage::{HOUR, Stage};
use rstest::rstest;
use trading::recurring::{BuyBounds, OrderStatus};
use world::Engine::{self, Postgres, Sqlite};

const ANY: BuyBounds = BuyBounds {
    least: None,
    most: None,
};

#[rstest]
#[case::sqlite(Sqlite)]
#[case::postgres(Postgres)]
#[tokio::test]
async fn an_order_is_indexed_until_the_next_block(#[case] engine: Engine) {
    let mut stage = Stage::new(engine, 1).await;
    let order = stage.order(3, ANY).await;
    let status = |stage: &Stage| stage.find(order).unwrap().status(stage.now());
    assert_eq!(status(&stage), OrderStatus::Indexing);
    stage.mine().await;
    assert_eq!(status(&stage), OrderStatus::Active);
    stage.cancel(order).await;
    assert_eq!(status(&stage), OrderStatus::Closed);
}

#[rstest]
#[case::sqlite(Sqlite)]
#[case::postgres(Postgres)]
#[tokio::test]
async fn what_is_known_equals_what_is_read_afresh(#[case] engine: Engine) {
    let mut stage = Stage::new(engine, 2).await;
    let mut keeper = stage.keeper();
    for round in 0..6_u32 {
        let order = stage.order(1 + round % 3, ANY).await;
        keeper.round().await.unwrap();
        stage.pass(HOUR).await;
        if round % 2 == 0 && stage.find(order).unwrap().ended.is_none() {
            stage.cancel(order).await;
        }
        stage.world.node.reorg(1 + round % 4).unwrap();
        stage.sync().await;
        assert_eq!(stage.all(), stage.all_afresh().await, "after round {round}");
    }
    assert!(stage.all().len() >= 3, "some orders survived");
    let before = stage.all();
    stage.restart().await;
    stage.sync().await;
    assert_eq!(stage.all(), before);
}
