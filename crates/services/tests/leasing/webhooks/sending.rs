//! How deliveries are sent: until they are taken, never where they must not go.

use super::{
    ALL, log, market,
    receiver::{Receiver, Reply},
    send, sender, webhook,
};
use crate::leases::{people, rejected};
use futures_util::{FutureExt as _, future::BoxFuture};
use leasing::{
    DeliveryProblem, DeliveryStatus, DisabledReason, MAX_ATTEMPTS, Networks, TargetError, pause,
};
use primitives::SignedDuration;
use rstest::rstest;
use services::leasing::{DeliveryRow, Lookup, WebhookChange, WebhookError, WebhookWish};
use std::{
    collections::{BTreeSet, VecDeque},
    io,
    net::IpAddr,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{sync::Barrier, task::JoinSet};
use tokio_util::sync::CancellationToken;
use world::{
    Engine::{self, Postgres, Sqlite},
    Market, TestDatabase,
};

fn outcome(row: &DeliveryRow) -> (DeliveryStatus, u32, Option<u16>, Option<DeliveryProblem>) {
    (row.status, row.attempts, row.answer, row.problem)
}

#[rstest]
#[tokio::test]
async fn a_delivery_is_tried_on_the_schedule_until_it_is_taken(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let market = market(1, &database.location).await;
    let user = market.user("user").await;
    let replies = [Reply::Status(500), Reply::Status(404), Reply::Status(204)];
    let receiver = Receiver::new(&replies).await;
    let hook = webhook(&market.leasing, &user, &receiver.url, ALL).await;
    market.leasing.webhooks.test(&user, hook.id).await.unwrap();
    for attempt in 1..=3 {
        send(&market.leasing).await;
        assert_eq!(receiver.got().len(), attempt);
        // Not a moment before the pause is over.
        let least = pause(u32::try_from(attempt).unwrap(), 0).unwrap();
        market.clock.advance(least - SignedDuration::from_micros(1));
        send(&market.leasing).await;
        assert_eq!(receiver.got().len(), attempt);
        market
            .clock
            .advance(least / 4 + SignedDuration::from_secs(1));
    }
    let row = log(&market.leasing, &user, hook.id).await.remove(0);
    assert_eq!(
        outcome(&row),
        (DeliveryStatus::Delivered, 3, Some(204), None)
    );
    let ids: BTreeSet<_> = receiver.got().into_iter().map(|got| got.id).collect();
    assert_eq!(ids.len(), 1, "the same however often");
    assert!(
        receiver
            .got()
            .iter()
            .all(|got| got.is_signed_with(&hook.secret))
    );
    assert_eq!(receiver.got()[0].body()["type"], "webhook.test");
    // Asked for again, it is sent again, under the same id.
    let webhooks = &market.leasing.webhooks;
    for _ in 0..2 {
        let again = webhooks.redeliver(&user, hook.id, row.id).await.unwrap();
        assert_eq!((again.status, again.attempts), (DeliveryStatus::Pending, 0));
    }
    send(&market.leasing).await;
    assert_eq!(receiver.got().len(), 4);
    assert!(receiver.got().iter().all(|got| ids.contains(&got.id)));
}

/// Sends a test until it has failed.
async fn exhaust(market: &Market, user: &services::leasing::User, hook: primitives::Ulid) {
    market.leasing.webhooks.test(user, hook).await.unwrap();
    for _ in 0..MAX_ATTEMPTS {
        send(&market.leasing).await;
        market.clock.advance(SignedDuration::from_mins(8 * 60));
    }
}

#[tokio::test]
async fn what_fails_too_often_has_failed_and_what_fails_for_long_is_disabled() {
    let database = TestDatabase::new(Sqlite).await;
    let market = market(2, &database.location).await;
    let user = market.user("user").await;
    let receiver = Receiver::new(&[Reply::Status(503)]).await;
    let hook = webhook(&market.leasing, &user, &receiver.url, ALL).await;
    let before = market.leasing.webhooks.get(&user, hook.id).await.unwrap();
    assert_eq!(before.failing_since, None);
    exhaust(&market, &user, hook.id).await;
    assert_eq!(receiver.got().len(), 15);
    let row = log(&market.leasing, &user, hook.id).await.remove(0);
    let expected = (
        DeliveryStatus::Failed,
        15,
        Some(503),
        Some(DeliveryProblem::Status),
    );
    assert_eq!(outcome(&row), expected);
    let after = market.leasing.webhooks.get(&user, hook.id).await.unwrap();
    let (reason, _) = after.disabled.expect("15 times in five days");
    assert_eq!(reason, DisabledReason::Failing);
    let webhooks = &market.leasing.webhooks;
    let refused = rejected(webhooks.test(&user, hook.id).await);
    assert_eq!(refused, WebhookError::Disabled);
    let refused = rejected(webhooks.redeliver(&user, hook.id, row.id).await);
    assert_eq!(refused, WebhookError::Disabled);
    // Its user sees why in the audit log, and can enable it again.
    let told = market
        .store
        .ledger()
        .audit_of("user", &user.id.to_string(), 50)
        .await;
    let told: Vec<_> = told.unwrap().into_iter().map(|row| row.action).collect();
    assert!(told.contains(&"webhook.disabled".to_owned()), "{told:?}");
    let enable = WebhookChange {
        enabled: Some(true),
        ..WebhookChange::default()
    };
    let again = webhooks.change(&user, hook.id, enable).await.unwrap();
    assert_eq!((again.disabled, again.failing_since), (None, None));
}

#[tokio::test]
async fn one_that_takes_something_in_between_is_not_disabled() {
    let database = TestDatabase::new(Sqlite).await;
    let market = market(3, &database.location).await;
    let user = market.user("user").await;
    let mut replies = vec![Reply::Status(500); 13];
    replies.extend([Reply::Status(200), Reply::Status(500)]);
    let receiver = Receiver::new(&replies).await;
    let hook = webhook(&market.leasing, &user, &receiver.url, ALL).await;
    exhaust(&market, &user, hook.id).await;
    let after = market.leasing.webhooks.get(&user, hook.id).await.unwrap();
    assert_eq!((after.disabled, after.failing_since), (None, None));
    market.leasing.webhooks.test(&user, hook.id).await.unwrap();
    send(&market.leasing).await;
    let after = market.leasing.webhooks.get(&user, hook.id).await.unwrap();
    assert!(after.disabled.is_none() && after.failing_since.is_some());
}

#[rstest]
#[tokio::test]
async fn one_that_is_gone_is_disabled_with_what_waits_for_it(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let market = market(4, &database.location).await;
    let user = market.user("user").await;
    let receiver = Receiver::new(&[Reply::Status(410)]).await;
    let hook = webhook(&market.leasing, &user, &receiver.url, ALL).await;
    for _ in 0..3 {
        market.advance(1);
        market.leasing.webhooks.test(&user, hook.id).await.unwrap();
    }
    send(&market.leasing).await;
    assert_eq!(receiver.got().len(), 1);
    let row = market.leasing.webhooks.get(&user, hook.id).await.unwrap();
    assert_eq!(
        row.disabled.map(|(reason, _)| reason),
        Some(DisabledReason::Gone)
    );
    let rows = log(&market.leasing, &user, hook.id).await;
    let problems: Vec<_> = rows
        .iter()
        .map(|row| (row.status, row.problem.unwrap()))
        .collect();
    let failed = |problem| (DeliveryStatus::Failed, problem);
    let waited = failed(DeliveryProblem::EndpointDisabled);
    assert_eq!(problems, [waited, waited, failed(DeliveryProblem::Status)]);
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let database = TestDatabase::new(Sqlite).await;
    let market = market(5, &database.location).await;
    let user = market.user("user").await;
    let elsewhere = Receiver::new(&[]).await;
    let receiver = Receiver::new(&[Reply::Redirect(elsewhere.url.clone())]).await;
    let hook = webhook(&market.leasing, &user, &receiver.url, ALL).await;
    market.leasing.webhooks.test(&user, hook.id).await.unwrap();
    send(&market.leasing).await;
    assert!(elsewhere.got().is_empty());
    let row = log(&market.leasing, &user, hook.id).await.remove(0);
    let expected = (
        DeliveryStatus::Pending,
        1,
        Some(302),
        Some(DeliveryProblem::Status),
    );
    assert_eq!(outcome(&row), expected);
}

#[tokio::test]
async fn a_receiver_that_does_not_answer_is_given_up_in_time() {
    let database = TestDatabase::new(Sqlite).await;
    let market = market(6, &database.location).await;
    let market = market
        .configured(|options| options.webhooks.timeout = Duration::from_millis(50))
        .await;
    let user = market.user("user").await;
    let silent = Receiver::new(&[Reply::Wait]).await;
    let hook = webhook(&market.leasing, &user, &silent.url, ALL).await;
    market.leasing.webhooks.test(&user, hook.id).await.unwrap();
    send(&market.leasing).await;
    let row = log(&market.leasing, &user, hook.id).await.remove(0);
    let expected = (
        DeliveryStatus::Pending,
        1,
        None,
        Some(DeliveryProblem::Timeout),
    );
    assert_eq!(outcome(&row), expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_receiver_holds_up_nobody_else() {
    const MANY: usize = 60;
    let database = TestDatabase::new(Sqlite).await;
    let market = market(7, &database.location).await;
    let (slow, quick) = (
        Receiver::new(&[Reply::Wait]).await,
        Receiver::new(&[]).await,
    );
    let user = market.user("user").await;
    let webhooks = &market.leasing.webhooks;
    let held = webhook(&market.leasing, &user, &slow.url, ALL).await;
    let hook = webhook(&market.leasing, &user, &quick.url, ALL).await;
    for _ in 0..3 {
        webhooks.test(&user, held.id).await.unwrap();
    }
    let stop = CancellationToken::new();
    let run = sender(&market.leasing).run(Duration::from_millis(1), stop.clone());
    let run = tokio::spawn(run);
    slow.wait_for(1).await;
    for _ in 0..MANY {
        webhooks.test(&user, hook.id).await.unwrap();
    }
    quick.wait_for(MANY).await;
    assert_eq!(slow.got().len(), 1, "one at a time");
    slow.release();
    slow.wait_for(3).await;
    stop.cancel();
    run.await.unwrap();
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_senders_never_send_the_same_attempt(#[values(Sqlite, Postgres)] engine: Engine) {
    const MANY: usize = 40;
    let database = TestDatabase::new(engine).await;
    let market = market(8, &database.location).await;
    let user = market.user("user").await;
    let receiver = Receiver::new(&[]).await;
    for _ in 0..2 {
        let hook = webhook(&market.leasing, &user, &receiver.url, ALL).await;
        for _ in 0..MANY / 2 {
            market.leasing.webhooks.test(&user, hook.id).await.unwrap();
        }
    }
    let barrier = Arc::new(Barrier::new(2));
    let mut senders = JoinSet::new();
    for _ in 0..2 {
        let leasing = market.replica(&database.location).await;
        let barrier = Arc::clone(&barrier);
        senders.spawn(async move {
            barrier.wait().await;
            send(&leasing).await;
        });
    }
    senders.join_all().await;
    let ids: BTreeSet<_> = receiver.got().into_iter().map(|got| got.id).collect();
    assert_eq!((ids.len(), receiver.got().len()), (MANY, MANY));
}

#[rstest]
#[tokio::test]
async fn what_was_under_way_when_a_process_died_is_sent_again_under_its_id(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let database = TestDatabase::new(engine).await;
    let market = market(9, &database.location).await;
    let user = market.user("user").await;
    let receiver = Receiver::new(&[Reply::Wait, Reply::Status(200)]).await;
    let hook = webhook(&market.leasing, &user, &receiver.url, ALL).await;
    market.leasing.webhooks.test(&user, hook.id).await.unwrap();
    let mut dying = sender(&market.leasing);
    assert_eq!(dying.round().await.unwrap(), 1);
    receiver.wait_for(1).await;
    drop(dying);
    let replica = market.replica(&database.location).await;
    send(&replica).await;
    assert_eq!(receiver.got().len(), 1, "the claim holds");
    market.advance(70);
    send(&replica).await;
    let got = receiver.got();
    assert_eq!(got.len(), 2);
    assert_eq!(got[0].id, got[1].id);
    let row = log(&market.leasing, &user, hook.id).await.remove(0);
    assert_eq!(
        outcome(&row),
        (DeliveryStatus::Delivered, 2, Some(200), None)
    );
}

/// Says what it was told to say, one answer after the other.
#[derive(Debug)]
struct Scripted(Mutex<VecDeque<Vec<IpAddr>>>);

impl Lookup for Scripted {
    fn addresses(&self, _: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        let next = self.0.lock().unwrap().pop_front();
        async move { next.ok_or_else(|| io::Error::other("nobody asks again")) }.boxed()
    }
}

#[tokio::test]
async fn a_name_is_looked_up_for_every_attempt_and_never_followed_inside() {
    let database = TestDatabase::new(Sqlite).await;
    let market = market(10, &database.location).await;
    let user = market.user("user").await;
    let receiver = Receiver::new(&[Reply::Status(500)]).await;
    // Nobody else knows this name: what is reached is what the lookup said.
    let url = receiver.url.replace("127.0.0.1", "hooks.localhost");
    let hook = webhook(&market.leasing, &user, &url, ALL).await;
    market.leasing.webhooks.test(&user, hook.id).await.unwrap();
    let address = |text: &str| text.parse::<IpAddr>().unwrap();
    let script = [
        (vec!["127.0.0.1"], Some(500), DeliveryProblem::Status, 1),
        (vec!["10.0.0.1"], None, DeliveryProblem::AddressRefused, 1),
        (
            vec!["169.254.169.254"],
            None,
            DeliveryProblem::AddressRefused,
            1,
        ),
        (
            vec!["127.0.0.1", "10.0.0.1"],
            None,
            DeliveryProblem::AddressRefused,
            1,
        ),
        // Without TLS, not even to the public internet.
        (vec!["1.1.1.1"], None, DeliveryProblem::AddressRefused, 1),
        (vec!["127.0.0.1"], Some(500), DeliveryProblem::Status, 2),
    ];
    let answers = script
        .iter()
        .map(|(told, ..)| told.iter().map(|it| address(it)).collect());
    let lookup: Arc<dyn Lookup> = Arc::new(Scripted(Mutex::new(answers.collect())));
    let mut sender = market.leasing.webhook_sender(&lookup).unwrap();
    for (told, answer, problem, reached) in script {
        assert_eq!(sender.round().await.unwrap(), 1);
        sender.finish().await.unwrap();
        let row = log(&market.leasing, &user, hook.id).await.remove(0);
        assert_eq!(
            (row.answer, row.problem),
            (answer, Some(problem)),
            "{told:?}"
        );
        assert_eq!(receiver.got().len(), reached, "{told:?}");
        market.clock.advance(SignedDuration::from_hours(8));
    }
    // A name that nobody knows.
    sender.round().await.unwrap();
    sender.finish().await.unwrap();
    let row = log(&market.leasing, &user, hook.id).await.remove(0);
    assert_eq!(row.problem, Some(DeliveryProblem::Unreachable));
}

#[tokio::test]
async fn what_may_not_be_sent_to_is_refused_when_it_is_made_and_when_it_is_sent() {
    let database = TestDatabase::new(Sqlite).await;
    let market = market(11, &database.location).await;
    let user = market.user("user").await;
    let receiver = Receiver::new(&[]).await;
    let hook = webhook(&market.leasing, &user, &receiver.url, ALL).await;
    market.leasing.webhooks.test(&user, hook.id).await.unwrap();
    // The operator thinks better of it.
    let strict = market
        .configured(|options| options.webhooks.networks = Networks::PUBLIC)
        .await;
    send(&strict.leasing).await;
    assert!(receiver.got().is_empty());
    let row = log(&strict.leasing, &user, hook.id).await.remove(0);
    assert_eq!(row.problem, Some(DeliveryProblem::AddressRefused));
    let wish = WebhookWish {
        url: receiver.url.clone(),
        events: ALL.parse().unwrap(),
        description: None,
    };
    let refused = rejected(strict.leasing.webhooks.create(&user, wish).await);
    assert_eq!(refused, WebhookError::Target(TargetError::Scheme));
}

#[tokio::test]
async fn a_secret_that_was_replaced_signs_for_a_day_more() {
    let database = TestDatabase::new(Sqlite).await;
    let market = market(12, &database.location).await;
    let user = market.user("user").await;
    let receiver = Receiver::new(&[]).await;
    let webhooks = &market.leasing.webhooks;
    let old = webhook(&market.leasing, &user, &receiver.url, ALL).await;
    let new = webhooks.replace_secret(&user, old.id).await.unwrap();
    assert_ne!(old.secret, new.secret);
    for (hours, both) in [(0, true), (23, true), (1, false)] {
        market.clock.advance(SignedDuration::from_hours(hours));
        webhooks.test(&user, old.id).await.unwrap();
        send(&market.leasing).await;
        let got = receiver.got().pop().unwrap();
        assert!(got.is_signed_with(&new.secret));
        assert_eq!(got.is_signed_with(&old.secret), both);
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_has_more_than_ten(#[values(Sqlite, Postgres)] engine: Engine) {
    const RIVALS: usize = 14;
    let database = TestDatabase::new(engine).await;
    let market = market(13, &database.location).await;
    let user = market.user("user").await;
    let barrier = Arc::new(Barrier::new(RIVALS));
    let mut rivals = JoinSet::new();
    for _ in 0..RIVALS {
        let (leasing, user) = (market.leasing.clone(), user.clone());
        let barrier = Arc::clone(&barrier);
        rivals.spawn(async move {
            barrier.wait().await;
            let wish = WebhookWish {
                url: "https://hooks.example".to_owned(),
                events: ALL.parse().unwrap(),
                description: None,
            };
            leasing.webhooks.create(&user, wish).await.is_ok()
        });
    }
    let made = rivals.join_all().await.into_iter().filter(|made| *made);
    assert_eq!(made.count(), 10);
    assert_eq!(market.leasing.webhooks.list(&user).await.unwrap().len(), 10);
}

#[tokio::test]
async fn what_has_ended_is_forgotten_after_thirty_days_and_what_is_pending_is_not() {
    let database = TestDatabase::new(Sqlite).await;
    let market = market(14, &database.location).await;
    people(&market, 0).await;
    let user = market.user("user").await;
    let receiver = Receiver::new(&[]).await;
    let hook = webhook(&market.leasing, &user, &receiver.url, ALL).await;
    market.leasing.webhooks.test(&user, hook.id).await.unwrap();
    send(&market.leasing).await;
    market.clock.advance(SignedDuration::from_secs(1));
    market.leasing.webhooks.test(&user, hook.id).await.unwrap();
    let kept = async || {
        market.sweep().await;
        log(&market.leasing, &user, hook.id).await.len()
    };
    market
        .clock
        .advance(SignedDuration::from_hours(30 * 24 - 1));
    assert_eq!(kept().await, 2);
    market.clock.advance(SignedDuration::from_hours(1));
    assert_eq!(kept().await, 1);
    market.clock.advance(SignedDuration::from_hours(90 * 24));
    assert_eq!(kept().await, 1);
}
