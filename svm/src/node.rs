//! The simulated node, asked as clients ask it.

use crate::{Holding, Verdict};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use primitives::{Lamports, ManualClock, PublicKey, SolanaHash, Timestamp};
use serde_json::{Value, json};
use simnet::{SolanaConfig, SolanaNode};
use std::sync::Arc;

/// Slots after which a transaction is confirmed, whether or not every slot has
/// a block.
const CONFIRMED: u64 = 5;

pub(crate) struct Node(SolanaNode);

impl Node {
    pub(crate) fn new(seed: u64) -> Self {
        let start = Timestamp::from_second(1_800_000_000).unwrap();
        let config = SolanaConfig {
            seed,
            ..SolanaConfig::default()
        };
        Self(SolanaNode::new(config, Arc::new(ManualClock::new(start))))
    }

    pub(crate) fn fund(&self, key: PublicKey, lamports: u64) {
        self.0.airdrop(key, Lamports::new(lamports)).unwrap();
        self.pass(CONFIRMED);
    }

    pub(crate) fn pass(&self, slots: u64) {
        self.0.mine(slots).unwrap();
    }

    fn ask(&self, method: &str, params: &Value) -> Result<Value, Value> {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let answer = self.0.answer(request.to_string().as_bytes()).unwrap();
        let mut answer: Value = serde_json::from_str(&answer).unwrap();
        match answer.get_mut("error") {
            Some(error) => Err(error.take()),
            None => Ok(answer["result"].take()),
        }
    }

    pub(crate) fn blockhash(&self) -> SolanaHash {
        let latest = self.ask("getLatestBlockhash", &json!([{"commitment": "processed"}]));
        let latest = latest.unwrap();
        latest["value"]["blockhash"]
            .as_str()
            .unwrap()
            .parse()
            .unwrap()
    }

    pub(crate) fn holding(&self, key: PublicKey) -> Option<Holding> {
        let nothing = json!({"offset": 0, "length": 0});
        let config = json!({"commitment": "processed", "encoding": "base64", "dataSlice": nothing});
        let account = self.ask("getAccountInfo", &json!([key, config])).unwrap();
        let account = &account["value"];
        Some(Holding {
            lamports: account["lamports"].as_u64()?,
            owner: account["owner"].as_str()?.parse().unwrap(),
            space: usize::try_from(account["space"].as_u64()?).unwrap(),
        })
    }

    /// Sends a transaction, and once more without a preflight if that was
    /// against it: what the preflight says and what happens must agree.
    pub(crate) fn execute(&self, bytes: &[u8]) -> Verdict {
        let since = self.0.slot();
        match self.send(bytes, false) {
            Ok(signature) => {
                let landed = self.landed(&signature, since).unwrap();
                assert!(
                    matches!(&landed, Verdict::Landed { error, .. } if error.is_null()),
                    "the preflight was for it: {landed:?}"
                );
                landed
            }
            Err(error) if error["code"] == -32002 => {
                let signature = self.send(bytes, true).unwrap();
                let reason = reason(&error, "Transaction simulation failed: ");
                match self.landed(&signature, since) {
                    Some(Verdict::Landed { error: landed, fee }) => {
                        assert_eq!(landed, error["data"]["err"], "other than the preflight");
                        Verdict::Landed { error: landed, fee }
                    }
                    _ => Verdict::Refused(reason),
                }
            }
            Err(error) if error["code"] == -32003 => Verdict::Unsigned,
            Err(error) => {
                let message = error["message"].as_str().unwrap();
                match message.strip_prefix("invalid transaction: ") {
                    Some(reason) => Verdict::Refused(reason.to_owned()),
                    None => Verdict::Unreadable,
                }
            }
        }
    }

    fn send(&self, bytes: &[u8], skip_preflight: bool) -> Result<Value, Value> {
        let config = json!({
            "encoding": "base64",
            "skipPreflight": skip_preflight,
            "preflightCommitment": "processed",
        });
        let text = BASE64_STANDARD.encode(bytes);
        self.ask("sendTransaction", &json!([text, config]))
    }

    /// How a transaction ended, if it is in the chain after this slot.
    fn landed(&self, signature: &Value, since: u64) -> Option<Verdict> {
        self.pass(CONFIRMED);
        let config = json!({"commitment": "confirmed", "maxSupportedTransactionVersion": 0});
        let mut read = self
            .ask("getTransaction", &json!([signature, config]))
            .unwrap();
        (read["slot"].as_u64()? > since).then(|| Verdict::Landed {
            error: read["meta"]["err"].take(),
            fee: read["meta"]["fee"].as_u64().unwrap(),
        })
    }
}

fn reason(error: &Value, prefix: &str) -> String {
    let message = error["message"].as_str().unwrap();
    message.strip_prefix(prefix).unwrap().to_owned()
}
