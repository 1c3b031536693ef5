//! Blocks that are read for those who watch, and where to look for the past of a
//! contract.

use crate::node::Node;
use chain::{Block, RpcError};
use market::following::{ContractEvent, Fee, FeeUnit, SentTransaction, Sightings, Watch};
use primitives::{Address, Felt, Timestamp};
use serde_json::{Value, json};

const TIME: i64 = 1_757_000_000;

const FEE: Fee = Fee {
    amount: 0x10,
    unit: FeeUnit::Fri,
};

fn address(number: u64) -> Address {
    Address::new(Felt::from(number))
}

fn hex(number: u64) -> String {
    format!("{number:#x}")
}

fn event(from: u64, keys: &[&str], data: &[&str]) -> Value {
    json!({"data": data, "from_address": hex(from), "keys": keys})
}

/// A transaction of an account that ended well.
fn sent(hash: u64, sender: u64, events: &[Value]) -> Value {
    json!({
        "transaction": {"type": "INVOKE", "sender_address": hex(sender), "calldata": ["0x1"]},
        "receipt": {
            "type": "INVOKE",
            "transaction_hash": hex(hash),
            "actual_fee": {"amount": "0x10", "unit": "FRI"},
            "execution_status": "SUCCEEDED",
            "events": events,
        },
    })
}

fn block(transactions: &[Value]) -> Value {
    json!({
        "status": "ACCEPTED_ON_L2",
        "block_hash": "0xb",
        "parent_hash": "0xa",
        "new_root": "0x1",
        "block_number": 7,
        "timestamp": TIME,
        "transactions": transactions,
    })
}

async fn read(block: Value, watch: &Watch) -> Result<Block, RpcError> {
    let node = Node::answering(move |_| Ok(block.clone())).await;
    let blocks = node.client().blocks_for(7..=7, watch).await;
    blocks.map(|mut blocks| blocks.pop().unwrap())
}

fn seen(
    (transaction, index): (u32, u32),
    hash: u64,
    sender: Option<u64>,
    (keys, data): (&[u64], &[u64]),
) -> ContractEvent {
    let felts = |words: &[u64]| words.iter().copied().map(Felt::from).collect();
    ContractEvent {
        contract: address(0xc),
        block: 7,
        time: Timestamp::from_second(TIME).unwrap(),
        transaction,
        index,
        transaction_hash: Felt::from(hash),
        sender: sender.map(address),
        fee: Some(FEE),
        keys: felts(keys),
        data: felts(data),
    }
}

#[tokio::test]
async fn events_of_watched_contracts_are_read_whole_with_their_transactions() {
    let mut from_the_base_layer = sent(0x103, 0, &[event(0xc, &[], &["0x9"])]);
    from_the_base_layer["transaction"] =
        json!({"type": "L1_HANDLER", "contract_address": "0xc", "calldata": []});
    let mut deploys = sent(0x104, 0, &[event(0xc, &["0x4"], &[])]);
    deploys["transaction"] = json!({"type": "DEPLOY_ACCOUNT", "class_hash": "0x5"});
    deploys["receipt"]["contract_address"] = json!("0xacc");
    let block = block(&[
        sent(0x100, 0x1, &[event(0xd, &["0x1"], &[])]),
        sent(
            0x101,
            0x2,
            &[
                event(0xe, &["0x1"], &[]),
                event(0x00c, &["0x1", "0x2"], &["0x3", "0x4"]),
                event(0xd, &[], &[]),
                event(0xc, &["0x5"], &[]),
            ],
        ),
        from_the_base_layer,
        deploys,
    ]);
    let watch = Watch::new([address(0xc)], []);
    let sightings = read(block, &watch).await.unwrap().sightings;
    let expected = Sightings {
        events: vec![
            seen((1, 1), 0x101, Some(0x2), (&[1, 2], &[3, 4])),
            seen((1, 3), 0x101, Some(0x2), (&[5], &[])),
            seen((2, 0), 0x103, None, (&[], &[9])),
            seen((3, 0), 0x104, Some(0xacc), (&[4], &[])),
        ],
        transactions: vec![],
        strangers: vec![address(0xd), address(0xe)],
    };
    assert_eq!(sightings, expected);
}

#[tokio::test]
async fn transactions_of_watched_senders_are_read_with_fee_and_reason() {
    let mut reverted = sent(0x102, 0x2, &[event(0xd, &["0x1"], &[])]);
    reverted["receipt"]["execution_status"] = json!("REVERTED");
    reverted["receipt"]["revert_reason"] = json!(format!("no\u{0}{}", "x".repeat(1_000)));
    reverted["receipt"]["actual_fee"] =
        json!({"amount": format!("0x{}", "f".repeat(32)), "unit": "WEI"});
    let fee = [event(0xd, &["0x1"], &[])];
    let block = block(&[sent(0x100, 0x2, &fee), sent(0x101, 0x1, &fee), reverted]);
    let watch = Watch::new([], [address(0x2)]);
    let sightings = read(block, &watch).await.unwrap().sightings;
    let first = SentTransaction {
        sender: address(0x2),
        block: 7,
        time: Timestamp::from_second(TIME).unwrap(),
        transaction: 0,
        hash: Felt::from(0x100),
        fee: FEE,
        revert_reason: None,
    };
    let second = SentTransaction {
        transaction: 2,
        hash: Felt::from(0x102),
        fee: Fee {
            amount: u128::MAX,
            unit: FeeUnit::Wei,
        },
        revert_reason: Some(format!("no\u{fffd}{}", "x".repeat(297))),
        ..first.clone()
    };
    assert_eq!(sightings.transactions, [first, second]);
    assert_eq!(sightings.events, []);
}

#[tokio::test]
async fn what_is_wanted_must_be_well_formed_and_the_rest_need_not() {
    let odd = |change: fn(&mut Value)| {
        let mut transaction = sent(0x100, 0x2, &[event(0xd, &["0x1"], &["0x2"])]);
        change(&mut transaction["receipt"]);
        block(&[transaction])
    };
    let unit = odd(|receipt| receipt["actual_fee"]["unit"] = json!("GOLD"));
    let status = odd(|receipt| receipt["execution_status"] = json!("PERHAPS"));
    let fee = odd(|receipt| receipt["actual_fee"]["amount"] = json!("0x1".repeat(30)));
    let data = odd(|receipt| receipt["events"][0]["data"] = json!(["zero"]));
    let (wanted, others) = (
        Watch::new([address(0xd)], [address(0x2)]),
        Watch::new([address(0xc)], [address(0x1)]),
    );
    for block in [unit, status, fee, data] {
        let error = read(block.clone(), &wanted).await.unwrap_err();
        assert!(matches!(error, RpcError::Malformed { .. }), "{error:?}");
        read(block, &others).await.unwrap();
    }
}

#[tokio::test]
async fn a_block_says_the_same_of_everything_else_whether_or_not_somebody_watches() {
    for text in [
        include_str!("fixtures/block_0_8.json"),
        include_str!("fixtures/block_0_9.json"),
        include_str!("fixtures/block_0_10.json"),
    ] {
        let block: Value = serde_json::from_str(text).unwrap();
        let number = block["block_number"].as_u64().unwrap();
        let node = Node::answering(move |_| Ok(block.clone())).await;
        let client = node.client();
        let plain = client.blocks(number..=number).await.unwrap();
        let watch = Watch::new([address(0xc)], [address(0x2)]);
        let mut watched = client.blocks_for(number..=number, &watch).await.unwrap();
        let strangers = std::mem::take(&mut watched[0].sightings.strangers);
        assert!(!strangers.is_empty());
        assert_eq!(watched, plain);
        // Missing events are noticed all the same.
        let mut silent: Value = serde_json::from_str(text).unwrap();
        for transaction in silent["transactions"].as_array_mut().unwrap() {
            transaction["receipt"]["events"] = json!([]);
        }
        let node = Node::answering(move |_| Ok(silent.clone())).await;
        let error = node.client().blocks_for(number..=number, &watch).await;
        assert!(
            matches!(error, Err(RpcError::Incomplete { .. })),
            "{error:?}"
        );
    }
}

#[tokio::test]
async fn the_heights_of_a_contracts_events_are_found_page_by_page() {
    let node = Node::answering(|call| {
        let filter = &call["params"]["filter"];
        assert_eq!(filter["address"], "0xc");
        assert_eq!(filter["from_block"]["block_number"], 3);
        assert_eq!(filter["to_block"]["block_number"], 9);
        let at = |height: u64| json!({"block_number": height, "from_address": "0xc"});
        Ok(match filter["continuation_token"].as_str() {
            None => json!({"events": [at(4), at(4), at(6)], "continuation_token": "on"}),
            Some("on") => json!({"events": [], "continuation_token": "and on"}),
            // One that was not asked for, and one of the block in the making.
            Some(_) => json!({"events": [at(9), at(10), {"from_address": "0xc"}]}),
        })
    })
    .await;
    let client = node.client();
    let found = client.event_heights(address(0xc), 3..=9, 3).await.unwrap();
    assert_eq!(found.into_iter().collect::<Vec<_>>(), [4, 6, 9]);
    let long = client.event_heights(address(0xc), 3..=9, 2).await;
    assert!(
        matches!(long, Err(RpcError::LongPast { limit: 2, .. })),
        "{long:?}"
    );
    let asked = node.requests();
    #[expect(clippy::reversed_empty_ranges, reason = "that is the case under test")]
    let nothing = client.event_heights(address(0xc), 4..=3, 2).await.unwrap();
    assert!(nothing.is_empty());
    assert_eq!(node.requests(), asked);
}

#[tokio::test]
async fn a_node_that_never_ends_its_pages_is_given_up() {
    let node = Node::answering(|_| Ok(json!({"events": [], "continuation_token": "again"}))).await;
    let endless = node.client().event_heights(address(0xc), 0..=1, 10).await;
    assert!(
        matches!(endless, Err(RpcError::LongPast { .. })),
        "{endless:?}"
    );
}
