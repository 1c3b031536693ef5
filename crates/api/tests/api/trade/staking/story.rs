//! A member from the first stake to the last withdrawal, on a real node.

use super::support::{DAY, Desk, ONE, STRK, hex, learn, number};
use serde_json::{Value, json};
use trading::staking::WithdrawalNames::{self, Chain, Documented};

fn types(member: &Value) -> Vec<&str> {
    let actions = member["userActions"].as_array().unwrap();
    let types = actions
        .iter()
        .map(|action| action["type"].as_str().unwrap());
    types.collect()
}

#[tokio::test]
async fn a_stake_earns_is_restaked_and_withdrawn_after_twenty_one_days() {
    Box::pin(tell(Documented, ["initiate_withdraw", "claim_withdraw"])).await;
}

#[tokio::test]
async fn so_it_does_by_the_names_of_the_public_network() {
    let names = ["exit_delegation_pool_intent", "exit_delegation_pool_action"];
    Box::pin(tell(Chain, names)).await;
}

async fn tell(names: WithdrawalNames, entrypoints: [&str; 2]) {
    let mut desk = Desk::with(names).await;
    let stake = 1_000 * ONE;
    desk.act("stake", json!({"amount": format!("{stake:#x}")}))
        .await;
    let member = desk.member().await;
    assert_eq!(hex(&member["amount"]), stake);
    assert_eq!(types(&member), ["StakingStake"]);
    let price = number(&member["tokenPriceInUsd"]);
    assert!((number(&member["amountInUsd"]) / price - 1_000.0).abs() < 1e-6);
    // It earns what is expected.
    desk.wait(10 * DAY).await;
    let member = desk.member().await;
    let earned = hex(&member["unclaimedRewards"]);
    let yearly = hex(&member["expectedYearlyStrkRewards"]);
    let missing = (yearly * 10 / 365).abs_diff(earned);
    assert!(missing < yearly / 100_000, "{earned} of {yearly}");
    // All that is earned by the newest block is staked again.
    let calls = desk.calls("claim-rewards", json!({"restake": true})).await;
    let called: Vec<_> = calls.iter().map(|call| call.entrypoint).collect();
    assert_eq!(
        called,
        ["claim_rewards", "approve", "add_to_delegation_pool"]
    );
    desk.act("claim-rewards", json!({"restake": true})).await;
    let member = desk.member().await;
    let stake = stake + earned;
    assert_eq!(hex(&member["amount"]), stake);
    assert!(hex(&member["totalClaimedRewards"]) >= earned);
    assert!(number(&member["totalClaimedRewardsUsd"]) > 0.0);
    assert!(number(&member["totalClaimedRewardsHistoricalUsd"]) > 0.0);
    assert_eq!(
        types(&member),
        ["StakingStake", "StakingClaimRewards", "StakingStake"]
    );
    let all = json!({"amount": stake.to_string()});
    let calls = desk.calls("initiate-withdraw", all.clone()).await;
    assert_eq!(calls[0].entrypoint, entrypoints[0]);
    desk.act("initiate-withdraw", all).await;
    let member = desk.member().await;
    assert_eq!(
        (hex(&member["amount"]), hex(&member["unpoolAmount"])),
        (0, stake)
    );
    let action = &member["userActions"][0];
    assert_eq!(action["type"], "StakingInitiateWithdrawal");
    let fee = &action["gasFee"];
    assert!(hex(&fee["gasFeeAmount"]) > 0 && number(&fee["gasFeeAmountUsd"]) > 0.0);
    // A day too early it is refused, with the time.
    desk.wait(20 * DAY).await;
    let exit = action["metadata"]["exitTimestamp"].as_str().unwrap();
    let message = format!("the withdrawal can be claimed from {exit} on");
    let early = desk.build("claim-withdraw", json!({})).await;
    assert_eq!(early.refused(400), [message]);
    desk.wait(DAY).await;
    let calls = desk.calls("claim-withdraw", json!({})).await;
    assert_eq!(calls[0].entrypoint, entrypoints[1]);
    desk.act("claim-withdraw", json!({})).await;
    let member = desk.member().await;
    assert_eq!(hex(&member["unpoolAmount"]), 0);
    assert_eq!(member["unpoolTime"], Value::Null);
    assert_eq!(member["totalUserActionsCount"], 5);
    let action = &member["userActions"][0];
    assert_eq!(action["type"], "StakingWithdraw");
    assert_eq!(hex(&action["metadata"]["amount"]), stake);
    // Once is enough.
    let message = "no withdrawal was initiated; initiate one first";
    let again = desk.build("claim-withdraw", json!({})).await;
    assert_eq!(again.refused(400), [message]);
}

#[tokio::test]
async fn an_answer_after_a_reorganisation_is_that_of_who_never_saw_the_old_blocks() {
    let mut desk = Desk::new().await;
    let nobody = desk.member().await;
    desk.act("stake", json!({"amount": "5"})).await;
    desk.act("stake", json!({"amount": "0x07"})).await;
    assert_eq!(desk.member().await["amount"], "0xc");
    desk.world.node.reorg(2).unwrap();
    desk.world.node.mine(1).unwrap();
    desk.read().await;
    learn(&desk.staking).await;
    let member = desk.member().await;
    assert_eq!(member, desk.anew().await);
    let stakes = hex(&member["amount"]);
    assert_eq!(stakes > 0, !types(&member).is_empty(), "{member}");
    for field in ["tokenAddress", "poolAddress", "userAddress"] {
        assert_eq!(member[field], nobody[field]);
    }
}

#[tokio::test]
async fn a_withdrawal_that_is_replaced_can_take_all_that_is_not_paid() {
    let mut desk = Desk::new().await;
    desk.act("stake", json!({"amount": "100"})).await;
    desk.act("initiate-withdraw", json!({"amount": "40"})).await;
    let member = desk.member().await;
    let first = member["unpoolTime"].as_i64().unwrap();
    desk.wait(DAY).await;
    desk.act("initiate-withdraw", json!({"amount": "100"}))
        .await;
    let member = desk.member().await;
    assert_eq!(member["unpoolAmount"], "0x64");
    assert!(member["unpoolTime"].as_i64().unwrap() >= first + i64::try_from(DAY).unwrap());
    // The pool may be named by its own address, too.
    let path = desk.member_path(member["poolAddress"].as_str().unwrap());
    assert_eq!(desk.bench.get(&path).await.json(), member);
    assert_eq!(member["tokenAddress"], STRK);
}
