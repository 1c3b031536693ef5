//! Lease tokens: a new key for the market, and the check that a validator's
//! gateway makes.

use crate::{
    cli::LeaseTokenAction,
    config::Config,
    console::{say, say_about},
    wiring::{self, Refused, RotateError},
};
use anyhow::{Context as _, anyhow, bail};
use leasing::{Gateway, Jwks, Revocations, verify_lease_token};
use std::{fs, io::Read as _, path::Path, time::Duration};
use url::Url;

/// No list of keys or of revocations is longer, and no token either.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// Pages of the feed of revocations that are read at most.
const MAX_PAGES: usize = 1_000;

/// How long a market may take to tell its keys.
const PATIENCE: Duration = Duration::from_secs(10);

/// Checks a token as a gateway does, and shows what it says.
pub(super) async fn verify(action: &LeaseTokenAction) -> anyhow::Result<()> {
    let LeaseTokenAction::Verify {
        jwks,
        issuer,
        identity,
        epoch,
        revocations,
        token,
    } = action
    else {
        bail!("this is no check of a token");
    };
    let keys: Jwks = serde_json::from_slice(&read(jwks).await?)
        .with_context(|| format!("{jwks} is no list of keys"))?;
    let revoked = match revocations {
        Some(source) => read_feed(source).await?,
        None => Revocations::default(),
    };
    let gateway = Gateway {
        identity: *identity,
        issuer,
        now: wiring::clock().now(),
        epoch: *epoch,
    };
    let token = match token.as_deref() {
        Some(token) if token != "-" => token.to_owned(),
        _ => from_input()?,
    };
    let claims = verify_lease_token(token.trim(), &keys, &gateway, |id| revoked.has(id));
    let claims = claims.map_err(|refusal| anyhow!("the token is not good: {refusal}"))?;
    say(serde_json::to_string_pretty(&claims)?);
    Ok(())
}

/// Makes a new key in the ledger.
pub(super) async fn rotate(config: &Config) -> anyhow::Result<()> {
    if config.leasing.token_key.is_some() || config.leasing.token_signer.is_some() {
        bail!(
            "the key is not kept in the ledger: see leasing.token_key, leasing.next_token_key and \
             leasing.token_signer"
        );
    }
    let store = wiring::open_store(config, wiring::Ledger::Kept).await?;
    let rotated = wiring::market_without_node(&store)
        .lease_tokens
        .rotate()
        .await;
    store.close().await;
    let key = rotated.map_err(|refused| match refused {
        Refused::Rejected(RotateError::UnderWay(until)) => {
            anyhow!("the last new key signs from {until} on; until then there is no other")
        }
        Refused::Rejected(RotateError::NotOurs) => anyhow!("the key is not kept in the ledger"),
        Refused::Fault(fault) => fault.into(),
    })?;
    say_about("kid", &key.kid);
    say_about("signs from", key.signs_from);
    Ok(())
}

/// All of the feed of revocations at an address, or a page of it in a file.
async fn read_feed(source: &str) -> anyhow::Result<Revocations> {
    let context = || format!("{source} is no list of revocations");
    let mut revoked = Revocations::default();
    let mut next = revoked.add(&read(source).await?).with_context(context)?;
    for _ in 1..MAX_PAGES {
        let (Some(cursor), Ok(mut page)) = (next, Url::parse(source)) else {
            return Ok(revoked);
        };
        page.query_pairs_mut().append_pair("cursor", &cursor);
        let body = read(page.as_str()).await?;
        next = revoked.add(&body).with_context(context)?;
    }
    bail!("{source} has more than {MAX_PAGES} pages")
}

/// What is at an address or in a file.
async fn read(source: &str) -> anyhow::Result<Vec<u8>> {
    let context = || format!("cannot read {source}");
    let url = Url::parse(source).ok();
    match url.filter(|url| matches!(url.scheme(), "http" | "https")) {
        Some(url) => fetch(url).await.with_context(context),
        None => from_file(Path::new(source)).with_context(context),
    }
}

async fn fetch(url: Url) -> anyhow::Result<Vec<u8>> {
    let http = reqwest::Client::builder().timeout(PATIENCE).build()?;
    let mut answer = http.get(url).send().await?.error_for_status()?;
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await? {
        body.extend_from_slice(&chunk);
        if u64::try_from(body.len())? > MAX_BYTES {
            bail!("it is longer than {MAX_BYTES} bytes");
        }
    }
    Ok(body)
}

fn from_file(path: &Path) -> anyhow::Result<Vec<u8>> {
    if fs::metadata(path)?.len() > MAX_BYTES {
        bail!("it is longer than {MAX_BYTES} bytes");
    }
    Ok(fs::read(path)?)
}

fn from_input() -> anyhow::Result<String> {
    let mut text = String::new();
    let mut input = std::io::stdin().take(MAX_BYTES);
    input.read_to_string(&mut text).context("no token came")?;
    Ok(text)
}
