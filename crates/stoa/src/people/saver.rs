//! Savers: they buy again and again, and sometimes stop; what they have of STRK they
//! stake.

use super::{
    client::{ApiClient, http_of_people},
    dice::Dice,
    stark_wallet::StarkWallet,
};
use anyhow::Context as _;
use chain::{ContractCall, StarknetClient};
use primitives::{Address, Entropy, Felt, felt_from_hex};
use serde_json::{Value, json};
use simnet::StarknetNode;
use std::{sync::Arc, time::Duration};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use url::Url;

/// A saver looks at the orders this often.
const PAUSE: Duration = Duration::from_secs(15);

/// Orders that are open at a time.
const OPEN: u64 = 6;

const ETH: &str = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7";
const STRK: &str = "0x4718f5a0fc34cc1af16a1cdee98ffb20c31f5cd61d6ab07201858f4287c938d";
const USDC: &str = "0x53c91253bc9682c04929ca02ed00b3e423f6710d2ee7e0d5ebb06f3ecf368a8";

/// What is sold, what is bought, and a part, in the smallest unit.
const WISHES: [(&str, &str, u128); 4] = [
    (USDC, ETH, 20_000_000),
    (USDC, STRK, 15_000_000),
    (ETH, USDC, 10_000_000_000_000_000),
    (STRK, USDC, 50_000_000_000_000_000_000),
];

/// The least that is staked, in the smallest unit of STRK.
const STAKE: u128 = 5_000_000_000_000_000_000;

const FREQUENCIES: [&str; 5] = ["PT1M", "PT2M", "PT5M", "PT15M", "PT1H"];

/// Somebody who orders through the API, with an account of the simulated network.
pub(crate) struct Saver {
    api: ApiClient,
    wallet: StarkWallet,
    dice: Dice,
}

impl Saver {
    /// A saver who asks the API at `api` and sends to a node.
    pub(crate) fn new(
        api: Url,
        node: StarknetClient,
        chain_id: Felt,
        entropy: Arc<dyn Entropy>,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            api: ApiClient::new(http_of_people()?, api),
            wallet: StarkWallet::new(node, chain_id, &StarknetNode::saver())?,
            dice: Dice::new(entropy),
        })
    }

    /// Orders now and then, until told to stop. What fails is tried another time.
    pub(crate) async fn run(self, stop: CancellationToken) {
        while stop.run_until_cancelled(sleep(PAUSE)).await.is_some() {
            match stop.run_until_cancelled(self.act()).await {
                None => return,
                Some(Ok(())) => {}
                Some(Err(error)) => tracing::debug!(%error, "a simulated saver failed"),
            }
        }
    }

    async fn act(&self) -> anyhow::Result<()> {
        if self.dice.roll(8) == 0 {
            self.stake().await
        } else {
            self.order().await
        }
    }

    /// Stakes some STRK, or what was earned with it.
    async fn stake(&self) -> anyhow::Result<()> {
        let user = self.wallet.address();
        let member = format!("/staking/v3/pools/{STRK}/members/{user}");
        if self.dice.roll(2) == 0 {
            let amount = STAKE * u128::from(1 + self.dice.roll(10));
            let body = json!({"userAddress": user, "amount": amount.to_string()});
            self.execute(&format!("{member}/stake"), &body).await
        } else {
            let body = json!({"userAddress": user, "restake": true});
            self.execute(&format!("{member}/claim-rewards"), &body)
                .await
        }
    }

    /// Orders, or cancels an order.
    async fn order(&self) -> anyhow::Result<()> {
        let trader = self.wallet.address();
        let path = format!("/dca/v3/orders?traderAddress={trader}&status=ACTIVE&size=50");
        let open = self.api.get_whole(&path).await?;
        let count = open["totalElements"].as_u64().context("no orders")?;
        let open = open["content"]
            .as_array()
            .and_then(|all| self.dice.pick(all));
        match open {
            Some(order) if count >= OPEN || self.dice.roll(16) == 0 => {
                // Most people let their orders be.
                if self.dice.roll(16) != 0 {
                    return Ok(());
                }
                let order = order["orderAddress"].as_str().context("no address")?;
                let path = format!("/dca/v3/orders/{order}/cancel");
                self.execute(&path, &json!({})).await
            }
            _ => self.execute("/dca/v3/orders", &self.wish()).await,
        }
    }

    /// An order that somebody may want.
    fn wish(&self) -> Value {
        let (sold, bought, part) = self.dice.pick(&WISHES).copied().unwrap_or(WISHES[0]);
        let part = part * u128::from(1 + self.dice.roll(10));
        let cycles = u128::from(3 + self.dice.roll(22));
        let frequency = self.dice.pick(&FREQUENCIES).copied();
        json!({
            "traderAddress": self.wallet.address(),
            "sellTokenAddress": sold,
            "sellAmount": (part * cycles).to_string(),
            "sellAmountPerCycle": part.to_string(),
            "buyTokenAddress": bought,
            "frequency": frequency.unwrap_or("PT5M"),
            "pricingStrategy": {},
        })
    }

    /// Executes the calls that the API builds.
    async fn execute(&self, path: &str, body: &Value) -> anyhow::Result<()> {
        let built = self.api.post_whole(path, body).await?;
        let calls = built["calls"].as_array().context("no calls")?;
        let calls: Option<Vec<ContractCall>> = calls.iter().map(built_call).collect();
        let calls = calls.context("no such calls")?;
        self.wallet.execute(&calls).await.map(drop)
    }
}

/// A call that the API built.
pub(crate) fn built_call(built: &Value) -> Option<ContractCall> {
    let to: Address = built["contractAddress"].as_str()?.parse().ok()?;
    let felt = |text: &Value| felt_from_hex(text.as_str()?).ok();
    let calldata: Option<Vec<Felt>> = built["calldata"].as_array()?.iter().map(felt).collect();
    Some(ContractCall::new(
        to,
        built["entrypoint"].as_str()?,
        calldata?,
    ))
}
