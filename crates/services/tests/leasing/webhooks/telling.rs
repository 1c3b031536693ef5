//! What is told, and to whom.

use super::{ALL, feed, log, market, receiver::Receiver, send, tell, webhook};
use crate::{cuts::Knife, leases::people, paying::pay_anyhow};
use leasing::{Mode, Roles};
use rstest::rstest;
use serde_json::json;
use services::leasing::{Booked, User};
use std::{collections::BTreeSet, sync::Arc};
use tokio::{sync::Barrier, task::JoinSet};
use world::{
    Engine::{self, Postgres, Sqlite},
    Market, TestDatabase,
};

/// A paid lease of so many epochs from the current one on.
async fn lease(market: &Market, validator: primitives::Ulid, trader: &User, count: i64) -> Booked {
    // At the start of an epoch, which the payment will not leave.
    next_epoch(market).await;
    let booking = market.booking(validator, 0, count, Mode::Exclusive);
    let booked = market.book(trader, &booking).await.unwrap();
    let memo = booked.lease.payment.memo().as_str();
    market.pay(memo, &market.wallet(2)).await;
    market.finalise();
    assert_eq!(market.settle().await.activated, 1);
    booked
}

async fn next_epoch(market: &Market) {
    market.node.advance_epochs(1).unwrap();
    market.finalise();
    market.watch().await;
}

async fn staff(market: &Market) -> User {
    let roles = Roles {
        staff: true,
        ..Roles::default()
    };
    market.user_with("staff", roles).await
}

#[rstest]
#[tokio::test]
async fn the_life_of_a_lease_is_told_to_its_people_each_step_once(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let market = market(1, &database.location).await;
    let (owner, validator, trader) = people(&market, 0).await;
    let (staff, stranger) = (staff(&market).await, market.user("stranger").await);
    let mut receivers = Vec::new();
    for (user, events) in [
        (&trader, ALL),
        (&owner, "lease.completed"),
        (&staff, ALL),
        (&stranger, ALL),
    ] {
        let receiver = Receiver::new(&[]).await;
        webhook(&market.leasing, user, &receiver.url, events).await;
        receivers.push(receiver);
    }
    let booked = lease(&market, validator, &trader, 2).await;
    tell(&market.leasing).await;
    let mut expected = vec!["lease.activated"];
    assert_eq!(receivers[0].types(), expected);
    // The last epoch begins, is not over, and is over.
    for word in ["lease.ending", "lease.completed"] {
        for _ in 0..2 {
            tell(&market.leasing).await;
            market.watch().await;
        }
        assert_eq!(receivers[0].types(), expected);
        next_epoch(&market).await;
        market.watch().await;
        tell(&market.leasing).await;
        expected.push(word);
        assert_eq!(receivers[0].types(), expected);
    }
    assert_eq!(receivers[1].types(), ["lease.completed"]);
    assert!(receivers[2].types().is_empty() && receivers[3].types().is_empty());
    // An event has one id, whoever is told of it.
    assert_eq!(receivers[0].got()[2].id, receivers[1].got()[0].id);
    let first = receivers[0].got()[0].body();
    assert_eq!(first["id"], receivers[0].got()[0].id);
    let data = &first["data"];
    assert_eq!(data["lease_id"], booked.lease.id.to_string());
    assert_eq!(data["validator_id"], validator.to_string());
    assert_eq!(data["mode"], "exclusive");
    let (start, end) = (booked.lease.window.start(), booked.lease.window.end());
    assert_eq!(
        (&data["epoch_start"], &data["epoch_end"]),
        (&json!(start), &json!(end))
    );
    let payer = market.wallet(2).public_key().to_string();
    assert_eq!(data["detail"]["payer"], payer);
    let ending = receivers[0].got()[1].body();
    assert_eq!(ending["data"]["detail"], json!({"last_epoch": end - 1}));
}

#[rstest]
#[tokio::test]
async fn a_lease_that_is_extended_ends_another_time(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let market = market(2, &database.location).await;
    let (_, validator, trader) = people(&market, 0).await;
    let receiver = Receiver::new(&[]).await;
    let events = "lease.ending,extension.lapsed";
    webhook(&market.leasing, &trader, &receiver.url, events).await;
    let booked = lease(&market, validator, &trader, 1).await;
    market.watch().await;
    tell(&market.leasing).await;
    assert_eq!(receiver.types(), ["lease.ending"]);
    // One that nobody pays changes nothing, and is told of.
    market.extend(&trader, booked.lease.id, 1).await.unwrap();
    market.advance(15 * 60 + 121);
    assert_eq!(market.sweep().await, 1);
    tell(&market.leasing).await;
    assert_eq!(receiver.types(), ["lease.ending", "extension.lapsed"]);
    let lapsed = receiver.got()[1].body();
    assert!(lapsed["data"]["detail"]["extension"].is_string());
    let extension = market.extend(&trader, booked.lease.id, 5).await.unwrap();
    market
        .pay(extension.payment.memo().as_str(), &market.wallet(2))
        .await;
    market.finalise();
    assert_eq!(market.settle().await.extended, 1);
    market.watch().await;
    tell(&market.leasing).await;
    assert_eq!(receiver.types().len(), 2, "it has further epochs");
    for _ in 0..5 {
        next_epoch(&market).await;
        tell(&market.leasing).await;
    }
    assert_eq!(receiver.types()[2..], ["lease.ending"]);
    let ends: BTreeSet<_> = receiver
        .got()
        .iter()
        .filter(|got| got.body()["type"] == "lease.ending")
        .map(|got| got.body()["data"]["epoch_end"].as_i64())
        .collect();
    assert_eq!(ends.len(), 2);
}

#[rstest]
#[tokio::test]
async fn what_paid_for_nothing_is_told_to_staff_too(#[values(Sqlite, Postgres)] engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let market = market(3, &database.location).await;
    let (owner, validator, trader) = people(&market, 0).await;
    let (staff, stranger) = (staff(&market).await, market.user("stranger").await);
    let mut receivers = Vec::new();
    for user in [&trader, &owner, &staff, &stranger] {
        let receiver = Receiver::new(&[]).await;
        let events = "payment.orphaned,lease.revoked";
        webhook(&market.leasing, user, &receiver.url, events).await;
        receivers.push(receiver);
    }
    let booked = lease(&market, validator, &trader, 3).await;
    let memo = booked.lease.payment.memo().as_str();
    pay_anyhow(&market, memo, &market.wallet(3), 0).await;
    market.finalise();
    assert_eq!(market.settle().await.strays, 1);
    tell(&market.leasing).await;
    for receiver in &receivers[..3] {
        assert_eq!(receiver.types(), ["payment.orphaned"]);
        let detail = &receiver.got()[0].body()["data"]["detail"];
        assert_eq!(detail["reason"], "doubled");
        let payer = market.wallet(3).public_key().to_string();
        assert_eq!(detail["payer"], payer);
        let payout = booked.lease.payment.payout().amount.get();
        assert_eq!(detail["payout_lamports"], payout);
    }
    let active = market.store.ledger().lease(booked.lease.id).await;
    market
        .revoke(&owner, &active.unwrap().unwrap())
        .await
        .unwrap();
    tell(&market.leasing).await;
    for (receiver, count) in receivers.iter().zip([2, 2, 1, 0]) {
        assert_eq!(receiver.types().len(), count);
    }
    let revoked = receivers[0].got()[1].body();
    assert_eq!(revoked["type"], "lease.revoked");
    assert_eq!(revoked["data"]["detail"]["unused_epochs"], 2);
}

#[rstest]
#[tokio::test]
async fn what_committed_is_told_by_whoever_comes_after_a_crash(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let market = market(4, &database.location).await;
    let (_, validator, trader) = people(&market, 0).await;
    let receiver = Receiver::new(&[]).await;
    webhook(&market.leasing, &trader, &receiver.url, ALL).await;
    let mut knife = Knife::new(engine);
    let mut happened = 0;
    while knife.next_turn().is_some() {
        lease(&market, validator, &trader, 1).await;
        happened += 1;
        market.leasing.audit_chain().round().await.unwrap();
        let mut feed = market.leasing.webhook_feed();
        knife.cut(feed.round()).await;
        drop(feed);
        // Another process goes on, wherever this one died.
        tell(&market.replica(&database.location).await).await;
        market.node.advance_epochs(1).unwrap();
    }
    market.finalise();
    market.watch().await;
    tell(&market.leasing).await;
    let ids: BTreeSet<String> = receiver.got().into_iter().map(|got| got.id).collect();
    assert_eq!(ids.len(), receiver.got().len(), "each was told once");
    for word in ["lease.activated", "lease.ending", "lease.completed"] {
        let told = receiver.types().into_iter().filter(|it| it == word);
        assert_eq!(told.count(), happened, "{word}");
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_make_each_delivery_once(#[values(Sqlite, Postgres)] engine: Engine) {
    const RIVALS: usize = 4;
    let database = TestDatabase::new(engine).await;
    let market = market(5, &database.location).await;
    let (_, validator, trader) = people(&market, 0).await;
    let hook = webhook(&market.leasing, &trader, "http://127.0.0.1:9", ALL).await;
    lease(&market, validator, &trader, 1).await;
    market.watch().await;
    market.leasing.audit_chain().round().await.unwrap();
    let barrier = Arc::new(Barrier::new(RIVALS));
    let mut rivals = JoinSet::new();
    for _ in 0..RIVALS {
        let leasing = market.replica(&database.location).await;
        let barrier = Arc::clone(&barrier);
        rivals.spawn(async move {
            barrier.wait().await;
            leasing.webhook_feed().round().await.unwrap()
        });
    }
    let made: usize = rivals.join_all().await.into_iter().sum();
    assert_eq!(made, 2);
    assert_eq!(log(&market.leasing, &trader, hook.id).await.len(), 2);
    assert_eq!(feed(&market.leasing).await, 0);
}

#[tokio::test]
async fn what_happened_before_or_while_it_was_disabled_is_not_told() {
    let database = TestDatabase::new(Sqlite).await;
    let market = market(6, &database.location).await;
    let (_, validator, trader) = people(&market, 0).await;
    let receiver = Receiver::new(&[]).await;
    lease(&market, validator, &trader, 1).await;
    market.advance(1);
    let hook = webhook(&market.leasing, &trader, &receiver.url, "lease.activated").await;
    tell(&market.leasing).await;
    let change = |enabled| services::leasing::WebhookChange {
        enabled: Some(enabled),
        ..Default::default()
    };
    let webhooks = &market.leasing.webhooks;
    webhooks
        .change(&trader, hook.id, change(false))
        .await
        .unwrap();
    lease(&market, validator, &trader, 1).await;
    tell(&market.leasing).await;
    webhooks
        .change(&trader, hook.id, change(true))
        .await
        .unwrap();
    send(&market.leasing).await;
    assert!(receiver.got().is_empty());
    lease(&market, validator, &trader, 1).await;
    tell(&market.leasing).await;
    assert_eq!(receiver.types(), ["lease.activated"]);
}
