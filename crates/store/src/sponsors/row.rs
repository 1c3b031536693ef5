//! Sponsors and their rules as they are stored.

use crate::{column::Column, error::StoreError, row::row};
use primitives::{Address, Felt, Timestamp};

pub(super) const SPONSOR: &str = "sponsor";
pub(super) const RULE: &str = "sponsor_rule";

const fn column(name: &'static str) -> Column {
    Column {
        table: SPONSOR,
        name,
    }
}

/// Somebody who pays fees of others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SponsorRow {
    /// The public id by which operators name it.
    pub id: String,
    /// Who it is.
    pub name: String,
    /// What the presented key must hash to.
    pub digest: [u8; 32],
    /// What may still be reserved, in the smallest unit of STRK.
    pub credits: u128,
    /// The most for one user in a day.
    pub user_daily: Option<u128>,
    /// Kept to the microsecond.
    pub created_at: Timestamp,
    /// When its key ceased to be valid.
    pub disabled_at: Option<Timestamp>,
}

/// What a rule does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RuleKind {
    /// Calls that fit are paid for; where there are such rules, no others.
    Allow,
    /// Calls that fit are not.
    Deny,
    /// The fee of this private pool is paid for.
    Pool,
}

impl RuleKind {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Deny => "deny",
            Self::Pool => "pool",
        }
    }
}

/// What a sponsor says of calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SponsorRule {
    /// What it does.
    pub kind: RuleKind,
    /// The contract that is called, or the private pool.
    pub contract: Address,
    /// To which function of it; all of them without one.
    pub selector: Option<Felt>,
}

row! {
    pub(super) struct StoredSponsor {
        id: String,
        name: String,
        digest: Vec<u8>,
        credits: Vec<u8>,
        user_daily: Option<Vec<u8>>,
        created_at: i64,
        disabled_at: Option<i64>,
    }
}

fn amount(name: &'static str, bytes: &[u8]) -> Result<u128, StoreError> {
    let bytes = bytes.try_into().map_err(|_| column(name).corrupt())?;
    Ok(u128::from_be_bytes(bytes))
}

impl StoredSponsor {
    pub(super) fn decode(self) -> Result<SponsorRow, StoreError> {
        let daily = self.user_daily.as_deref();
        Ok(SponsorRow {
            digest: column("digest").bytes(&self.digest)?,
            credits: amount("credits", &self.credits)?,
            user_daily: daily.map(|it| amount("user_daily", it)).transpose()?,
            created_at: column("created_at").time(self.created_at)?,
            disabled_at: column("disabled_at").times(self.disabled_at)?,
            id: self.id,
            name: self.name,
        })
    }
}

row! {
    pub(super) struct StoredRule {
        kind: String,
        contract: Vec<u8>,
        selector: Vec<u8>,
    }
}

impl StoredRule {
    pub(super) fn decode(self) -> Result<SponsorRule, StoreError> {
        let column = |name| Column { table: RULE, name };
        let kind = match self.kind.as_str() {
            "allow" => RuleKind::Allow,
            "deny" => RuleKind::Deny,
            "pool" => RuleKind::Pool,
            _ => return Err(column("kind").corrupt()),
        };
        let selector = Some(self.selector).filter(|bytes| !bytes.is_empty());
        let selector = selector.map(|bytes| column("selector").felt(&bytes));
        Ok(SponsorRule {
            kind,
            contract: column("contract").address(&self.contract)?,
            selector: selector.transpose()?,
        })
    }
}
