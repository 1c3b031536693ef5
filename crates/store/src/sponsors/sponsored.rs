//! A transaction that a sponsor pays for, as it is stored.

use crate::{column::Column, error::StoreError, row::row};
use primitives::{Address, Felt, Timestamp};

pub(super) const SPONSORED: &str = "sponsored";

/// Amounts are kept as so many of these, and a rest.
const BILLION: u128 = 1_000_000_000;

pub(super) const fn column(name: &'static str) -> Column {
    Column {
        table: SPONSORED,
        name,
    }
}

/// A transaction that a sponsor pays for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SponsoredRow {
    /// By which the chain knows it.
    pub hash: Felt,
    /// Who pays.
    pub sponsor: String,
    /// For whom.
    pub user: Address,
    /// What was reserved for it.
    pub reserved: u128,
    /// What a private pool takes of that, unless it is reverted.
    pub pool_fee: u128,
    /// When.
    pub created_at: Timestamp,
    /// How far it is.
    pub state: SponsoredState,
}

/// How far a transaction is that a sponsor pays for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SponsoredState {
    /// It is on its way, and may still be turned back.
    Open(SponsoredProgress),
    /// It was charged.
    Final(SponsoredOutcome),
    /// It never will land; all was given back.
    Released,
}

/// How far a transaction is that is not final.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SponsoredProgress {
    /// What it may cost is reserved; no node is known to have it.
    Reserved,
    /// A node has it.
    Sent,
    /// It is in a block, which can be taken back.
    Landed {
        /// The block's height.
        block_number: u64,
    },
}

impl SponsoredProgress {
    /// The word by which it is stored.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Reserved => "reserved",
            Self::Sent => "sent",
            Self::Landed { .. } => "landed",
        }
    }

    pub(super) const fn block_number(self) -> Option<u64> {
        match self {
            Self::Reserved | Self::Sent => None,
            Self::Landed { block_number } => Some(block_number),
        }
    }
}

/// What a transaction did cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SponsoredOutcome {
    /// The fee, and what a pool took.
    pub fee: u128,
    /// Whether it did nothing but cost that.
    pub reverted: bool,
    /// The block's height.
    pub block_number: u64,
    /// The time in that block's header.
    pub block_time: Timestamp,
}

row! {
    pub(super) struct StoredSponsored {
        hash: Vec<u8>,
        sponsor: String,
        user_address: Vec<u8>,
        state: String,
        created_at: i64,
        reserved_billions: i64,
        reserved_rest: i64,
        pool_fee_billions: i64,
        pool_fee_rest: i64,
        fee_billions: Option<i64>,
        fee_rest: Option<i64>,
        reverted: Option<i64>,
        block_number: Option<i64>,
        block_time: Option<i64>,
    }
}

impl StoredSponsored {
    fn state(&self) -> Result<SponsoredState, StoreError> {
        let block_number = || column("block_number").counter(self.block_number.unwrap_or(-1));
        let open = match self.state.as_str() {
            "reserved" => SponsoredProgress::Reserved,
            "sent" => SponsoredProgress::Sent,
            "landed" => SponsoredProgress::Landed {
                block_number: block_number()?,
            },
            "released" => return Ok(SponsoredState::Released),
            "final" => {
                let (Some(billions), Some(rest)) = (self.fee_billions, self.fee_rest) else {
                    return Err(column("fee").corrupt());
                };
                return Ok(SponsoredState::Final(SponsoredOutcome {
                    fee: joined("fee", billions, rest)?,
                    reverted: column("reverted").flag(self.reverted.unwrap_or(-1))?,
                    block_number: block_number()?,
                    block_time: column("block_time").time(self.block_time.unwrap_or(i64::MAX))?,
                }));
            }
            _ => return Err(column("state").corrupt()),
        };
        Ok(SponsoredState::Open(open))
    }

    pub(super) fn decode(self) -> Result<SponsoredRow, StoreError> {
        let state = self.state()?;
        Ok(SponsoredRow {
            hash: column("hash").felt(&self.hash)?,
            user: column("user_address").address(&self.user_address)?,
            reserved: joined("reserved", self.reserved_billions, self.reserved_rest)?,
            pool_fee: joined("pool_fee", self.pool_fee_billions, self.pool_fee_rest)?,
            created_at: column("created_at").time(self.created_at)?,
            sponsor: self.sponsor,
            state,
        })
    }
}

/// An amount of two columns, or of two sums over them.
pub(super) fn joined(name: &'static str, billions: i64, rest: i64) -> Result<u128, StoreError> {
    let part = |part: i64| u128::try_from(part).map_err(|_| column(name).corrupt());
    Ok(part(billions)? * BILLION + part(rest)?)
}

pub(super) fn split(name: &'static str, amount: u128) -> Result<(i64, i64), StoreError> {
    let part = |part: u128| {
        let part = i64::try_from(part);
        part.map_err(|_| StoreError::OutOfRange { column: name })
    };
    Ok((part(amount / BILLION)?, part(amount % BILLION)?))
}
