//! What addresses hold.

use super::error::invalid;
use super::params::{At, at_slot, base64_text};
use crate::jsonrpc::{Answer, Params, RpcError, result};
use crate::solana::account::{Account, MAX_SPACE, minimum_balance};
use crate::solana::node::SolanaNode;
use primitives::{Lamports, PublicKey};
use serde::Deserialize;
use serde_json::{Value, json};

/// Addresses in one request.
const MAX_ADDRESSES: usize = 100;

/// Bytes that are shown in base58, which is slow for more.
const MAX_BASE58_BYTES: usize = 128;

/// Bytes of data that one answer shows.
const MAX_SHOWN_BYTES: usize = 1 << 20;

#[derive(Debug, Clone, Copy, Default, Deserialize, PartialEq, Eq)]
pub(super) enum AccountEncoding {
    /// The oldest form, a bare text in base58.
    #[default]
    #[serde(rename = "binary")]
    Binary,
    #[serde(rename = "base58")]
    Base58,
    #[serde(rename = "base64")]
    Base64,
    /// The data of no account here have a parsed form.
    #[serde(rename = "jsonParsed")]
    JsonParsed,
}

#[derive(Debug, Clone, Copy, Deserialize)]
struct DataSlice {
    offset: usize,
    length: usize,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct AccountConfig {
    #[serde(flatten)]
    at: At,
    encoding: Option<AccountEncoding>,
    data_slice: Option<DataSlice>,
}

pub(super) fn balance(node: &SolanaNode, params: Params) -> Answer {
    let mut arguments = params.named(&["pubkey", "config"])?;
    let key: PublicKey = arguments.required("pubkey")?;
    let at: At = arguments.optional("config")?.unwrap_or_default();
    node.look(|chain| {
        let slot = at.head(chain)?;
        at_slot(slot, &json!(chain.account(&key, slot).lamports))
    })
}

pub(super) fn account_info(node: &SolanaNode, params: Params) -> Answer {
    let mut arguments = params.named(&["pubkey", "config"])?;
    let key: PublicKey = arguments.required("pubkey")?;
    let config: Option<AccountConfig> = arguments.optional("config")?;
    let config = config.unwrap_or_default();
    node.look(|chain| {
        let slot = config.at.head(chain)?;
        let account = chain.account(&key, slot);
        let encoding = config.encoding.unwrap_or_default();
        at_slot(slot, &render(&account, encoding, config.data_slice)?)
    })
}

pub(super) fn multiple_accounts(node: &SolanaNode, params: Params) -> Answer {
    let mut arguments = params.named(&["pubkeys", "config"])?;
    let keys: Vec<PublicKey> = arguments.required("pubkeys")?;
    let config: Option<AccountConfig> = arguments.optional("config")?;
    let config = config.unwrap_or_default();
    if keys.len() > MAX_ADDRESSES {
        return Err(invalid(format!(
            "Too many inputs provided; max {MAX_ADDRESSES}"
        )));
    }
    let encoding = config.encoding.unwrap_or(AccountEncoding::Base64);
    node.look(|chain| {
        let slot = config.at.head(chain)?;
        let accounts = keys.iter().map(|key| chain.account(key, slot));
        let rendered = accounts.map(|account| render(&account, encoding, config.data_slice));
        at_slot(slot, &Value::Array(rendered.collect::<Result<_, _>>()?))
    })
}

/// An account as JSON; `null` if it holds nothing.
pub(super) fn render_whole(
    account: &Account,
    encoding: AccountEncoding,
) -> Result<Value, RpcError> {
    render(account, encoding, None)
}

fn render(
    account: &Account,
    encoding: AccountEncoding,
    slice: Option<DataSlice>,
) -> Result<Value, RpcError> {
    if account.lamports == Lamports::ZERO {
        return Ok(Value::Null);
    }
    let space = usize::try_from(account.space).unwrap_or(usize::MAX);
    let shown = slice.map_or(space, |slice| {
        space.saturating_sub(slice.offset).min(slice.length)
    });
    if shown > MAX_SHOWN_BYTES {
        return Err(invalid(format!(
            "at most {MAX_SHOWN_BYTES} bytes of data are shown, please use dataSlice"
        )));
    }
    let bytes = vec![0; shown];
    let base58 = || {
        if bytes.len() > MAX_BASE58_BYTES {
            return Err(RpcError::new(
                -32600,
                "Encoded binary (base 58) data should be less than 128 bytes, please use Base64 \
                 encoding.",
            ));
        }
        Ok(bs58::encode(&bytes).into_string())
    };
    let data = match encoding {
        AccountEncoding::Binary => json!(base58()?),
        AccountEncoding::Base58 => json!([base58()?, "base58"]),
        AccountEncoding::Base64 | AccountEncoding::JsonParsed => {
            json!([base64_text(&bytes), "base64"])
        }
    };
    Ok(json!({
        "lamports": account.lamports,
        "owner": account.owner,
        "data": data,
        "executable": account.executable,
        "rentEpoch": u64::MAX,
        "space": account.space,
    }))
}

pub(super) fn minimum_balance_for(params: Params) -> Answer {
    let mut arguments = params.named(&["dataLength", "config"])?;
    let space: u64 = arguments.required("dataLength")?;
    let _: At = arguments.optional("config")?.unwrap_or_default();
    if space > MAX_SPACE {
        return Err(invalid(format!("an account has at most {MAX_SPACE} bytes")));
    }
    result(&minimum_balance(space))
}
