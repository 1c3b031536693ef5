//! The lease market's tables.

use crate::market_rows::{at, book, id, key, lease, moved, settle_in, user, validator, window};
use leasing::{EndReason, LeaseState, ListingStatus, Mode, PaymentKind, Receipt, Stage};
use primitives::{Lamports, Signature, SolanaHash, Timestamp};
use rstest::rstest;
use store::{
    StoreError,
    leasing::{
        Actor, AuditRow, BrowseOrder, BrowseQuery, ChainCursor, ChallengeRow, Drift, KeyClaim,
        KeyName, LeaseQuery, LedgerTx, OnboardingRow, SessionRow, StoredAnswer, TokenRow,
    },
};
use world::{
    Engine::{self, Postgres, Sqlite},
    TestDatabase,
};

#[rstest]
#[tokio::test]
async fn people_are_found_by_id_and_by_wallet(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    settle_in(ledger).await;
    assert_eq!(ledger.user(id(1)).await.unwrap(), Some(user(1)));
    assert_eq!(ledger.user_of(key(2)).await.unwrap(), Some(user(2)));
    assert_eq!(ledger.user_of(key(3)).await.unwrap(), None);
    assert_eq!(ledger.users(Some(id(1)), 9).await.unwrap(), [user(2)]);
    let mut twin = user(3);
    twin.address = Some(key(1));
    let mut tx = ledger.begin().await.unwrap();
    let refused = tx.insert_user(&twin).await;
    assert!(
        matches!(
            refused,
            Err(StoreError::Exists {
                table: "lease_user"
            })
        ),
        "{refused:?}"
    );
}

#[rstest]
#[tokio::test]
async fn proofs_are_used_once(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    settle_in(ledger).await;
    let challenge = ChallengeRow {
        nonce: "nonce".to_owned(),
        address: key(1),
        message: "text".to_owned(),
        expires_at: at(9),
    };
    let onboarding = OnboardingRow {
        digest: [1; 32],
        user: id(1),
        expires_at: at(9),
        validator: None,
    };
    let mut tx = ledger.begin().await.unwrap();
    tx.insert_challenge(&challenge).await.unwrap();
    tx.insert_onboarding(&onboarding).await.unwrap();
    assert_eq!(tx.take_challenge("nonce").await.unwrap(), Some(challenge));
    assert_eq!(tx.take_challenge("nonce").await.unwrap(), None);
    assert!(tx.use_nonce(key(1), "nonce", at(9)).await.unwrap());
    assert!(!tx.use_nonce(key(1), "nonce", at(9)).await.unwrap());
    assert!(tx.use_nonce(key(2), "nonce", at(9)).await.unwrap());
    assert!(
        !tx.use_onboarding(&[1; 32], id(10), at(9)).await.unwrap(),
        "over"
    );
    assert!(tx.use_onboarding(&[1; 32], id(10), at(8)).await.unwrap());
    assert!(!tx.use_onboarding(&[1; 32], id(10), at(8)).await.unwrap());
    tx.commit().await.unwrap();
    assert!(ledger.is_nonce_used(key(2), "nonce").await.unwrap());
    let found = ledger.onboarding(&[1; 32]).await.unwrap().unwrap();
    assert_eq!(found.validator, Some(id(10)));
}

#[rstest]
#[tokio::test]
async fn what_is_over_is_forgotten_and_the_rest_is_not(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    settle_in(ledger).await;
    let session = |name: &str, until| SessionRow {
        id: name.to_owned(),
        digest: [2; 32],
        address: key(1),
        created_at: at(0),
        expires_at: until,
    };
    let mut tx = ledger.begin().await.unwrap();
    tx.insert_session(&session("old", at(5))).await.unwrap();
    tx.insert_session(&session("new", at(6))).await.unwrap();
    tx.use_nonce(key(1), "nonce", at(5)).await.unwrap();
    assert_eq!(tx.forget_expired(at(5)).await.unwrap(), 2);
    tx.commit().await.unwrap();
    assert_eq!(ledger.session("old").await.unwrap(), None);
    let kept = ledger.session("new").await.unwrap();
    assert_eq!(kept, Some(session("new", at(6))));
}

#[rstest]
#[tokio::test]
async fn tokens_are_listed_revoked_once_and_stay_on_record(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    settle_in(ledger).await;
    let mut token = TokenRow {
        id: "abc".to_owned(),
        user: id(1),
        name: "bot".to_owned(),
        digest: [3; 32],
        created_at: at(1),
        expires_at: Some(at(99)),
        revoked_at: None,
    };
    let mut tx = ledger.begin().await.unwrap();
    tx.insert_token(&token).await.unwrap();
    tx.commit().await.unwrap();
    let found = ledger.token("abc").await.unwrap();
    assert_eq!(found, Some((token.clone(), user(1))));
    let mut tx = ledger.begin().await.unwrap();
    assert!(tx.revoke_token("abc", at(2)).await.unwrap());
    assert!(!tx.revoke_token("abc", at(3)).await.unwrap());
    tx.commit().await.unwrap();
    token.revoked_at = Some(at(2));
    assert_eq!(ledger.tokens_of(id(1)).await.unwrap(), [token]);
    assert_eq!(ledger.tokens_of(id(2)).await.unwrap(), []);
}

#[rstest]
#[tokio::test]
async fn a_validator_is_what_was_written(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    settle_in(ledger).await;
    let mut row = validator(10, 1);
    assert_eq!(ledger.validator(row.id).await.unwrap(), Some(row.clone()));
    row.terms.shared = None;
    row.terms.price = Lamports::new(i64::MAX.unsigned_abs());
    row.name = None;
    row.status = ListingStatus::Paused;
    row.payout_wallet = key(9);
    row.stake.stake = Lamports::new(8);
    row.stake.delinquent = true;
    let mut tx = ledger.begin().await.unwrap();
    tx.update_validator(&row).await.unwrap();
    tx.update_stake(row.id, &row.stake).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(ledger.validator_of(key(10)).await.unwrap(), Some(row));
    let mut twin = validator(11, 1);
    twin.identity = key(10);
    let mut tx = ledger.begin().await.unwrap();
    let refused = tx.insert_validator(&twin).await;
    assert!(
        matches!(refused, Err(StoreError::Exists { table: "validator" })),
        "{refused:?}"
    );
    drop(tx);
    let mut rich = validator(12, 1);
    rich.terms.price = Lamports::new(u64::MAX);
    let mut tx = ledger.begin().await.unwrap();
    let refused = tx.insert_validator(&rich).await;
    assert!(
        matches!(refused, Err(StoreError::OutOfRange { column: "price" })),
        "{refused:?}"
    );
}

fn browse(order: BrowseOrder) -> BrowseQuery {
    BrowseQuery {
        price_min: None,
        price_max: None,
        region: None,
        tier: None,
        mode: None,
        available_epoch: None,
        order,
        after: None,
        limit: 10,
    }
}

#[rstest]
#[tokio::test]
async fn validators_are_found_in_every_order_and_from_any_place(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    settle_in(ledger).await;
    let mut tx = ledger.begin().await.unwrap();
    for (number, price, stake) in [(11, 50, 9), (12, 50, 7), (13, 400, 1)] {
        let mut row = validator(number, 1);
        row.terms.price = Lamports::new(price);
        row.stake.stake = Lamports::new(stake);
        if number == 13 {
            row.terms.shared = None;
        }
        tx.insert_validator(&row).await.unwrap();
    }
    let mut hidden = validator(14, 1);
    hidden.status = ListingStatus::Paused;
    tx.insert_validator(&hidden).await.unwrap();
    tx.commit().await.unwrap();
    let found = async |query: BrowseQuery| {
        let rows = ledger.browse(&query).await.unwrap();
        rows.into_iter().map(|row| row.id).collect::<Vec<_>>()
    };
    let [a, b, c, d] = [10, 11, 12, 13].map(id);
    assert_eq!(found(browse(BrowseOrder::Price)).await, [b, c, a, d]);
    assert_eq!(found(browse(BrowseOrder::Stake)).await, [b, c, a, d]);
    assert_eq!(found(browse(BrowseOrder::Newest)).await, [d, c, b, a]);
    for (order, value, rest) in [
        (BrowseOrder::Price, 50, vec![c, a, d]),
        (BrowseOrder::Stake, 9, vec![c, a, d]),
        (BrowseOrder::Newest, 0, vec![a]),
    ] {
        let query = BrowseQuery {
            after: Some((value, b)),
            ..browse(order)
        };
        assert_eq!(found(query).await, rest, "{order:?}");
    }
    let by_price = browse(BrowseOrder::Price);
    let some = |query: BrowseQuery| found(query);
    let bounds = BrowseQuery {
        price_min: Some(50),
        price_max: Some(110),
        ..by_price.clone()
    };
    assert_eq!(some(bounds).await, [b, c, a]);
    let seats = BrowseQuery {
        mode: Some(Mode::Shared),
        price_max: Some(5),
        ..by_price.clone()
    };
    assert_eq!(some(seats).await, [a, b, c], "by the price of a seat");
    let elsewhere = BrowseQuery {
        region: "us-east-1".parse().ok(),
        ..by_price.clone()
    };
    assert!(some(elsewhere).await.is_empty());

    book(ledger, &lease(50, window(7, 1), Mode::Shared)).await;
    let free = |mode| BrowseQuery {
        mode,
        available_epoch: Some(7),
        ..by_price.clone()
    };
    assert_eq!(some(free(None)).await, [b, c, a, d]);
    assert_eq!(some(free(Some(Mode::Exclusive))).await, [b, c, d]);
    assert_eq!(some(free(Some(Mode::Shared))).await, [a, b, c]);
    book(ledger, &lease(51, window(7, 1), Mode::Shared)).await;
    assert_eq!(some(free(Some(Mode::Shared))).await, [b, c]);
    assert_eq!(some(free(None)).await, [b, c, d]);
}

#[rstest]
#[tokio::test]
async fn an_epoch_has_one_lease_or_so_many_seats(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    settle_in(ledger).await;
    let booked = async |number, start, count, mode| {
        book(ledger, &lease(number, window(start, count), mode)).await
    };
    assert_eq!(booked(20, 5, 3, Mode::Exclusive).await, None);
    assert_eq!(booked(21, 3, 3, Mode::Exclusive).await, Some(5));
    assert_eq!(booked(22, 7, 2, Mode::Shared).await, Some(7));
    assert_eq!(booked(23, 8, 2, Mode::Shared).await, None);
    assert_eq!(booked(24, 9, 2, Mode::Shared).await, None);
    assert_eq!(booked(25, 8, 3, Mode::Shared).await, Some(9));
    assert_eq!(booked(26, 0, 30, Mode::Exclusive).await, Some(5));
    let rows = ledger.booked(&[id(10)], 0, 100).await.unwrap();
    let mut rows: Vec<_> = rows
        .iter()
        .map(|row| {
            (
                row.occupancy.epoch,
                row.occupancy.exclusive,
                row.occupancy.shared_used,
            )
        })
        .collect();
    rows.sort_unstable();
    assert_eq!(
        rows,
        [
            (5, true, 0),
            (6, true, 0),
            (7, true, 0),
            (8, false, 1),
            (9, false, 2),
            (10, false, 1),
        ]
    );
    assert_eq!(ledger.calendar_drift(9).await.unwrap(), []);
}

#[rstest]
#[tokio::test]
async fn epochs_that_are_given_back_can_be_taken_again(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    settle_in(ledger).await;
    for (number, mode) in [(20, Mode::Exclusive), (21, Mode::Shared)] {
        let row = lease(number, window(5, 3), mode);
        assert_eq!(book(ledger, &row).await, None);
        let mut tx = ledger.begin().await.unwrap();
        tx.lock_validator(row.validator).await.unwrap();
        assert_eq!(
            tx.holder_within(row.validator, window(7, 9), id(1))
                .await
                .unwrap(),
            Some(row.id)
        );
        let lapsed = moved(
            &row,
            Stage::Lapsed {
                at: at(9),
                late: None,
            },
        );
        assert!(tx.update_lease(&row, &lapsed).await.unwrap());
        assert!(!tx.update_lease(&row, &lapsed).await.unwrap());
        tx.release(row.validator, row.window, row.id, mode)
            .await
            .unwrap();
        let twice = tx.release(row.validator, row.window, row.id, mode).await;
        assert!(
            matches!(twice, Err(StoreError::Corrupt { .. })),
            "{twice:?}"
        );
        tx.commit().await.unwrap();
        assert_eq!(ledger.booked(&[id(10)], 0, 100).await.unwrap(), []);
        assert_eq!(ledger.calendar_drift(9).await.unwrap(), []);
        let kept = ledger.lease(row.id).await.unwrap().unwrap();
        assert_eq!(kept, lapsed);
        assert_eq!(kept.stage.end(), Some((EndReason::Unpaid, at(9))));
    }
}

#[rstest]
#[tokio::test]
async fn a_calendar_that_is_not_what_the_leases_make_it_is_told(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    settle_in(ledger).await;
    book(ledger, &lease(20, window(5, 2), Mode::Exclusive)).await;
    book(ledger, &lease(21, window(8, 2), Mode::Shared)).await;
    for spoil in [
        "DELETE FROM validator_epoch WHERE epoch = 6",
        "UPDATE validator_epoch SET exclusive_lease = NULL WHERE epoch = 5",
        "UPDATE validator_epoch SET shared_used = 2 WHERE epoch = 9",
    ] {
        database.execute("ledger", spoil).await.unwrap();
    }
    let drift = |epoch| Drift {
        validator: id(10),
        epoch,
    };
    assert_eq!(
        ledger.calendar_drift(9).await.unwrap(),
        [5, 6, 9].map(drift)
    );
}

#[rstest]
#[tokio::test]
async fn a_lease_has_its_payment_and_a_payment_one_transaction(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    settle_in(ledger).await;
    let pending = lease(20, window(5, 2), Mode::Exclusive);
    let second = lease(21, window(8, 2), Mode::Shared);
    book(ledger, &pending).await;
    book(ledger, &second).await;
    let found = ledger.lease(pending.id).await.unwrap();
    assert_eq!(found, Some(pending.clone()));
    let due = async |until, after| {
        let due = ledger.payments_open(until, after, 9).await.unwrap();
        due.iter().map(|named| named.lease).collect::<Vec<_>>()
    };
    assert_eq!(due(Timestamp::MAX, None).await, [pending.id, second.id]);
    let after = Some((pending.pay_until, pending.payment.memo().as_str()));
    assert_eq!(due(Timestamp::MAX, after).await, [second.id]);
    assert_eq!(due(at(919), None).await, []);
    let receipt = Receipt {
        signature: Signature::from_bytes([4; 64]),
        payer: key(5),
        slot: 77,
        surplus: Lamports::new(3),
        at: at(50),
    };
    let first = moved(&pending, Stage::Active { receipt });
    let mut tx = ledger.begin().await.unwrap();
    assert!(tx.update_lease(&pending, &first).await.unwrap());
    assert!(!tx.update_lease(&pending, &first).await.unwrap());
    tx.commit().await.unwrap();
    let named = ledger.payment_of(&"MEMO-20".parse().unwrap()).await;
    let named = named.unwrap().unwrap();
    assert_eq!((named.lease, named.validator), (first.id, first.validator));
    assert_eq!(
        (named.kind, &named.payment),
        (PaymentKind::Booking, &first.payment)
    );
    assert_eq!(named.pay_until, first.pay_until);
    assert_eq!(ledger.lease(first.id).await.unwrap(), Some(first.clone()));
    let over = ledger.leases_over(7, 9).await.unwrap();
    assert_eq!(over, std::slice::from_ref(&first));
    assert_eq!(ledger.leases_over(6, 9).await.unwrap(), []);
    let mut tx = ledger.begin().await.unwrap();
    let twice = moved(&second, Stage::Active { receipt });
    let twice = tx.update_lease(&second, &twice).await;
    assert!(
        matches!(twice, Err(StoreError::Exists { table: "payment" })),
        "{twice:?}"
    );
    drop(tx);
    let query = LeaseQuery {
        trader: Some(id(2)),
        limit: 9,
        ..LeaseQuery::default()
    };
    assert_eq!(
        ledger.leases(&query).await.unwrap(),
        [second, first.clone()]
    );
    let query = LeaseQuery {
        state: Some(LeaseState::Active),
        validator: Some(id(10)),
        after: Some(id(21)),
        ..query
    };
    assert_eq!(ledger.leases(&query).await.unwrap(), [first]);
}

#[rstest]
#[tokio::test]
async fn a_lease_in_any_stage_is_what_was_written(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    settle_in(ledger).await;
    let receipt = Receipt {
        signature: Signature::from_bytes([4; 64]),
        payer: key(5),
        slot: 77,
        surplus: Lamports::ZERO,
        at: at(50),
    };
    let (late, at) = (Some(receipt), at(60));
    let mut before = lease(20, window(5, 2), Mode::Exclusive);
    book(ledger, &before).await;
    for stage in [
        Stage::Active { receipt },
        Stage::Completed { receipt, at },
        Stage::Revoked {
            receipt: late,
            at,
            kept_until: 6,
        },
        Stage::Revoked {
            receipt: None,
            at,
            kept_until: 5,
        },
        Stage::Lapsed { at, late: None },
        Stage::Lapsed { at, late },
        Stage::Cancelled { at, late },
        Stage::Cancelled { at, late: None },
        Stage::PendingPayment,
    ] {
        let after = moved(&before, stage);
        let mut tx = ledger.begin().await.unwrap();
        assert!(tx.update_lease(&before, &after).await.unwrap());
        tx.commit().await.unwrap();
        let found = ledger.lease(after.id).await.unwrap();
        assert_eq!(found, Some(after.clone()));
        before = after;
    }
    let torn = "UPDATE lease SET activated_at = 1";
    database.execute("ledger", torn).await.unwrap();
    let found = ledger.lease(before.id).await;
    assert!(
        matches!(found, Err(StoreError::Corrupt { .. })),
        "{found:?}"
    );
}

fn guarded() -> KeyName {
    KeyName {
        user: id(1),
        method: "POST".to_owned(),
        path: "/v1/leases".to_owned(),
        key: id(99),
    }
}

fn answered() -> StoredAnswer {
    StoredAnswer {
        status: 201,
        content_type: "application/json".to_owned(),
        body: b"{}".to_vec(),
    }
}

async fn claim(tx: &mut LedgerTx, body: u8, now: i64) -> KeyClaim {
    let (name, body) = (guarded(), [body; 32]);
    let claim = tx.claim_key(&name, &body, at(now), at(now + 900)).await;
    claim.unwrap()
}

#[rstest]
#[tokio::test]
async fn a_key_is_taken_together_with_its_answer_or_not_at_all(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    settle_in(ledger).await;
    let mut tx = ledger.begin().await.unwrap();
    assert_eq!(claim(&mut tx, 1, 0).await, KeyClaim::Taken);
    tx.rollback().await.unwrap();
    let mut tx = ledger.begin().await.unwrap();
    assert_eq!(claim(&mut tx, 2, 0).await, KeyClaim::Taken, "it was freed");
    tx.answer_key(&guarded(), &answered()).await.unwrap();
    tx.commit().await.unwrap();
    for (body, now, expected) in [
        (2, 899, KeyClaim::Answered(answered())),
        (1, 899, KeyClaim::OtherBody),
        (1, 900, KeyClaim::Taken),
    ] {
        let mut tx = ledger.begin().await.unwrap();
        assert_eq!(claim(&mut tx, body, now).await, expected);
    }
}

#[rstest]
#[tokio::test]
async fn whoever_wants_a_key_that_is_held_waits_for_its_answer(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    settle_in(ledger).await;
    let mut first = ledger.begin().await.unwrap();
    assert_eq!(claim(&mut first, 1, 0).await, KeyClaim::Taken);
    let second = async {
        let mut tx = ledger.begin().await.unwrap();
        claim(&mut tx, 1, 0).await
    };
    let answer = async {
        first.answer_key(&guarded(), &answered()).await.unwrap();
        first.commit().await.unwrap();
    };
    let (told, ()) = tokio::join!(second, answer);
    assert_eq!(told, KeyClaim::Answered(answered()));
}

#[rstest]
#[tokio::test]
async fn the_audit_log_only_grows(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    let row = |number, actor| AuditRow {
        id: id(number),
        at: at(number.into()),
        actor,
        action: "lease.booked".to_owned(),
        subject_kind: "lease".to_owned(),
        subject: "L".to_owned(),
        detail: "{}".to_owned(),
    };
    let rows = [
        row(1, Actor::User(id(1))),
        row(2, Actor::System),
        row(3, Actor::Operator),
    ];
    let mut tx = ledger.begin().await.unwrap();
    for row in &rows {
        tx.audit(row).await.unwrap();
    }
    tx.commit().await.unwrap();
    for change in [
        "UPDATE audit_log SET action = 'none'",
        "DELETE FROM audit_log",
    ] {
        let refused = database.execute("ledger", change).await.unwrap_err();
        assert!(refused.to_string().contains("append-only"), "{refused}");
    }
    assert_eq!(ledger.audit_of("lease", "L", 9).await.unwrap(), rows);
    assert_eq!(ledger.audit_of("lease", "M", 9).await.unwrap(), []);
}

#[rstest]
#[tokio::test]
async fn cursors_go_forward_and_secrets_stay(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    let genesis = |byte| SolanaHash::from_bytes([byte; 32]);
    let cursor = |byte, slot| ChainCursor {
        signature: Signature::from_bytes([byte; 64]),
        slot,
    };
    let mut tx = ledger.begin().await.unwrap();
    for moved in [cursor(1, 5), cursor(2, 4), cursor(3, 5)] {
        tx.advance_cursor(key(1), genesis(1), moved).await.unwrap();
    }
    tx.commit().await.unwrap();
    assert_eq!(
        ledger.cursor(key(1), genesis(1)).await.unwrap(),
        Some(cursor(3, 5))
    );
    assert_eq!(ledger.cursor(key(1), genesis(2)).await.unwrap(), None);
    assert_eq!(ledger.secret("cursor", [1; 32]).await.unwrap(), [1; 32]);
    assert_eq!(ledger.secret("cursor", [2; 32]).await.unwrap(), [1; 32]);
}

#[rstest]
#[tokio::test]
async fn impossible_rows_are_refused_by_the_database(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = database.store().await;
    let ledger = store.ledger();
    settle_in(ledger).await;
    book(ledger, &lease(20, window(5, 2), Mode::Exclusive)).await;
    let validator = id(10);
    let epoch = "INSERT INTO validator_epoch
                 (validator_id, epoch, exclusive_lease, shared_used) VALUES";
    for bad in [
        "UPDATE lease SET state = 'odd'".to_owned(),
        "UPDATE lease SET state = 'expired'".to_owned(),
        "UPDATE lease SET ended_at = 1".to_owned(),
        "UPDATE lease SET epoch_end = epoch_start".to_owned(),
        "UPDATE lease SET epoch_end = epoch_start + 31".to_owned(),
        "UPDATE lease SET epoch_start = -1".to_owned(),
        "UPDATE lease SET total = 0".to_owned(),
        "UPDATE payment SET status = 'settled'".to_owned(),
        "UPDATE payment SET status = 'odd'".to_owned(),
        "UPDATE payment SET share = 0".to_owned(),
        "UPDATE payment SET payer = payout_wallet".to_owned(),
        "UPDATE validator_epoch SET shared_used = 1".to_owned(),
        "UPDATE validator_epoch SET shared_used = -1, exclusive_lease = NULL".to_owned(),
        format!("{epoch} ('{validator}', 5, NULL, 1)"),
        format!("{epoch} ('{validator}', 99, 'nobody', 0)"),
        "UPDATE validator SET shared_seats = NULL".to_owned(),
        "UPDATE validator SET shared_seats = 0".to_owned(),
        "UPDATE validator SET price = 0".to_owned(),
        "UPDATE validator SET tier = 'gold'".to_owned(),
        "UPDATE lease_user SET trader = 2".to_owned(),
        "DELETE FROM lease".to_owned(),
        "DELETE FROM lease_user".to_owned(),
    ] {
        let refused = database.execute("ledger", &bad).await.unwrap_err();
        let kind = refused.as_database_error().unwrap().kind();
        assert_ne!(kind, sqlx::error::ErrorKind::Other, "{bad}: {refused}");
    }
}
