//! Everything that Stoa asks a Starknet node, by number.

use amm::book::{Kind, Spot};
use chain::{
    Broadcast, ContractCall, ExchangeQuestion, Imagined, PoolQuestion, StakerQuestion,
    StarknetClient, TickedQuestion,
};
use market::following::Watch;
use primitives::{Address, BlockRef, Felt, transaction_hash::ResourceBounds};
use simnet::StarknetNode;

/// How many questions there are.
pub(crate) const COUNT: u8 = 38;

/// The height that is asked about.
pub(crate) const HEIGHT: u64 = 5;

/// Asks one question about a block.
pub(crate) async fn ask(client: &StarknetClient, question: u8, hash: Felt) {
    let at = BlockRef {
        number: HEIGHT,
        hash,
    };
    let exchange = StarknetNode::exchange();
    let account = StarknetNode::keeper().address;
    match question % COUNT {
        0 => drop(client.spec_version().await),
        1 => drop(client.chain_id().await),
        2 => drop(client.head().await),
        3 => drop(client.block_marks(&[HEIGHT, HEIGHT + 1]).await),
        4 => blocks(client).await,
        5 => drop(client.event_heights(exchange, 0..=HEIGHT, 8).await),
        6 => drop(client.event_page(exchange, &[], &(0..=HEIGHT), None).await),
        7 => drop(client.token_readings(&[services::STRK], at).await),
        8 => drop(client.check_calls(services::STRK, at).await),
        9 => drop(client.total_supplies(&[services::STRK], at).await),
        10 => drop(client.classes(&[services::STRK, account], at).await),
        11..=13 => pools(client, question, at).await,
        14 => drop(client.pairs(Kind::JediSwap, exchange, at).await),
        15 => drop(client.numbered_pools(exchange, at).await),
        16 => ticked(client, at).await,
        17 => drop(client.balance(services::STRK, account, at).await),
        18 => drop(
            client
                .allowance(services::STRK, account, exchange, at)
                .await,
        ),
        19 => drop(client.gas().await),
        20 => terms(client, at).await,
        21 => drop(client.trades(exchange, 0..=HEIGHT, 8).await),
        22 => staker(client, at).await,
        23 => member(client, at).await,
        24 => simulated(client, at).await,
        25 => drop(client.senders(at, 8).await),
        26 => drop(client.nonces(&[account, exchange], at).await),
        27 => drop(client.estimate_fee(&broadcast(account), at).await),
        28 => drop(client.account_facts(account, at).await),
        29 => drop(client.outside_execution_of(Felt::TWO, at).await),
        30 => drop(
            client
                .is_valid_signature(account, Felt::TWO, &[Felt::ONE], at)
                .await,
        ),
        31 => drop(client.pool_fee(StarknetNode::privacy_pool(), at).await),
        32 => drop(
            client
                .gas_fees_recipient(StarknetNode::forwarder(), at)
                .await,
        ),
        33 => drop(client.tips(at).await),
        34 => drop(client.block_time(at).await),
        35 => drop(client.transaction_status(Felt::TWO).await),
        36 => drop(client.vaults(&[exchange], at).await),
        _ => drop(client.transaction_receipts(&[Felt::TWO]).await),
    }
}

/// A block with its state update; its events are read by every kind of venue.
async fn blocks(client: &StarknetClient) {
    let watch = Watch::default();
    let blocks = client.blocks_with_code(HEIGHT..=HEIGHT, &watch, Some(HEIGHT));
    for block in blocks.await.into_iter().flatten() {
        let _ = block.tokens_seen().count();
        for event in &block.venue_events {
            for kind in Kind::ALL {
                let _ = chain::pool_event(kind, event);
            }
        }
    }
}

async fn pools(client: &StarknetClient, question: u8, at: BlockRef) {
    let ask = |kind| PoolQuestion {
        kind,
        factory: StarknetNode::exchange(),
        contract: StarknetNode::forwarder(),
        tokens: [services::STRK, StarknetNode::exchange()],
        stable: true,
    };
    let all = Kind::ALL.map(ask);
    match question {
        11 => drop(client.pool_facts(&all, at).await),
        12 => drop(client.pool_reserves(&all, at).await),
        _ => drop(client.pool_states(&all, at).await),
    }
}

async fn ticked(client: &StarknetClient, at: BlockRef) {
    let contract = StarknetNode::exchange();
    let ask = |kind| TickedQuestion {
        kind,
        contract,
        tokens: [services::STRK, contract],
        spot: Spot::Contract(contract),
    };
    let _ = client.ticked_pools(&Kind::ALL.map(ask), at).await;
}

async fn terms(client: &StarknetClient, at: BlockRef) {
    let question = ExchangeQuestion {
        exchange: StarknetNode::exchange(),
        tokens: &[services::STRK],
        integrators: &[StarknetNode::forwarder()],
    };
    let _ = client.exchange_terms(question, at).await;
}

async fn staker(client: &StarknetClient, at: BlockRef) {
    let question = StakerQuestion {
        contract: StarknetNode::staking(),
        staker: StarknetNode::staker(),
    };
    let _ = client.staker(question, at).await;
}

async fn member(client: &StarknetClient, at: BlockRef) {
    let [(_, pool), _] = StarknetNode::staking_pools();
    let _ = client
        .pool_member(pool, StarknetNode::saver().address, at)
        .await;
}

async fn simulated(client: &StarknetClient, at: BlockRef) {
    let imagined = Imagined {
        account: StarknetNode::keeper().address,
        nonce: 0,
        calls: vec![call()],
    };
    let _ = client.simulate(&[imagined], at).await;
}

fn call() -> ContractCall {
    let calldata = vec![Felt::TWO, Felt::ONE, Felt::ZERO];
    ContractCall::new(services::STRK, "transfer", calldata)
}

fn broadcast(account: Address) -> Broadcast {
    Broadcast::calls(account, &[call()], 0, ResourceBounds::default())
}
