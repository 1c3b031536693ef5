//! A Starknet account that signs for itself, as a wallet does.

use anyhow::Context as _;
use chain::{Broadcast, ContractCall, StarkSigner, StarknetClient};
use primitives::transaction_hash::ResourceBounds;
use primitives::{Address, Felt};
use simnet::PrefundedAccount;

/// Room above what the node expects.
const ROOM_PERCENT: u32 = 50;

/// The account.
pub(crate) struct StarkWallet {
    node: StarknetClient,
    chain_id: Felt,
    address: Address,
    signer: StarkSigner,
}

impl StarkWallet {
    pub(crate) fn new(
        node: StarknetClient,
        chain_id: Felt,
        account: &PrefundedAccount,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            node,
            chain_id,
            address: account.address,
            signer: StarkSigner::new(account.private_key).context("no Stark key")?,
        })
    }

    pub(crate) fn address(&self) -> Address {
        self.address
    }

    /// Signs a hash for somebody else to show.
    pub(crate) fn sign(&self, hash: Felt) -> anyhow::Result<[Felt; 2]> {
        self.signer.sign(hash).context("no signature")
    }

    /// Makes calls in one transaction, and says its hash.
    pub(crate) async fn execute(&self, calls: &[ContractCall]) -> anyhow::Result<Felt> {
        let head = self.node.head().await?;
        let nonces = self.node.nonces(&[self.address], head).await?;
        let nonce = nonces.first().copied().flatten().context("no account")?;
        let nothing = ResourceBounds::default();
        let imagined = Broadcast::calls(self.address, calls, nonce, nothing);
        let estimate = self.node.estimate_fee(&imagined, head).await?;
        let bounds = estimate.bounds(ROOM_PERCENT).context("no such fee")?;
        let mut broadcast = Broadcast::calls(self.address, calls, nonce, bounds);
        let hash = broadcast.sign(&self.signer, self.chain_id);
        let hash = hash.context("no signature")?;
        self.node.send(&broadcast, hash).await?;
        Ok(hash)
    }
}
