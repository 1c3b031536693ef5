//! Blocks of each spec version.

use crate::node::{Node, Reply, options};
use chain::{MAX_BLOCKS, RpcError, SpecVersion, Transfers};
use primitives::{Address, BlockRef, Felt, Timestamp, U256, felt_from_hex};
use serde_json::{Value, json};

const ETH: &str = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7";
const STRK: &str = "0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d";
const USDC: &str = "0x53c91253bc9682c04929ca02ed00b3e423f6710d2ee7e0d5ebb06f3ecf368a8";

fn fixture(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn felt(hex: &str) -> Felt {
    felt_from_hex(hex).unwrap()
}

fn addresses(hex: &[&str]) -> Vec<Address> {
    hex.iter().map(|hex| hex.parse().unwrap()).collect()
}

/// A node that has this one block for every height.
async fn node_with(block: Value) -> Node {
    Node::answering(move |_| Ok(block.clone())).await
}

#[tokio::test]
async fn blocks_of_every_supported_spec_are_read() {
    for (text, number, hash, parent, seconds, tokens, amount) in [
        (
            include_str!("fixtures/block_0_8.json"),
            1_350_000,
            "0x1a2b3c",
            "0x1a2b3b",
            1_746_000_000,
            vec![STRK, ETH],
            0x1_6b8c_d7b1_e7c0_u64,
        ),
        (
            include_str!("fixtures/block_0_9.json"),
            1_950_000,
            "0x2a2b3c",
            "0x2a2b3b",
            1_757_000_000,
            vec![STRK, ETH, USDC],
            10_000_000,
        ),
        (
            include_str!("fixtures/block_0_10.json"),
            4_000_000,
            "0x3a2b3c",
            "0x3a2b3b",
            1_768_000_000,
            vec![USDC],
            10_000_000,
        ),
    ] {
        let node = node_with(fixture(text)).await;
        let blocks = node.client().blocks(number..=number).await.unwrap();
        let [block] = &blocks[..] else {
            panic!("{blocks:?}")
        };
        assert_eq!(
            block.at,
            BlockRef {
                number,
                hash: felt(hash)
            }
        );
        assert_eq!(block.parent_hash, felt(parent));
        assert_eq!(block.time, Timestamp::from_second(seconds).unwrap());
        let tokens = addresses(&tokens);
        assert_eq!(block.tokens_seen().collect::<Vec<_>>(), tokens);
        let amount = U256::from(amount);
        let transfers = tokens.into_iter().map(|token| Transfers { token, amount });
        assert_eq!(block.transfers, transfers.collect::<Vec<_>>());
        assert_eq!(
            node.client().block_hash(number).await.unwrap(),
            Some(felt(hash))
        );
    }
}

#[tokio::test]
async fn a_block_that_is_not_accepted_is_no_block_yet() {
    for text in [
        include_str!("fixtures/pending_0_8.json"),
        include_str!("fixtures/pre_confirmed_0_9.json"),
    ] {
        let node = node_with(fixture(text)).await;
        let client = node.client();
        for error in [
            client.blocks(1_950_001..=1_950_001).await.unwrap_err(),
            client.block_hash(1_950_001).await.unwrap_err(),
        ] {
            assert!(
                matches!(error, RpcError::Pending { number: 1_950_001 }),
                "{error:?}"
            );
        }
        assert_eq!(node.requests(), 2);
    }
}

#[tokio::test]
async fn another_block_than_the_one_asked_is_refused() {
    let node = node_with(fixture(include_str!("fixtures/block_0_9.json"))).await;
    let client = node.client();
    for error in [
        client.blocks(7..=7).await.unwrap_err(),
        client.block_hash(7).await.unwrap_err(),
    ] {
        assert!(
            matches!(
                error,
                RpcError::WrongBlock {
                    asked: 7,
                    got: 1_950_000
                }
            ),
            "{error:?}"
        );
    }
}

#[tokio::test]
async fn a_height_without_a_block_is_told_from_a_failure() {
    let node = Node::answering(|_| Err((24, "Block not found"))).await;
    let client = node.client();
    assert_eq!(client.block_hash(7).await.unwrap(), None);
    let error = client.blocks(7..=8).await.unwrap_err();
    assert!(error.is_block_not_found(), "{error:?}");
    assert_eq!(node.requests(), 2);

    let broken = Node::start(|_, _| Reply::Status(500, None)).await;
    let error = broken.client().block_hash(7).await.unwrap_err();
    assert!(!error.is_block_not_found(), "{error:?}");
}

#[tokio::test]
async fn a_block_from_beyond_the_calendar_is_malformed() {
    let mut block = fixture(include_str!("fixtures/block_0_9.json"));
    block["timestamp"] = json!(u64::MAX);
    let node = node_with(block).await;
    let error = node
        .client()
        .blocks(1_950_000..=1_950_000)
        .await
        .unwrap_err();
    assert!(matches!(error, RpcError::Malformed { .. }), "{error:?}");
}

#[tokio::test]
async fn the_head_the_chain_and_the_spec_are_asked_by_their_methods() {
    let node = Node::answering(|call| match call["method"].as_str() {
        Some("starknet_specVersion") => Ok(json!("0.9.0")),
        Some("starknet_chainId") => Ok(json!("0x534e5f4d41494e")),
        Some("starknet_blockHashAndNumber") => Ok(json!({"block_hash": "0xab", "block_number": 9})),
        _ => Err((-32_601, "Method not found")),
    })
    .await;
    let client = node.client_with(options());
    assert_eq!(client.spec_version().await.unwrap(), SpecVersion::V0_9);
    assert_eq!(client.chain_id().await.unwrap(), felt("0x534e5f4d41494e"));
    let head = client.head().await.unwrap();
    assert_eq!(
        head,
        BlockRef {
            number: 9,
            hash: felt("0xab")
        }
    );
}

#[tokio::test]
async fn a_node_of_an_unknown_spec_is_refused() {
    let node = Node::answering(|_| Ok(json!("0.7.1"))).await;
    let error = node.client().spec_version().await.unwrap_err();
    assert!(
        matches!(error, RpcError::UnsupportedSpec { .. }),
        "{error:?}"
    );
}

#[tokio::test]
async fn too_long_a_range_is_refused_without_asking() {
    let node = Node::answering(|_| Err((24, "Block not found"))).await;
    let error = node.client().blocks(0..=u64::MAX).await.unwrap_err();
    assert!(
        matches!(error, RpcError::RangeTooLong { limit: MAX_BLOCKS }),
        "{error:?}"
    );
    #[expect(clippy::reversed_empty_ranges, reason = "that is the case under test")]
    let nothing = node.client().blocks(2..=1).await.unwrap();
    assert_eq!(nothing, []);
    assert_eq!(node.requests(), 0);
}
