//! What happened: transactions by signature and by address.

use super::error::{invalid, transaction_not_found, unsupported_version};
use super::params::{At, at_slot, name};
use super::render::{self, TransactionEncoding};
use crate::jsonrpc::{Answer, Params, RpcError, result};
use crate::objects::Objects;
use crate::solana::chain::{Chain, Commitment};
use crate::solana::failure::TransactionError;
use crate::solana::history::HistoryEntry;
use crate::solana::node::SolanaNode;
use crate::solana::timeline::height;
use crate::solana::wire::Version;
use primitives::{PublicKey, Signature};
use serde::Deserialize;
use serde_json::{Value, json};

/// Signatures in one page.
const MAX_PAGE: usize = 1_000;

/// Signatures in one request for statuses.
const MAX_STATUSES: usize = 256;

/// Slots of which statuses are known without a search.
const RECENT_SLOTS: u64 = 300;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct PageConfig {
    #[serde(flatten)]
    at: At,
    before: Option<Signature>,
    until: Option<Signature>,
    limit: Option<usize>,
}

/// History is not told of what may yet be dropped any moment.
fn at_least_confirmed(at: &At) -> Result<(), RpcError> {
    if at.commitment() == Commitment::Processed {
        return Err(invalid(
            "Method does not support commitment below `confirmed`",
        ));
    }
    Ok(())
}

pub(super) fn signatures_for_address(node: &SolanaNode, params: Params) -> Answer {
    let mut arguments = params.named(&["address", "config"])?;
    let address: PublicKey = arguments.required("address")?;
    let config: Option<PageConfig> = arguments.optional("config")?;
    let config = config.unwrap_or_default();
    let limit = config.limit.unwrap_or(MAX_PAGE);
    if !(1..=MAX_PAGE).contains(&limit) {
        return Err(invalid(format!("Invalid limit; max {MAX_PAGE}")));
    }
    at_least_confirmed(&config.at)?;
    node.look(|chain| {
        let head = config.at.head(chain)?;
        let history = chain.history();
        let number = |signature| match history.by_signature(signature) {
            Some(entry) => Ok(entry.number),
            None => Err(transaction_not_found(signature)),
        };
        let before = config.before.as_ref().map(number).transpose()?;
        let until = config.until.as_ref().map(number).transpose()?;
        let after = until.map_or(0, |number| number + 1);
        let before = before.unwrap_or(u64::MAX).min(history.count_until(head));
        let mut page = String::from("[");
        let listed = history.by_address(&address, after, before);
        for (index, entry) in listed.take(limit).enumerate() {
            if index > 0 {
                page.push(',');
            }
            page.push_str(entry.line.get_or_init(|| line(chain, entry)));
            page.push_str(match chain.commitment_of(entry.slot) {
                Some(Commitment::Finalized) => r#""finalized"}"#,
                _ => r#""confirmed"}"#,
            });
        }
        page.push(']');
        Ok(page)
    })
}

/// All of a transaction's line but how sure it is.
fn line(chain: &Chain, entry: &HistoryEntry) -> String {
    let err = entry
        .outcome
        .error
        .map_or(Value::Null, TransactionError::json);
    let (signature, slot) = (entry.transaction.id(), entry.slot);
    let (memo, time, index) = (json!(entry.memo), chain.time_of(slot), entry.index);
    format!(
        r#"{{"signature":"{signature}","slot":{slot},"err":{err},"memo":{memo},"blockTime":{time},"transactionIndex":{index},"confirmationStatus":"#
    )
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct StatusConfig {
    search_transaction_history: bool,
}

pub(super) fn signature_statuses(node: &SolanaNode, params: Params) -> Answer {
    let mut arguments = params.named(&["signatures", "config"])?;
    let signatures: Vec<Signature> = arguments.required("signatures")?;
    let config: Option<StatusConfig> = arguments.optional("config")?;
    let searches = config.unwrap_or_default().search_transaction_history;
    if signatures.len() > MAX_STATUSES {
        return Err(invalid(format!(
            "Too many inputs provided; max {MAX_STATUSES}"
        )));
    }
    node.look(|chain| {
        let head = chain.head(Commitment::Processed);
        let oldest = if searches {
            0
        } else {
            head.saturating_sub(RECENT_SLOTS)
        };
        let known = |signature| {
            let entry = chain.history().by_signature(signature)?;
            let commitment = chain.commitment_of(entry.slot)?;
            (entry.slot >= oldest).then(|| status(entry, head, commitment))
        };
        let statuses: Vec<Option<Value>> = signatures.iter().map(known).collect();
        at_slot(head, &json!(statuses))
    })
}

fn status(entry: &HistoryEntry, head: u64, commitment: Commitment) -> Value {
    let confirmations = match commitment {
        Commitment::Finalized => None,
        _ => Some(height(head) - height(entry.slot)),
    };
    json!({
        "slot": entry.slot,
        "confirmations": confirmations,
        "err": entry.outcome.error.map(TransactionError::json),
        "status": render::status(entry.outcome.error),
        "confirmationStatus": name(commitment),
    })
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct TransactionConfig {
    #[serde(flatten)]
    at: At,
    encoding: Option<TransactionEncoding>,
    max_supported_transaction_version: Option<u8>,
}

/// The second parameter may be only the encoding.
pub(super) fn transaction(node: &SolanaNode, params: Params) -> Answer {
    let mut arguments = params.named(&["signature", "config"])?;
    let signature: Signature = arguments.required("signature")?;
    let config: Option<Value> = arguments.optional("config")?;
    let config: TransactionConfig = match config {
        None => TransactionConfig::default(),
        Some(text @ Value::String(_)) => TransactionConfig {
            encoding: Some(serde_json::from_value(text).map_err(|e| invalid(e.to_string()))?),
            ..TransactionConfig::default()
        },
        Some(config) => {
            let config = TransactionConfig::deserialize(Objects(config));
            config.map_err(|e| invalid(e.to_string()))?
        }
    };
    at_least_confirmed(&config.at)?;
    node.look(|chain| {
        let head = config.at.head(chain)?;
        let entry = chain.history().by_signature(&signature);
        let Some(entry) = entry.filter(|entry| entry.slot <= head) else {
            return result(&Value::Null);
        };
        let newest_known = config.max_supported_transaction_version;
        let version = match (entry.transaction.message.version, newest_known) {
            (Version::V0, None) => return Err(unsupported_version(0)),
            (Version::V0, Some(_)) => Some(json!(0)),
            (Version::Legacy, Some(_)) => Some(json!("legacy")),
            (Version::Legacy, None) => None,
        };
        let encoding = config.encoding.unwrap_or_default();
        let mut answer = json!({
            "slot": entry.slot,
            "blockTime": chain.time_of(entry.slot),
            "transactionIndex": entry.index,
            "transaction": render::transaction(&entry.transaction, encoding),
            "meta": render::meta(&entry.outcome, encoding),
        });
        if let (Some(version), Some(fields)) = (version, answer.as_object_mut()) {
            fields.insert("version".to_owned(), version);
        }
        result(&answer)
    })
}
