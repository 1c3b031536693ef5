//! Traders: they book, mostly pay, mint tokens, extend, and rate what they used.

use super::{
    client::{ApiClient, Node},
    dice::Dice,
    person::Person,
};
use anyhow::{Context as _, bail};
use primitives::{Lamports, Signature, Timestamp};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The most validators that are looked through.
const LISTED: u16 = 50;

/// How far ahead people book, and for how long at most, in epochs.
const AHEAD: u64 = 12;
const LONGEST: u64 = 3;

/// A wallet with less is filled.
const LOW: Lamports = Lamports::new(100 * Lamports::PER_SOL.get());

/// Where the payer's signature stands in a transaction: behind their number.
const SIGNATURE: std::ops::Range<usize> = 1..1 + Signature::LENGTH;

/// What a rating needs.
const SIGNS_TO_RATE: u64 = 10_000;

const COMMENTS: [&str; 4] = [
    "Answered every handshake.",
    "Quick, and cheap for the region.",
    "A few handshakes failed around the change of epochs.",
    "Just what was promised.",
];

pub(super) struct Trader {
    person: Person,
    /// Leases that are over and need no further look.
    settled: BTreeSet<String>,
}

impl Trader {
    pub(super) fn new(person: Person) -> Self {
        Self {
            person,
            settled: BTreeSet::new(),
        }
    }

    pub(super) async fn act(
        &mut self,
        market: &ApiClient,
        node: &Node,
        dice: &Dice,
    ) -> anyhow::Result<()> {
        if node.balance(self.person.wallet()).await? < LOW {
            return node.airdrop(self.person.wallet(), LOW).await;
        }
        let bearer = self.person.bearer(market).await?;
        let done = match dice.roll(5) {
            0 => self.rate(market, &bearer, dice).await,
            1 => self.trade(market, node, &bearer, dice).await,
            _ => self.lease(market, node, &bearer, dice).await,
        };
        done.inspect_err(|failure| self.person.sign_out_after(failure))
    }

    /// Mints a token of a lease whose epochs have come; now and then wants one more.
    async fn trade(
        &self,
        market: &ApiClient,
        node: &Node,
        bearer: &str,
        dice: &Dice,
    ) -> anyhow::Result<()> {
        let epoch = market.get("/v1/epoch", None).await?["epoch"].as_u64();
        let epoch = epoch.context("no epoch")?;
        let path = "/v1/leases?state=active&limit=50";
        let active = market.get(path, Some(bearer)).await?;
        let is_running = |lease: &&Value| {
            let bound = |name: &str| lease[name].as_u64();
            let window = bound("epoch_start").zip(bound("epoch_end"));
            window.is_some_and(|(start, end)| (start..end).contains(&epoch))
        };
        let leases = active.as_array().into_iter().flatten();
        let running: Vec<&Value> = leases.filter(is_running).collect();
        let Some(lease) = dice.pick(&running) else {
            return Ok(());
        };
        let lease = lease["public_id"].as_str().context("no lease")?;
        let path = format!("/v1/leases/{lease}/token");
        market.post(&path, Some(bearer), &json!({})).await?;
        if dice.roll(4) != 0 {
            return Ok(());
        }
        let path = format!("/v1/leases/{lease}/extend");
        let key = dice.id(Timestamp::UNIX_EPOCH);
        let body = json!({"epoch_count": 1});
        let extended = market.post_once(&path, bearer, key, &body).await?;
        self.pay(market, node, &extended).await
    }

    /// Rates one of the leases that are over, if it was used enough.
    async fn rate(&mut self, market: &ApiClient, bearer: &str, dice: &Dice) -> anyhow::Result<()> {
        let path = "/v1/leases?state=completed&limit=50";
        let over = market.get(path, Some(bearer)).await?;
        let ids = over.as_array().into_iter().flatten();
        let ids: Vec<&str> = ids
            .filter_map(|lease| lease["public_id"].as_str())
            .collect();
        self.settled.retain(|id| ids.contains(&id.as_str()));
        let Some(id) = ids.into_iter().find(|id| !self.settled.contains(*id)) else {
            return Ok(());
        };
        // Whatever comes of it: there is one rating of a lease.
        self.settled.insert(id.to_owned());
        let lease = market
            .get(&format!("/v1/leases/{id}"), Some(bearer))
            .await?;
        if lease["signs_total"]
            .as_u64()
            .is_none_or(|signs| signs < SIGNS_TO_RATE)
        {
            return Ok(());
        }
        let comment = (dice.roll(2) == 0).then(|| dice.pick(&COMMENTS)).flatten();
        let body = json!({ "stars": 3 + dice.roll(3), "comment": comment });
        let path = format!("/v1/leases/{id}/rating");
        market.post(&path, Some(bearer), &body).await.map(drop)
    }

    async fn lease(
        &self,
        market: &ApiClient,
        node: &Node,
        bearer: &str,
        dice: &Dice,
    ) -> anyhow::Result<()> {
        let Some(booked) = self.book(market, bearer, dice).await? else {
            return Ok(());
        };
        match dice.roll(10) {
            // Forgets about it: it lapses.
            0 => Ok(()),
            1 => {
                let lease = booked["lease_id"].as_str().context("no lease")?;
                let path = format!("/v1/leases/{lease}/cancel");
                market.post(&path, Some(bearer), &json!({})).await.map(drop)
            }
            _ => self.pay(market, node, &booked).await,
        }
    }

    /// Pays for what was just booked or extended.
    async fn pay(&self, market: &ApiClient, node: &Node, bought: &Value) -> anyhow::Result<()> {
        let memo = bought["payment"]["memo"].as_str().context("no memo")?;
        let unsigned = market.payment(memo, self.person.wallet()).await?;
        node.send(&self.signed(unsigned)?).await
    }

    /// Books some epochs of somebody, if there is somebody to book.
    async fn book(
        &self,
        market: &ApiClient,
        bearer: &str,
        dice: &Dice,
    ) -> anyhow::Result<Option<Value>> {
        let path = format!("/v1/validators?limit={LISTED}");
        let listed = market.get(&path, None).await?;
        let Some(validator) = listed.as_array().and_then(|all| dice.pick(all)) else {
            return Ok(None);
        };
        let epoch = market.get("/v1/epoch", None).await?["epoch"].as_u64();
        let start = epoch.context("no epoch")? + dice.roll(AHEAD);
        let is_shared = !validator["shared"].is_null() && dice.roll(3) != 0;
        let body = json!({
            "validator_id": validator["public_id"],
            "epoch_start": start,
            "epoch_count": 1 + dice.roll(LONGEST),
            "mode": if is_shared { "shared" } else { "exclusive" },
        });
        // The time in the key is nobody's business.
        let key = dice.id(Timestamp::UNIX_EPOCH);
        let booked = market.post_once("/v1/leases", bearer, key, &body).await?;
        Ok(Some(booked))
    }

    /// The transaction with the payer's signature: theirs is the only one.
    fn signed(&self, mut transaction: Vec<u8>) -> anyhow::Result<Vec<u8>> {
        if transaction.first() != Some(&1) {
            bail!("somebody else has to sign, too");
        }
        let message = transaction.get(SIGNATURE.end..).context("no message")?;
        let signature = self.person.sign(message);
        let place = transaction.get_mut(SIGNATURE).context("no signature")?;
        place.copy_from_slice(signature.as_bytes());
        Ok(transaction)
    }
}
