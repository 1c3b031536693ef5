//! Requests that are refused, and in which words.

use super::support::{Desk, STRK};
use serde_json::{Value, json};
use simnet::FaultKind;

/// Refusals of actions of the user in the pool of STRK.
#[tokio::test]
async fn wrong_bodies_are_refused_in_words() {
    let mut desk = Desk::new().await;
    desk.act("stake", json!({"amount": "0x64"})).await;
    let most = format!("{:#x}", u128::MAX);
    let beyond = format!("0x1{}", "0".repeat(32));
    for (action, body, message) in [
        (
            "stake",
            json!({"amount": "0x00"}),
            "amount must be more than 0, not \"0x00\"",
        ),
        ("stake", json!({}), "amount is required"),
        (
            "stake",
            json!({"amount": 5}),
            "amount must be a text, not \"5\"",
        ),
        (
            "stake",
            json!({"amount": "ten"}),
            "amount must be a whole number, of decimal digits or of hexadecimal ones after 0x, not \"ten\"",
        ),
        (
            "stake",
            json!({"amount": beyond}),
            "amount must be less than 2^128: pools take no more",
        ),
        (
            "initiate-withdraw",
            json!({"amount": "0"}),
            "amount must be more than 0, not \"0\"",
        ),
        ("initiate-withdraw", json!({}), "amount is required"),
        (
            "initiate-withdraw",
            json!({"amount": "0x65"}),
            "amount 0x65 is more than the stake, which is 0x64",
        ),
        (
            "initiate-withdraw",
            json!({"amount": most}),
            "amount 0xffffffffffffffffffffffffffffffff is more than the stake, which is 0x64",
        ),
        (
            "claim-withdraw",
            json!({}),
            "no withdrawal was initiated; initiate one first",
        ),
        ("claim-rewards", json!({}), "restake is required"),
        (
            "claim-rewards",
            json!({"restake": "true"}),
            "restake must be true or false, not the text \"true\"",
        ),
        (
            "claim-rewards",
            json!({"restake": null}),
            "restake is required",
        ),
    ] {
        let messages = desk.build(action, body.clone()).await.refused(400);
        assert_eq!(messages, [message], "{action} {body}");
    }
    // Hexadecimal of an even length, as clients write it, and decimal.
    for amount in ["0x0064", "100"] {
        desk.calls("initiate-withdraw", json!({"amount": amount}))
            .await;
    }
}

const ACTIONS: [(&str, &str); 4] = [
    ("stake", r#""amount": "1""#),
    ("initiate-withdraw", r#""amount": "1""#),
    ("claim-withdraw", r#""amount": "ignored""#),
    ("claim-rewards", r#""restake": false"#),
];

fn body(user: &Value, more: &str) -> Value {
    let text = format!("{{\"userAddress\": {user}, {more}}}");
    serde_json::from_str(&text).unwrap()
}

#[tokio::test]
async fn the_user_of_the_body_is_that_of_the_path() {
    let desk = Desk::new().await;
    let user = desk.user();
    for (action, more) in ACTIONS {
        let path = format!("{}/{action}", desk.member_path(STRK));
        for (given, message) in [
            (
                json!("0x123"),
                format!(
                    "userAddress is 0x123 in the body and {user} in the path: they must be the same"
                ),
            ),
            (
                json!("nobody"),
                "userAddress \"nobody\" must begin with 0x".to_owned(),
            ),
            (json!(7), "userAddress must be a text, not \"7\"".to_owned()),
        ] {
            let messages = desk.post(&path, &body(&given, more)).await.refused(400);
            assert_eq!(messages, [message], "{action}");
        }
        let messages = desk.post(&path, &json!({})).await.refused(400);
        assert!(messages.contains(&"userAddress is required".to_owned()));
    }
    // All that is wrong is told at once.
    let path = format!("{}/stake", desk.member_path(STRK));
    let messages = desk.post(&path, &json!({})).await.refused(400);
    assert_eq!(messages, ["userAddress is required", "amount is required"]);
}

#[tokio::test]
async fn paths_name_a_pool_of_the_stakers() {
    let desk = Desk::new().await;
    let user = json!(desk.user());
    let of = |pool: &str, user: &str| format!("/staking/v3/pools/{pool}/members/{user}");
    let unknown = "staking pool \"0x77\" not found";
    let path = of("0x77", &desk.user());
    assert_eq!(desk.bench.get(&path).await.refused(404), [unknown]);
    for (action, more) in ACTIONS {
        let path = format!("{path}/{action}");
        let answer = desk.post(&path, &body(&user, more)).await;
        assert_eq!(answer.refused(404), [unknown], "{action}");
    }
    let path = of("pool", "me");
    let messages = [
        "poolAddress \"pool\" must begin with 0x",
        "userAddress \"me\" must begin with 0x",
    ];
    assert_eq!(desk.bench.get(&path).await.refused(400), messages);
    for (action, more) in ACTIONS {
        let path = format!("{path}/{action}");
        let answer = desk.post(&path, &body(&user, more)).await;
        assert_eq!(answer.refused(400), messages, "{action}");
    }
}

#[tokio::test]
async fn rewards_of_bitcoin_are_not_restaked() {
    let desk = Desk::new().await;
    let [_, (bitcoin, _)] = simnet::StarknetNode::staking_pools();
    let path = format!("{}/claim-rewards", desk.member_path(&bitcoin.to_string()));
    let claim = |restake| body(&json!(desk.user()), &format!("\"restake\": {restake}"));
    let message = "rewards are paid in STRK, which this pool does not take: restake must be false";
    assert_eq!(desk.post(&path, &claim(true)).await.refused(400), [message]);
    assert_eq!(desk.post(&path, &claim(false)).await.status, 200);
}

#[tokio::test]
async fn a_node_that_does_not_answer_is_no_member_of_zeros() {
    let desk = Desk::new().await;
    let node = &desk.world.node;
    node.fault("starknet_call", FaultKind::Http5xx, 1_000)
        .unwrap();
    let message = "no Starknet node has answered yet; try again in a moment";
    let answer = desk.bench.get(&desk.member_path(STRK)).await;
    assert_eq!(answer.refused(503), [message]);
    // What was read before is told all the same.
    assert_eq!(desk.bench.get("/staking/v3").await.status, 200);
}
