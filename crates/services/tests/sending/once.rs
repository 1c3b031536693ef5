//! Each purpose is served once, whatever gets lost.

use crate::stage::{Stage, client, somebody};
use chain::StarkSigner;
use primitives::U256;
use rstest::rstest;
use services::SenderPool;
use simnet::FaultKind;
use std::sync::atomic::Ordering;
use store::SendState;
use world::Engine;

const ADD: &str = "starknet_addInvokeTransaction";
const STATUS: &str = "starknet_getTransactionStatus";

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn what_is_submitted_lands_and_its_row_says_what_it_cost(#[case] engine: Engine) {
    let stage = Stage::on(engine).await;
    let sender = stage.sender();
    let before = stage.held(stage.account.address).await;
    let row = sender
        .submit("gift", &stage.gift(somebody(1)))
        .await
        .unwrap();
    assert_eq!(row.state, SendState::Open);
    stage.node.mine(1).unwrap();
    sender.follow().await.unwrap();
    // It may be taken back still.
    assert_eq!(stage.row("gift").await.unwrap().state, SendState::Open);
    stage.mine_final();
    sender.follow().await.unwrap();
    let row = stage.row("gift").await.unwrap();
    let SendState::Landed(receipt) = row.state else {
        panic!("{:?}", row.state)
    };
    assert!(receipt.fee > 0 && receipt.fee <= row.max_fee);
    let paid = U256::from(receipt.fee) + U256::ONE;
    assert_eq!(stage.held(stage.account.address).await, before - paid);
    assert_eq!(stage.held(somebody(1)).await, U256::ONE);
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn a_purpose_is_served_once_however_many_ask_at_once(#[case] engine: Engine) {
    let stage = Stage::on(engine).await;
    let senders: Vec<_> = (0..8).map(|_| stage.sender()).collect();
    let gift = stage.gift(somebody(1));
    let asked = senders.iter().map(|sender| sender.submit("gift", &gift));
    let rows = futures_util::future::try_join_all(asked).await.unwrap();
    assert!(rows.iter().all(|row| row.hash == rows[0].hash));
    stage.mine_final();
    senders[0].follow().await.unwrap();
    let again = senders[1].submit("gift", &gift).await.unwrap();
    assert_eq!(again.hash, rows[0].hash);
    assert!(matches!(again.state, SendState::Landed(_)));
    stage.node.mine(1).unwrap();
    assert_eq!(stage.held(somebody(1)).await, U256::ONE);
    assert_eq!(stage.used().await, 1);
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn different_purposes_at_once_have_different_nonces(#[case] engine: Engine) {
    let stage = Stage::on(engine).await;
    let senders: Vec<_> = (0..4).map(|_| stage.sender()).collect();
    let gifts: Vec<_> = (0..12)
        .map(|to| (format!("gift {to}"), stage.gift(somebody(to))))
        .collect();
    let asked = gifts
        .iter()
        .zip(senders.iter().cycle())
        .map(|((purpose, gift), sender)| sender.submit(purpose, gift));
    let rows = futures_util::future::try_join_all(asked).await.unwrap();
    let mut nonces: Vec<u64> = rows.iter().map(|row| row.nonce).collect();
    nonces.sort_unstable();
    assert_eq!(nonces, (0..12).collect::<Vec<_>>());
    stage.mine_final();
    for to in 0..12 {
        assert_eq!(stage.held(somebody(to)).await, U256::ONE, "{to}");
    }
}

#[tokio::test]
async fn what_never_reached_the_node_is_sent_when_it_is_missed() {
    let stage = Stage::on(Engine::Sqlite).await;
    let sender = stage.sender();
    stage.deaf.store(true, Ordering::Relaxed);
    sender
        .submit("gift", &stage.gift(somebody(1)))
        .await
        .unwrap();
    stage.deaf.store(false, Ordering::Relaxed);
    stage.mine_final();
    assert_eq!(stage.used().await, 0);
    // Not at once: somebody else may be about to send it.
    sender.follow().await.unwrap();
    stage.mine_final();
    assert_eq!(stage.used().await, 0);
    stage.wait();
    sender.follow().await.unwrap();
    stage.mine_final();
    sender.follow().await.unwrap();
    let row = stage.row("gift").await.unwrap();
    assert!(matches!(row.state, SendState::Landed(_)), "{row:?}");
    assert_eq!(stage.held(somebody(1)).await, U256::ONE);
}

#[tokio::test]
async fn faults_of_any_kind_neither_lose_nor_double_a_send() {
    let stage = Stage::on(Engine::Sqlite).await;
    let sender = stage.sender();
    let faults = [
        FaultKind::Dropped,
        FaultKind::Http5xx,
        FaultKind::Http429,
        FaultKind::Malformed,
        FaultKind::Truncated,
        FaultKind::WrongId,
    ];
    for (number, fault) in (0..).zip(faults) {
        let purpose = format!("{fault:?}");
        stage.node.fault(ADD, fault, 1_000).unwrap();
        stage.node.fault(STATUS, fault, 1_000).unwrap();
        sender
            .submit(&purpose, &stage.gift(somebody(number)))
            .await
            .unwrap();
        // Following cannot see either, and changes nothing.
        stage.wait();
        let _ = sender.follow().await;
        stage.node.clear_faults("*");
        stage.wait();
        sender.follow().await.unwrap();
        stage.mine_final();
        sender.follow().await.unwrap();
        let row = stage.row(&purpose).await.unwrap();
        assert!(matches!(row.state, SendState::Landed(_)), "{row:?}");
        assert_eq!(stage.held(somebody(number)).await, U256::ONE, "{fault:?}");
    }
    assert_eq!(stage.used().await, 6);
}

#[tokio::test]
async fn a_node_that_is_down_is_passed_over() {
    let stage = Stage::on(Engine::Sqlite).await;
    let dead = client("http://127.0.0.1:1/starknet".parse().unwrap());
    let nodes = vec![dead, stage.client.clone()];
    let signer = StarkSigner::new(stage.account.private_key).unwrap();
    let sender = stage.sender_with(nodes, stage.account.address, signer, stage.options);
    sender
        .submit("gift", &stage.gift(somebody(1)))
        .await
        .unwrap();
    stage.mine_final();
    sender.follow().await.unwrap();
    let row = stage.row("gift").await.unwrap();
    assert!(matches!(row.state, SendState::Landed(_)), "{row:?}");
}

#[tokio::test]
async fn several_accounts_share_the_work_and_each_purpose_is_served_by_one() {
    let stage = Stage::on(Engine::Sqlite).await;
    let accounts = stage.node.accounts();
    let mut options = stage.options;
    options.in_flight = 2;
    let senders = accounts[..3].iter().map(|it| stage.sender_of(it, options));
    let pool = SenderPool::new(senders.collect());
    let mut used = std::collections::BTreeMap::new();
    for to in 0..6 {
        let gift = stage.gift(somebody(to));
        let row = pool.submit(&format!("gift {to}"), &gift).await.unwrap();
        let again = pool.submit(&format!("gift {to}"), &gift).await.unwrap();
        assert_eq!(row.hash, again.hash);
        *used.entry(row.account.address).or_insert(0) += 1;
    }
    assert_eq!(used.into_values().collect::<Vec<_>>(), [2, 2, 2]);
    let full = pool.submit("one more", &stage.gift(somebody(9))).await;
    assert!(
        matches!(full, Err(services::SendRefused::InFlight(2))),
        "{full:?}"
    );
    stage.mine_final();
    pool.follow().await.1.unwrap();
    pool.submit("one more", &stage.gift(somebody(9)))
        .await
        .unwrap();
    stage.mine_final();
    for to in [0, 1, 2, 3, 4, 5, 9] {
        assert_eq!(stage.held(somebody(to)).await, U256::ONE, "{to}");
    }
}
