//! Why a paymaster refuses, with the codes that its clients know.

use thiserror::Error;

/// Why nothing is built or executed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refusal {
    /// Nothing can be built or relayed now.
    #[error("service not available")]
    Unavailable,
    /// A sponsor should pay, and the key is none's.
    #[error("x-paymaster-api-key is invalid")]
    InvalidKey,
    /// A rule of the operator or of the sponsor denies one of the calls.
    #[error("blacklisted calls")]
    Blacklisted,
    /// The sponsor does not pay for this, for a reason that clients are told.
    #[error("the sponsor does not pay: {0}")]
    NotSponsored(&'static str),
    /// There is no account at the address, or none of a kind that can be relayed for.
    #[error("there is no account at the address")]
    InvalidAddress,
    /// Nothing is known of what the token is worth.
    #[error("the token is not supported")]
    TokenNotSupported,
    /// The owner of the account did not sign this.
    #[error("the signature is not the account owner's")]
    InvalidSignature,
    /// It costs more than the user signed.
    #[error("it costs more than was signed")]
    MaxAmountTooLow,
    /// Accounts of this class cannot be relayed for.
    #[error("accounts of this class have no outside execution")]
    ClassHashNotSupported,
    /// It would fail, for this reason.
    #[error("{0}")]
    Execution(String),
    /// It may not be executed now, or never.
    #[error("the time bounds do not hold")]
    InvalidTimeBounds,
    /// The deployment does not lead to the account.
    #[error("the deployment does not lead to the address")]
    InvalidDeploymentData,
    /// Nothing is tracked by this id.
    #[error("nothing is known of this id")]
    InvalidId,
    /// Such a fee is for private transactions alone.
    #[error("sponsored_private is for private transactions")]
    SponsoredPrivateRequiresPrivacy,
    /// The fee of a pool is for private transactions alone.
    #[error("a pool fee is for private transactions")]
    PoolFeeRequiresPrivacy,
    /// Nobody pays what the pool takes.
    #[error("somebody has to pay the pool's fee")]
    PoolFeeRequired,
    /// The sponsor does not pay what the pool takes.
    #[error("the sponsor does not pay the pool's fee")]
    PoolFeeSponsoringNotAllowed,
}

impl Refusal {
    /// The number that clients know it by.
    #[must_use]
    pub const fn code(&self) -> i32 {
        self.named().0
    }

    /// The name that clients know it by.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.named().1
    }

    const fn named(&self) -> (i32, &'static str) {
        match self {
            Self::InvalidAddress => (150, "INVALID_ADDRESS"),
            Self::TokenNotSupported => (151, "TOKEN_NOT_SUPPORTED"),
            Self::InvalidSignature => (153, "INVALID_SIGNATURE"),
            Self::MaxAmountTooLow => (154, "MAX_AMOUNT_TOO_LOW"),
            Self::ClassHashNotSupported => (155, "CLASS_HASH_NOT_SUPPORTED"),
            Self::Execution(_) => (156, "TRANSACTION_EXECUTION_ERROR"),
            Self::InvalidTimeBounds => (157, "INVALID_TIME_BOUNDS"),
            Self::InvalidDeploymentData => (158, "INVALID_DEPLOYMENT_DATA"),
            Self::InvalidId => (160, "INVALID_ID"),
            Self::Unavailable | Self::InvalidKey | Self::Blacklisted | Self::NotSponsored(_) => {
                (163, "UNKNOWN_ERROR")
            }
            Self::SponsoredPrivateRequiresPrivacy => (168, "SPONSORED_PRIVATE_REQUIRES_PRIVACY"),
            Self::PoolFeeRequiresPrivacy => (170, "POOL_FEE_REQUIRES_PRIVACY"),
            Self::PoolFeeRequired => (171, "POOL_FEE_REQUIRED"),
            Self::PoolFeeSponsoringNotAllowed => (172, "POOL_FEE_SPONSORING_NOT_ALLOWED"),
        }
    }
}
