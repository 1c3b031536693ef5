//! It refuses rather than overspends, and a refusal changes nothing.

use crate::stage::{ONE, Stage, somebody};
use chain::{ContractCall, StarkSigner};
use primitives::{Felt, U256};
use services::SendRefused;
use world::Engine;

#[tokio::test]
async fn nothing_is_sent_that_may_cost_more_than_allowed() {
    let mut stage = Stage::on(Engine::Sqlite).await;
    stage.options.max_fee = 1;
    let refused = stage
        .sender()
        .submit("gift", &stage.gift(somebody(1)))
        .await;
    let Err(SendRefused::TooExpensive {
        max_fee,
        allowed: 1,
    }) = refused
    else {
        panic!("{refused:?}")
    };
    assert!(max_fee.unwrap() > 1);
    assert_eq!(stage.row("gift").await, None);
}

#[tokio::test]
async fn what_is_under_way_and_the_reserve_count_against_the_balance() {
    let mut stage = Stage::on(Engine::Sqlite).await;
    // Enough for two at their highest price, and not for a third.
    let probe = stage
        .sender()
        .submit("probe", &stage.gift(somebody(0)))
        .await
        .unwrap();
    stage.mine_final();
    stage.sender().follow().await.unwrap();
    let left = stage.held(stage.account.address).await;
    stage.options.reserve = u128::try_from(left).unwrap() - probe.max_fee * 5 / 2;
    let sender = stage.sender();
    sender
        .submit("first", &stage.gift(somebody(1)))
        .await
        .unwrap();
    sender
        .submit("second", &stage.gift(somebody(2)))
        .await
        .unwrap();
    let refused = sender.submit("third", &stage.gift(somebody(3))).await;
    let Err(SendRefused::Balance { needed, balance }) = refused else {
        panic!("{refused:?}")
    };
    assert!(needed > balance);
    assert_eq!(stage.row("third").await, None);
    stage.mine_final();
    assert_eq!(stage.held(somebody(3)).await, U256::ZERO);
    assert_eq!(stage.used().await, 3);
}

#[tokio::test]
async fn no_more_are_under_way_than_allowed() {
    let mut stage = Stage::on(Engine::Sqlite).await;
    stage.options.in_flight = 2;
    let sender = stage.sender();
    for to in 0..2 {
        sender
            .submit(&format!("{to}"), &stage.gift(somebody(to)))
            .await
            .unwrap();
    }
    let refused = sender.submit("2", &stage.gift(somebody(2))).await;
    assert!(
        matches!(refused, Err(SendRefused::InFlight(2))),
        "{refused:?}"
    );
    // As soon as a block has them, although they are not final yet.
    stage.node.mine(1).unwrap();
    sender.submit("2", &stage.gift(somebody(2))).await.unwrap();
}

#[tokio::test]
async fn calls_that_would_fail_are_not_sent() {
    let stage = Stage::on(Engine::Sqlite).await;
    let everything = vec![somebody(1).felt(), Felt::ZERO, Felt::from(ONE)];
    let call = ContractCall::new(stage.options.fee_token, "transfer", everything);
    let refused = stage.sender().submit("all", &[call]).await;
    assert!(
        matches!(refused, Err(SendRefused::WouldFail(_))),
        "{refused:?}"
    );
    assert_eq!(stage.row("all").await, None);
    assert_eq!(stage.used().await, 0);
}

#[tokio::test]
async fn an_account_that_is_not_there_sends_nothing() {
    let stage = Stage::on(Engine::Sqlite).await;
    let signer = StarkSigner::new(Felt::from(77)).unwrap();
    let nodes = vec![stage.client.clone()];
    let sender = stage.sender_with(nodes, somebody(7), signer, stage.options);
    let refused = sender.submit("gift", &stage.gift(somebody(1))).await;
    assert!(
        matches!(refused, Err(SendRefused::NoAccount(_))),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_ledger_of_a_longer_chain_is_refused() {
    let long = Stage::on(Engine::Sqlite).await;
    long.sender()
        .submit("gift", &long.gift(somebody(1)))
        .await
        .unwrap();
    long.mine_final();
    long.sender().follow().await.unwrap();
    // The same account on a chain that begins anew.
    let mut short = Stage::on(Engine::Sqlite).await;
    short.store = long.store.clone();
    short.mine_final();
    let refused = short
        .sender()
        .submit("other", &short.gift(somebody(1)))
        .await;
    assert!(
        matches!(refused, Err(SendRefused::TakenBack { nonce: 0, .. })),
        "{refused:?}"
    );
}
