//! Ratings.

use crate::market_rows::{at, book, id, lease, settle_in, validator, window};
use leasing::{Mode, RatingSum, Stars};
use rstest::rstest;
use store::leasing::{BrowseOrder, BrowseQuery, RatingRow};
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase,
};

fn row(number: u8, of: u8, stars: i64) -> RatingRow {
    RatingRow {
        id: id(number),
        lease: id(of),
        validator: id(10),
        stars: Stars::new(stars).unwrap(),
        comment: (stars > 3).then(|| "good".to_owned()),
        created_at: at(5),
        reply: None,
    }
}

#[rstest]
#[tokio::test]
async fn a_lease_is_rated_once_and_replied_to_once(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    settle_in(ledger).await;
    for number in [20, 21] {
        let epochs = window(i64::from(number), 1);
        book(ledger, &lease(number, epochs, Mode::Exclusive)).await;
    }
    let rate = async |row: RatingRow| {
        let mut tx = ledger.begin().await.unwrap();
        let rated = tx.insert_rating(&row).await.unwrap();
        tx.commit().await.unwrap();
        rated
    };
    assert!(rate(row(1, 20, 5)).await);
    assert!(!rate(row(2, 20, 1)).await);
    assert!(rate(row(3, 21, 2)).await);
    let sum = ledger.validator(id(10)).await.unwrap().unwrap().rating;
    assert_eq!(sum, RatingSum { stars: 7, count: 2 });
    let reply = async |number| {
        let mut tx = ledger.begin().await.unwrap();
        let replied = tx.reply_to_rating(id(number), "thanks", at(6)).await;
        tx.commit().await.unwrap();
        replied.unwrap()
    };
    assert!(!reply(2).await);
    assert!(reply(1).await);
    assert!(!reply(1).await);
    let mut first = row(1, 20, 5);
    first.reply = Some(("thanks".to_owned(), at(6)));
    assert_eq!(ledger.rating(id(1)).await.unwrap(), Some(first.clone()));
    assert_eq!(ledger.rating(id(2)).await.unwrap(), None);
    let listed = ledger.ratings_of(id(10), None, 9).await.unwrap();
    assert_eq!(listed, [row(3, 21, 2), first.clone()]);
    let rest = ledger.ratings_of(id(10), Some(id(3)), 9).await.unwrap();
    assert_eq!(rest, [first]);
    assert_eq!(ledger.ratings_of(id(11), None, 9).await.unwrap(), []);
}

#[rstest]
#[tokio::test]
async fn validators_are_sorted_by_their_average(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    settle_in(ledger).await;
    let mut tx = ledger.begin().await.unwrap();
    tx.insert_validator(&validator(11, 1)).await.unwrap();
    tx.commit().await.unwrap();
    book(ledger, &lease(20, window(5, 1), Mode::Exclusive)).await;
    let mut tx = ledger.begin().await.unwrap();
    tx.insert_rating(&row(1, 20, 1)).await.unwrap();
    tx.commit().await.unwrap();
    let browse = async |after| {
        let query = BrowseQuery {
            price_min: None,
            price_max: None,
            region: None,
            tier: None,
            mode: None,
            available_epoch: None,
            order: BrowseOrder::Rating,
            after,
            limit: 9,
        };
        let rows = ledger.browse(&query).await.unwrap();
        rows.iter().map(|row| row.id).collect::<Vec<_>>()
    };
    assert_eq!(browse(None).await, [id(10), id(11)]);
    assert_eq!(browse(Some((1_000, id(10)))).await, [id(11)]);
    assert_eq!(browse(Some((0, id(11)))).await, []);
}
