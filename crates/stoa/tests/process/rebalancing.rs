//! What users paid with is swapped back to what fees cost.

use crate::{
    harness::{Home, STRK, Service, USDC, call, run, simnet, text},
    sponsors::{base, pay_as, start},
};
use primitives::{Address, felt_to_hex, selector};
use serde_json::json;
use simnet::StarknetNode;

/// What the relayer that receives fees has of a token.
async fn has(node: &str, token: &str) -> u128 {
    let [relayer, _] = StarknetNode::relayers();
    let question = json!({
        "contract_address": token,
        "entry_point_selector": felt_to_hex(selector("balanceOf")),
        "calldata": [relayer.address],
    });
    let balance = call(node, "starknet_call", json!([question, "latest"])).await;
    let low = balance[0].as_str().unwrap();
    u128::from_str_radix(low.strip_prefix("0x").unwrap(), 16).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_users_paid_with_is_swapped_back_only_when_told_to() {
    let home = Home::new();
    let node = Service::ready(simnet(&home.path("node"), &[]));
    let url = node.line("node").to_owned();
    call(&url, "sim_pause", json!({})).await;
    let data = home.data();
    let service = start(&data, &url);
    let (folder, api) = (data.display().to_string(), base(&service));
    let rebalance = |more: &[&str]| {
        let command = ["paymaster", "rebalance", "--data", &folder];
        let places = ["--starknet-rpc", &url, "--api", &api];
        let output = run(&[&command, &places, more].concat());
        let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{said}");
        said
    };
    assert!(rebalance(&[]).contains("There is nothing to swap."));

    let in_usdc = json!({"mode": "default", "gas_token": USDC});
    pay_as(&service, "", 7, &in_usdc).await;
    call(&url, "sim_mine", json!({"blocks": 1})).await;
    let (usdc, strk) = (has(&url, USDC).await, has(&url, STRK).await);
    assert!(usdc > 0);
    let token = USDC.parse::<Address>().unwrap().to_string();
    let little = rebalance(&["--execute"]);
    assert!(
        little.contains(&token) && little.contains("no: too little"),
        "{little}"
    );
    let shown = rebalance(&["--least", "0.000001"]);
    assert!(shown.contains(&token) && shown.contains("yes"), "{shown}");
    call(&url, "sim_mine", json!({"blocks": 1})).await;
    assert_eq!((has(&url, USDC).await, has(&url, STRK).await), (usdc, strk));

    let done = rebalance(&["--least", "0.000001", "--execute"]);
    assert!(done.contains("STRK: 0x"), "{done}");
    call(&url, "sim_mine", json!({"blocks": 1})).await;
    assert_eq!(has(&url, USDC).await, 0, "{done}");
    assert_ne!(has(&url, STRK).await, strk);
    assert_eq!(service.end_with("TERM").code(), Some(0));
}
