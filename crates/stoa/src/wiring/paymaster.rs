//! The paymaster: with the operator's forwarder and relayers, or the simulated
//! network's own.

use crate::{
    ambient::clock,
    config::{ChainId, Config, StarkKeys},
    network::Network,
};
use anyhow::Context as _;
use chain::{StarkSigner, StarknetClient};
use primitives::{Address, Clock, Entropy, Felt, SignedDuration, starknet_keccak};
use services::paymaster::{Paymaster, PaymasterGround, PaymasterOptions};
use services::{Duty, STRK, Sender, SenderOptions, SenderPool, Swaps};
use simnet::StarknetNode;
use std::sync::Arc;
use store::{SendingAccount, Store};
use trading::paymaster::{CallRule, NonceKey, Rules};

/// What an account keeps for closing gaps, in the smallest unit of STRK.
const RESERVE: u128 = 1_000_000_000_000_000_000;

/// Transactions of one relayer that may be under way at a time.
const IN_FLIGHT: usize = 64;

/// Room above a node's estimate.
const ROOM_PERCENT: u32 = 50;

/// After so long, what the node does not know is given to it again.
const PATIENCE: SignedDuration = SignedDuration::from_secs(20);

/// What sets the key of nonces apart from the account's own.
const NONCES: &[u8] = b"stoa recognises what it built";

/// The paymaster, where there is a forwarder and a node to ask, and the duty of
/// following what it relays.
pub(super) async fn paymaster(
    config: &Config,
    network: Network,
    (store, holder): (&Store, &str),
    nodes: Vec<StarknetClient>,
    swaps: &Swaps,
    (clock, entropy): (Arc<dyn Clock>, Arc<dyn Entropy>),
) -> anyhow::Result<Option<(Paymaster, Duty)>> {
    let simulated = || network.is_simulated().then(StarknetNode::forwarder);
    let forwarder = config.paymaster.forwarder.or_else(simulated);
    let Some(forwarder) = forwarder.filter(|_| !nodes.is_empty()) else {
        return Ok(None);
    };
    let accounts = relayers(config, network);
    let key = match accounts.first() {
        Some((_, key)) => {
            let secret = [NONCES, key.to_bytes_be().as_slice()].concat();
            NonceKey::new(&starknet_keccak(&secret).to_bytes_be())
        }
        None => NonceKey::new(&entropy.bytes()),
    };
    let fence = store.ledger().fence("relayers");
    let duty = Duty::new(fence.clone(), holder.to_owned(), Arc::clone(&clock));
    let senders = accounts.iter().map(|account| {
        let sender = sender(config, network, store, &nodes, *account, &clock)?;
        Ok(sender.followed_on(&fence))
    });
    let senders = senders.collect::<anyhow::Result<Vec<Sender>>>()?;
    let relayers = (!senders.is_empty()).then(|| SenderPool::new(senders));
    let ground = PaymasterGround {
        store: store.clone(),
        nodes,
        swaps: swaps.clone(),
        relayers,
        key,
        clock,
        entropy,
    };
    let paymaster = Paymaster::new(options(config, network, forwarder), ground);
    if network.is_simulated() {
        paymaster.sponsors().ensure_demo().await?;
    }
    Ok(Some((paymaster, duty)))
}

fn options(config: &Config, network: Network, forwarder: Address) -> PaymasterOptions {
    let section = &config.paymaster;
    let denied = section.blacklist.iter().map(|contract| CallRule {
        contract: *contract,
        selector: None,
    });
    let simulated = || network.is_simulated().then(StarknetNode::account_factory);
    let pools = if section.pools.is_empty() && network.is_simulated() {
        vec![StarknetNode::privacy_pool()]
    } else {
        section.pools.clone()
    };
    PaymasterOptions {
        chain_id: network.chain_id(),
        chain_name: ChainId(network.chain_id()).to_string(),
        forwarder,
        factory: section.factory.or_else(simulated),
        build_only: section.build_only,
        pools,
        rules: Rules {
            allowed: Vec::new(),
            denied: denied.collect(),
        },
        tokens: section.tokens.clone(),
        margin: section.margin,
        most: section.most,
        relay_gas: section.relay_gas,
        relay_data_gas: section.relay_data_gas,
        signers_gas: section.signers_gas,
        private_gas: section.private_gas,
        pool_fee: section.pool_fee.into(),
    }
}

/// The accounts that relay, with their keys.
fn relayers(config: &Config, network: Network) -> Vec<(Address, Felt)> {
    let section = &config.paymaster;
    match &section.relayer_keys {
        Some(StarkKeys(keys)) => {
            let addresses = section.relayers.iter().copied();
            addresses.zip(keys.iter().copied()).collect()
        }
        None if network.is_simulated() => StarknetNode::relayers()
            .map(|relayer| (relayer.address, relayer.private_key))
            .to_vec(),
        None => Vec::new(),
    }
}

fn sender(
    config: &Config,
    network: Network,
    store: &Store,
    nodes: &[StarknetClient],
    (address, key): (Address, Felt),
    clock: &Arc<dyn Clock>,
) -> anyhow::Result<Sender> {
    let options = SenderOptions {
        fee_token: STRK,
        max_fee: config.paymaster.max_fee.into(),
        reserve: RESERVE,
        in_flight: IN_FLIGHT,
        room_percent: ROOM_PERCENT,
        patience: PATIENCE,
        depth: config.paymaster.depth,
        stuck_blocks: config.paymaster.stuck_blocks,
        replacements: usize::try_from(config.paymaster.replacements)?,
    };
    let signer = StarkSigner::new(key).context("paymaster.relayer_keys has no Stark key")?;
    let account = SendingAccount {
        chain_id: network.chain_id(),
        address,
    };
    let (store, nodes, clock) = (store.clone(), nodes.to_vec(), Arc::clone(clock));
    Ok(Sender::new(store, nodes, account, signer, clock, options))
}

/// Who sends from the relayer that receives what users pay.
pub(crate) async fn fee_collector(
    config: &Config,
    network: Network,
    store: &Store,
    node: &StarknetClient,
) -> anyhow::Result<Sender> {
    let simulated = || network.is_simulated().then(StarknetNode::forwarder);
    let forwarder = config.paymaster.forwarder.or_else(simulated);
    let forwarder = forwarder.context("paymaster.forwarder is not set")?;
    let recipient = node.gas_fees_recipient(forwarder, node.head().await?);
    let recipient = recipient
        .await?
        .context("the forwarder names no recipient")?;
    let mut relayers = relayers(config, network).into_iter();
    let relayer = relayers.find(|(address, _)| *address == recipient);
    let relayer = relayer.with_context(|| {
        format!("what users pay goes to {recipient}, which is none of the relayers")
    })?;
    let nodes = std::slice::from_ref(node);
    sender(config, network, store, nodes, relayer, &clock())
}
