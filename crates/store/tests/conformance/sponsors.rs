//! Sponsors, what they reserve, and what they are charged.

use crate::market_rows::at;
use primitives::{Address, Felt, Timestamp};
use rstest::rstest;
use store::{
    LedgerStore, NewReservation, Reservation, RuleKind, SponsorRow, SponsorRule, SponsoredOutcome,
    SponsoredProgress, SponsoredRow, SponsoredState, StoreError,
};
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase,
};

const CHAIN: Felt = Felt::ONE;

/// More than 64 bits can say, so that both parts of amounts count.
const CREDITS: u128 = 40_000_000_000_000_000_000;

fn sponsor(id: &str, number: u8) -> SponsorRow {
    SponsorRow {
        id: id.to_owned(),
        name: "Ada".to_owned(),
        digest: [number; 32],
        credits: CREDITS,
        user_daily: None,
        created_at: at(1),
        disabled_at: None,
    }
}

async fn add(ledger: &LedgerStore, row: &SponsorRow) -> Result<(), StoreError> {
    let mut tx = ledger.begin().await.unwrap();
    match tx.insert_sponsor(row).await {
        Ok(()) => {
            tx.commit().await.unwrap();
            Ok(())
        }
        Err(error) => {
            tx.rollback().await.unwrap();
            Err(error)
        }
    }
}

fn user(number: u64) -> Address {
    Address::new(Felt::from(number))
}

async fn reserve(
    ledger: &LedgerStore,
    (sponsor, user): (&str, Address),
    hash: u64,
    amount: u128,
    time: Timestamp,
) -> Reservation {
    let wanted = NewReservation {
        sponsor: sponsor.to_owned(),
        user,
        pool_fee: 0,
    };
    let mut tx = ledger.begin().await.unwrap();
    let reserved = tx.reserve(&wanted, CHAIN, Felt::from(hash), amount, time);
    let reserved = reserved.await.unwrap();
    if reserved == Reservation::Made {
        tx.commit().await.unwrap();
    } else {
        tx.rollback().await.unwrap();
    }
    reserved
}

async fn settle(
    ledger: &LedgerStore,
    row: &SponsoredRow,
    outcome: Option<SponsoredOutcome>,
) -> bool {
    let mut tx = ledger.begin().await.unwrap();
    let settled = tx.settle_sponsored(CHAIN, row, outcome).await.unwrap();
    tx.commit().await.unwrap();
    settled
}

async fn credits(ledger: &LedgerStore, id: &str) -> u128 {
    ledger.sponsor(id).await.unwrap().unwrap().credits
}

fn outcome(fee: u128, reverted: bool, second: i64) -> SponsoredOutcome {
    SponsoredOutcome {
        fee,
        reverted,
        block_number: 7,
        block_time: at(second),
    }
}

#[rstest]
#[tokio::test]
async fn a_sponsor_is_found_by_its_key_until_that_is_another(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    let mut row = sponsor("one", 1);
    row.user_daily = Some(u128::MAX);
    add(ledger, &row).await.unwrap();
    for taken in [sponsor("one", 2), sponsor("two", 1)] {
        let refused = add(ledger, &taken).await;
        assert!(matches!(refused, Err(StoreError::Exists { .. })));
    }
    assert_eq!(ledger.find_sponsor(&[1; 32]).await.unwrap(), Some(row));
    let rules = [
        (RuleKind::Pool, None),
        (RuleKind::Allow, Some(Felt::TWO)),
        (RuleKind::Allow, None),
        (RuleKind::Deny, None),
    ]
    .map(|(kind, selector)| SponsorRule {
        kind,
        contract: user(9),
        selector,
    });
    let mut tx = ledger.begin().await.unwrap();
    for rule in rules.iter().chain(&rules) {
        tx.insert_sponsor_rule("one", rule).await.unwrap();
    }
    assert!(tx.rotate_sponsor("one", &[3; 32]).await.unwrap());
    assert!(!tx.rotate_sponsor("none", &[4; 32]).await.unwrap());
    tx.commit().await.unwrap();
    let kept = ledger.sponsor_rules("one").await.unwrap();
    assert_eq!(kept.len(), rules.len());
    assert!(rules.iter().all(|rule| kept.contains(rule)));
    assert_eq!(ledger.find_sponsor(&[1; 32]).await.unwrap(), None);
    let mut tx = ledger.begin().await.unwrap();
    assert!(tx.disable_sponsor("one", at(5)).await.unwrap());
    assert!(!tx.disable_sponsor("one", at(6)).await.unwrap());
    assert!(!tx.rotate_sponsor("one", &[5; 32]).await.unwrap());
    tx.commit().await.unwrap();
    let found = ledger.find_sponsor(&[3; 32]).await.unwrap().unwrap();
    assert_eq!(found.disabled_at, Some(at(5)));
    assert_eq!(ledger.list_sponsors().await.unwrap(), [found]);
    let gone = reserve(ledger, ("one", user(1)), 1, 1, at(9)).await;
    assert_eq!(gone, Reservation::Gone);
}

#[rstest]
#[tokio::test]
async fn credits_are_reserved_and_settled_once(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    add(ledger, &sponsor("one", 1)).await.unwrap();
    let half = CREDITS / 2 + 1;
    for (hash, expected) in [
        (1, Reservation::Made),
        (2, Reservation::NoCredits),
        (3, Reservation::NoCredits),
    ] {
        let reserved = reserve(ledger, ("one", user(1)), hash, half, at(9)).await;
        assert_eq!(reserved, expected);
    }
    let nobody = reserve(ledger, ("none", user(1)), 4, 1, at(9)).await;
    assert_eq!(nobody, Reservation::Gone);
    let last = reserve(ledger, ("one", user(2)), 5, CREDITS - half, at(10)).await;
    assert_eq!(last, Reservation::Made);
    assert_eq!(credits(ledger, "one").await, 0);
    let open = ledger.open_sponsored(CHAIN).await.unwrap();
    let expected = SponsoredRow {
        hash: Felt::ONE,
        sponsor: "one".to_owned(),
        user: user(1),
        reserved: half,
        pool_fee: 0,
        created_at: at(9),
        state: SponsoredState::Open(SponsoredProgress::Reserved),
    };
    assert_eq!((open.len(), &open[0]), (2, &expected));
    assert_eq!(ledger.open_sponsored(Felt::TWO).await.unwrap(), []);
    let fee = 18_446_744_073_709_551_617;
    assert!(settle(ledger, &open[0], Some(outcome(fee, true, 20))).await);
    assert!(!settle(ledger, &open[0], Some(outcome(1, false, 20))).await);
    assert!(!settle(ledger, &open[0], None).await);
    assert!(settle(ledger, &open[1], None).await);
    assert!(!settle(ledger, &open[1], None).await);
    assert_eq!(credits(ledger, "one").await, CREDITS - fee);
    assert_eq!(ledger.open_sponsored(CHAIN).await.unwrap(), []);
    let charged = ledger.charged_sponsored(CHAIN, "one", None).await.unwrap();
    assert_eq!(charged.len(), 1);
    let state = SponsoredState::Final(outcome(fee, true, 20));
    assert_eq!(charged[0].state, state);
    let after = ledger.charged_sponsored(CHAIN, "one", Some(Felt::ONE));
    assert_eq!(after.await.unwrap(), []);
    for (from, to, count) in [(20, 20, 1), (0, 19, 0), (21, 99, 0)] {
        let activity = ledger.sponsor_activity("one", at(from), at(to));
        let activity = activity.await.unwrap();
        assert_eq!(activity.reverted.count, count);
        assert_eq!(activity.reverted.fees, u128::from(count) * fee);
        assert_eq!(activity.succeeded.count, 0);
        assert_eq!(activity.credits, CREDITS - fee);
    }
}

#[rstest]
#[tokio::test]
async fn how_far_it_is_changes_until_it_is_settled(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    add(ledger, &sponsor("one", 1)).await.unwrap();
    reserve(ledger, ("one", user(1)), 1, 9, at(9)).await;
    let note = async |progress| {
        let mut tx = ledger.begin().await.unwrap();
        tx.note_sponsored(CHAIN, Felt::ONE, progress).await.unwrap();
        tx.commit().await.unwrap();
        let open = ledger.open_sponsored(CHAIN).await.unwrap();
        open.first().map(|row| row.state)
    };
    for progress in [
        SponsoredProgress::Sent,
        SponsoredProgress::Landed { block_number: 7 },
        SponsoredProgress::Reserved,
        SponsoredProgress::Sent,
    ] {
        assert_eq!(note(progress).await, Some(SponsoredState::Open(progress)));
    }
    let open = ledger.open_sponsored(CHAIN).await.unwrap();
    assert!(settle(ledger, &open[0], Some(outcome(4, false, 20))).await);
    assert_eq!(note(SponsoredProgress::Sent).await, None);
    assert_eq!(credits(ledger, "one").await, CREDITS - 4);
}

#[rstest]
#[tokio::test]
async fn what_takes_anothers_place_is_paid_for_as_far_as_it_costs_more(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    add(ledger, &sponsor("one", 1)).await.unwrap();
    reserve(ledger, ("one", user(1)), 1, CREDITS - 10, at(9)).await;
    let before = ledger.open_sponsored(CHAIN).await.unwrap();
    let extend = async |from: u64, to: u64, amount| {
        let mut tx = ledger.begin().await.unwrap();
        let (from, to) = (Felt::from(from), Felt::from(to));
        let made = tx.extend_reservation(CHAIN, from, to, amount).await;
        tx.commit().await.unwrap();
        made.unwrap()
    };
    assert_eq!(extend(1, 2, CREDITS + 1).await, Reservation::NoCredits);
    assert_eq!(ledger.open_sponsored(CHAIN).await.unwrap(), before);
    assert_eq!(extend(1, 2, CREDITS - 3).await, Reservation::Made);
    assert_eq!(credits(ledger, "one").await, 3);
    // What may cost less keeps what is reserved.
    assert_eq!(extend(2, 3, 5).await, Reservation::Made);
    assert_eq!(extend(8, 9, 5).await, Reservation::Made, "nobody's");
    let open = ledger.open_sponsored(CHAIN).await.unwrap();
    assert_eq!((open[0].hash, open[0].reserved), (Felt::THREE, CREDITS - 3));
    let mut tx = ledger.begin().await.unwrap();
    tx.rename_sponsored(CHAIN, Felt::THREE, Felt::ONE)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    // Whoever looked before all of it charges what is there now.
    assert!(settle(ledger, &before[0], Some(outcome(5, false, 20))).await);
    assert_eq!(credits(ledger, "one").await, CREDITS - 5);
}

#[rstest]
#[tokio::test]
async fn a_user_has_a_budget_for_each_day(#[values(Sqlite, Postgres)] engine: Engine) {
    const DAY: i64 = 86_400;
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    let mut row = sponsor("one", 1);
    row.user_daily = Some(100);
    add(ledger, &row).await.unwrap();
    // Midnight before the time that tests count from.
    let midnight = at(0).as_second().div_euclid(DAY) * DAY;
    let time = |second| Timestamp::from_second(midnight + second).unwrap();
    let take = async |place: u64, hash, amount, second| {
        reserve(ledger, ("one", user(place)), hash, amount, time(second)).await
    };
    assert_eq!(take(1, 1, 60, 0).await, Reservation::Made);
    assert_eq!(take(1, 2, 41, DAY - 1).await, Reservation::OverBudget);
    assert_eq!(take(2, 3, 100, DAY - 1).await, Reservation::Made);
    let mut tx = ledger.begin().await.unwrap();
    let more = tx.extend_reservation(CHAIN, Felt::ONE, Felt::TWO, 101);
    assert_eq!(more.await.unwrap(), Reservation::OverBudget);
    tx.rollback().await.unwrap();
    assert_eq!(take(1, 4, 40, DAY - 1).await, Reservation::Made);
    assert_eq!(take(1, 5, 100, DAY).await, Reservation::Made);
    // What is given back counts no more, and what was charged as much as it was.
    let open = ledger.open_sponsored(CHAIN).await.unwrap();
    let of = |hash: u64| open.iter().find(|row| row.hash == Felt::from(hash));
    settle(ledger, of(5).unwrap(), None).await;
    assert_eq!(take(1, 6, 70, DAY + 1).await, Reservation::Made);
    let open = ledger.open_sponsored(CHAIN).await.unwrap();
    let sixth = open.iter().find(|row| row.hash == Felt::from(6));
    settle(ledger, sixth.unwrap(), Some(outcome(10, false, 20))).await;
    assert_eq!(take(1, 7, 91, DAY + 1).await, Reservation::OverBudget);
    assert_eq!(take(1, 7, 90, DAY + 1).await, Reservation::Made);
}

#[rstest]
#[tokio::test]
async fn what_a_pool_takes_is_reserved_beside_the_fee(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    add(ledger, &sponsor("one", 1)).await.unwrap();
    let wanted = NewReservation {
        sponsor: "one".to_owned(),
        user: user(1),
        pool_fee: 7_000_000_001,
    };
    let mut tx = ledger.begin().await.unwrap();
    let made = tx.reserve(&wanted, CHAIN, Felt::ONE, 10, at(9)).await;
    assert_eq!(made.unwrap(), Reservation::Made);
    let more = tx.extend_reservation(CHAIN, Felt::ONE, Felt::TWO, 12).await;
    assert_eq!(more.unwrap(), Reservation::Made);
    tx.commit().await.unwrap();
    let open = ledger.open_sponsored(CHAIN).await.unwrap();
    assert_eq!(
        (open[0].reserved, open[0].pool_fee),
        (7_000_000_013, 7_000_000_001)
    );
    assert_eq!(credits(ledger, "one").await, CREDITS - 7_000_000_013);
}
