//! Whatever people send, and however often the chain is rolled back: nothing is
//! lost, nothing is created, nothing happens twice.

use crate::starknet::config::{History, StarknetConfig};
use crate::starknet::contracts::erc20::{TOTAL_SUPPLY, balances_of, transfer_call};
use crate::starknet::network::STRK;
use crate::starknet::node::StarknetNode;
use crate::starknet::refusal::Refusal;
use crate::starknet::state::Key;
use crate::starknet::wallet::Wallet;
use primitives::{Felt, ManualClock, Timestamp, U256};
use proptest::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

#[derive(Debug, Clone)]
enum Step {
    /// Somebody pays somebody; a large amount reverts.
    Pay {
        from: usize,
        to: usize,
        permille: u64,
    },
    /// Somebody sends what was sent before.
    Replay(usize),
    Mine,
    Reorg(u32),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0_usize..3, 0_usize..3, 0_u64..1_500)
            .prop_map(|(from, to, permille)| Step::Pay { from, to, permille }),
        1 => (0_usize..20).prop_map(Step::Replay),
        3 => Just(Step::Mine),
        1 => (1_u32..4).prop_map(Step::Reorg),
    ]
}

fn node() -> StarknetNode {
    let config = StarknetConfig {
        seed: 2,
        block_time: None,
        history: History::blocks(5, Duration::from_secs(10)),
        transactions_per_block: 2,
        pools: 24,
        ..StarknetConfig::default()
    };
    let clock = ManualClock::new(Timestamp::from_second(1_800_000_000).unwrap());
    StarknetNode::new(config, Arc::new(clock))
}

fn balance(node: &StarknetNode, owner: Felt) -> U256 {
    let chain = node.read();
    let view = chain.view(chain.open().number);
    view.read(&crate::starknet::contracts::erc20::balance_key(STRK, owner))
}

/// The balances of all owners add up to the supply, also before the block is
/// sealed.
fn assert_conserved(node: &StarknetNode) {
    let chain = node.read();
    for at in [chain.head().number, chain.open().number] {
        let view = chain.view(at);
        let sum = chain
            .state
            .keys_of(STRK, 0)
            .filter(|key| balances_of(key))
            .map(|key| view.read(key))
            .fold(U256::ZERO, |sum, balance| sum + balance);
        assert_eq!(sum, view.read(&Key::new(STRK, TOTAL_SUPPLY, &[])));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn value_is_conserved_and_every_transaction_counts_once(
        steps in prop::collection::vec(step(), 1..24)
    ) {
        let node = node();
        let wallets = [0, 1, 2].map(|index| Wallet::funded(&node, index));
        let mut nonces: HashMap<usize, u64> = HashMap::new();
        let mut sent = Vec::new();
        for step in steps {
            match step {
                Step::Pay { from, to, permille } => {
                    let wallet = &wallets[from];
                    let owned = balance(&node, wallet.address);
                    let amount = owned / U256::from(1_000) * U256::from(permille);
                    let nonce = nonces.entry(from).or_default();
                    let payment = transfer_call(STRK, wallets[to].address, amount);
                    let signed = wallet.invoke(*nonce, &[payment]);
                    match node.submit(signed.clone()) {
                        Ok(hash) => {
                            *nonce += 1;
                            sent.push((hash, signed));
                        }
                        Err(refusal) => {
                            let poor = matches!(refusal, Refusal::Balance { .. });
                            prop_assert!(poor, "{}", refusal);
                        }
                    }
                }
                Step::Replay(index) => {
                    if let Some((hash, signed)) = sent.get(index) {
                        let again = node.submit(signed.clone());
                        prop_assert_eq!(again, Err(Refusal::Duplicate(*hash)));
                    }
                }
                Step::Mine => node.mine(1).unwrap(),
                Step::Reorg(depth) => node.reorg(depth).unwrap(),
            }
            assert_conserved(&node);
        }
        node.mine(1).unwrap();
        let chain = node.read();
        for (hash, _) in &sent {
            let included = chain
                .range(0, u64::MAX)
                .iter()
                .flat_map(|block| block.transactions.clone())
                .filter(|transaction| transaction.hash() == *hash)
                .count();
            prop_assert_eq!(included, 1);
            prop_assert!(chain.transaction(*hash).is_some());
        }
        for (index, nonce) in nonces {
            prop_assert_eq!(chain.view(chain.head().number).nonce(wallets[index].address), nonce);
        }
    }
}
