//! Transactions and parameters as clients send them, and as they are echoed.

use super::hex::Hex;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use trading::paymaster::{Deployment, FeeMode, PoolFee, SelectedCall, TimeBounds, Tip};

/// The most calls that are built into one transaction, the one that pays left out.
pub(super) const MAX_CALLS: usize = 256;

/// A call of a function by its selector, not by its name.
#[derive(Debug, Deserialize)]
pub(super) struct CallParam {
    to: Hex,
    selector: Hex,
    calldata: Vec<Hex>,
}

impl CallParam {
    pub(super) fn call(&self) -> SelectedCall {
        SelectedCall {
            to: self.to.address(),
            selector: self.selector.0,
            calldata: Hex::felts(&self.calldata),
        }
    }
}

/// Calls that the account at `user_address` is to make, still unsigned.
#[derive(Debug, Deserialize)]
pub(super) struct InvokeParam {
    pub(super) user_address: Hex,
    calls: Vec<CallParam>,
}

impl InvokeParam {
    pub(super) fn calls(&self) -> Vec<SelectedCall> {
        self.calls.iter().map(CallParam::call).collect()
    }

    pub(super) fn is_too_long(&self) -> bool {
        self.calls.len() > MAX_CALLS
    }
}

/// Where actions are to be applied: what they are is known when they are executed.
#[derive(Debug, Deserialize)]
pub(super) struct ApplyActionParam {
    pub(super) pool_address: Hex,
}

/// An account that is not there yet.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct DeploymentParam {
    address: Hex,
    class_hash: Hex,
    salt: Hex,
    calldata: Vec<Hex>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sigdata: Option<Vec<Hex>>,
    version: DeploymentVersion,
}

impl DeploymentParam {
    pub(super) fn deployment(&self) -> Deployment {
        Deployment {
            address: self.address.address(),
            class_hash: self.class_hash.0,
            salt: self.salt.0,
            calldata: Hex::felts(&self.calldata),
            sigdata: self.sigdata.as_deref().map_or(Vec::new(), Hex::felts),
        }
    }
}

/// Always 1.
#[derive(Debug, Clone, Copy, Serialize)]
struct DeploymentVersion(u8);

impl<'de> Deserialize<'de> for DeploymentVersion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u8::deserialize(deserializer)? {
            1 => Ok(Self(1)),
            _ => Err(D::Error::custom("the version of a deployment must be 1")),
        }
    }
}

/// How something is paid, and when it may be done.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ParametersParam {
    version: Version,
    pub(super) fee_mode: FeeModeParam,
    #[serde(default)]
    time_bounds: Option<BoundsParam>,
}

impl ParametersParam {
    pub(super) fn bounds(&self) -> Option<TimeBounds> {
        let BoundsParam {
            execute_after,
            execute_before,
        } = self.time_bounds?;
        Some(TimeBounds {
            execute_after,
            execute_before,
        })
    }
}

/// Always `0x1`.
#[derive(Debug, Clone, Copy, Serialize)]
struct Version(&'static str);

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Hex::deserialize(deserializer)? {
            Hex(version) if version == primitives::Felt::ONE => Ok(Self("0x1")),
            _ => Err(D::Error::custom("version must be \"0x1\"")),
        }
    }
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct BoundsParam {
    execute_after: u64,
    execute_before: u64,
}

/// Who pays. What is echoed has a tip, although none was sent.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(tag = "mode", rename_all = "snake_case")]
pub(super) enum FeeModeParam {
    Default {
        gas_token: Hex,
        #[serde(default)]
        tip: TipParam,
    },
    Sponsored {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pool_fee: Option<PoolFeeParam>,
        #[serde(default)]
        tip: TipParam,
    },
    SponsoredPrivate {
        pool_fee_token: Hex,
        #[serde(default)]
        tip: TipParam,
    },
}

/// Who pays what a pool takes.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(tag = "paid_by", rename_all = "snake_case")]
pub(super) enum PoolFeeParam {
    User { token: Hex },
    Sponsor,
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TipParam {
    Slow,
    #[default]
    Normal,
    Fast,
    Custom(u64),
}

impl FeeModeParam {
    pub(super) fn mode(&self) -> FeeMode {
        match self {
            Self::Default { gas_token, .. } => FeeMode::Default(gas_token.address()),
            Self::SponsoredPrivate { pool_fee_token, .. } => {
                FeeMode::SponsoredPrivate(pool_fee_token.address())
            }
            Self::Sponsored { pool_fee, .. } => {
                FeeMode::Sponsored(pool_fee.map(|pool_fee| match pool_fee {
                    PoolFeeParam::User { token } => PoolFee::User(token.address()),
                    PoolFeeParam::Sponsor => PoolFee::Sponsor,
                }))
            }
        }
    }

    pub(super) fn tip(&self) -> Tip {
        let (Self::Default { tip, .. }
        | Self::Sponsored { tip, .. }
        | Self::SponsoredPrivate { tip, .. }) = self;
        match tip {
            TipParam::Slow => Tip::Slow,
            TipParam::Normal => Tip::Normal,
            TipParam::Fast => Tip::Fast,
            TipParam::Custom(amount) => Tip::Custom(*amount),
        }
    }
}
