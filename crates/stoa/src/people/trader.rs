//! Traders: they book, and mostly pay.

use super::{
    client::{Market, Node},
    dice::Dice,
    person::Person,
};
use anyhow::{Context as _, bail};
use primitives::{Lamports, Signature, Timestamp};
use serde_json::{Value, json};

/// The most validators that are looked through.
const LISTED: u16 = 50;

/// How far ahead people book, and for how long at most, in epochs.
const AHEAD: u64 = 12;
const LONGEST: u64 = 3;

/// A wallet with less is filled.
const LOW: Lamports = Lamports::new(100 * Lamports::PER_SOL.get());

/// Where the payer's signature stands in a transaction: behind their number.
const SIGNATURE: std::ops::Range<usize> = 1..1 + Signature::LENGTH;

/// A trader.
pub(super) struct Trader(Person);

impl Trader {
    pub(super) fn new(person: Person) -> Self {
        Self(person)
    }

    pub(super) async fn act(
        &mut self,
        market: &Market,
        node: &Node,
        dice: &Dice,
    ) -> anyhow::Result<()> {
        if node.balance(self.0.wallet()).await? < LOW {
            return node.airdrop(self.0.wallet(), LOW).await;
        }
        let bearer = self.0.bearer(market).await?;
        let done = self.lease(market, node, &bearer, dice).await;
        done.inspect_err(|failure| self.0.sign_out_after(failure))
    }

    async fn lease(
        &self,
        market: &Market,
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
            _ => {
                let memo = booked["payment"]["memo"].as_str().context("no memo")?;
                let unsigned = market.payment(memo, self.0.wallet()).await?;
                node.send(&self.signed(unsigned)?).await
            }
        }
    }

    /// Books some epochs of somebody, if there is somebody to book.
    async fn book(
        &self,
        market: &Market,
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
        let signature = self.0.sign(message);
        let place = transaction.get_mut(SIGNATURE).context("no signature")?;
        place.copy_from_slice(signature.as_bytes());
        Ok(transaction)
    }
}
