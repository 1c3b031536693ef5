//! What the routes stand on.

use crate::{
    people::{StarkWallet, WalletNode, http},
    wiring::{PrefundedAccount, SolanaKeypair, StarknetClient},
};
use primitives::{Address, Felt, PublicKey};
use std::sync::Arc;
use tokio::sync::Mutex;
use url::Url;

/// The simulated networks of this process, and who has accounts there.
#[derive(Debug, Clone)]
pub(crate) struct Simulator(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    starknet: Url,
    solana: Url,
    chain_id: Felt,
    http: reqwest::Client,
    node: StarknetClient,
    accounts: Vec<PrefundedAccount>,
    wallets: Vec<SolanaKeypair>,
    has_market: bool,
    /// Two transactions of one account want two nonces.
    turn: Mutex<()>,
}

/// What a simulator is made of.
pub(crate) struct Simulated {
    pub(crate) starknet: Url,
    pub(crate) solana: Url,
    pub(crate) chain_id: Felt,
    pub(crate) node: StarknetClient,
    pub(crate) accounts: Vec<PrefundedAccount>,
    pub(crate) wallets: Vec<SolanaKeypair>,
    /// Whether the demo identities mean anything.
    pub(crate) has_market: bool,
}

impl Simulator {
    pub(crate) fn new(simulated: Simulated) -> anyhow::Result<Self> {
        Ok(Self(Arc::new(Parts {
            starknet: simulated.starknet,
            solana: simulated.solana,
            chain_id: simulated.chain_id,
            http: http()?,
            node: simulated.node,
            accounts: simulated.accounts,
            wallets: simulated.wallets,
            has_market: simulated.has_market,
            turn: Mutex::new(()),
        })))
    }

    pub(super) fn starknet(&self) -> &Url {
        &self.0.starknet
    }

    pub(super) fn solana(&self) -> &Url {
        &self.0.solana
    }

    pub(super) fn http(&self) -> &reqwest::Client {
        &self.0.http
    }

    pub(super) fn node(&self) -> &StarknetClient {
        &self.0.node
    }

    pub(super) fn accounts(&self) -> &[PrefundedAccount] {
        &self.0.accounts
    }

    pub(super) fn wallets(&self) -> &[SolanaKeypair] {
        &self.0.wallets
    }

    pub(super) fn has_market(&self) -> bool {
        self.0.has_market
    }

    pub(super) fn turn(&self) -> &Mutex<()> {
        &self.0.turn
    }

    /// The pre-funded account at an address, as its owner has it.
    pub(super) fn account(&self, address: Address) -> anyhow::Result<Option<StarkWallet>> {
        let found = self.0.accounts.iter().find(|it| it.address == address);
        let wallet = |account| StarkWallet::new(self.0.node.clone(), self.0.chain_id, account);
        found.map(wallet).transpose()
    }

    /// The wallet with this public key.
    pub(super) fn wallet(&self, key: PublicKey) -> Option<&SolanaKeypair> {
        self.0.wallets.iter().find(|it| it.public_key() == key)
    }

    /// The Solana node, as wallets reach it.
    pub(super) fn wallet_node(&self) -> WalletNode {
        WalletNode::new(self.0.http.clone(), self.0.solana.clone())
    }
}
