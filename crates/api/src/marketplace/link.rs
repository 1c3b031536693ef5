//! Links that wallets follow to pay.

use super::MarketplaceState;
use leasing::Memo;
use serde::Serialize;
use utoipa::ToSchema;

/// Something that the caller should know, though the request was good.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub(super) struct Warning {
    /// Names the kind.
    #[schema(example = "plain-http")]
    pub(super) code: &'static str,
    /// For people.
    #[schema(
        example = "wallets follow https links alone; the operator must configure a public address"
    )]
    pub(super) message: String,
}

impl MarketplaceState {
    /// Where a wallet asks for the transaction of a payment.
    pub(super) fn pay_url(&self, memo: &Memo) -> String {
        format!("solana:{}/v1/chain-pay/{memo}", self.base_url())
    }

    /// What is wrong with such links, if anything is.
    pub(super) fn link_warning(&self) -> Option<Warning> {
        (!self.base_url().starts_with("https://")).then(|| Warning {
            code: "plain-http",
            message: "no public https address is configured: the payment link points at the \
                listener, which wallets refuse"
                .to_owned(),
        })
    }
}
