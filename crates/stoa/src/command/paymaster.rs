//! Operators' chores with what the paymaster collected.

#![expect(
    clippy::indexing_slicing,
    reason = "a member that a JSON value does not have reads as null"
)]

use crate::{
    amount::in_whole_tokens,
    cli::PaymasterAction,
    config::Config,
    console::say,
    network::Network,
    people::{ApiClient, built_call, http},
    wiring::{self, STRK, Sender},
};
use anyhow::{Context as _, ensure};
use primitives::{Address, U256, felt_to_hex};
use serde_json::{Value, json};
use url::Url;

/// What a swap may bring less than was quoted.
const SLIPPAGE: f64 = 0.01;

/// Digits of STRK after the point.
const STRK_DECIMALS: u8 = 18;

/// A token that was collected, and what a quote gives for all of it.
struct Collected {
    token: Address,
    decimals: u8,
    balance: U256,
    quote: Option<Quote>,
}

struct Quote {
    id: String,
    strk: U256,
}

pub(super) async fn run(action: PaymasterAction, config: &Config) -> anyhow::Result<()> {
    let PaymasterAction::Rebalance {
        execute,
        least,
        api,
    } = action;
    let own = || format!("http://{}", config.server.listen).parse::<Url>();
    let api = ApiClient::new(http()?, api.map_or_else(own, Ok)?);
    let node = wiring::asked_node(config)?;
    let chain_id = node.chain_id().await.context("the node does not answer")?;
    let network = Network::of(chain_id, config.starknet.expect_chain_id)?;
    let store = wiring::existing_store(config).await?;
    let done = async {
        let sender = wiring::fee_collector(config, network, &store, &node).await?;
        let collected = look(&api, &node, sender.account().address).await?;
        let least = U256::from(least);
        show(&collected, least);
        if execute {
            swap(&api, &sender, &collected, least).await
        } else {
            say("Nothing was done. `--execute` swaps what is marked.");
            Ok(())
        }
    };
    let done = done.await;
    store.close().await;
    done
}

/// What an account has of the tokens that users are told they can pay in.
async fn look(
    api: &ApiClient,
    node: &wiring::StarknetClient,
    owner: Address,
) -> anyhow::Result<Vec<Collected>> {
    let nothing = json!({});
    let asked = api.call_paymaster("", "paymaster_getSupportedTokens", &nothing);
    let tokens = asked.await.context("the service does not say its tokens")?;
    let head = node.head().await?;
    let mut collected = Vec::new();
    for entry in tokens.as_array().context("no tokens")? {
        let token = entry["token_address"].as_str().context("no token")?;
        let token: Address = token.parse()?;
        let decimals = entry["decimals"].as_u64().context("no decimals")?;
        let balance = node.balance(token, owner, head).await?;
        let balance = balance.unwrap_or(U256::ZERO);
        if token == STRK || balance == U256::ZERO {
            continue;
        }
        collected.push(Collected {
            token,
            decimals: u8::try_from(decimals)?,
            balance,
            quote: quote(api, token, balance, owner).await?,
        });
    }
    Ok(collected)
}

/// The best quote for all of a token, if there is one.
async fn quote(
    api: &ApiClient,
    token: Address,
    amount: U256,
    taker: Address,
) -> anyhow::Result<Option<Quote>> {
    let path = format!(
        "/swap/v3/quotes?sellTokenAddress={token}&buyTokenAddress={STRK}\
         &sellAmount={amount:#x}&takerAddress={taker}&size=1"
    );
    let quotes = api.get_whole(&path).await?;
    let Some(best) = quotes.get(0) else {
        return Ok(None);
    };
    let id = best["quoteId"].as_str().context("a quote has no id")?;
    let strk = best["buyAmount"]
        .as_str()
        .context("a quote has no amount")?;
    let strk = strk
        .strip_prefix("0x")
        .context("an amount is hexadecimal")?;
    Ok(Some(Quote {
        id: id.to_owned(),
        strk: U256::from_str_radix(strk, 16)?,
    }))
}

impl Collected {
    fn is_worth(&self, least: U256) -> Option<&Quote> {
        self.quote.as_ref().filter(|quote| quote.strk >= least)
    }
}

fn show(collected: &[Collected], least: U256) {
    if collected.is_empty() {
        say("There is nothing to swap.");
        return;
    }
    say(format_args!(
        "{:<66}  {:>28}  {:>28}  {}",
        "token", "amount", "for STRK", "swapped"
    ));
    for it in collected {
        let strk = it.quote.as_ref();
        let strk = strk.map_or_else(
            || "no route".to_owned(),
            |it| in_whole_tokens(it.strk, STRK_DECIMALS),
        );
        let swapped = match it.is_worth(least) {
            Some(_) => "yes",
            None => "no: too little",
        };
        say(format_args!(
            "{:<66}  {:>28}  {strk:>28}  {swapped}",
            it.token.to_string(),
            in_whole_tokens(it.balance, it.decimals),
        ));
    }
}

/// Swaps what is worth it, one after the other. What is sent has its row in the
/// ledger, and the running service follows it.
async fn swap(
    api: &ApiClient,
    sender: &Sender,
    collected: &[Collected],
    least: U256,
) -> anyhow::Result<()> {
    let taker = sender.account().address;
    for it in collected {
        if it.is_worth(least).is_none() {
            continue;
        }
        // A quote is for a block or two: this one is of now.
        let quote = quote(api, it.token, it.balance, taker).await?;
        let quote = quote.context("there is no route any more")?;
        let body = json!({
            "quoteId": quote.id,
            "takerAddress": taker,
            "slippage": SLIPPAGE,
            "includeApprove": true,
        });
        let built = api.post_whole("/swap/v3/build", &body).await?;
        let calls = built["calls"].as_array().context("no calls")?;
        let calls: Option<Vec<_>> = calls.iter().map(|call: &Value| built_call(call)).collect();
        let calls = calls.context("a call is not as it should be")?;
        ensure!(!calls.is_empty(), "there is nothing to call");
        let purpose = format!("rebalance {} {}", it.token, quote.id);
        let sent = sender.submit(&purpose, &calls).await?;
        say(format_args!(
            "{} for {} STRK: {}",
            it.token,
            in_whole_tokens(quote.strk, STRK_DECIMALS),
            felt_to_hex(sent.hash)
        ));
    }
    Ok(())
}
