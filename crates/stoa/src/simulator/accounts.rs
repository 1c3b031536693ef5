//! Who has what on the simulated networks, and which identities everybody may use.

use super::{refusal::Refusal, state::Simulator};
use crate::wiring;
use api::Json;
use axum::extract::State;
use primitives::U256;
use serde_json::{Value, json};

pub(super) async fn accounts(State(simulator): State<Simulator>) -> Result<Json<Value>, Refusal> {
    let node = simulator.node();
    let head = node.head().await.map_err(Refusal::node)?;
    let mut accounts = Vec::new();
    for account in simulator.accounts() {
        let mut balances = Vec::new();
        for fund in &account.funding {
            let balance = node.balance(fund.token, account.address, head).await;
            let balance = balance.map_err(Refusal::node)?.unwrap_or(U256::ZERO);
            balances.push(json!({
                "symbol": fund.symbol,
                "address": fund.token,
                "decimals": fund.decimals,
                "amount": format!("{balance:#x}"),
            }));
        }
        accounts.push(json!({ "address": account.address, "balances": balances }));
    }
    let solana = simulator.wallet_node();
    let mut wallets = Vec::new();
    for wallet in simulator.wallets() {
        let key = wallet.public_key();
        let balance = solana.balance(key).await.map_err(Refusal::node)?;
        wallets.push(json!({ "address": key, "lamports": balance.get().to_string() }));
    }
    let bearers: Vec<Value> = wiring::demo_tokens()
        .filter(|_| simulator.has_market())
        .map(|(token, roles)| json!({ "token": token, "roles": roles.words().collect::<Vec<_>>() }))
        .collect();
    Ok(Json(json!({
        "blockNumber": head.number,
        "accounts": accounts,
        "wallets": wallets,
        "bearers": bearers,
        "sponsorKey": wiring::DEMO_SPONSOR_KEY,
        "saver": wiring::saver(),
    })))
}
