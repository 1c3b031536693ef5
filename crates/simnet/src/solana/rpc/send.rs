//! Transactions on their way into the chain.

use super::accounts::{AccountEncoding, render_whole};
use super::error::{SIGNATURE_VERIFICATION, invalid, not_sent, preflight};
use super::params::{At, Level, at_slot, from_base64};
use super::render::balances;
use crate::jsonrpc::{Answer, Params, RpcError, result};
use crate::solana::airdrop::MAX_AIRDROP;
use crate::solana::budget::Budget;
use crate::solana::chain::{Chain, Rejection};
use crate::solana::execution::Outcome;
use crate::solana::failure::TransactionError;
use crate::solana::node::{SendError, SolanaNode};
use crate::solana::timeline::block_at;
use crate::solana::wallet::is_signed;
use crate::solana::wire::{MAX_BYTES, Message, Transaction, WireError};
use primitives::{Lamports, PublicKey, SolanaHash};
use serde::Deserialize;
use serde_json::{Value, json};

/// Characters of a transaction in base58 and in base64.
const MAX_BASE58: usize = 1_683;
const MAX_BASE64: usize = 1_644;

/// Slots of which recent fees are told.
const FEE_SLOTS: u64 = 150;

pub(super) fn latest_blockhash(node: &SolanaNode, params: Params, behind: u64) -> Answer {
    let at: Option<At> = params.named(&["config"])?.optional("config")?;
    let at = at.unwrap_or_default();
    node.look(|chain| {
        let slot = block_at(at.head(chain)?.saturating_sub(behind));
        at_slot(
            slot,
            &json!({
                "blockhash": chain.blockhash(slot),
                "lastValidBlockHeight": Chain::last_valid_height(slot),
            }),
        )
    })
}

pub(super) fn is_blockhash_valid(node: &SolanaNode, params: Params) -> Answer {
    let mut arguments = params.named(&["blockhash", "config"])?;
    let hash: SolanaHash = arguments.required("blockhash")?;
    let at: At = arguments.optional("config")?.unwrap_or_default();
    node.look(|chain| {
        let slot = at.head(chain)?;
        at_slot(slot, &json!(chain.is_blockhash_valid(&hash, slot)))
    })
}

/// The fee of a message; `null` if it is too old.
pub(super) fn fee_for_message(node: &SolanaNode, params: Params) -> Answer {
    let mut arguments = params.named(&["message", "config"])?;
    let text: String = arguments.required("message")?;
    let at: At = arguments.optional("config")?.unwrap_or_default();
    let bytes = decode(&text, Encoding::Base64)?;
    let message = Message::read(&bytes).map_err(unreadable)?;
    node.look(|chain| {
        let slot = at.head(chain)?;
        let is_young = chain.is_blockhash_valid(&message.blockhash, slot);
        let fee = Budget::of(&message).ok().map(|budget| budget.fee);
        at_slot(slot, &json!(fee.filter(|_| is_young)))
    })
}

/// Nobody has to pay for being early here.
pub(super) fn recent_fees(node: &SolanaNode, params: Params) -> Answer {
    let _: Option<Vec<PublicKey>> = params.named(&["addresses"])?.optional("addresses")?;
    let newest = node.slot();
    let slots = newest.saturating_sub(FEE_SLOTS - 1)..=newest;
    let fees: Vec<Value> = slots
        .map(|slot| json!({"slot": slot, "prioritizationFee": 0}))
        .collect();
    result(&fees)
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Encoding {
    #[default]
    Base58,
    Base64,
}

fn decode(text: &str, encoding: Encoding) -> Result<Vec<u8>, RpcError> {
    let (most, name) = match encoding {
        Encoding::Base58 => (MAX_BASE58, "base58"),
        Encoding::Base64 => (MAX_BASE64, "base64"),
    };
    if text.len() > most {
        return Err(invalid(format!(
            "{name} encoded transaction too large: {} bytes (max: encoded/raw {most}/{MAX_BYTES})",
            text.len()
        )));
    }
    let bytes = match encoding {
        Encoding::Base58 => bs58::decode(text).into_vec().ok(),
        Encoding::Base64 => from_base64(text),
    };
    bytes.ok_or_else(|| invalid(format!("invalid {name} encoding")))
}

fn unreadable(error: WireError) -> RpcError {
    match error {
        WireError::TooLong(length) => invalid(format!(
            "decoded transaction too large: {length} bytes (max: {MAX_BYTES} bytes)"
        )),
        WireError::Sanitize => invalid(format!("invalid transaction: {error}")),
        _ => invalid(format!("failed to deserialize transaction: {error}")),
    }
}

fn read(text: &str, encoding: Option<Encoding>) -> Result<Transaction, RpcError> {
    let bytes = decode(text, encoding.unwrap_or_default())?;
    let transaction = Transaction::read(&bytes).map_err(unreadable)?;
    // There are no tables on this chain.
    if !transaction.message.lookups.is_empty() {
        let error = TransactionError::AddressLookupTableNotFound;
        return Err(invalid(format!("invalid transaction: {error}")));
    }
    Ok(transaction)
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct SendConfig {
    encoding: Option<Encoding>,
    skip_preflight: bool,
    preflight_commitment: Option<Level>,
    min_context_slot: Option<u64>,
}

/// Takes a transaction. Without a preflight, or when it changes its mind after
/// it, the chain drops what it does not like without a word, as the network
/// does.
pub(super) fn send(node: &SolanaNode, params: Params) -> Answer {
    let mut arguments = params.named(&["transaction", "config"])?;
    let text: String = arguments.required("transaction")?;
    let config: Option<SendConfig> = arguments.optional("config")?;
    let config = config.unwrap_or_default();
    let transaction = read(&text, config.encoding)?;
    let at = At {
        commitment: config.preflight_commitment,
        min_context_slot: config.min_context_slot,
    };
    let is_signed = is_signed(&transaction);
    let tried = node.look(|chain| {
        let head = at.head(chain)?;
        let tried = || try_out(chain, &transaction, head);
        Ok::<_, RpcError>((!config.skip_preflight).then(tried))
    })?;
    if let Some((error, outcome)) = tried {
        if !is_signed {
            return Err(SIGNATURE_VERIFICATION);
        }
        if let Some(error) = error {
            let message = format!("Transaction simulation failed: {error}");
            let result = simulated(Some(error), outcome.as_ref());
            return Err(preflight(message, result));
        }
    }
    let signature = transaction.id();
    if is_signed {
        match node.send(transaction) {
            Ok(()) | Err(SendError::Rejected(Rejection::Transaction(_))) => {}
            Err(error) => return Err(not_sent(&error)),
        }
    }
    result(&signature)
}

/// What a transaction would do after the block of `head`, and why it would fail.
fn try_out(
    chain: &Chain,
    transaction: &Transaction,
    head: u64,
) -> (Option<TransactionError>, Option<Outcome>) {
    let outcome = chain
        .check_fresh(transaction, head)
        .and_then(|()| chain.try_out(&transaction.message, head));
    match outcome {
        Ok(outcome) => (outcome.error, Some(outcome)),
        Err(error) => (Some(error), None),
    }
}

fn simulated(error: Option<TransactionError>, outcome: Option<&Outcome>) -> Value {
    let logs = outcome.map_or(&[][..], |outcome| &outcome.logs);
    json!({
        "err": error.map(TransactionError::json),
        "logs": logs,
        "accounts": null,
        "unitsConsumed": outcome.map_or(0, |outcome| outcome.units),
        "loadedAccountsDataSize": 0,
        "returnData": null,
        "innerInstructions": null,
        "replacementBlockhash": null,
        "fee": outcome.map(|outcome| outcome.fee),
        "preBalances": outcome.map(|outcome| balances(&outcome.before)),
        "postBalances": outcome.map(|outcome| balances(&outcome.after)),
    })
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct SimulateConfig {
    #[serde(flatten)]
    at: At,
    encoding: Option<Encoding>,
    sig_verify: bool,
    replace_recent_blockhash: bool,
    accounts: Option<WantedAccounts>,
}

#[derive(Debug, Deserialize)]
struct WantedAccounts {
    encoding: Option<AccountEncoding>,
    addresses: Vec<PublicKey>,
}

pub(super) fn simulate(node: &SolanaNode, params: Params) -> Answer {
    let mut arguments = params.named(&["transaction", "config"])?;
    let text: String = arguments.required("transaction")?;
    let config: Option<SimulateConfig> = arguments.optional("config")?;
    let config = config.unwrap_or_default();
    let mut transaction = read(&text, config.encoding)?;
    if config.sig_verify {
        if config.replace_recent_blockhash {
            return Err(invalid(
                "sigVerify may not be used with replaceRecentBlockhash",
            ));
        }
        if !is_signed(&transaction) {
            return Err(SIGNATURE_VERIFICATION);
        }
    }
    node.look(|chain| {
        let head = config.at.head(chain)?;
        let mut replacement = Value::Null;
        if config.replace_recent_blockhash {
            let hash = chain.blockhash(head);
            transaction.message.blockhash = hash;
            replacement = json!({
                "blockhash": hash,
                "lastValidBlockHeight": Chain::last_valid_height(head),
            });
        }
        let (error, outcome) = try_out(chain, &transaction, head);
        let mut answer = simulated(error, outcome.as_ref());
        if let Some(fields) = answer.as_object_mut() {
            fields.insert("replacementBlockhash".to_owned(), replacement);
            if let Some(wanted) = &config.accounts {
                let accounts = accounts_after(wanted, &transaction.message, outcome.as_ref())?;
                fields.insert("accounts".to_owned(), accounts);
            }
        }
        at_slot(head, &answer)
    })
}

/// The accounts that were asked for as they would be.
fn accounts_after(
    wanted: &WantedAccounts,
    message: &Message,
    outcome: Option<&Outcome>,
) -> Result<Value, RpcError> {
    if wanted.addresses.len() > message.keys.len() {
        return Err(invalid(format!(
            "Too many accounts provided; max {}",
            message.keys.len()
        )));
    }
    let encoding = wanted.encoding.unwrap_or(AccountEncoding::Base64);
    let after = |address: &PublicKey| {
        let index = message.keys.iter().position(|key| key == address);
        let account = index.and_then(|index| outcome?.after.get(index));
        account.map_or(Ok(Value::Null), |account| render_whole(account, encoding))
    };
    let accounts = wanted.addresses.iter().map(after);
    Ok(Value::Array(accounts.collect::<Result<_, _>>()?))
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct AirdropConfig {
    recent_blockhash: Option<SolanaHash>,
}

pub(super) fn airdrop(node: &SolanaNode, params: Params) -> Answer {
    let mut arguments = params.named(&["pubkey", "lamports", "config"])?;
    let to: PublicKey = arguments.required("pubkey")?;
    let lamports: u64 = arguments.required("lamports")?;
    let config: Option<AirdropConfig> = arguments.optional("config")?;
    if lamports > MAX_AIRDROP {
        return Err(invalid(format!(
            "at most {MAX_AIRDROP} lamports are given at once"
        )));
    }
    let blockhash = config.unwrap_or_default().recent_blockhash;
    let sent = node.airdrop_with(to, Lamports::new(lamports), blockhash);
    result(&sent.map_err(|error| not_sent(&error))?)
}
