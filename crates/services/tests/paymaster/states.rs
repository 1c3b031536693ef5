//! How far what is relayed is, and what users paid for it, as the ledger has it.

use crate::stage::{CHAIN, ONE, Stage, execute, nobody, payment, signed};
use primitives::short_string;
use rstest::rstest;
use services::STRK;
use store::{SponsoredProgress, SponsoredState};
use trading::paymaster::FeeMode;
use world::Engine::{self, Postgres, Sqlite};

const SPONSORED: FeeMode = FeeMode::Sponsored(None);
const PAID: FeeMode = FeeMode::Default(STRK);

#[rstest]
#[case::sqlite(Sqlite)]
#[case::postgres(Postgres)]
#[tokio::test]
async fn what_a_sponsor_pays_for_is_reserved_sent_landed_and_final(#[case] engine: Engine) {
    let mut stage = Stage::new(engine, 51).await;
    let (id, key) = stage.sponsor(ONE).await;
    let (paymaster, user) = (stage.paymaster(), stage.user(0));
    let chain_id = short_string(CHAIN);
    let calls = [payment(nobody(1), 5)];
    let built = stage.build(&paymaster, &user, &calls, SPONSORED, Some(&key));
    let request = signed(&user, &built.await.unwrap(), SPONSORED);
    let sent = execute(&paymaster, &request, Some(&key)).await.unwrap();
    let store = stage.store().clone();
    let state = async || {
        let open = store.ledger().open_sponsored(chain_id).await.unwrap();
        open.first().map(|row| row.state)
    };
    let open = |progress| Some(SponsoredState::Open(progress));
    let landed = |block_number| open(SponsoredProgress::Landed { block_number });
    assert_eq!(state().await, open(SponsoredProgress::Reserved));
    paymaster.round().await.unwrap();
    assert_eq!(state().await, open(SponsoredProgress::Sent));
    stage.mine(1).await;
    paymaster.round().await.unwrap();
    assert_eq!(state().await, landed(stage.world.node.head().number));
    // Its block is taken back, and it waits again.
    stage.world.node.congest(u64::MAX);
    stage.world.node.reorg(1).unwrap();
    stage.station.sync().await;
    paymaster.round().await.unwrap();
    assert_eq!(state().await, open(SponsoredProgress::Sent));
    stage.world.node.congest(0);
    stage.mine(2).await;
    paymaster.round().await.unwrap();
    assert_eq!(state().await, landed(stage.world.node.head().number));
    stage.settle(&paymaster).await;
    let charged = store.ledger().charged_sponsored(chain_id, &id, None);
    let charged = charged.await.unwrap();
    let [row] = &charged[..] else {
        panic!("{charged:?}")
    };
    let (fee, _) = stage.fee(sent.hash).await.unwrap();
    assert!(
        matches!(row.state, SponsoredState::Final(outcome) if outcome.fee == fee),
        "{row:?}"
    );
}

#[rstest]
#[case::sqlite(Sqlite)]
#[case::postgres(Postgres)]
#[tokio::test]
async fn what_users_paid_is_compared_with_receipts_by_whichever_process(#[case] engine: Engine) {
    let mut stage = Stage::new(engine, 52).await;
    let chain_id = short_string(CHAIN);
    let mut cost = 0;
    for place in [0, 1, 2] {
        // Each by another process, which dies when it has sent.
        let (paymaster, user) = (stage.paymaster(), stage.user(place));
        let calls = [payment(nobody(1), 5)];
        let built = stage.build(&paymaster, &user, &calls, PAID, None);
        let request = signed(&user, &built.await.unwrap(), PAID);
        let sent = execute(&paymaster, &request, None).await.unwrap();
        stage.mine(1).await;
        cost += stage.fee(sent.hash).await.unwrap().0;
    }
    let (one, other) = (stage.paymaster(), stage.paymaster());
    stage.settle(&one).await;
    other.round().await.unwrap();
    let fees = stage.store().ledger().paid_fees(chain_id).await.unwrap();
    assert_eq!(fees.cost, cost);
    assert!(
        fees.paid >= cost && fees.paid * 100 <= cost * 108,
        "{} for {cost}",
        fees.paid
    );
}
