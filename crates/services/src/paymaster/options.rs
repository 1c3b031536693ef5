//! What the operator decides about the paymaster.

use primitives::{Address, Felt};
use trading::paymaster::Rules;

/// The operator's choices, complete for one network.
#[derive(Debug, Clone)]
pub struct PaymasterOptions {
    /// The network, by whose id the ledger keeps what is sent and charged.
    pub chain_id: Felt,
    /// Its id as a text, which users see in what they sign.
    pub chain_name: String,
    /// The contract through which users' transactions are relayed.
    pub forwarder: Address,
    /// The contract that deploys accounts whose owners signed for it, if there is one.
    pub factory: Option<Address>,
    /// Whether transactions are built although nobody relays them here.
    pub build_only: bool,
    /// Pools of private transactions that are built for.
    pub pools: Vec<Address>,
    /// What the operator says of calls, whoever pays.
    pub rules: Rules,
    /// The tokens that are offered to pay in; without any, the verified ones.
    pub tokens: Vec<Address>,
    /// What is taken above a transaction's cost, in thousandths.
    pub margin: u32,
    /// What users sign at most for what is expected, in thousandths.
    pub most: u32,
    /// L2 gas that relaying needs beside the user's calls.
    pub relay_gas: u64,
    /// Units of published data that it needs.
    pub relay_data_gas: u64,
    /// L2 gas of accounts with several signers, beside that.
    pub signers_gas: u64,
    /// L2 gas that private actions are taken to need: nothing is there yet to estimate.
    pub private_gas: u64,
    /// What a pool takes that does not say, in the smallest unit of STRK.
    pub pool_fee: u128,
}
