//! Credits and charges: never below zero, never twice, always those of receipts.

use crate::stage::{CHAIN, DEPTH, ONE, PATIENCE, Stage, execute, nobody, payment, signed};
use futures_util::future::join_all;
use primitives::{Entropy, Felt, SeededEntropy, SignedDuration, Timestamp, short_string};
use rstest::rstest;
use services::STRK;
use services::paymaster::{Paymaster, audit_sponsor};
use trading::paymaster::{FeeMode, Refusal};
use world::Engine::{self, Postgres, Sqlite};

const SPONSORED: FeeMode = FeeMode::Sponsored(None);

/// What a sponsor was charged in all time, and has left.
async fn books(stage: &Stage, id: &str) -> (u128, u64, u128) {
    let ledger = stage.store().ledger();
    let (from, to) = (Timestamp::MIN, Timestamp::MAX);
    let activity = ledger.sponsor_activity(id, from, to).await.unwrap();
    let credits = ledger.sponsor(id).await.unwrap().unwrap().credits;
    let count = activity.succeeded.count + activity.reverted.count;
    let fees = activity.succeeded.fees + activity.reverted.fees;
    (fees, count, credits)
}

async fn audited(stage: &Stage, id: &str) -> u128 {
    let chain_id = short_string(CHAIN);
    let audit = audit_sponsor(stage.store(), &stage.world.client, chain_id, id);
    let audit = audit.await.unwrap();
    assert_eq!(audit.wrong, []);
    assert_eq!(audit.charged, audit.receipts);
    audit.receipts
}

#[rstest]
#[case::sqlite(Sqlite)]
#[case::postgres(Postgres)]
#[tokio::test]
async fn a_hundred_at_once_spend_no_more_than_there_is(#[case] engine: Engine) {
    let mut stage = Stage::new(engine, 21).await;
    let credits = ONE / 10;
    let (id, key) = stage.sponsor(credits).await;
    let processes = [stage.paymaster(), stage.paymaster()];
    let users: Vec<_> = (0..5).map(|place| stage.user(place)).collect();
    let mut requests = Vec::new();
    for number in 0..100_u64 {
        let user = &users[usize::try_from(number % 5).unwrap()];
        let calls = [payment(nobody(number), 5)];
        let built = stage.build(&processes[0], user, &calls, SPONSORED, Some(&key));
        requests.push(signed(user, &built.await.unwrap(), SPONSORED));
    }
    let sent = requests.iter().enumerate().map(|(number, request)| {
        let paymaster = &processes[number % 2];
        execute(paymaster, request, Some(&key))
    });
    let outcomes = join_all(sent).await;
    let sent: Vec<Felt> = outcomes
        .iter()
        .filter_map(|outcome| outcome.as_ref().ok())
        .map(|executed| executed.hash)
        .collect();
    for outcome in outcomes.iter().filter_map(|outcome| outcome.as_ref().err()) {
        assert_eq!(*outcome, Refusal::NotSponsored("no credits are left"));
    }
    assert!((2..40).contains(&sent.len()), "{}", sent.len());
    stage.settle(&processes[0]).await;
    processes[1].round().await.unwrap();
    let (charged, count, left) = books(&stage, &id).await;
    assert_eq!(count, u64::try_from(sent.len()).unwrap());
    assert_eq!(charged + left, credits);
    let mut fees = 0;
    for hash in sent {
        fees += stage.fee(hash).await.unwrap().0;
    }
    assert_eq!((charged, audited(&stage, &id).await), (fees, fees));
}

/// A payment of nearly everything that a user has fails the second time.
async fn spend(
    stage: &Stage,
    paymaster: &Paymaster,
    place: usize,
    amount: u128,
    key: &str,
) -> Result<Felt, Refusal> {
    let user = stage.user(place);
    let calls = [payment(nobody(7), amount)];
    let built = stage
        .build(paymaster, &user, &calls, SPONSORED, Some(key))
        .await?;
    let request = signed(&user, &built, SPONSORED);
    let sent = execute(paymaster, &request, Some(key)).await?;
    Ok(sent.hash)
}

#[rstest]
#[case::sqlite(Sqlite, 31)]
#[case::postgres(Postgres, 32)]
#[tokio::test]
async fn charges_are_those_of_receipts_whatever_happens(#[case] engine: Engine, #[case] seed: u64) {
    let mut stage = Stage::new(engine, seed).await;
    let dice = SeededEntropy::new(seed);
    let roll = |sides: u8| {
        let [byte] = (&dice as &dyn Entropy).bytes::<1>();
        byte % sides
    };
    let (id, key) = stage.sponsor(10 * ONE).await;
    let mut paymaster = stage.paymaster();
    for _ in 0..30 {
        let place = usize::from(roll(3));
        match roll(9) {
            // Twice what there is once: one of them is reverted.
            0 => {
                let user = stage.user(place).address;
                let all = stage.balance(STRK, user).await;
                let most: u128 = all.to();
                let part = most / 3 * 2;
                for _ in 0..2 {
                    // The one may be reverted, the other one refused.
                    let _ = spend(&stage, &paymaster, place, part, &key).await;
                }
            }
            1 => {
                let depth = u32::from(1 + roll(u8::try_from(DEPTH).unwrap()));
                stage.world.node.reorg(depth).unwrap();
                stage.station.sync().await;
            }
            // The process dies, and another one goes on.
            2 => paymaster = stage.paymaster(),
            3 => stage
                .world
                .clock
                .advance(PATIENCE + SignedDuration::from_secs(1)),
            4 => paymaster.round().await.unwrap(),
            5 => stage.mine(1).await,
            // What is sent waits, and may be replaced for more, or goes on.
            6 => stage.world.node.congest(u64::from(roll(2)) * u64::MAX),
            _ => {
                let amount = 1 + u128::from(roll(200));
                spend(&stage, &paymaster, place, amount, &key)
                    .await
                    .unwrap();
            }
        }
        stage.world.node.mine(1).unwrap();
        stage.station.sync().await;
    }
    stage.world.node.congest(0);
    stage.settle(&paymaster).await;
    let (charged, count, left) = books(&stage, &id).await;
    assert!(count > 5, "{count}");
    assert_eq!(charged + left, 10 * ONE);
    assert_eq!(audited(&stage, &id).await, charged);
}
