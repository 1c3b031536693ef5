//! Private actions whose pool a sponsor pays.

use crate::stage::{CHAIN, ONE, Stage, execute, nobody, refusal, signed};
use primitives::{Address, Felt, Timestamp, U256, short_string};
use rstest::rstest;
use services::STRK;
use services::paymaster::{
    BuildRequest, ExecuteRequest, FeeAction, NewSponsor, SponsorError, audit_sponsor,
};
use simnet::StarknetNode;
use trading::paymaster::{FeeMode, PoolFee, Refusal, Rules, SelectedCall, Tip, Transaction};
use world::Engine::{self, Postgres, Sqlite};

const BY_SPONSOR: FeeMode = FeeMode::Sponsored(Some(PoolFee::Sponsor));

/// What is put into the pool: not what it takes.
const ETH: Address = Address::new(Felt::from_hex_unchecked(
    "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7",
));

/// What the simulated pool takes.
const POOL_FEE: u128 = ONE / 10;

/// The pool pays somebody out of what was put into it.
fn withdrawal(place: u64, amount: u64) -> ExecuteRequest {
    let action = [
        Felt::ONE,
        Felt::THREE,
        nobody(place).felt(),
        ETH.felt(),
        Felt::from(amount),
        Felt::ZERO,
    ];
    let mut calldata = vec![Felt::from(action.len())];
    calldata.extend(action);
    let pool = StarknetNode::privacy_pool();
    ExecuteRequest {
        deployment: None,
        signed: None,
        actions: Some(SelectedCall::named(pool, "apply_actions", calldata)),
        mode: BY_SPONSOR,
    }
}

impl Stage {
    /// A sponsor that pays the pool, and its key.
    async fn sponsor_of_pool(&self, credits: u128) -> Result<(String, String), SponsorError> {
        let new = NewSponsor {
            name: "Ada".to_owned(),
            credits,
            user_daily: None,
            rules: Rules::default(),
            pools: vec![StarknetNode::privacy_pool()],
        };
        let made = self.paymaster().sponsors().create(&new).await?;
        Ok((made.0.id, made.1))
    }

    /// A user puts ETH into the pool.
    async fn deposit(&mut self, amount: u64) {
        let (paymaster, user) = (self.paymaster(), self.user(0));
        let pool = StarknetNode::privacy_pool();
        let amount = [Felt::from(amount), Felt::ZERO];
        let call = |to, name, of: Felt| {
            let calldata = [[of].as_slice(), &amount].concat();
            SelectedCall::named(to, name, calldata)
        };
        let calls = [
            call(ETH, "approve", pool.felt()),
            call(pool, "deposit", ETH.felt()),
        ];
        let paid = FeeMode::Default(STRK);
        let built = self.build(&paymaster, &user, &calls, paid, None).await;
        let request = signed(&user, &built.unwrap(), paid);
        execute(&paymaster, &request, None).await.unwrap();
        self.mine(1).await;
    }
}

#[rstest]
#[case::sqlite(Sqlite)]
#[case::postgres(Postgres)]
#[tokio::test]
async fn a_sponsor_is_charged_what_its_pool_takes_unless_that_is_undone(#[case] engine: Engine) {
    let mut stage = Stage::new(engine, 61).await;
    let (id, key) = stage.sponsor_of_pool(ONE).await.unwrap();
    let paymaster = stage.paymaster();
    stage.deposit(5).await;
    let built = BuildRequest {
        transaction: Transaction::ApplyAction {
            pool: StarknetNode::privacy_pool(),
        },
        mode: BY_SPONSOR,
        tip: Tip::Normal,
        bounds: None,
    };
    let built = refusal(paymaster.build(&built, Some(&key)).await).unwrap();
    assert_eq!(built.fee_action, Some(FeeAction::None));
    // Both find enough in the pool; the second does not any more.
    let requests = [withdrawal(1, 4), withdrawal(2, 4)];
    let first = execute(&paymaster, &requests[0], Some(&key)).await.unwrap();
    let second = execute(&paymaster, &requests[1], Some(&key)).await.unwrap();
    assert_eq!(
        execute(&paymaster, &requests[0], Some(&key)).await,
        Ok(first)
    );
    stage.settle(&paymaster).await;
    let (paid, undone) = stage.fee(first.hash).await.unwrap();
    let (lost, reverted) = stage.fee(second.hash).await.unwrap();
    assert_eq!((undone, reverted), (false, true));
    assert_eq!(stage.balance(ETH, nobody(1)).await, U256::from(4));
    assert_eq!(stage.balance(ETH, nobody(2)).await, U256::ZERO);
    let ledger = stage.store().ledger();
    let activity = ledger.sponsor_activity(&id, Timestamp::MIN, Timestamp::MAX);
    let activity = activity.await.unwrap();
    assert_eq!(activity.succeeded.fees, paid + POOL_FEE);
    assert_eq!(activity.reverted.fees, lost);
    assert_eq!(activity.credits, ONE - paid - POOL_FEE - lost);
    let chain_id = short_string(CHAIN);
    let audit = audit_sponsor(stage.store(), &stage.world.client, chain_id, &id);
    let audit = audit.await.unwrap();
    assert_eq!((audit.charges, audit.wrong), (2, Vec::new()));
    assert_eq!(audit.receipts, paid + POOL_FEE + lost);
}

#[tokio::test]
async fn a_pool_is_paid_by_those_alone_who_do_and_can() {
    let mut stage = Stage::new(Sqlite, 62).await;
    stage.deposit(5).await;
    let paymaster = stage.paymaster();
    let (_, other) = stage.sponsor(ONE).await;
    let refused = execute(&paymaster, &withdrawal(1, 4), Some(&other)).await;
    assert_eq!(refused, Err(Refusal::PoolFeeSponsoringNotAllowed));
    let (id, poor) = stage.sponsor_of_pool(POOL_FEE).await.unwrap();
    let refused = execute(&paymaster, &withdrawal(1, 4), Some(&poor)).await;
    assert_eq!(refused, Err(Refusal::NotSponsored("no credits are left")));
    let ledger = stage.store().ledger();
    assert_eq!(
        ledger.sponsor(&id).await.unwrap().unwrap().credits,
        POOL_FEE
    );
}
