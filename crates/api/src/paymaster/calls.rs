//! The methods.

use super::{
    built::{BuildBody, build},
    envelope::RpcError,
    executed::{ExecutedBody, TrackedBody, execute, track},
    hex::{Hex, amount},
    params::one_object,
};
use serde::Serialize;
use serde_json::value::RawValue;
use services::paymaster::{Paymaster, SupportedToken};
use trading::paymaster::Refusal;

/// A token that fees can be paid in.
#[derive(Serialize)]
pub(super) struct TokenBody {
    token_address: Hex,
    decimals: u8,
    price_in_strk: String,
}

impl TokenBody {
    fn of(token: &SupportedToken) -> Self {
        Self {
            token_address: Hex(token.address.felt()),
            decimals: token.decimals,
            price_in_strk: amount(token.price_in_strk),
        }
    }
}

/// What a method came to.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum MethodResult {
    Truth(bool),
    Tokens(Vec<TokenBody>),
    Built(Box<BuildBody>),
    Executed(ExecutedBody),
    Tracked(TrackedBody),
}

/// What a method answers; without a paymaster, all but health and availability refuse.
/// Methods whose futures are large are boxed: every call would carry the largest.
pub(super) async fn answer(
    paymaster: Option<&Paymaster>,
    method: &str,
    params: Option<&RawValue>,
    key: Option<&str>,
) -> Result<MethodResult, RpcError> {
    let offered = || paymaster.ok_or_else(|| RpcError::from(Refusal::Unavailable));
    Ok(match method {
        "paymaster_health" => MethodResult::Truth(true),
        "paymaster_isAvailable" => {
            MethodResult::Truth(paymaster.is_some_and(Paymaster::is_available))
        }
        "paymaster_getSupportedTokens" => {
            let tokens = Box::pin(offered()?.supported_tokens()).await?;
            MethodResult::Tokens(tokens.iter().map(TokenBody::of).collect())
        }
        "paymaster_buildTransaction" => {
            let request = one_object(params)?;
            let built = build(offered()?, request, key).await?;
            MethodResult::Built(Box::new(built))
        }
        "paymaster_executeTransaction" => {
            let request = one_object(params)?;
            let executed = Box::pin(execute(offered()?, request, key));
            MethodResult::Executed(executed.await?)
        }
        "paymaster_trackingIdToLatestHash" => {
            let tracked = Box::pin(track(offered()?, params));
            MethodResult::Tracked(tracked.await?)
        }
        _ => return Err(RpcError::unknown_method()),
    })
}
