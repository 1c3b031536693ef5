//! What accounts hold, and what a new transaction needs.

use super::client::{FINALIZED, InContext, SolanaClient};
use crate::error::RpcError;
use primitives::{Lamports, PublicKey, SolanaHash};
use serde::Deserialize;

/// A blockhash that a transaction may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecentBlockhash {
    /// The hash.
    pub blockhash: SolanaHash,
    /// The height of the last block that takes such a transaction.
    pub last_valid_block_height: u64,
}

impl SolanaClient {
    /// What an account holds; nothing if there is no such account.
    pub async fn balance(&self, account: PublicKey) -> Result<Lamports, RpcError> {
        let balance: InContext<_> = self.call("getBalance", &(account, FINALIZED)).await?;
        Ok(balance.value)
    }

    /// The least that an account with so many bytes of data must hold.
    pub async fn rent_minimum(&self, data_bytes: u64) -> Result<Lamports, RpcError> {
        self.call(
            "getMinimumBalanceForRentExemption",
            &(data_bytes, FINALIZED),
        )
        .await
    }

    /// The newest blockhash that cannot be taken back.
    pub async fn recent_blockhash(&self) -> Result<RecentBlockhash, RpcError> {
        let recent: InContext<_> = self.call("getLatestBlockhash", &(FINALIZED,)).await?;
        Ok(recent.value)
    }
}
