//! Epochs, and who leads in their slots.

use super::{
    client::{CONFIRMED, SolanaClient},
    nodes::NO_PARAMS,
};
use crate::error::RpcError;
use leasing::EpochPosition;
use primitives::PublicKey;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How a cluster divides slots into epochs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EpochSchedule {
    /// The slots of an epoch, after those of the warm-up.
    pub slots_per_epoch: u64,
    /// How long before an epoch its leaders are known.
    pub leader_schedule_slot_offset: u64,
    /// Whether the first epochs are shorter.
    pub warmup: bool,
    /// The first epoch of full length.
    pub first_normal_epoch: u64,
    /// The first slot of `first_normal_epoch`, counted from the chain's first.
    pub first_normal_slot: u64,
}

/// Who leads when: for each validator identity the slots, counted from the
/// epoch's first.
pub type LeaderSchedule = BTreeMap<PublicKey, Vec<u64>>;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EpochInfo {
    absolute_slot: u64,
    epoch: u64,
    slot_index: u64,
    slots_in_epoch: u64,
}

/// An answer whose numbers fit together.
#[derive(Deserialize)]
#[serde(try_from = "EpochInfo")]
struct Position(EpochPosition);

impl TryFrom<EpochInfo> for Position {
    type Error = &'static str;

    fn try_from(info: EpochInfo) -> Result<Self, Self::Error> {
        EpochPosition::new(
            info.epoch,
            info.absolute_slot,
            info.slot_index,
            info.slots_in_epoch,
        )
        .map(Self)
        .ok_or("a slot outside of its epoch")
    }
}

/// Whose slots are asked for.
#[derive(Serialize)]
struct OfIdentity {
    #[serde(skip_serializing_if = "Option::is_none")]
    identity: Option<PublicKey>,
}

impl SolanaClient {
    /// Where the cluster is, as most of its stake sees it.
    pub async fn epoch_position(&self) -> Result<EpochPosition, RpcError> {
        let Position(position) = self.call("getEpochInfo", &(CONFIRMED,)).await?;
        Ok(position)
    }

    /// How the cluster divides slots into epochs.
    pub async fn epoch_schedule(&self) -> Result<EpochSchedule, RpcError> {
        self.call("getEpochSchedule", &NO_PARAMS).await
    }

    /// Who leads in the epoch of `slot`, or only when `identity` does; `None`
    /// if that epoch is not known (yet).
    pub async fn leader_schedule(
        &self,
        slot: u64,
        identity: Option<PublicKey>,
    ) -> Result<Option<LeaderSchedule>, RpcError> {
        self.call("getLeaderSchedule", &(slot, OfIdentity { identity }))
            .await
    }
}
