//! What one WebSocket connection has subscribed to.

use super::error::{INVALID_SUBSCRIPTION_ID, TOO_MANY_BLOCKS_BACK};
use super::hex::hex;
use super::id::BlockId;
use super::render::HeadJson;
use super::spec::Spec;
use crate::jsonrpc::{Answer, Params, RpcError, result};
use crate::starknet::block::Block;
use crate::starknet::feed::News;
use crate::starknet::node::StarknetNode;
use serde::Serialize;
use serde_json::json;
use std::sync::Arc;

/// Subscriptions of one connection.
const MAX_SUBSCRIPTIONS: usize = 16;

/// How far back a subscription may begin.
const MAX_BLOCKS_BACK: u64 = 1_024;

#[derive(Debug)]
struct Subscription {
    id: u64,
    /// The news up to this one were there before the subscription.
    known: u64,
    /// Blocks of the past that were asked for and not sent yet.
    past: Vec<Arc<Block>>,
}

/// The subscriptions of a connection, all of them to new heads.
#[derive(Debug, Default)]
pub(super) struct Subscriptions {
    list: Vec<Subscription>,
    made: u64,
}

impl Subscriptions {
    /// Subscribes to all blocks from the one that is named; without one, or from
    /// the latest, to those that are still to come.
    pub(super) fn subscribe(&mut self, node: &StarknetNode, params: Params) -> Answer {
        let id: Option<BlockId> = params.named(&["block_id"])?.optional("block_id")?;
        if self.list.len() >= MAX_SUBSCRIPTIONS {
            return Err(RpcError::invalid_params(format!(
                "a connection has at most {MAX_SUBSCRIPTIONS} subscriptions"
            )));
        }
        let (known, past) = {
            let chain = node.read();
            let past = match id {
                None | Some(BlockId::Latest) => Vec::new(),
                Some(BlockId::PreConfirmed | BlockId::L1Accepted) => {
                    return Err(RpcError::invalid_params(
                        "block_id: expected latest, block_number or block_hash",
                    ));
                }
                Some(id) => {
                    let from = id.state_at(&chain)?;
                    if from.saturating_add(MAX_BLOCKS_BACK) < chain.head().number {
                        return Err(TOO_MANY_BLOCKS_BACK);
                    }
                    chain.range(from, u64::MAX)
                }
            };
            (node.feed().last(), past)
        };
        self.made += 1;
        let id = self.made;
        self.list.push(Subscription { id, known, past });
        result(&id.to_string())
    }

    pub(super) fn unsubscribe(&mut self, params: Params) -> Answer {
        let id: String = params
            .named(&["subscription_id"])?
            .required("subscription_id")?;
        let index = self.list.iter().position(|one| one.id.to_string() == id);
        let index = index.ok_or(INVALID_SUBSCRIPTION_ID)?;
        self.list.remove(index);
        result(&true)
    }

    /// Notifications of the blocks of the past that are still due.
    pub(super) fn past(&mut self, spec: Spec) -> impl Iterator<Item = Answer> {
        self.list.iter_mut().flat_map(move |subscription| {
            let past = std::mem::take(&mut subscription.past);
            let id = subscription.id;
            past.into_iter()
                .map(move |block| new_head(id, &block, spec))
        })
    }

    /// Notifications of news to all subscriptions that do not know them.
    pub(super) fn news(
        &self,
        number: u64,
        news: &News,
        spec: Spec,
    ) -> impl Iterator<Item = Answer> {
        self.list
            .iter()
            .filter(move |subscription| subscription.known < number)
            .map(move |subscription| match news {
                News::Head(block) => new_head(subscription.id, block, spec),
                News::Reorg { first, last } => notification(
                    "starknet_subscriptionReorg",
                    subscription.id,
                    &json!({
                        "starting_block_hash": hex(&first.hash),
                        "starting_block_number": first.number,
                        "ending_block_hash": hex(&last.hash),
                        "ending_block_number": last.number,
                    }),
                ),
            })
    }
}

fn new_head(id: u64, block: &Block, spec: Spec) -> Answer {
    let head = HeadJson::new(block, spec);
    notification("starknet_subscriptionNewHeads", id, &head)
}

fn notification(method: &'static str, id: u64, news: &impl Serialize) -> Answer {
    #[derive(Serialize)]
    struct Notification<'n, T> {
        jsonrpc: &'static str,
        method: &'static str,
        params: Notified<'n, T>,
    }
    #[derive(Serialize)]
    struct Notified<'n, T> {
        subscription_id: String,
        result: &'n T,
    }
    result(&Notification {
        jsonrpc: "2.0",
        method,
        params: Notified {
            subscription_id: id.to_string(),
            result: news,
        },
    })
}
