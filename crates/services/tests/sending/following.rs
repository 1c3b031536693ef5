//! What becomes of sends that do not simply land.

use crate::stage::{Stage, somebody};
use chain::{ContractCall, StarkSigner};
use primitives::{Felt, U256};
use rstest::rstest;
use store::SendState;
use world::Engine;

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn what_no_node_takes_is_replaced_and_may_be_sent_anew(#[case] engine: Engine) {
    let stage = Stage::on(engine).await;
    // Signed with a key that the account does not know.
    let wrong = StarkSigner::new(Felt::from(0x0bad_u64)).unwrap();
    let nodes = vec![stage.client.clone()];
    let forger = stage.sender_with(nodes, stage.account.address, wrong, stage.options);
    forger
        .submit("gift", &stage.gift(somebody(1)))
        .await
        .unwrap();
    let sender = stage.sender();
    // Held up behind it.
    let later = sender
        .submit("later", &stage.gift(somebody(2)))
        .await
        .unwrap();
    assert_eq!(later.nonce, 1);
    stage.mine_final();
    sender.follow().await.unwrap();
    assert_eq!(stage.used().await, 0);
    stage.wait();
    sender.follow().await.unwrap();
    stage.mine_final();
    // Both that were given out are used, by an empty one and by the later one.
    assert_eq!(stage.used().await, 2);
    sender.follow().await.unwrap();
    assert_eq!(stage.row("gift").await, None, "lost");
    assert!(stage.row("later").await.unwrap().state.receipt().is_some());
    assert_eq!(stage.held(somebody(1)).await, U256::ZERO);
    sender
        .submit("gift", &stage.gift(somebody(1)))
        .await
        .unwrap();
    stage.mine_final();
    assert_eq!(stage.held(somebody(1)).await, U256::ONE);
    assert_eq!(stage.held(somebody(2)).await, U256::ONE);
}

#[tokio::test]
async fn a_nonce_that_somebody_else_used_is_lost_once_that_is_final() {
    let stage = Stage::on(Engine::Sqlite).await;
    // Another ledger, which does not know of this one's sends.
    let mut other = Stage::on(Engine::Sqlite).await;
    other.client = stage.client.clone();
    let wrong = StarkSigner::new(Felt::from(0x0bad_u64)).unwrap();
    let nodes = vec![stage.client.clone()];
    let forger = stage.sender_with(nodes, stage.account.address, wrong, stage.options);
    forger
        .submit("gift", &stage.gift(somebody(1)))
        .await
        .unwrap();
    other
        .sender()
        .submit("theirs", &stage.gift(somebody(2)))
        .await
        .unwrap();
    stage.node.mine(1).unwrap();
    stage.wait();
    let sender = stage.sender();
    sender.follow().await.unwrap();
    assert_eq!(stage.row("gift").await.unwrap().state, SendState::Open);
    stage.mine_final();
    sender.follow().await.unwrap();
    assert_eq!(stage.row("gift").await, None);
    assert_eq!(stage.used().await, 1);
}

#[tokio::test]
async fn a_reverted_send_is_noticed_with_its_reason_and_its_fee() {
    let stage = Stage::on(Engine::Sqlite).await;
    let sender = stage.sender();
    // Both see enough for it; the second does not find it any more.
    let held = stage.held(stage.account.address).await;
    let most = u128::try_from(held).unwrap() * 3 / 5;
    let give = |to: u64| {
        let arguments = vec![somebody(to).felt(), Felt::from(most), Felt::ZERO];
        [ContractCall::new(
            stage.options.fee_token,
            "transfer",
            arguments,
        )]
    };
    sender.submit("first", &give(1)).await.unwrap();
    sender.submit("second", &give(2)).await.unwrap();
    stage.mine_final();
    sender.follow().await.unwrap();
    assert!(matches!(
        stage.row("first").await.unwrap().state,
        SendState::Landed(_)
    ));
    let second = stage.row("second").await.unwrap();
    let SendState::Reverted { receipt, reason } = second.state else {
        panic!("{second:?}")
    };
    assert!(receipt.fee > 0 && !reason.is_empty());
    assert_eq!(stage.held(somebody(2)).await, U256::ZERO);
}

#[tokio::test]
async fn what_a_reorganisation_takes_back_lands_again_and_is_settled_once() {
    let stage = Stage::on(Engine::Sqlite).await;
    let sender = stage.sender();
    sender
        .submit("gift", &stage.gift(somebody(1)))
        .await
        .unwrap();
    stage.node.mine(1).unwrap();
    sender.follow().await.unwrap();
    stage.node.reorg(1).unwrap();
    sender.follow().await.unwrap();
    assert_eq!(stage.row("gift").await.unwrap().state, SendState::Open);
    stage.wait();
    sender.follow().await.unwrap();
    stage.mine_final();
    sender.follow().await.unwrap();
    let row = stage.row("gift").await.unwrap();
    assert!(matches!(row.state, SendState::Landed(_)), "{row:?}");
    assert_eq!(stage.held(somebody(1)).await, U256::ONE);
    assert_eq!(stage.used().await, 1);
}
