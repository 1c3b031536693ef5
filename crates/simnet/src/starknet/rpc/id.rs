//! How requests name blocks.

use super::error::BLOCK_NOT_FOUND;
use super::hex::FeltParam;
use crate::jsonrpc::RpcError;
use crate::starknet::block::Block;
use crate::starknet::chain::Chain;
use crate::starknet::execution::View;
use primitives::Felt;
use serde::de::{Deserialize, Deserializer, Error as _};
use serde_json::Value;
use std::sync::Arc;

/// A block, named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockId {
    Number(u64),
    Hash(Felt),
    Latest,
    L1Accepted,
    PreConfirmed,
}

impl BlockId {
    /// The block that is meant; `None` for the one that is being made.
    pub(super) fn sealed(self, chain: &Chain) -> Result<Option<&Arc<Block>>, RpcError> {
        match self {
            Self::Number(number) => chain.by_number(number),
            Self::Hash(hash) => chain.by_hash(hash),
            Self::Latest => Some(chain.head()),
            Self::L1Accepted => chain.by_number(chain.l1_accepted_number()),
            Self::PreConfirmed => return Ok(None),
        }
        .ok_or(BLOCK_NOT_FOUND)
        .map(Some)
    }

    /// The height whose state is meant.
    pub(super) fn state_at(self, chain: &Chain) -> Result<u64, RpcError> {
        let block = self.sealed(chain)?;
        Ok(block.map_or(chain.open().number, |block| block.number))
    }

    /// What calls see at this block, or in the one that is being made at `now`.
    pub(super) fn view(self, chain: &Chain, now: u64) -> Result<View<'_>, RpcError> {
        let block = self.sealed(chain)?;
        Ok(block.map_or_else(|| chain.view_of_open(now), |block| chain.view(block.number)))
    }

    fn read(value: Value) -> Result<Self, String> {
        match value {
            Value::String(tag) => match tag.as_str() {
                "latest" => Ok(Self::Latest),
                "l1_accepted" => Ok(Self::L1Accepted),
                "pre_confirmed" => Ok(Self::PreConfirmed),
                _ => Err(format!(
                    "unknown tag {tag:?}, expected latest, l1_accepted or pre_confirmed"
                )),
            },
            Value::Object(fields) => {
                let mut fields = fields.into_iter();
                let (Some((name, value)), None) = (fields.next(), fields.next()) else {
                    return Err("expected either block_number or block_hash".to_owned());
                };
                match name.as_str() {
                    "block_number" => value
                        .as_u64()
                        .map(Self::Number)
                        .ok_or_else(|| "block_number must be a whole number".to_owned()),
                    "block_hash" => serde_json::from_value(value)
                        .map(|FeltParam(hash)| Self::Hash(hash))
                        .map_err(|error| format!("block_hash: {error}")),
                    _ => Err(format!("unknown field {name:?}")),
                }
            }
            _ => Err("expected a tag or an object".to_owned()),
        }
    }
}

impl<'de> Deserialize<'de> for BlockId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::read(Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}
