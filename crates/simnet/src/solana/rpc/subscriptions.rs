//! What one WebSocket connection waits for.

use super::error::invalid;
use super::params::{At, VERSION};
use crate::jsonrpc::{Answer, Params, RpcError, result};
use crate::solana::chain::{Chain, Commitment};
use crate::solana::failure::TransactionError;
use crate::solana::node::SolanaNode;
use crate::solana::timeline::block_at;
use primitives::Signature;
use serde_json::{Value, json};

/// Subscriptions of one connection.
const MAX_SUBSCRIPTIONS: usize = 64;

#[derive(Debug)]
enum Awaited {
    /// A transaction that is as sure as this; then the subscription ends.
    Signature(Signature, Commitment),
    /// A slot after this one.
    Slot(u64),
}

/// The subscriptions of a connection.
#[derive(Debug, Default)]
pub(super) struct Subscriptions {
    list: Vec<(u64, Awaited)>,
    made: u64,
}

impl Subscriptions {
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn await_signature(&mut self, params: Params) -> Answer {
        let mut arguments = params.named(&["signature", "config"])?;
        let signature: Signature = arguments.required("signature")?;
        let at: At = arguments.optional("config")?.unwrap_or_default();
        self.add(Awaited::Signature(signature, at.commitment()))
    }

    pub(super) fn await_slots(&mut self, node: &SolanaNode, params: Params) -> Answer {
        params.named(&[])?;
        self.add(Awaited::Slot(node.slot()))
    }

    fn add(&mut self, awaited: Awaited) -> Answer {
        if self.list.len() >= MAX_SUBSCRIPTIONS {
            return Err(invalid(format!(
                "a connection has at most {MAX_SUBSCRIPTIONS} subscriptions"
            )));
        }
        self.made += 1;
        self.list.push((self.made, awaited));
        result(&self.made)
    }

    pub(super) fn end(&mut self, params: Params) -> Answer {
        let id: u64 = params.named(&["subscription"])?.required("subscription")?;
        let index = self.list.iter().position(|(known, _)| *known == id);
        let index = index.ok_or_else(|| RpcError::new(-32602, "Invalid subscription id."))?;
        self.list.remove(index);
        result(&true)
    }

    /// What has come since the last look.
    pub(super) fn news(&mut self, chain: &Chain) -> Vec<Answer> {
        let mut news = Vec::new();
        self.list.retain_mut(|(id, awaited)| match awaited {
            Awaited::Signature(signature, commitment) => {
                let told = landed(chain, signature, *commitment);
                let is_awaited = told.is_none();
                news.extend(told.map(|told| notification("signatureNotification", *id, &told)));
                is_awaited
            }
            Awaited::Slot(known) => {
                let newest = chain.head(Commitment::Processed);
                if newest > *known {
                    *known = newest;
                    news.push(notification("slotNotification", *id, &slot(chain, newest)));
                }
                true
            }
        });
        news
    }
}

/// How a transaction ended, if it is there and sure enough.
fn landed(chain: &Chain, signature: &Signature, commitment: Commitment) -> Option<Value> {
    let head = chain.head(commitment);
    let entry = chain.history().by_signature(signature)?;
    let error = entry.outcome.error.map(TransactionError::json);
    (entry.slot <= head).then(|| {
        json!({
            "context": {"apiVersion": VERSION, "slot": head},
            "value": {"err": error},
        })
    })
}

fn slot(chain: &Chain, slot: u64) -> Value {
    json!({
        "parent": block_at(slot.saturating_sub(1)),
        "root": chain.head(Commitment::Finalized),
        "slot": slot,
    })
}

fn notification(method: &str, subscription: u64, news: &Value) -> Answer {
    result(&json!({
        "jsonrpc": "2.0",
        "method": method,
        "params": {"result": news, "subscription": subscription},
    }))
}
