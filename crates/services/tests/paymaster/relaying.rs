//! What users pay, whoever relays it, and what is not relayed.

use crate::stage::{Stage, execute, nobody, payment, refusal, signed};
use primitives::U256;
use rstest::rstest;
use services::STRK;
use services::paymaster::{BuildRequest, TrackedStatus};
use simnet::StarknetNode;
use trading::paymaster::{
    Deployment, FeeMode, Refusal, TimeBounds, Tip, Transaction, paid_to_forwarder,
};
use world::Engine::{self, Postgres, Sqlite};

const PAID: FeeMode = FeeMode::Default(STRK);

#[rstest]
#[case::sqlite(Sqlite)]
#[case::postgres(Postgres)]
#[tokio::test]
async fn what_one_process_builds_another_executes_once(#[case] engine: Engine) {
    let mut stage = Stage::new(engine, 1).await;
    let (one, other) = (stage.paymaster(), stage.paymaster());
    let user = stage.user(0);
    let calls = [payment(nobody(1), 5)];
    let built = stage.build(&one, &user, &calls, PAID, None).await.unwrap();
    let before = stage.balance(STRK, user.address).await;
    let request = signed(&user, &built, PAID);
    let first = execute(&other, &request, None).await.unwrap();
    assert_eq!(execute(&one, &request, None).await, Ok(first));
    let tracked = refusal(one.track(first.tracking_id).await).unwrap();
    assert_eq!(tracked.status, TrackedStatus::Active);
    stage.mine(1).await;
    assert_eq!(execute(&one, &request, None).await, Ok(first));
    let tracked = refusal(other.track(first.tracking_id).await).unwrap();
    assert_eq!(
        (tracked.status, tracked.hash),
        (TrackedStatus::Accepted, first.hash)
    );
    assert_eq!(stage.balance(STRK, nobody(1)).await, U256::from(5));
    let paid = before - stage.balance(STRK, user.address).await - U256::from(5);
    let (cost, _) = stage.fee(first.hash).await.unwrap();
    let most = paid_to_forwarder(
        &built.execution.unwrap().calls,
        STRK,
        StarknetNode::forwarder(),
    );
    assert!(paid <= most.unwrap() && paid >= U256::from(cost), "{paid}");
    assert!(paid <= U256::from(cost) * U256::from(108) / U256::from(100));
}

#[tokio::test]
async fn what_is_built_is_near_what_it_costs() {
    let mut stage = Stage::new(Sqlite, 2).await;
    let paymaster = stage.paymaster();
    for (place, count) in [(0, 1), (1, 4), (7, 2)] {
        let user = stage.user(place);
        let calls: Vec<_> = (0..count).map(|it| payment(nobody(it), 5)).collect();
        let built = stage.build(&paymaster, &user, &calls, PAID, None);
        let built = built.await.unwrap();
        let request = signed(&user, &built, PAID);
        let sent = execute(&paymaster, &request, None).await.unwrap();
        stage.mine(1).await;
        let (cost, reverted) = stage.fee(sent.hash).await.unwrap();
        assert!(!reverted);
        let estimated = built.fee.estimated_in_strk;
        assert!(
            estimated >= cost * 95 / 100 && estimated <= cost * 115 / 100,
            "{estimated} for {cost}, {count} calls"
        );
    }
}

#[tokio::test]
async fn more_than_was_signed_is_never_taken() {
    let mut stage = Stage::new(Sqlite, 3).await;
    // What is signed does not even cover what is expected.
    stage.options.most = 500;
    let paymaster = stage.paymaster();
    let user = stage.user(0);
    let built = stage
        .build(&paymaster, &user, &[payment(nobody(1), 5)], PAID, None)
        .await
        .unwrap();
    let request = signed(&user, &built, PAID);
    let refused = execute(&paymaster, &request, None).await;
    assert_eq!(refused, Err(Refusal::MaxAmountTooLow));
}

#[tokio::test]
async fn an_expired_or_foreign_transaction_is_refused() {
    let mut stage = Stage::new(Sqlite, 4).await;
    let paymaster = stage.paymaster();
    let (user, thief) = (stage.user(0), stage.user(1));
    let calls = [payment(nobody(1), 5)];
    let built = stage.build(&paymaster, &user, &calls, PAID, None);
    let built = built.await.unwrap();
    let mut stolen = signed(&thief, &built, PAID);
    let refused = execute(&paymaster, &stolen, None).await;
    assert!(matches!(refused, Err(Refusal::Execution(_))), "{refused:?}");
    stolen.signed.as_mut().unwrap().user = user.address;
    let refused = execute(&paymaster, &stolen, None).await;
    assert_eq!(refused, Err(Refusal::InvalidSignature));
    stage.world.node.advance(3_600, 1).unwrap();
    stage.station.sync().await;
    let late = execute(&paymaster, &signed(&user, &built, PAID), None).await;
    assert_eq!(late, Err(Refusal::InvalidTimeBounds));
    let request = BuildRequest {
        transaction: Transaction::Invoke {
            user: user.address,
            calls: calls.to_vec(),
        },
        mode: PAID,
        tip: Tip::Slow,
        bounds: Some(TimeBounds {
            execute_after: u64::MAX - 1,
            execute_before: u64::MAX,
        }),
    };
    let refused = refusal(paymaster.build(&request, None).await);
    assert_eq!(refused.unwrap_err(), Refusal::InvalidTimeBounds);
}

#[tokio::test]
async fn a_deployment_that_leads_elsewhere_is_refused() {
    let stage = Stage::new(Sqlite, 5).await;
    let request = BuildRequest {
        transaction: Transaction::Deploy(Deployment {
            address: nobody(1),
            class_hash: primitives::Felt::ONE,
            salt: primitives::Felt::ONE,
            calldata: Vec::new(),
            sigdata: Vec::new(),
        }),
        mode: PAID,
        tip: Tip::Fast,
        bounds: None,
    };
    let refused = refusal(stage.paymaster().build(&request, None).await);
    assert_eq!(refused.unwrap_err(), Refusal::InvalidDeploymentData);
}

#[tokio::test]
async fn without_a_fresh_block_nothing_is_built() {
    let stage = Stage::new(Sqlite, 6).await;
    let (paymaster, user) = (stage.paymaster(), stage.user(0));
    assert!(paymaster.is_available());
    stage
        .world
        .clock
        .advance(primitives::SignedDuration::from_hours(1));
    assert!(!paymaster.is_available());
    let calls = [payment(nobody(1), 5)];
    let refused = stage.build(&paymaster, &user, &calls, PAID, None).await;
    assert_eq!(refused.unwrap_err(), Refusal::Unavailable);
}
