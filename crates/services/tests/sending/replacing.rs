//! What waits for too long is sent again for more, and lands once.

use crate::stage::{Stage, somebody};
use primitives::{Timestamp, U256, short_string};
use rstest::rstest;
use services::{Fault, SendRefused, SenderOptions};
use std::sync::atomic::Ordering;
use store::{SendRow, SendState, StoreError};
use world::Engine;

/// Nothing that anybody offers is enough.
const NEVER: u64 = u64::MAX;

impl Stage {
    /// Everything that was sent for a purpose, the newest first.
    async fn attempts(&self, purpose: &str) -> Vec<SendRow> {
        let chain_id = short_string("SN_STOA");
        let rows = self.store.ledger().attempts(chain_id, purpose).await;
        rows.unwrap()
    }

    /// As many blocks as make what waits stuck.
    fn let_wait(&self) {
        let blocks = u32::try_from(self.options.stuck_blocks).unwrap();
        self.node.mine(blocks).unwrap();
    }
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn what_is_stuck_is_replaced_for_more_and_lands_once(#[case] engine: Engine) {
    let stage = Stage::on(engine).await;
    let sender = stage.sender();
    // What it offers, nothing, is too little.
    stage.node.congest(1);
    let gift = stage.gift(somebody(1));
    let first = sender.submit("gift", &gift).await.unwrap();
    stage.node.mine(4).unwrap();
    sender.follow().await.unwrap();
    assert_eq!(stage.row("gift").await.unwrap().hash, first.hash, "early");
    stage.node.mine(1).unwrap();
    sender.follow().await.unwrap();
    let second = stage.row("gift").await.unwrap();
    assert_eq!((second.attempt, second.nonce), (1, first.nonce));
    assert!(second.max_fee > first.max_fee && second.hash != first.hash);
    // Whoever asks again is told of the newest.
    assert_eq!(sender.submit("gift", &gift).await.unwrap(), second);
    stage.mine_final();
    sender.follow().await.unwrap();
    let landed = stage.row("gift").await.unwrap();
    assert_eq!(landed.hash, second.hash);
    assert!(matches!(landed.state, SendState::Landed(_)), "{landed:?}");
    let attempts = stage.attempts("gift").await;
    assert!(matches!(attempts[1].state, SendState::Lost { .. }));
    assert_eq!(sender.submit("gift", &gift).await.unwrap(), landed);
    assert_eq!(
        (stage.held(somebody(1)).await, stage.used().await),
        (U256::ONE, 1)
    );
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn the_first_may_land_although_it_was_replaced(#[case] engine: Engine) {
    let stage = Stage::on(engine).await;
    let sender = stage.sender();
    stage.node.congest(NEVER);
    let gift = stage.gift(somebody(1));
    let first = sender.submit("gift", &gift).await.unwrap();
    stage.let_wait();
    // The replacement is written, and does not reach the node.
    stage.deaf.store(true, Ordering::Relaxed);
    sender.follow().await.unwrap_err();
    assert_eq!(stage.attempts("gift").await.len(), 2);
    stage.node.congest(0);
    // What waited is in the block after the one in the making.
    stage.node.mine(1).unwrap();
    stage.mine_final();
    stage.deaf.store(false, Ordering::Relaxed);
    stage.wait();
    let other = stage.sender();
    other.follow().await.unwrap();
    let landed = stage.row("gift").await.unwrap();
    assert_eq!(landed.hash, first.hash);
    assert!(landed.state.receipt().is_some());
    assert_eq!(other.submit("gift", &gift).await.unwrap(), landed);
    stage.mine_final();
    assert_eq!(
        (stage.held(somebody(1)).await, stage.used().await),
        (U256::ONE, 1)
    );
}

#[tokio::test]
async fn a_replacement_that_was_written_and_not_sent_is_sent_by_another_process() {
    let stage = Stage::on(Engine::Sqlite).await;
    stage.node.congest(1);
    let gift = stage.gift(somebody(1));
    stage.sender().submit("gift", &gift).await.unwrap();
    stage.let_wait();
    stage.deaf.store(true, Ordering::Relaxed);
    stage.sender().follow().await.unwrap_err();
    stage.deaf.store(false, Ordering::Relaxed);
    stage.wait();
    stage.sender().follow().await.unwrap();
    stage.mine_final();
    stage.sender().follow().await.unwrap();
    let landed = stage.row("gift").await.unwrap();
    assert_eq!(landed.attempt, 1);
    assert!(landed.state.receipt().is_some());
    assert_eq!(stage.used().await, 1);
}

#[tokio::test]
async fn nothing_is_replaced_too_often_or_for_more_than_is_allowed() {
    let mut stage = Stage::on(Engine::Sqlite).await;
    stage.node.congest(NEVER);
    let gift = stage.gift(somebody(1));
    let first = stage.sender().submit("gift", &gift).await.unwrap();
    let allowed = stage.options.max_fee;
    stage.options.max_fee = first.max_fee;
    stage.let_wait();
    stage.sender().follow().await.unwrap();
    assert_eq!(stage.attempts("gift").await.len(), 1, "too expensive");
    stage.options.max_fee = allowed;
    for _ in 0..8 {
        stage.let_wait();
        stage.sender().follow().await.unwrap();
    }
    let attempts = stage.attempts("gift").await;
    assert_eq!(attempts.len(), 1 + stage.options.replacements);
    let fees = attempts.iter().map(|row| row.max_fee);
    assert!(fees.is_sorted_by(|newer, older| newer > older));
    stage.options = SenderOptions {
        replacements: 0,
        ..stage.options
    };
    stage.sender().follow().await.unwrap();
    stage.node.congest(0);
    stage.mine_final();
    stage.sender().follow().await.unwrap();
    assert_eq!(
        (stage.held(somebody(1)).await, stage.used().await),
        (U256::ONE, 1)
    );
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn processes_that_follow_at_once_replace_once(#[case] engine: Engine) {
    let stage = Stage::on(engine).await;
    stage.node.congest(NEVER);
    let gift = stage.gift(somebody(1));
    let later = stage.gift(somebody(2));
    stage.sender().submit("gift", &gift).await.unwrap();
    stage.sender().submit("later", &later).await.unwrap();
    stage.let_wait();
    let senders: Vec<_> = (0..6).map(|_| stage.sender()).collect();
    let followed = senders.iter().map(services::Sender::follow);
    futures_util::future::try_join_all(followed).await.unwrap();
    assert_eq!(stage.attempts("gift").await.len(), 2);
    // What waits for another one is not stuck itself.
    assert_eq!(stage.attempts("later").await.len(), 1);
    stage.node.congest(0);
    stage.mine_final();
    senders[0].follow().await.unwrap();
    assert_eq!(stage.used().await, 2);
    assert_eq!(stage.held(somebody(1)).await, U256::ONE);
    assert_eq!(stage.held(somebody(2)).await, U256::ONE);
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn who_was_paused_and_has_lost_the_duty_replaces_nothing(#[case] engine: Engine) {
    let stage = Stage::on(engine).await;
    let second = |second| Timestamp::from_second(second).unwrap();
    let paused = stage.store.ledger().fence("relayers");
    let other = stage.store.ledger().fence("relayers");
    let sender = stage.sender().followed_on(&paused);
    assert!(paused.take("paused", second(0), second(4)).await.unwrap());
    stage.node.congest(1);
    let gift = stage.gift(somebody(1));
    sender.submit("gift", &gift).await.unwrap();
    stage.let_wait();
    // It believes to have the duty still.
    assert!(other.take("other", second(4), second(8)).await.unwrap());
    let refused = sender.follow().await.unwrap_err();
    assert!(
        matches!(
            refused,
            SendRefused::Fault(Fault::Store(StoreError::NotOnDuty { .. }))
        ),
        "{refused:?}"
    );
    assert_eq!(stage.attempts("gift").await.len(), 1);
    let follower = stage.sender().followed_on(&other);
    follower.follow().await.unwrap();
    assert_eq!(stage.attempts("gift").await.len(), 2);
    // Whoever may not replace may send all the same.
    let more = stage.gift(somebody(2));
    sender.submit("more", &more).await.unwrap();
}
