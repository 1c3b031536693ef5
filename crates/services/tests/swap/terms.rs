//! What trades cost, as the exchange contract says or as it is configured.

use chain::StarknetClient;
use primitives::{Address, Felt};
use services::{ExchangeTerms, SwapTerms};
use simnet::{FaultKind, StarknetNode};
use trading::{Bps, FeeTerms, GasPrices};
use world::{World, exchange_terms};

fn bps(points: u32) -> Bps {
    Bps::new(points).unwrap()
}

fn address(text: &str) -> Address {
    text.parse().unwrap()
}

fn eth() -> Address {
    address("0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7")
}

fn usdc() -> Address {
    address("0x53c91253bc9682c04929ca02ed00b3e423f6710d2ee7e0d5ebb06f3ecf368a8")
}

fn configured(nodes: Vec<StarknetClient>, exchange: Address) -> ExchangeTerms {
    let terms = SwapTerms {
        fees: FeeTerms {
            one: bps(7),
            many: bps(8),
            exact_out: bps(9),
            ..FeeTerms::default()
        },
        gas: GasPrices {
            l2: 11,
            ..GasPrices::default()
        },
    };
    ExchangeTerms::new(nodes, exchange, terms)
}

#[tokio::test]
async fn the_exchange_contract_is_asked() {
    let world = World::new(1).await;
    let terms = exchange_terms(vec![world.client.clone()]);
    let somebody = Address::new(Felt::from(0xfee_u32));
    let read = terms.of([eth(), usdc()], Some(somebody)).await;
    assert_eq!((read.fees.one, read.fees.many), (bps(2), bps(15)));
    assert_eq!(read.fees.exact_out, bps(5));
    assert_eq!(read.fees.weights[&eth()], 1);
    assert_eq!(read.fees.weights[&usdc()], 2);
    assert!(read.fees.waived_for.is_empty());
    assert_eq!(read.gas, gas(&world).await);
}

async fn gas(world: &World) -> GasPrices {
    let gas = world.client.gas().await.unwrap();
    GasPrices {
        l1: gas.l1,
        l1_data: gas.l1_data,
        l2: gas.l2,
    }
}

#[tokio::test]
async fn what_was_asked_about_is_known_from_then_on() {
    let world = World::new(1).await;
    let terms = exchange_terms(vec![world.client.clone()]);
    let read = terms.of([eth(), usdc()], None).await;
    world
        .node
        .fault("starknet_call", FaultKind::Dropped, 1_000)
        .unwrap();
    assert_eq!(terms.of([usdc(), eth()], None).await, read);
    world.node.clear_faults("starknet_call");
    terms.refresh().await.unwrap();
    assert_eq!(terms.of([eth(), usdc()], None).await.fees, read.fees);
}

#[tokio::test]
async fn where_the_contract_does_not_say_configuration_counts() {
    let world = World::new(1).await;
    let nobody = Address::new(Felt::from(0xdead_u32));
    for terms in [
        configured(Vec::new(), StarknetNode::exchange()),
        configured(vec![world.client.clone()], nobody),
    ] {
        let read = terms.of([eth(), usdc()], None).await;
        assert_eq!((read.fees.one, read.fees.many), (bps(7), bps(8)));
        assert_eq!(read.fees.exact_out, bps(9));
        assert!(read.fees.weights.values().all(|weight| *weight == 0));
    }
}
