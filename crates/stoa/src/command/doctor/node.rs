//! The node, and the clock that is compared with its blocks.

use super::Finding;
use crate::{
    config::{Config, Role},
    network::Network,
    wiring,
};
use primitives::{Address, BlockRef, Felt, SignedDuration, Timestamp};

const NODE: &str = "node";
const CLOCK: &str = "clock";

/// A block from further ahead than this means that our clock is behind.
const MAX_AHEAD: SignedDuration = SignedDuration::from_secs(60);

/// A clock before this is not set: the program is younger.
const EARLIEST: Timestamp = Timestamp::constant(1_735_689_600, 0);

/// A clock after this is not set either.
const LATEST: Timestamp = Timestamp::constant(4_102_444_800, 0);

/// The findings, and the network if it is known.
pub(super) async fn check(config: &Config) -> (Vec<Finding>, Option<Network>) {
    let now = wiring::clock().now();
    let mut findings = Vec::new();
    let (mut network, mut head_time) = (None, None);
    match &config.starknet.rpc {
        None => {
            findings.push(Finding::ok(NODE, simulated(config)));
            network = Some(Network::simulated());
        }
        Some(urls) => {
            for url in urls.iter() {
                match ask(config, url.expose().clone()).await {
                    Ok(answer) => {
                        findings.push(answer.finding(config, now));
                        network = network.or(Some(answer.network));
                        head_time = head_time.max(Some(answer.head_time));
                    }
                    Err(error) => {
                        let detail = format!("{url}: {error:#}; see --starknet-rpc");
                        findings.push(Finding::fail(NODE, detail));
                    }
                }
            }
        }
    }
    findings.push(clock(now, head_time));
    (findings, network)
}

fn simulated(config: &Config) -> &'static str {
    if config.process.roles.contains(&Role::Indexer) {
        "simulated: will be started"
    } else {
        "none needed: follows the indexer of another process"
    }
}

/// What a node says.
struct Answer {
    network: Network,
    spec: String,
    head: u64,
    head_time: Timestamp,
    /// The first block that will be indexed.
    wanted: u64,
    /// Why contracts cannot be called there, if they cannot.
    pruned: Option<String>,
}

async fn ask(config: &Config, url: url::Url) -> anyhow::Result<Answer> {
    let node = wiring::client(config, url)?;
    let spec = node.spec_version().await?.to_string();
    let network = Network::of(node.chain_id().await?, config.starknet.expect_chain_id)?;
    let head = node.head().await?.number;
    let blocks = node.blocks(head..=head).await?;
    let block = blocks.first();
    let block = block.ok_or_else(|| anyhow::anyhow!("it does not have its own newest block"))?;
    let wanted = first_wanted(config).await.min(head);
    let hash = node.block_hash(wanted).await?;
    let hash = hash.ok_or_else(|| anyhow::anyhow!("it does not have block {wanted}"))?;
    let at = BlockRef {
        number: wanted,
        hash,
    };
    let state = node.check_calls(Address::new(Felt::ONE), at).await;
    Ok(Answer {
        wanted,
        pruned: state
            .err()
            .map(|error| anyhow::Error::new(error).root_cause().to_string()),
        network,
        spec,
        head,
        head_time: block.time,
    })
}

/// The first block that will be indexed: after the newest one that is stored.
async fn first_wanted(config: &Config) -> u64 {
    let stored = async {
        if wiring::is_to_be_made(&wiring::location(config)) {
            return None;
        }
        let store = wiring::inspect_store(config).await.ok()?;
        let tip = store.chain().tip().await;
        store.close().await;
        tip.ok()?
    };
    let next = stored.await.map(|tip| tip.number.saturating_add(1));
    next.unwrap_or(config.starknet.start_block)
}

impl Answer {
    fn finding(&self, config: &Config, now: Timestamp) -> Finding {
        let age = now.duration_since(self.head_time).as_secs().max(0);
        let Self {
            network,
            spec,
            head,
            ..
        } = self;
        let detail = format!("{network}, spec {spec}, block {head} of {age} s ago");
        if let Some(reason) = &self.pruned {
            let wanted = self.wanted;
            let detail = format!(
                "{detail}; it cannot call contracts at block {wanted}, the first to be indexed \
                 ({reason}): use a node that keeps the state of old blocks, or a later \
                 starknet.start_block"
            );
            return Finding::fail(NODE, detail);
        }
        let limit = config.starknet.max_head_age.as_secs();
        if u64::try_from(age).is_ok_and(|age| age > limit) {
            let detail = format!("{detail}; older than starknet.max_head_age, is the node synced?");
            return Finding::warn(NODE, detail);
        }
        Finding::ok(NODE, detail)
    }
}

fn clock(now: Timestamp, head_time: Option<Timestamp>) -> Finding {
    if !(EARLIEST..LATEST).contains(&now) {
        return Finding::fail(
            CLOCK,
            format!("{now:.0} cannot be; set this machine's clock"),
        );
    }
    let ahead = head_time.map(|time| time.duration_since(now));
    match ahead {
        Some(ahead) if ahead > MAX_AHEAD => {
            let seconds = ahead.as_secs();
            let detail =
                format!("{seconds} s behind the chain's newest block; set this machine's clock");
            Finding::fail(CLOCK, detail)
        }
        Some(_) => Finding::ok(CLOCK, format!("{now:.0}, not behind the chain")),
        None => Finding::ok(CLOCK, format!("{now:.0}")),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::finding::Verdict, *};

    #[test]
    fn a_clock_that_is_unset_or_behind_the_chain_fails() {
        let now = EARLIEST.checked_add(SignedDuration::from_hours(1)).unwrap();
        let later = |seconds| now.checked_add(SignedDuration::from_secs(seconds)).unwrap();
        for (clock_time, head, verdict) in [
            (now, None, Verdict::Ok),
            (now, Some(later(-3_600)), Verdict::Ok),
            (now, Some(later(60)), Verdict::Ok),
            (now, Some(later(61)), Verdict::Fail),
            (Timestamp::UNIX_EPOCH, None, Verdict::Fail),
            (LATEST, None, Verdict::Fail),
        ] {
            assert_eq!(
                clock(clock_time, head).verdict,
                verdict,
                "{clock_time} {head:?}"
            );
        }
    }
}
