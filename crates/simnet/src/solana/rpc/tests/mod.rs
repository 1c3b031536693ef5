//! Every method and every error, without the transport.

mod control;
mod reading;
mod refusing;
mod sending;

use crate::solana::testing::{ask, code, get, nobody, node};
use serde_json::{Value, json};

fn keys(value: &Value) -> Vec<&str> {
    let fields = value.as_object().unwrap();
    fields.keys().map(String::as_str).collect()
}

#[test]
fn the_node_says_what_it_is() {
    let node = node();
    assert_eq!(get(&node, "getHealth", &json!([])), "ok");
    assert_eq!(get(&node, "getVersion", &json!([]))["solana-core"], "4.0.0");
    let genesis = get(&node, "getGenesisHash", &json!([]));
    assert_eq!(genesis, node.genesis_hash().to_string());
    for public in [
        "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d",
        "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG",
        "4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY",
    ] {
        assert_ne!(genesis, public);
    }
}

#[test]
fn slots_heights_and_epochs_fit_together() {
    let node = node();
    let finalized = get(&node, "getSlot", &json!([])).as_u64().unwrap();
    let at = |level| json!([{ "commitment": level }]);
    let slot = |level| get(&node, "getSlot", &at(level)).as_u64().unwrap();
    assert_eq!(slot("finalized"), finalized);
    assert!(slot("finalized") < slot("confirmed") && slot("confirmed") < slot("processed"));
    let info = get(&node, "getEpochInfo", &at("processed"));
    let number = |field: &str| info[field].as_u64().unwrap();
    assert_eq!(number("absoluteSlot"), slot("processed"));
    assert_eq!(number("slotsInEpoch"), 1_200);
    assert_eq!(
        number("epoch") * 1_200 + number("slotIndex"),
        number("absoluteSlot")
    );
    assert_eq!(
        get(&node, "getBlockHeight", &at("processed")),
        info["blockHeight"]
    );
    assert!(
        number("blockHeight") < number("absoluteSlot"),
        "slots are skipped"
    );
    assert_eq!(number("transactionCount"), 0);
    assert_eq!(get(&node, "getTransactionCount", &json!([])), 0);
    let schedule = get(&node, "getEpochSchedule", &json!([]));
    let expected = json!({
        "slotsPerEpoch": 1_200, "leaderScheduleSlotOffset": 1_200, "warmup": false,
        "firstNormalEpoch": 0, "firstNormalSlot": 0,
    });
    assert_eq!(schedule, expected);
    let ahead = json!([{"minContextSlot": finalized + 1}]);
    let error = ask(&node, "getSlot", &ahead).unwrap_err();
    assert_eq!(error["code"], -32016);
    assert_eq!(error["data"]["contextSlot"], finalized);
}

#[test]
fn blocks_have_times_and_some_slots_have_no_block() {
    let node = node();
    let slot = node.slot();
    let time = |slot: u64| ask(&node, "getBlockTime", &json!([slot]));
    assert_eq!(time(slot - 5), Ok(json!(1_800_000_000 - 2)));
    assert_eq!(time(slot + 1).unwrap_err()["code"], -32004);
    let skipped = slot - slot % 25 - 26;
    let error = time(skipped).unwrap_err();
    assert_eq!(error["code"], -32007);
    assert!(error["message"].as_str().unwrap().starts_with("Slot "));
}

#[test]
fn vote_accounts_have_stake_votes_and_credits() {
    let node = node();
    node.mine(200).unwrap();
    let votes = get(&node, "getVoteAccounts", &json!([]));
    let list = |name: &str| votes[name].as_array().unwrap().clone();
    let (current, delinquent) = (list("current"), list("delinquent"));
    assert!(current.len() > 25 && !delinquent.is_empty());
    let fields = [
        "activatedStake",
        "commission",
        "epochCredits",
        "epochVoteAccount",
        "inflationRewardsCommissionBps",
        "lastVote",
        "nodePubkey",
        "rootSlot",
        "votePubkey",
    ];
    assert_eq!(keys(&current[0]), fields);
    assert_eq!(current[0]["epochCredits"][0].as_array().unwrap().len(), 3);
    let slot = get(&node, "getSlot", &json!([])).as_u64().unwrap();
    for vote in &delinquent {
        assert!(vote["lastVote"].as_u64().unwrap() + 128 <= slot);
        assert!(vote["activatedStake"].as_u64().unwrap() > 0);
    }
    let kept = json!([{"keepUnstakedDelinquents": true}]);
    let kept = get(&node, "getVoteAccounts", &kept)["delinquent"]
        .as_array()
        .unwrap()
        .len();
    assert!(kept > delinquent.len());
    let all = json!([{"delinquentSlotDistance": 100_000}]);
    assert_eq!(get(&node, "getVoteAccounts", &all)["delinquent"], json!([]));
    let one = json!([{"votePubkey": current[0]["votePubkey"]}]);
    assert_eq!(
        get(&node, "getVoteAccounts", &one)["current"],
        json!([current[0]])
    );
}

#[test]
fn the_leader_schedule_is_known_one_epoch_ahead() {
    let node = node();
    let schedule = get(&node, "getLeaderSchedule", &json!([]));
    let leaders = keys(&schedule);
    let slots: usize = schedule
        .as_object()
        .unwrap()
        .values()
        .map(|s| s.as_array().unwrap().len())
        .sum();
    assert_eq!(slots, 1_200);
    let slot = get(&node, "getSlot", &json!([])).as_u64().unwrap();
    let of = |slot: u64| get(&node, "getLeaderSchedule", &json!([slot]));
    assert_eq!(of(slot), schedule);
    assert!(of(slot + 1_200).is_object() && of(slot + 1_200) != schedule);
    assert_eq!(of(slot + 2_400), Value::Null);
    let identity = json!({"identity": leaders[0]});
    for params in [json!([null, identity]), json!([identity])] {
        let one = get(&node, "getLeaderSchedule", &params);
        assert_eq!(one, json!({leaders[0]: schedule[leaders[0]]}));
    }
    let nobody = json!([null, {"identity": nobody(1)}]);
    assert_eq!(get(&node, "getLeaderSchedule", &nobody), json!({}));
}

#[test]
fn blocks_are_produced_by_their_leaders_but_for_skipped_slots() {
    let node = node();
    let head = get(&node, "getSlot", &json!([])).as_u64().unwrap();
    let first = head - head % 1_200;
    let sums = |answer: &Value| {
        let led = answer["value"]["byIdentity"].as_object().unwrap();
        let sum = |place: usize| {
            led.values()
                .map(|it| it[place].as_u64().unwrap())
                .sum::<u64>()
        };
        (sum(0), sum(1))
    };
    let skipped = |from: u64, to: u64| (from..=to).filter(|slot| slot % 25 == 24).count();
    let so_far = get(&node, "getBlockProduction", &json!([]));
    let range = json!({"firstSlot": first, "lastSlot": so_far["context"]["slot"]});
    assert_eq!(so_far["value"]["range"], range);
    let last = so_far["context"]["slot"].as_u64().unwrap();
    let missed = u64::try_from(skipped(first, last)).unwrap();
    assert_eq!(sums(&so_far), (last - first + 1, last - first + 1 - missed));
    let before = json!([{"range": {"firstSlot": first - 1_200, "lastSlot": first - 1}}]);
    let before = get(&node, "getBlockProduction", &before);
    assert_eq!(sums(&before), (1_200, 1_152));
    let led = before["value"]["byIdentity"].as_object().unwrap();
    let (leader, counts) = led.iter().next().unwrap();
    let schedule = get(&node, "getLeaderSchedule", &json!([first - 1]));
    assert_eq!(counts[0], schedule[leader].as_array().unwrap().len());
    let one =
        json!([{"identity": leader, "range": {"firstSlot": first - 1_200, "lastSlot": first - 1}}]);
    let one = get(&node, "getBlockProduction", &one);
    assert_eq!(one["value"]["byIdentity"], json!({leader: counts}));
    for range in [
        json!({"firstSlot": first - 1_201}),
        json!({"firstSlot": first, "lastSlot": last + 1}),
        json!({"firstSlot": last, "lastSlot": last - 1}),
        json!({}),
    ] {
        let params = json!([{"range": range}]);
        assert_eq!(
            code(&node, "getBlockProduction", &params),
            -32602,
            "{params}"
        );
    }
}

#[test]
fn parameters_that_do_not_fit_are_refused() {
    let node = node();
    let key = nobody(1).to_string();
    for (method, params) in [
        ("getSlot", json!(["finalized"])),
        ("getSlot", json!([{"commitment": "sure"}])),
        ("getBalance", json!([])),
        ("getBalance", json!(["no key"])),
        ("getBalance", json!([key, {}, 1])),
        ("getAccountInfo", json!([key, {"encoding": "base64+zstd"}])),
        ("getMultipleAccounts", json!([vec![key.clone(); 101]])),
        ("getMinimumBalanceForRentExemption", json!([-1])),
        ("getMinimumBalanceForRentExemption", json!([u64::MAX])),
        ("getLeaderSchedule", json!(["now"])),
        ("getLeaderSchedule", json!([{"identity": 7}])),
        ("getSignaturesForAddress", json!([key, {"limit": 0}])),
        ("getSignaturesForAddress", json!([key, {"limit": 1_001}])),
        (
            "getSignaturesForAddress",
            json!([key, {"commitment": "processed"}]),
        ),
        ("getSignaturesForAddress", json!([key, {"before": "x"}])),
        ("getSignatureStatuses", json!([vec!["1".repeat(64); 257]])),
        ("getSignatureStatuses", json!([["1"]])),
        ("getTransaction", json!(["1".repeat(64), "yaml"])),
        (
            "getTransaction",
            json!(["1".repeat(64), {"commitment": "processed"}]),
        ),
        ("isBlockhashValid", json!(["0"])),
        ("getFeeForMessage", json!(["####"])),
        ("getFeeForMessage", json!(["AAAA"])),
        ("sendTransaction", json!([])),
        ("requestAirdrop", json!([key, u64::MAX])),
        ("requestAirdrop", json!([key, -1])),
        ("getHealth", json!([1])),
    ] {
        assert_eq!(code(&node, method, &params), -32602, "{method} {params}");
    }
    assert_eq!(code(&node, "getEverything", &json!([])), -32601);
}
