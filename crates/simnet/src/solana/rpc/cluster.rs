//! The chain itself: slots, epochs, validators.

use super::error::{block_not_available, invalid, slot_skipped};
use super::params::{At, VERSION, at_slot};
use crate::jsonrpc::{Answer, Params, RpcError, result};
use crate::objects::Objects;
use crate::solana::chain::{Chain, Commitment};
use crate::solana::node::SolanaNode;
use crate::solana::timeline::{block_at, height, is_skipped};
use crate::solana::validators::Vote;
use primitives::{Lamports, PublicKey};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Slots without a vote after which a validator counts as delinquent.
const DELINQUENT_SLOTS: u64 = 128;

/// What tells apart which features a node has; this one's.
const FEATURE_SET: u32 = 0x53_54_4f_41;

pub(super) fn health(node: &SolanaNode) -> Answer {
    match node.failure() {
        None => result("ok"),
        Some(error) => Err(RpcError::new(-32005, "Node is unhealthy")
            .with_data(json!({ "numSlotsBehind": null, "reason": error.reason() }))),
    }
}

pub(super) fn version() -> Answer {
    result(&json!({"solana-core": VERSION, "feature-set": FEATURE_SET}))
}

pub(super) fn genesis_hash(node: &SolanaNode) -> Answer {
    result(&node.genesis_hash())
}

/// The newest block, or one that far behind it.
fn head(chain: &Chain, params: Params, behind: u64) -> Result<u64, RpcError> {
    let at: At = params
        .named(&["config"])?
        .optional("config")?
        .unwrap_or_default();
    Ok(block_at(at.head(chain)?.saturating_sub(behind)))
}

pub(super) fn slot(node: &SolanaNode, params: Params, behind: u64) -> Answer {
    result(&node.look(|chain| head(chain, params, behind))?)
}

pub(super) fn block_height(node: &SolanaNode, params: Params, behind: u64) -> Answer {
    result(&node.look(|chain| head(chain, params, behind).map(height))?)
}

pub(super) fn transaction_count(node: &SolanaNode, params: Params) -> Answer {
    let count = |chain: &Chain| {
        let head = head(chain, params, 0)?;
        Ok::<_, RpcError>(chain.history().count_until(head))
    };
    result(&node.look(count)?)
}

pub(super) fn block_time(node: &SolanaNode, params: Params) -> Answer {
    let slot: u64 = params.named(&["slot"])?.required("slot")?;
    node.look(|chain| {
        if slot > chain.head(Commitment::Confirmed) {
            return Err(block_not_available(slot));
        }
        if is_skipped(slot) {
            return Err(slot_skipped(slot));
        }
        result(&chain.time_of(slot))
    })
}

pub(super) fn epoch_info(node: &SolanaNode, params: Params, behind: u64) -> Answer {
    node.look(|chain| {
        let slot = head(chain, params, behind)?;
        let length = chain.rules.slots_per_epoch;
        result(&json!({
            "absoluteSlot": slot,
            "blockHeight": height(slot),
            "epoch": slot / length,
            "slotIndex": slot % length,
            "slotsInEpoch": length,
            "transactionCount": chain.history().count_until(slot),
        }))
    })
}

pub(super) fn epoch_schedule(node: &SolanaNode) -> Answer {
    let length = node.look(|chain| chain.rules.slots_per_epoch);
    result(&json!({
        "slotsPerEpoch": length,
        "leaderScheduleSlotOffset": length,
        "warmup": false,
        "firstNormalEpoch": 0,
        "firstNormalSlot": 0,
    }))
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct VotesConfig {
    #[serde(flatten)]
    at: At,
    vote_pubkey: Option<PublicKey>,
    keep_unstaked_delinquents: Option<bool>,
    delinquent_slot_distance: Option<u64>,
}

pub(super) fn vote_accounts(node: &SolanaNode, params: Params) -> Answer {
    let config: Option<VotesConfig> = params.named(&["config"])?.optional("config")?;
    let config = config.unwrap_or_default();
    let distance = config.delinquent_slot_distance.unwrap_or(DELINQUENT_SLOTS);
    let keeps_unstaked = config.keep_unstaked_delinquents.unwrap_or(false);
    node.look(|chain| {
        let slot = config.at.head(chain)?;
        let mut votes = chain.world.validators.votes(slot);
        votes.retain(|vote| config.vote_pubkey.is_none_or(|key| key == vote.account));
        let (current, mut delinquent): (Vec<Vote>, Vec<Vote>) = votes
            .into_iter()
            .partition(|vote| vote.last > slot.saturating_sub(distance));
        delinquent.retain(|vote| keeps_unstaked || vote.stake > Lamports::ZERO);
        let render = |votes: Vec<Vote>| votes.iter().map(vote).collect::<Vec<_>>();
        result(&json!({"current": render(current), "delinquent": render(delinquent)}))
    })
}

fn vote(vote: &Vote) -> Value {
    json!({
        "votePubkey": vote.account,
        "nodePubkey": vote.identity,
        "activatedStake": vote.stake,
        "epochVoteAccount": vote.stake > Lamports::ZERO,
        "commission": vote.commission,
        "inflationRewardsCommissionBps": u16::from(vote.commission) * 100,
        "lastVote": vote.last,
        "rootSlot": vote.root,
        "epochCredits": vote.credits,
    })
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ScheduleConfig {
    #[serde(flatten)]
    at: At,
    identity: Option<PublicKey>,
}

/// The first parameter may be the slot or, without one, the configuration.
pub(super) fn leader_schedule(node: &SolanaNode, params: Params) -> Answer {
    let mut arguments = params.named(&["slot", "config"])?;
    let first: Option<Value> = arguments.optional("slot")?;
    let second: Option<ScheduleConfig> = arguments.optional("config")?;
    let (slot, config) = match first {
        None => (None, second),
        Some(config @ Value::Object(_)) => {
            let config = ScheduleConfig::deserialize(Objects(config));
            (
                None,
                Some(config.map_err(|error| invalid(error.to_string()))?),
            )
        }
        Some(slot) => {
            let slot = slot.as_u64();
            let slot = slot.ok_or_else(|| invalid("slot must be a number or null"))?;
            (Some(slot), second)
        }
    };
    let config = config.unwrap_or_default();
    node.look(|chain| {
        let validators = &chain.world.validators;
        let head = config.at.head(chain)?;
        let epoch = validators.epoch(slot.unwrap_or(head));
        // A schedule is made one epoch ahead.
        if epoch > validators.epoch(head) + 1 {
            return result(&Value::Null);
        }
        let schedule = validators.schedule(epoch);
        let wanted = schedule
            .into_iter()
            .filter(|(leader, _)| config.identity.is_none_or(|identity| identity == *leader));
        let schedule: Map<String, Value> = wanted
            .map(|(leader, slots)| (leader.to_string(), json!(slots)))
            .collect();
        result(&schedule)
    })
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ProductionConfig {
    #[serde(flatten)]
    at: At,
    identity: Option<PublicKey>,
    range: Option<SlotRange>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SlotRange {
    first_slot: u64,
    last_slot: Option<u64>,
}

/// Slots and blocks of leaders, of the epoch so far unless a range is given,
/// which may begin in the epoch before.
pub(super) fn block_production(node: &SolanaNode, params: Params) -> Answer {
    let config: Option<ProductionConfig> = params.named(&["config"])?.optional("config")?;
    let config = config.unwrap_or_default();
    node.look(|chain| {
        let (validators, length) = (&chain.world.validators, chain.rules.slots_per_epoch);
        let head = config.at.head(chain)?;
        let epoch = validators.epoch(head);
        let (first, last) = match &config.range {
            Some(range) => (range.first_slot, range.last_slot.unwrap_or(head)),
            None => (epoch * length, head),
        };
        let oldest = epoch.saturating_sub(1) * length;
        if first < oldest {
            let told = format!("firstSlot, {first}, is too small; min {oldest}");
            return Err(invalid(told));
        }
        if last > head {
            return Err(invalid(format!(
                "lastSlot, {last}, is too large; max {head}"
            )));
        }
        if first > last {
            let told = format!("lastSlot, {last}, cannot be less than firstSlot, {first}");
            return Err(invalid(told));
        }
        let mut led: BTreeMap<PublicKey, (u64, u64)> = BTreeMap::new();
        for epoch in validators.epoch(first)..=validators.epoch(last) {
            for (leader, slots) in validators.schedule(epoch) {
                if config.identity.is_some_and(|identity| identity != leader) {
                    continue;
                }
                for slot in slots.into_iter().map(|index| epoch * length + index) {
                    if (first..=last).contains(&slot) {
                        let (slots, blocks) = led.entry(leader).or_default();
                        *slots += 1;
                        *blocks += u64::from(!is_skipped(slot));
                    }
                }
            }
        }
        let led: Map<String, Value> = led
            .into_iter()
            .map(|(leader, counts)| (leader.to_string(), json!(counts)))
            .collect();
        let value = json!({
            "byIdentity": led,
            "range": {"firstSlot": first, "lastSlot": last},
        });
        at_slot(head, &value)
    })
}
