//! What an owner does beside offering: the validator's gateway reports the use
//! of its leases, and ratings get a reply.

use super::{client::ApiClient, dice::Dice};
use anyhow::Context as _;
use primitives::{SignedDuration, Timestamp};
use serde_json::{Value, json};

/// What one report tells of, and how long its token lives.
const WINDOW: SignedDuration = SignedDuration::from_secs(60);
const TOKEN_LIFETIME: SignedDuration = SignedDuration::from_hours(24);

/// Signatures that a report tells of, at least, and how many more it may be.
const FEWEST_SIGNS: u64 = 2_000;
const SIGNS_SPREAD: u64 = 4_000;

const REPLIES: [&str; 3] = [
    "Thank you, come again.",
    "We have added another region since.",
    "Write to us if anything is slow.",
];

/// The gateway of a validator.
#[derive(Debug, Default)]
pub(super) struct Gateway {
    token: Option<String>,
}

impl Gateway {
    /// Reports what the leases that run were used for.
    pub(super) async fn report(
        &mut self,
        market: &ApiClient,
        bearer: &str,
        validator: &str,
        now: Timestamp,
        dice: &Dice,
    ) -> anyhow::Result<()> {
        let epoch = market.get("/v1/epoch", None).await?["epoch"].as_i64();
        let epoch = epoch.context("no epoch")?;
        let path = format!("/v1/validators/{validator}/leases?state=active&limit=50");
        let leases = market.get(&path, Some(bearer)).await?;
        let has_begun = |lease: &&Value| {
            let start = lease["epoch_start"].as_i64();
            start.is_some_and(|start| start <= epoch)
        };
        let report = |lease: &Value| {
            json!({
                "report_id": dice.id(now),
                "lease_id": lease["public_id"],
                "window_start": (now - WINDOW).to_string(),
                "window_end": now.to_string(),
                "signs_delta": FEWEST_SIGNS + dice.roll(SIGNS_SPREAD),
                "handshakes_failed": dice.roll(5),
            })
        };
        let leases = leases.as_array().into_iter().flatten();
        let reports: Vec<Value> = leases.filter(has_begun).map(report).collect();
        if reports.is_empty() {
            return Ok(());
        }
        let token = self.token(market, bearer, validator, now).await?;
        let body = json!({ "reports": reports });
        let sent = market.post("/v1/usage/reports", Some(&token), &body).await;
        if sent.is_err() {
            // It may have expired: there is another one next time.
            self.token = None;
        }
        sent.map(drop)
    }

    async fn token(
        &mut self,
        market: &ApiClient,
        bearer: &str,
        validator: &str,
        now: Timestamp,
    ) -> anyhow::Result<String> {
        if let Some(token) = &self.token {
            return Ok(token.clone());
        }
        let path = format!("/v1/validators/{validator}/service-tokens");
        let until = (now + TOKEN_LIFETIME).to_string();
        let body = json!({ "name": "gateway", "expires_at": until });
        let made = market.post(&path, Some(bearer), &body).await?;
        let token = made["token"].as_str().context("no token")?;
        self.token = Some(token.to_owned());
        Ok(token.to_owned())
    }
}

/// Replies to a rating that has no reply.
pub(super) async fn reply(
    market: &ApiClient,
    bearer: &str,
    validator: &str,
    dice: &Dice,
) -> anyhow::Result<()> {
    let path = format!("/v1/validators/{validator}/ratings?limit=50");
    let ratings = market.get(&path, None).await?;
    let mut ratings = ratings.as_array().into_iter().flatten();
    let Some(rating) = ratings.find(|rating| rating["reply"].is_null()) else {
        return Ok(());
    };
    let id = rating["public_id"].as_str().context("no rating")?;
    let path = format!("/v1/ratings/{id}/reply");
    let body = json!({ "text": dice.pick(&REPLIES) });
    market.post(&path, Some(bearer), &body).await.map(drop)
}
