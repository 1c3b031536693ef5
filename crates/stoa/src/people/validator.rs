//! Owners of validators: they register, and later change their prices, report
//! what their lessees do, and reply to what those say.

use super::{
    client::ApiClient,
    dice::Dice,
    gateway::{self, Gateway},
    person::Person,
};
use crate::registration;
use anyhow::Context as _;
use leasing::{Region, RegisterChallenge, Shared, Tier, ValidatorTerms, format_sol};
use primitives::{Clock, Lamports, Ulid};
use serde_json::{Value, json};
use simnet::SolanaKeypair;
use std::sync::Arc;

/// The most validators that are looked through for one's own.
const LISTED: u16 = 50;

/// Prices of an epoch are between these, in thousandths of a SOL.
const CHEAPEST: u64 = 200;
const SPREAD: u64 = 4_800;

const MILLISOL: u64 = 1_000_000;

/// Where they say that they stand.
const REGIONS: [&str; 4] = ["eu-central-1", "us-east-1", "ap-northeast-1", "us-west-2"];

/// An owner and the validator.
pub(super) struct Owner {
    person: Person,
    identity: SolanaKeypair,
    domain: String,
    clock: Arc<dyn Clock>,
    /// The validator's public id, once it is registered.
    listed: Option<String>,
    gateway: Gateway,
}

impl Owner {
    pub(super) fn new(
        person: Person,
        identity: SolanaKeypair,
        domain: String,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            person,
            identity,
            domain,
            clock,
            listed: None,
            gateway: Gateway::default(),
        }
    }

    pub(super) async fn act(&mut self, market: &ApiClient, dice: &Dice) -> anyhow::Result<()> {
        let bearer = self.person.bearer(market).await?;
        let done = match self.listed.clone() {
            Some(id) => self.attend(market, &bearer, &id, dice).await,
            None => self.come(market, &bearer, dice).await,
        };
        done.inspect_err(|failure| self.person.sign_out_after(failure))
    }

    /// Finds the validator on the market, or brings it there.
    async fn come(&mut self, market: &ApiClient, bearer: &str, dice: &Dice) -> anyhow::Result<()> {
        let path = format!("/v1/validators?limit={LISTED}");
        let listed = market.get(&path, None).await?;
        let identity = json!(self.identity.public_key());
        let own = listed.as_array().and_then(|all| {
            all.iter()
                .find(|validator| validator["identity_pubkey"] == identity)
        });
        let registered = if let Some(own) = own {
            own.clone()
        } else {
            let me = market.get("/v1/me", Some(bearer)).await?;
            let account = me["public_id"].as_str().context("no account")?;
            let body = self.registration(account.parse()?, dice)?;
            market.post("/v1/validators", Some(bearer), &body).await?
        };
        let id = registered["public_id"].as_str().context("no id")?;
        self.listed = Some(id.to_owned());
        Ok(())
    }

    fn registration(&self, account: Ulid, dice: &Dice) -> anyhow::Result<Value> {
        let region: Region = dice.pick(&REGIONS).context("no region")?.parse()?;
        let price = price(dice);
        let seats = 2 + dice.roll(7);
        let shared = (dice.roll(2) == 0).then(|| Shared {
            price: Lamports::new(price.get() / seats.max(1)),
            seats: u32::try_from(seats).unwrap_or(1),
        });
        let tier = *dice.pick(&Tier::ALL).context("no tier")?;
        let terms = ValidatorTerms {
            price,
            shared,
            tier,
            region,
        };
        let challenge = RegisterChallenge {
            domain: &self.domain,
            account,
            identity: self.identity.public_key(),
            payout_wallet: self.person.wallet(),
            name: Some(self.person.name()),
            endpoint: None,
            terms: &terms,
            timestamp: self.clock.now().as_second(),
            nonce: &dice.nonce(),
        };
        Ok(registration::body(&challenge, |text| {
            self.identity.sign(text)
        }))
    }

    /// Mostly reports; now and then another price, or a reply.
    async fn attend(
        &mut self,
        market: &ApiClient,
        bearer: &str,
        id: &str,
        dice: &Dice,
    ) -> anyhow::Result<()> {
        match dice.roll(4) {
            0 => self.reprice(market, bearer, id, dice).await,
            1 => gateway::reply(market, bearer, id, dice).await,
            _ => {
                let now = self.clock.now();
                self.gateway.report(market, bearer, id, now, dice).await
            }
        }
    }

    /// Another price.
    async fn reprice(
        &self,
        market: &ApiClient,
        bearer: &str,
        id: &str,
        dice: &Dice,
    ) -> anyhow::Result<()> {
        let path = format!("/v1/validators/{id}");
        let body = json!({ "price_sol": format_sol(price(dice)) });
        market.patch(&path, bearer, &body).await.map(drop)
    }
}

fn price(dice: &Dice) -> Lamports {
    Lamports::new((CHEAPEST + dice.roll(SPREAD)) * MILLISOL)
}
