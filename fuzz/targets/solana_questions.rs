//! Everything that Stoa asks a Solana node, by number.

use chain::{SignaturePage, SolanaClient};
use leasing::Memo;
use primitives::{PublicKey, Signature};

/// How many questions there are.
pub(crate) const COUNT: u8 = 11;

/// Asks one question; transactions are asked for by their name.
pub(crate) async fn ask(client: &SolanaClient, question: u8, account: PublicKey, name: Signature) {
    match question % COUNT {
        0 => drop(client.is_healthy().await),
        1 => drop(
            client
                .vote_accounts()
                .await
                .map(|all| all.stake_of(account)),
        ),
        2 => mentioned(client, account).await,
        3 => drop(client.block_production().await),
        4 => drop(client.epoch_position().await),
        5 => drop(client.epoch_schedule().await),
        6 => drop(client.leader_schedule(0, Some(account)).await),
        7 => drop(client.balance(account).await),
        8 => drop(client.rent_minimum(0).await),
        9 => drop(client.recent_blockhash().await),
        _ => drop(client.transaction(name).await),
    }
}

async fn mentioned(client: &SolanaClient, account: PublicKey) {
    let page = SignaturePage {
        before: None,
        until: None,
        limit: 8,
    };
    for entry in client.signatures(account, page).await.into_iter().flatten() {
        let _ = entry.memo.map(|memo| Memo::mentioned(&memo).count());
    }
}
