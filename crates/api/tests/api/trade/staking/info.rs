//! The staker and its pools, by what the chain tells.

use super::support::{DAY, Desk, ONE, STRK, address, hex, learn, number};
use primitives::{Address, U256};
use serde_json::{Value, json};
use simnet::StarknetNode;

async fn info(desk: &Desk) -> Value {
    let answer = desk.bench.get("/staking/v3").await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

#[tokio::test]
async fn the_staker_is_told_with_its_pools() {
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk::on_a_large_market(folder.path()).await;
    let info = info(&desk).await;
    assert_eq!(address(&info["stakerAddress"]), StarknetNode::staker());
    assert!((number(&info["commission"]) - 0.05).abs() < 1e-12);
    let pools = info["delegationPools"].as_array().unwrap();
    let named: Vec<(Address, Address)> = pools
        .iter()
        .map(|pool| {
            (
                address(&pool["poolAddress"]),
                address(&pool["tokenAddress"]),
            )
        })
        .collect();
    assert_eq!(named, StarknetNode::staking_pools());
    let price = |pool: &Value| {
        let path = desk.member_path(pool["poolAddress"].as_str().unwrap());
        let bench = &desk.bench;
        async move { number(&bench.get(&path).await.json()["tokenPriceInUsd"]) }
    };
    let (strk, bitcoin) = (price(&pools[0]).await, price(&pools[1]).await);
    let own = number(&info["selfStakedAmountInUsd"]);
    assert!((own / (500_000.0 * strk) - 1.0).abs() < 1e-9);
    assert_eq!(hex(&info["selfStakedAmount"]), 500_000 * ONE);
    // 5,350 and 1,780 STRK a day, for all stakes of each kind; 5 % are the staker's.
    let whole =
        |pool: &Value, decimals: f64| f64::from(U256::from(hex(&pool["stakedAmount"]))) / decimals;
    let rate = |daily: f64, all: f64| daily * 365.0 * 0.95 / all;
    let expected = [
        rate(5_350.0, 20_500_000.0 + whole(&pools[0], 1e18)),
        rate(1_780.0, 80.0 + whole(&pools[1], 1e8)) * strk / bitcoin,
    ];
    for (pool, expected) in pools.iter().zip(expected) {
        let apr = number(&pool["apr"]);
        assert!((apr / expected - 1.0).abs() < 1e-9, "{apr} {expected}");
        assert!((0.005..0.2).contains(&apr), "{apr}");
        assert!(number(&pool["stakedAmountInUsd"]) > 0.0);
    }
}

#[tokio::test]
async fn a_stake_is_in_the_pools_sum_and_lowers_what_all_earn() {
    let mut desk = Desk::new().await;
    let before = info(&desk).await["delegationPools"][0].clone();
    desk.act("stake", json!({"amount": (900_000 * ONE).to_string()}))
        .await;
    let after = info(&desk).await["delegationPools"][0].clone();
    let more = hex(&after["stakedAmount"]) - hex(&before["stakedAmount"]);
    assert_eq!(more, 900_000 * ONE);
    assert!(number(&after["apr"]) < number(&before["apr"]));
}

#[tokio::test]
async fn who_never_staked_is_an_answer_of_zeros() {
    let desk = Desk::new().await;
    let member = desk.member().await;
    for field in [
        "amount",
        "unclaimedRewards",
        "unpoolAmount",
        "totalClaimedRewards",
        "expectedYearlyStrkRewards",
    ] {
        assert_eq!(member[field], "0x0", "{field}");
    }
    for field in [
        "amountInUsd",
        "unclaimedRewardsInUsd",
        "unpoolAmountInUsd",
        "totalClaimedRewardsUsd",
        "totalUserActionsCount",
    ] {
        assert!(number(&member[field]).abs() < f64::EPSILON, "{field}");
    }
    assert_eq!(member["unpoolTime"], Value::Null);
    assert_eq!(member["userActions"], json!([]));
    assert_eq!(member["tokenAddress"], STRK);
    // Rewards can be claimed all the same, and restaking nothing is claiming.
    for restake in [false, true] {
        let calls = desk
            .calls("claim-rewards", json!({"restake": restake}))
            .await;
        assert_eq!(calls.len(), 1);
        assert_eq!(calls[0].entrypoint, "claim_rewards");
    }
}

#[tokio::test]
async fn the_days_before_have_a_rate_each() {
    let mut desk = Desk::new().await;
    for _ in 0..3 {
        desk.wait(DAY).await;
    }
    learn(&desk.staking).await;
    let aprs = desk.member().await["aprs"].clone();
    let aprs = aprs.as_array().unwrap();
    assert_eq!(aprs.len(), 31, "{aprs:?}");
    let now = number(&info(&desk).await["delegationPools"][0]["apr"]);
    for apr in aprs {
        assert!(apr["date"].as_str().unwrap().ends_with("T00:00:00Z"));
        assert!((number(&apr["apr"]) / now - 1.0).abs() < 1e-9);
    }
    assert!(aprs.is_sorted_by_key(|apr| apr["date"].to_string()));
}
