//! The methods.

use super::{
    built::build,
    envelope::RpcError,
    executed::{execute, track},
    hex::{Hex, amount},
    params::one_object,
};
use serde::Serialize;
use serde_json::value::RawValue;
use services::paymaster::{Paymaster, SupportedToken};
use trading::paymaster::Refusal;

/// A token that fees can be paid in.
#[derive(Serialize)]
struct TokenBody {
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

/// What a method answers; without a paymaster, all but health and availability refuse.
pub(super) async fn answer(
    paymaster: Option<&Paymaster>,
    method: &str,
    params: Option<&RawValue>,
    key: Option<&str>,
) -> Result<Box<RawValue>, RpcError> {
    let offered = || paymaster.ok_or(RpcError::from(Refusal::Unavailable));
    match method {
        "paymaster_health" => written(&true),
        "paymaster_isAvailable" => written(&paymaster.is_some_and(Paymaster::is_available)),
        "paymaster_getSupportedTokens" => {
            let tokens = offered()?.supported_tokens().await?;
            written(&tokens.iter().map(TokenBody::of).collect::<Vec<_>>())
        }
        "paymaster_buildTransaction" => {
            let request = one_object(params)?;
            let paymaster = offered()?;
            written(&build(paymaster, request, key).await?)
        }
        "paymaster_executeTransaction" => {
            let request = one_object(params)?;
            written(&execute(offered()?, request, key).await?)
        }
        "paymaster_trackingIdToLatestHash" => written(&track(offered()?, params).await?),
        _ => Err(RpcError::unknown_method()),
    }
}

fn written(result: &impl Serialize) -> Result<Box<RawValue>, RpcError> {
    serde_json::value::to_raw_value(result)
        .map_err(|_| RpcError::internal("something went wrong on our side"))
}
