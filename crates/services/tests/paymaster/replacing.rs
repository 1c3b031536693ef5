//! What waits is replaced for more: the tracking id follows, and it is charged once.

use crate::stage::{CHAIN, ONE, Stage, execute, nobody, payment, refusal, signed};
use chain::{ContractCall, StarkSigner};
use primitives::{Address, Clock, Felt, Timestamp, U256, short_string};
use rstest::rstest;
use services::paymaster::{Executed, TrackedStatus, audit_sponsor};
use services::{Payer, STRK, Sender, SenderOptions};
use simnet::StarknetNode;
use std::sync::Arc;
use store::{SendingAccount, SponsoredRow, Store};
use trading::paymaster::{FeeMode, SelectedCall};
use world::Engine::{self, Postgres, Sqlite};
use world::{TestDatabase, relayer_options};

const SPONSORED: FeeMode = FeeMode::Sponsored(None);

/// Nothing that anybody offers is enough.
const NEVER: u64 = u64::MAX;

impl Stage {
    /// Has a sponsor pay for a payment of five.
    async fn sponsored_gift(&self, key: &str) -> Executed {
        let (paymaster, user) = (self.paymaster(), self.user(0));
        let calls = [payment(nobody(1), 5)];
        let built = self.build(&paymaster, &user, &calls, SPONSORED, Some(key));
        let request = signed(&user, &built.await.unwrap(), SPONSORED);
        execute(&paymaster, &request, Some(key)).await.unwrap()
    }

    /// Writes replacements that no node takes: their signatures are wrong.
    async fn replace_in_vain(&self) {
        for relayer in StarknetNode::relayers() {
            let wrong = Felt::from(0x0bad_u64);
            let sender = self.sender(self.store(), relayer.address, wrong);
            sender.follow().await.unwrap();
        }
    }

    /// Has every relayer send something that this ledger knows nothing of, for far
    /// more than anything that waits.
    async fn send_elsewhere(&self) {
        let database = TestDatabase::new(Sqlite).await;
        let store = database.store().await;
        for relayer in StarknetNode::relayers() {
            let sender = self.sender(&store, relayer.address, relayer.private_key);
            let SelectedCall { to, calldata, .. } = payment(nobody(2), 1);
            let gift = [ContractCall::new(to, "transfer", calldata)];
            let survey = sender.survey(&gift, 1_000_000_000).await.unwrap();
            let sent = sender.submit_surveyed("elsewhere", &gift, &survey, Payer::Service);
            sent.await.unwrap();
        }
    }

    fn sender(&self, store: &Store, address: Address, key: Felt) -> Sender {
        let account = SendingAccount {
            chain_id: short_string(CHAIN),
            address,
        };
        let options = SenderOptions {
            room_percent: 200,
            ..relayer_options()
        };
        let clock = Arc::clone(&self.world.clock) as Arc<dyn Clock>;
        let (nodes, signer) = (vec![self.world.client.clone()], StarkSigner::new(key));
        Sender::new(
            store.clone(),
            nodes,
            account,
            signer.unwrap(),
            clock,
            options,
        )
    }

    async fn open(&self) -> Vec<SponsoredRow> {
        let open = self.store().ledger().open_sponsored(short_string(CHAIN));
        open.await.unwrap()
    }

    async fn credits(&self, id: &str) -> u128 {
        let sponsor = self.store().ledger().sponsor(id).await.unwrap();
        sponsor.unwrap().credits
    }
}

#[rstest]
#[case::sqlite(Sqlite)]
#[case::postgres(Postgres)]
#[tokio::test]
async fn the_tracking_id_follows_and_the_sponsor_is_charged_once(
    #[case] engine: Engine,
    #[values(true, false)] newest_lands: bool,
) {
    let mut stage = Stage::new(engine, 41).await;
    let (id, key) = stage.sponsor(ONE).await;
    stage.world.node.congest(NEVER);
    let sent = stage.sponsored_gift(&key).await;
    let reserved = stage.open().await[0].reserved;
    assert_eq!(stage.credits(&id).await, ONE - reserved);
    stage.mine(5).await;
    if newest_lands {
        stage.paymaster().round().await.unwrap();
    } else {
        stage.replace_in_vain().await;
    }
    let (paymaster, tracking_id) = (stage.paymaster(), sent.tracking_id);
    let tracked = refusal(paymaster.track(tracking_id).await).unwrap();
    assert_eq!(tracked.status, TrackedStatus::Active);
    assert_ne!(tracked.hash, sent.hash);
    let open = stage.open().await;
    assert_eq!((open.len(), open[0].hash), (1, tracked.hash));
    assert!(open[0].reserved > reserved);
    assert_eq!(stage.credits(&id).await, ONE - open[0].reserved);
    // Whichever attempt a block has is told of.
    stage.world.node.congest(0);
    stage.mine(2).await;
    let landed = refusal(paymaster.track(tracking_id).await).unwrap();
    let expected = if newest_lands {
        tracked.hash
    } else {
        sent.hash
    };
    assert_eq!(landed.status, TrackedStatus::Accepted);
    assert_eq!(landed.hash, expected);
    stage.settle(&paymaster).await;
    let settled = refusal(paymaster.track(tracking_id).await).unwrap();
    assert_eq!(settled, landed);
    let ledger = stage.store().ledger();
    let activity = ledger.sponsor_activity(&id, Timestamp::MIN, Timestamp::MAX);
    let activity = activity.await.unwrap();
    let (fee, _) = stage.fee(expected).await.unwrap();
    assert_eq!(
        (activity.succeeded.count, activity.succeeded.fees),
        (1, fee)
    );
    assert_eq!(activity.credits, ONE - fee);
    let chain_id = short_string(CHAIN);
    let audit = audit_sponsor(stage.store(), &stage.world.client, chain_id, &id);
    assert_eq!(audit.await.unwrap().wrong, []);
    assert_eq!(stage.balance(STRK, nobody(1)).await, U256::from(5));
}

#[tokio::test]
async fn without_credits_for_more_what_waits_goes_on_waiting() {
    let mut stage = Stage::new(Sqlite, 42).await;
    let (id, key) = stage.sponsor(ONE).await;
    stage.world.node.congest(NEVER);
    let sent = stage.sponsored_gift(&key).await;
    let mut tx = stage.store().ledger().begin().await.unwrap();
    tx.set_credits(&id, 0).await.unwrap();
    tx.commit().await.unwrap();
    let before = stage.open().await;
    stage.mine(5).await;
    let paymaster = stage.paymaster();
    paymaster.round().await.unwrap();
    let tracked = refusal(paymaster.track(sent.tracking_id).await).unwrap();
    assert_eq!(
        (tracked.hash, tracked.status),
        (sent.hash, TrackedStatus::Active)
    );
    assert_eq!(stage.open().await[0].reserved, before[0].reserved);
    stage.world.node.congest(0);
    stage.settle(&paymaster).await;
    let (fee, _) = stage.fee(sent.hash).await.unwrap();
    assert_eq!(stage.credits(&id).await, before[0].reserved - fee);
}

#[rstest]
#[case::sqlite(Sqlite)]
#[case::postgres(Postgres)]
#[tokio::test]
async fn what_something_else_took_the_place_of_is_dropped_and_costs_nobody(#[case] engine: Engine) {
    let mut stage = Stage::new(engine, 43).await;
    let (id, key) = stage.sponsor(ONE).await;
    stage.world.node.congest(NEVER);
    let sent = stage.sponsored_gift(&key).await;
    let paymaster = stage.paymaster();
    let tracked = refusal(paymaster.track(sent.tracking_id).await).unwrap();
    assert_eq!(tracked.status, TrackedStatus::Active);
    stage.send_elsewhere().await;
    stage.world.node.congest(0);
    stage.settle(&paymaster).await;
    let tracked = refusal(paymaster.track(sent.tracking_id).await).unwrap();
    assert_eq!(
        (tracked.hash, tracked.status),
        (sent.hash, TrackedStatus::Dropped)
    );
    assert_eq!(stage.credits(&id).await, ONE);
    assert_eq!(stage.balance(STRK, nobody(1)).await, U256::ZERO);
}
