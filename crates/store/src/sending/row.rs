//! A send as it is stored.

use crate::{column::Column, error::StoreError, row::row};
use primitives::{Address, Felt, Timestamp};

pub(super) const SEND: &str = "send";

pub(super) const fn column(name: &'static str) -> Column {
    Column { table: SEND, name }
}

/// An account on a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SendingAccount {
    /// The chain that the account is on: nonces are counted on each.
    pub chain_id: Felt,
    /// Where the account is.
    pub address: Address,
}

/// Something that was sent, or is about to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendRow {
    /// By whom.
    pub account: SendingAccount,
    /// Its place among what the account sends.
    pub nonce: u64,
    /// 0 for what was to be sent; above it, what was sent in its place.
    pub attempt: u32,
    /// What it is for. The same is not done twice. None for what only takes
    /// another's place.
    pub purpose: Option<String>,
    /// Whether a later one was sent to do the same in its place.
    pub superseded: bool,
    /// The newest block's height when it was written.
    pub head: u64,
    /// By which the chain knows it.
    pub hash: Felt,
    /// The transaction with its signature.
    pub broadcast: Vec<u8>,
    /// The most that it can cost.
    pub max_fee: u128,
    /// What its user pays for it, where one does, in the smallest unit of STRK.
    pub paid: Option<u128>,
    /// When it was written.
    pub created_at: Timestamp,
    /// What became of it.
    pub state: SendState,
}

/// What became of something that was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendState {
    /// Nothing final is known yet.
    Open,
    /// It is part of the chain.
    Landed(SendReceipt),
    /// It is part of the chain, and did nothing but cost its fee.
    Reverted {
        /// Where, and for how much.
        receipt: SendReceipt,
        /// Why.
        reason: String,
    },
    /// It never will be: its nonce was used otherwise.
    Lost {
        /// When that was known.
        at: Timestamp,
        /// Why.
        reason: String,
    },
}

impl SendState {
    /// Where it is part of the chain, for good.
    #[must_use]
    pub fn receipt(&self) -> Option<&SendReceipt> {
        match self {
            Self::Landed(receipt) | Self::Reverted { receipt, .. } => Some(receipt),
            Self::Open | Self::Lost { .. } => None,
        }
    }
}

/// Where something landed, and what it cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SendReceipt {
    /// When that was known.
    pub at: Timestamp,
    /// The block's height.
    pub block_number: u64,
    /// What was paid.
    pub fee: u128,
}

/// A nonce that was given out: of what was sent, all that giving out the next one asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TakenNonce {
    /// Which; rivals share one.
    pub nonce: u64,
    /// The most that what has it can cost.
    pub max_fee: u128,
    /// The height at which what has it is part of the chain, for good.
    pub block_number: Option<u64>,
}

row! {
    pub(super) struct StoredNonce {
        nonce: i64,
        max_fee: Vec<u8>,
        block_number: Option<i64>,
    }
}

impl StoredNonce {
    pub(super) fn decode(self) -> Result<TakenNonce, StoreError> {
        let block_number = self.block_number;
        Ok(TakenNonce {
            nonce: column("nonce").counter(self.nonce)?,
            max_fee: amount(column("max_fee"), &self.max_fee)?,
            block_number: block_number
                .map(|number| column("block_number").counter(number))
                .transpose()?,
        })
    }
}

row! {
    pub(super) struct StoredSend {
        chain_id: Vec<u8>,
        account: Vec<u8>,
        nonce: i64,
        attempt: i64,
        purpose: Option<String>,
        superseded: i64,
        head: i64,
        hash: Vec<u8>,
        broadcast: Vec<u8>,
        max_fee: Vec<u8>,
        paid: Option<Vec<u8>>,
        created_at: i64,
        state: String,
        settled_at: Option<i64>,
        block_number: Option<i64>,
        fee: Option<Vec<u8>>,
        reason: Option<String>,
    }
}

/// An amount of 16 bytes.
pub(super) fn amount(column: Column, bytes: &[u8]) -> Result<u128, StoreError> {
    let bytes = bytes.try_into().map_err(|_| column.corrupt())?;
    Ok(u128::from_be_bytes(bytes))
}

impl StoredSend {
    pub(super) fn decode(self) -> Result<SendRow, StoreError> {
        let (state, paid) = (self.state()?, self.paid.as_deref());
        let attempt = u32::try_from(self.attempt).map_err(|_| column("attempt").corrupt())?;
        Ok(SendRow {
            account: SendingAccount {
                chain_id: column("chain_id").felt(&self.chain_id)?,
                address: column("account").address(&self.account)?,
            },
            nonce: column("nonce").counter(self.nonce)?,
            attempt,
            superseded: column("superseded").flag(self.superseded)?,
            head: column("head").counter(self.head)?,
            hash: column("hash").felt(&self.hash)?,
            max_fee: amount(column("max_fee"), &self.max_fee)?,
            paid: paid.map(|it| amount(column("paid"), it)).transpose()?,
            created_at: column("created_at").time(self.created_at)?,
            purpose: self.purpose,
            broadcast: self.broadcast,
            state,
        })
    }

    fn state(&self) -> Result<SendState, StoreError> {
        let corrupt = || column("state").corrupt();
        let reason = || self.reason.clone().ok_or_else(corrupt);
        Ok(match self.state.as_str() {
            "open" => SendState::Open,
            "landed" => SendState::Landed(self.receipt()?),
            "reverted" => SendState::Reverted {
                receipt: self.receipt()?,
                reason: reason()?,
            },
            "lost" => SendState::Lost {
                at: self.settled_at()?,
                reason: reason()?,
            },
            _ => return Err(corrupt()),
        })
    }

    fn settled_at(&self) -> Result<Timestamp, StoreError> {
        let column = column("settled_at");
        column.time(self.settled_at.ok_or_else(|| column.corrupt())?)
    }

    fn receipt(&self) -> Result<SendReceipt, StoreError> {
        let (Some(number), Some(paid)) = (self.block_number, &self.fee) else {
            return Err(column("fee").corrupt());
        };
        Ok(SendReceipt {
            at: self.settled_at()?,
            block_number: column("block_number").counter(number)?,
            fee: amount(column("fee"), paid)?,
        })
    }
}

/// A state as its columns: word, time, block, fee, reason.
type StateColumns<'s> = (
    &'static str,
    Option<i64>,
    Option<i64>,
    Option<Vec<u8>>,
    Option<&'s str>,
);

pub(super) fn state_columns(state: &SendState) -> Result<StateColumns<'_>, StoreError> {
    let settled = |word, receipt: &SendReceipt, reason| {
        let number = column("block_number").to_stored(receipt.block_number)?;
        let fee = receipt.fee.to_be_bytes().to_vec();
        let at = receipt.at.as_microsecond();
        Ok((word, Some(at), Some(number), Some(fee), reason))
    };
    match state {
        SendState::Open => Ok(("open", None, None, None, None)),
        SendState::Landed(receipt) => settled("landed", receipt, None),
        SendState::Reverted { receipt, reason } => settled("reverted", receipt, Some(reason)),
        SendState::Lost { at, reason } => {
            Ok(("lost", Some(at.as_microsecond()), None, None, Some(reason)))
        }
    }
}
