//! Whether processes that serve the same store say the same.

use super::Finding;
use crate::config::Config;
use anyhow::Context as _;
use reqwest::{Client, header::ETAG};
use serde_json::Value;
use std::time::Duration;
use url::Url;

const REPLICAS: &str = "replicas";

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Looks until all are at one block: they come to it one after the other.
const LOOKS: u32 = 40;
const BETWEEN_LOOKS: Duration = Duration::from_millis(250);

/// What a replica serves.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Shown {
    block: u64,
    hash: String,
    digest: String,
    /// Entity tags of a sample of answers.
    tags: Vec<String>,
}

pub(super) async fn check(config: &Config, replicas: &[Url]) -> Vec<Finding> {
    match compared(config, replicas).await {
        Ok(finding) => vec![finding],
        Err(error) => vec![Finding::fail(REPLICAS, format!("{error:#}"))],
    }
}

async fn compared(config: &Config, replicas: &[Url]) -> anyhow::Result<Finding> {
    let http = Client::builder().timeout(PATIENCE).build()?;
    let mut last = Vec::new();
    for _ in 0..LOOKS {
        let mut shown = Vec::new();
        for replica in replicas {
            let seen = look(&http, config, replica).await;
            shown.push(seen.with_context(|| format!("{replica}"))?);
        }
        if let Some(finding) = judge(replicas, &shown) {
            return Ok(finding);
        }
        last = shown.iter().map(|shown| shown.block).collect();
        tokio::time::sleep(BETWEEN_LOOKS).await;
    }
    let detail = format!("never at the same block, last at {last:?}: see /readyz of each");
    Ok(Finding::fail(REPLICAS, detail))
}

/// Nothing while they are at different heights.
fn judge(replicas: &[Url], shown: &[Shown]) -> Option<Finding> {
    let first = shown.first()?;
    if shown.iter().any(|other| other.block != first.block) {
        return None;
    }
    let wrong = replicas
        .iter()
        .zip(shown)
        .find(|(_, other)| *other != first);
    Some(match wrong {
        None => Finding::ok(
            REPLICAS,
            format!(
                "{} say the same at block {}: digest {}, {} answers",
                shown.len(),
                first.block,
                first.digest,
                first.tags.len()
            ),
        ),
        Some((replica, other)) => {
            let what = if other.hash != first.hash {
                "has another block"
            } else if other.digest != first.digest {
                "has other pools or prices: restart it, and report this"
            } else {
                "answers otherwise: are its settings the same?"
            };
            let detail = format!("{replica} {what}, at height {}", first.block);
            Finding::fail(REPLICAS, detail)
        }
    })
}

/// What a replica serves at one block: it must be the same after the sample.
async fn look(http: &Client, config: &Config, replica: &Url) -> anyhow::Result<Shown> {
    let network = &config.api.network;
    // What the wider market says is not in them: each process asks for it by itself.
    let sample = [0, 1, 2].map(|page| format!("/v1/{network}/tokens?size=50&page={page}"));
    for _ in 0..LOOKS {
        let before = standing(http, replica).await?;
        let mut tags = Vec::new();
        for path in &sample {
            let answer = http.get(replica.join(path)?).send().await?;
            let answer = answer.error_for_status()?;
            let tag = answer.headers().get(ETAG).and_then(|tag| tag.to_str().ok());
            tags.push(tag.unwrap_or("none").to_owned());
        }
        if standing(http, replica).await? == before {
            let (block, hash, digest) = before;
            return Ok(Shown {
                block,
                hash,
                digest,
                tags,
            });
        }
    }
    anyhow::bail!("its blocks come faster than it can be asked")
}

async fn standing(http: &Client, replica: &Url) -> anyhow::Result<(u64, String, String)> {
    let answer = http.get(replica.join("/readyz")?).send().await?;
    let health: Value = serde_json::from_slice(&answer.bytes().await?)?;
    let value = |name: &str| health.pointer(&format!("/parts/starknet/{name}"));
    let text = |name: &str| value(name).and_then(Value::as_str).unwrap_or("none");
    let block = value("blockNumber").and_then(Value::as_u64);
    Ok((
        block.context("serves no block yet")?,
        text("blockHash").to_owned(),
        text("digest").to_owned(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(block: u64, hash: &str, digest: &str) -> Shown {
        Shown {
            block,
            hash: hash.to_owned(),
            digest: digest.to_owned(),
            tags: vec!["\"a\"".to_owned()],
        }
    }

    #[test]
    fn replicas_are_compared_at_the_same_height_alone() {
        let urls = ["http://a", "http://b"].map(|url| url.parse().unwrap());
        let judged = |other: Shown| judge(&urls, &[shown(5, "0x1", "aa"), other]);
        assert!(judged(shown(6, "0x2", "bb")).is_none());
        assert!(!judged(shown(5, "0x1", "aa")).unwrap().is_failure());
        for (other, told) in [
            (shown(5, "0x9", "aa"), "another block"),
            (shown(5, "0x1", "bb"), "other pools or prices"),
            (
                Shown {
                    tags: vec!["\"b\"".to_owned()],
                    ..shown(5, "0x1", "aa")
                },
                "answers otherwise",
            ),
        ] {
            let finding = judged(other).unwrap();
            assert!(finding.is_failure());
            assert!(finding.detail.contains(told), "{}", finding.detail);
            assert!(finding.detail.contains("http://b"), "{}", finding.detail);
        }
    }
}
