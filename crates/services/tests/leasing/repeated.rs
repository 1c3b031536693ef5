//! Requests that are repeated under one key.

use crate::leases::{people, rejected};
use leasing::{Booking, Mode};
use primitives::Ulid;
use services::leasing::{Claim, User};
use world::{Engine::Postgres, Market, TestDatabase, market::answer};

async fn claim(market: &Market, user: &User, key: Ulid, body: u8) -> Claim {
    let claim = market
        .leasing
        .keys
        .claim(user.id, "POST", "/v1/leases", key, [body; 32]);
    claim.await.unwrap()
}

#[tokio::test]
async fn the_second_request_gets_the_answer_of_the_first_for_a_day() {
    let market = Market::new(1).await;
    let (_, validator, trader) = people(&market, 0).await;
    let booking = market.booking(validator, 1, 1, Mode::Exclusive);
    let key = market.key();
    let Claim::Fresh(guard) = claim(&market, &trader, key, 1).await else {
        panic!("a fresh key");
    };
    assert!(matches!(
        claim(&market, &trader, key, 1).await,
        Claim::InFlight
    ));
    assert!(matches!(
        claim(&market, &trader, key, 2).await,
        Claim::OtherBody
    ));
    let (_, given) = market
        .leasing
        .leases
        .book(&trader, &booking, guard, answer)
        .await
        .unwrap();
    let Claim::Replay(kept) = claim(&market, &trader, key, 1).await else {
        panic!("an answer");
    };
    assert_eq!(kept, given);
    assert!(matches!(
        claim(&market, &trader, key, 2).await,
        Claim::OtherBody
    ));
    // A key is of one user.
    let other = market.user("other").await;
    assert!(matches!(
        claim(&market, &other, key, 2).await,
        Claim::Fresh(_)
    ));
    market.advance(24 * 3_600 - 1);
    market.sweep().await;
    assert!(matches!(
        claim(&market, &trader, key, 1).await,
        Claim::Replay(_)
    ));
    market.advance(1);
    assert!(matches!(
        claim(&market, &trader, key, 1).await,
        Claim::Fresh(_)
    ));
}

#[tokio::test]
async fn an_error_frees_the_key() {
    let market = Market::new(2).await;
    let (_, _, trader) = people(&market, 0).await;
    let nobody = market.booking(market.key(), 1, 1, Mode::Exclusive);
    let key = market.key();
    let Claim::Fresh(guard) = claim(&market, &trader, key, 1).await else {
        panic!("a fresh key");
    };
    rejected(
        market
            .leasing
            .leases
            .book(&trader, &nobody, guard, answer)
            .await,
    );
    assert!(matches!(
        claim(&market, &trader, key, 2).await,
        Claim::Fresh(_)
    ));
}

#[tokio::test]
async fn a_request_that_is_given_up_frees_its_key_at_once() {
    let market = Market::new(3).await;
    let (_, validator, trader) = people(&market, 0).await;
    let booking: Booking = market.booking(validator, 1, 1, Mode::Exclusive);
    let key = market.key();
    let Claim::Fresh(lost) = claim(&market, &trader, key, 1).await else {
        panic!("a fresh key");
    };
    drop(lost);
    let Claim::Fresh(guard) = claim(&market, &trader, key, 1).await else {
        panic!("a key that was freed");
    };
    market
        .leasing
        .leases
        .book(&trader, &booking, guard, answer)
        .await
        .unwrap();
    assert_eq!(market.leasing.leases.check_calendar().await.unwrap(), []);
}

#[tokio::test]
async fn a_copy_at_another_replica_waits_for_the_answer() {
    let database = TestDatabase::new(Postgres).await;
    let market = Market::at(4, &database.location).await;
    let (_, validator, trader) = people(&market, 0).await;
    let booking = market.booking(validator, 1, 1, Mode::Exclusive);
    let replica = market.replica(&database.location).await;
    let key = market.key();
    let Claim::Fresh(guard) = claim(&market, &trader, key, 1).await else {
        panic!("a fresh key");
    };
    let (first, copy) = tokio::join!(
        market.leasing.leases.book(&trader, &booking, guard, answer),
        replica
            .keys
            .claim(trader.id, "POST", "/v1/leases", key, [1; 32]),
    );
    let Claim::Replay(kept) = copy.unwrap() else {
        panic!("an answer");
    };
    assert_eq!(kept, first.unwrap().1);
}
