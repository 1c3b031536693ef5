//! Guests: what they do, somebody else sends, and often pays for.

use super::{
    client::{ApiClient, http_of_people},
    dice::Dice,
    stark_wallet::StarkWallet,
};
use anyhow::Context as _;
use chain::StarknetClient;
use primitives::{Entropy, Felt, felt_to_hex, selector, typed_data::TypedData};
use serde_json::{Value, json};
use services::DEMO_SPONSOR_KEY;
use simnet::StarknetNode;
use std::{sync::Arc, time::Duration};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use url::Url;

/// A guest does something this often.
const PAUSE: Duration = Duration::from_secs(20);

const USDC: &str = "0x53c91253bc9682c04929ca02ed00b3e423f6710d2ee7e0d5ebb06f3ecf368a8";

/// Somebody who has others send what they sign.
pub(crate) struct Guest {
    api: ApiClient,
    wallet: StarkWallet,
    dice: Dice,
}

impl Guest {
    /// A guest who asks the paymaster at `api`.
    pub(crate) fn new(
        api: Url,
        node: StarknetClient,
        chain_id: Felt,
        entropy: Arc<dyn Entropy>,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            api: ApiClient::new(http_of_people()?, api),
            wallet: StarkWallet::new(node, chain_id, &StarknetNode::guest())?,
            dice: Dice::new(entropy),
        })
    }

    /// Does something now and then, until told to stop. What fails is tried another
    /// time.
    pub(crate) async fn run(self, stop: CancellationToken) {
        while stop.run_until_cancelled(sleep(PAUSE)).await.is_some() {
            match stop.run_until_cancelled(self.act()).await {
                None => return,
                Some(Ok(())) => {}
                Some(Err(error)) => tracing::debug!(%error, "a simulated guest failed"),
            }
        }
    }

    /// Moves a little money; two times of three a sponsor pays for that.
    async fn act(&self) -> anyhow::Result<()> {
        let fee_mode = if self.dice.roll(3) == 0 {
            json!({"mode": "default", "gas_token": USDC})
        } else {
            json!({"mode": "sponsored"})
        };
        let user = self.wallet.address();
        let amount = felt_to_hex(Felt::from(1 + self.dice.roll(1_000_000)));
        let transfer = json!({
            "to": USDC,
            "selector": felt_to_hex(selector("transfer")),
            "calldata": [user, amount, "0x0"],
        });
        let parameters = json!({"version": "0x1", "fee_mode": fee_mode});
        let wish = json!({
            "transaction": {
                "type": "invoke",
                "invoke": {"user_address": user, "calls": [transfer]},
            },
            "parameters": parameters,
        });
        let built = self.call("paymaster_buildTransaction", &wish).await?;
        let document = &built["typed_data"];
        let hash = TypedData::parse(document)?.hash(user.felt())?;
        let signature = self.wallet.sign(hash)?.map(felt_to_hex);
        let signed = json!({
            "transaction": {
                "type": "invoke",
                "invoke": {"user_address": user, "typed_data": document, "signature": signature},
            },
            "parameters": parameters,
        });
        let sent = self.call("paymaster_executeTransaction", &signed).await?;
        sent["transaction_hash"].as_str().context("no hash")?;
        Ok(())
    }

    async fn call(&self, method: &str, params: &Value) -> anyhow::Result<Value> {
        let api = &self.api;
        api.call_paymaster(DEMO_SPONSOR_KEY, method, params).await
    }
}
