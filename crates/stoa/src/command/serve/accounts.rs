//! The accounts of the simulated networks with what they hold, for people who
//! want to use them.

use super::banner::Simulation;
use crate::{
    amount::in_whole_tokens,
    console::{say, say_about},
    people::{WalletNode, http},
    simulator::{Simulated, Simulator},
    wiring::{self, StarknetClient},
};
use anyhow::Context as _;
use leasing::format_sol;
use primitives::{Felt, U256, felt_to_hex};

impl Simulation {
    /// What the console steers these networks by.
    pub(super) fn steered(
        &self,
        node: StarknetClient,
        chain_id: Felt,
        has_market: bool,
    ) -> anyhow::Result<Simulator> {
        Simulator::new(Simulated {
            starknet: self.url.parse().context("the Starknet node's address")?,
            solana: self.solana.parse().context("the Solana node's address")?,
            chain_id,
            node,
            accounts: self.accounts.clone(),
            wallets: self.wallets.clone(),
            has_market,
        })
    }

    /// Says every account, its key, and what it holds now.
    pub(crate) async fn say_accounts(&self, node: &StarknetClient) -> anyhow::Result<()> {
        let solana = self.solana.parse().context("the Solana node's address")?;
        let solana = WalletNode::new(http()?, solana);
        let head = node.head().await?;
        say("");
        say("Pre-funded accounts of the simulated networks. Everybody knows their keys, and what");
        say("they hold is worthless: never use them on a real network.");
        for account in &self.accounts {
            say_about("account", account.address);
            say_about("  key", felt_to_hex(account.private_key));
            let mut funds = Vec::new();
            for fund in &account.funding {
                let balance = node.balance(fund.token, account.address, head).await?;
                let balance = in_whole_tokens(balance.unwrap_or(U256::ZERO), fund.decimals);
                funds.push(format!("{balance} {}", fund.symbol));
            }
            say_about("  holds", funds.join(", "));
        }
        for wallet in &self.wallets {
            let balance = solana.balance(wallet.public_key()).await?;
            say_about("wallet", wallet.public_key());
            say_about("  key", wallet.secret_text());
            say_about("  holds", format_args!("{} SOL", format_sol(balance)));
        }
        Ok(())
    }
}

/// Says the credentials that everybody has on simulated networks.
pub(super) fn say_credentials(has_market: bool) {
    if has_market {
        for (token, roles) in wiring::demo_tokens() {
            let roles: Vec<_> = roles.words().collect();
            say_about("bearer", format_args!("{token} ({})", roles.join(", ")));
        }
    }
    say_about("sponsor", wiring::DEMO_SPONSOR_KEY);
    say("");
}
