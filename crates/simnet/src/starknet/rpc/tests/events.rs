//! `starknet_getEvents` against what the receipts say.

use super::*;
use proptest::prelude::*;

fn page(spec: Spec, filter: &Value) -> (Vec<Value>, Option<String>) {
    let mut page = ask(&NODE, spec, "starknet_getEvents", &json!([filter])).unwrap();
    let Value::Array(events) = page["events"].take() else {
        panic!("no events: {page}");
    };
    let token = page["continuation_token"].as_str().map(str::to_owned);
    (events, token)
}

/// All events, page by page.
fn paged(spec: Spec, filter: &Value, chunk_size: usize) -> Vec<Value> {
    let mut filter = filter.clone();
    filter["chunk_size"] = json!(chunk_size);
    let mut all = Vec::new();
    loop {
        let (events, token) = page(spec, &filter);
        assert!(events.len() == chunk_size || token.is_none());
        all.extend(events);
        match token {
            Some(token) => filter["continuation_token"] = json!(token),
            None => return all,
        }
    }
}

/// What receipts say, in the form of `starknet_getEvents` 0.9.
static ALL_EVENTS: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let mut all = Vec::new();
    for number in 0..150 {
        let block = get(
            "starknet_getBlockWithReceipts",
            &json!([{ "block_number": number }]),
        );
        for included in block["transactions"].as_array().unwrap() {
            for event in included["receipt"]["events"].as_array().unwrap() {
                let mut event = event.clone();
                event["block_number"] = json!(number);
                event["block_hash"] = block["block_hash"].clone();
                event["transaction_hash"] = included["receipt"]["transaction_hash"].clone();
                all.push(event);
            }
        }
    }
    all
});

#[test]
fn without_a_filter_all_events_of_all_blocks_come() {
    let events = paged(Spec::V0_9, &json!({}), 1024);
    assert_eq!(events.len(), ALL_EVENTS.len());
    assert_eq!(events, *ALL_EVENTS);
    assert!(events.len() > 2048);
}

#[test]
fn pages_that_end_with_the_last_event_have_no_token() {
    let block = json!({"block_number": 0});
    let filter = json!({"from_block": block, "to_block": block, "address": ETH});
    let count = paged(Spec::V0_9, &filter, 1024).len();
    let mut exact = filter.clone();
    exact["chunk_size"] = json!(count);
    let (events, token) = page(Spec::V0_9, &exact);
    assert_eq!((events.len(), token), (count, None));
}

#[test]
fn events_of_0_10_know_their_indexes() {
    let block = get_v10("starknet_getBlockWithReceipts", &json!(["latest"]));
    let filter = json!({"from_block": "latest", "to_block": "pre_confirmed"});
    for event in paged(Spec::V0_10, &filter, 7) {
        let transaction = usize::try_from(event["transaction_index"].as_u64().unwrap()).unwrap();
        let index = usize::try_from(event["event_index"].as_u64().unwrap()).unwrap();
        let receipt = &block["transactions"][transaction]["receipt"];
        assert_eq!(receipt["transaction_hash"], event["transaction_hash"]);
        assert_eq!(receipt["events"][index]["data"], event["data"]);
    }
    let one = paged(Spec::V0_10, &json!({"address": ETH}), 1024).len();
    let other = paged(Spec::V0_10, &json!({"address": [STRK]}), 1024).len();
    let both = paged(Spec::V0_10, &json!({"address": [ETH, STRK]}), 1024).len();
    assert_eq!(one + other, both);
}

#[test]
fn ranges_that_hold_nothing_are_empty() {
    for (from, to) in [
        (json!({"block_number": 9}), json!({"block_number": 8})),
        (json!("pre_confirmed"), json!("pre_confirmed")),
        (json!("pre_confirmed"), json!("latest")),
    ] {
        let filter = json!({"from_block": from, "to_block": to});
        assert_eq!(paged(Spec::V0_9, &filter, 10), Vec::<Value>::new());
    }
}

#[test]
fn filters_beyond_their_limits_are_refused() {
    let events = |filter: Value| code("starknet_getEvents", &json!([filter]));
    assert_eq!(events(json!({"chunk_size": 1025})), 31);
    for token in ["", "x", "1", "1-", "-1", "150-0", "18446744073709551616-0"] {
        let filter = json!({"chunk_size": 1, "continuation_token": token});
        assert_eq!(events(filter), 33, "{token}");
    }
    let outside = json!({
        "chunk_size": 1,
        "from_block": {"block_number": 10},
        "continuation_token": "9-0",
    });
    assert_eq!(events(outside), 33);
    let many = vec!["0x1"; 257];
    assert_eq!(events(json!({"chunk_size": 1, "keys": [many]})), 34);
    assert_eq!(
        events(json!({"chunk_size": 1, "keys": vec![json!([]); 257]})),
        34
    );
}

#[test]
fn the_last_number_of_a_token_may_point_past_its_block() {
    let filter = json!({"chunk_size": 5, "continuation_token": "149-1000000"});
    assert_eq!(page(Spec::V0_9, &filter), (vec![], None));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn pages_together_are_the_filtered_events(
        from in 0_u64..150,
        length in 0_u64..150,
        chunk_size in 1_usize..200,
        by_address in any::<Option<prop::sample::Index>>(),
        by_keys in prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 0..3), 0..4),
    ) {
        let to = (from + length).min(149);
        let address = by_address.map(|index| index.get(&ALL_EVENTS)["from_address"].clone());
        let keys: Vec<Vec<Value>> = by_keys
            .iter()
            .enumerate()
            .map(|(position, sampled)| {
                sampled
                    .iter()
                    .filter_map(|index| index.get(&ALL_EVENTS)["keys"].get(position).cloned())
                    .collect()
            })
            .collect();
        let expected: Vec<&Value> = ALL_EVENTS
            .iter()
            .filter(|event| (from..=to).contains(&event["block_number"].as_u64().unwrap()))
            .filter(|event| address.as_ref().is_none_or(|address| &event["from_address"] == address))
            .filter(|event| keys.iter().enumerate().all(|(position, allowed)| {
                allowed.is_empty()
                    || event["keys"].get(position).is_some_and(|key| allowed.contains(key))
            }))
            .collect();
        let mut filter = json!({
            "from_block": {"block_number": from},
            "to_block": {"block_number": to},
            "keys": keys,
        });
        if let Some(address) = &address {
            filter["address"] = address.clone();
        }
        let found = paged(Spec::V0_9, &filter, chunk_size);
        prop_assert_eq!(found.iter().collect::<Vec<_>>(), expected);
    }
}
