//! Registering a validator and changing what it offers: which fields are good,
//! in which order they are looked at, and what is signed.

mod signed;

pub use signed::{RegisterChallenge, payout_challenge, reclaim_challenge};

use crate::{
    payment::is_reserved,
    terms::{Regions, Shared, Tier, ValidatorTerms, parse_sol},
    words::words,
};
use primitives::{Lamports, PublicKey, Signature, SignedDuration, Timestamp, Ulid, is_hidden};
use std::str::FromStr;
use thiserror::Error;

/// How far the time of a challenge may be from ours.
pub const MAX_SKEW: SignedDuration = SignedDuration::from_mins(5);

const MAX_NAME_CHARS: usize = 64;
const MAX_ENDPOINT_BYTES: usize = 255;
const NONCE_LENGTH: std::ops::RangeInclusive<usize> = 16..=64;

/// A registration as it was sent: texts as they stood in the JSON, numbers of
/// prices included.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Draft {
    /// The validator's identity.
    pub identity_pubkey: Option<String>,
    /// Where its share goes.
    pub payout_wallet: Option<String>,
    /// What people call it.
    pub name: Option<String>,
    /// Its class.
    pub tier: Option<String>,
    /// Where it stands.
    pub region: Option<String>,
    /// The price of all of it for one epoch.
    pub price_sol: Option<String>,
    /// Whether there are seats; `None` says that the two fields below decide.
    pub shared_enabled: Option<bool>,
    /// The price of one seat for one epoch.
    pub shared_price_sol: Option<String>,
    /// How many seats there are.
    pub max_concurrent_shared_leases: Option<i64>,
    /// Where lessees connect.
    pub tee_endpoint: Option<String>,
    /// When the challenge was signed, in seconds since 1970.
    pub timestamp: Option<i64>,
    /// What makes the challenge unique.
    pub nonce: Option<String>,
    /// The identity's signature over the challenge.
    pub signature: Option<String>,
}

/// A change of the payout wallet as it was sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PayoutDraft {
    /// The validator's identity.
    pub identity_pubkey: Option<String>,
    /// Where its share is to go.
    pub payout_wallet: Option<String>,
    /// When the challenge was signed, in seconds since 1970.
    pub timestamp: Option<i64>,
    /// What makes the challenge unique.
    pub nonce: Option<String>,
    /// The identity's signature over the challenge.
    pub signature: Option<String>,
}

/// What becomes of a field that may be empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Change<T> {
    /// It stays as it is.
    #[default]
    Keep,
    /// It becomes empty.
    Clear,
    /// It becomes this.
    Set(T),
}

/// A change of an offer as it was sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Amendment {
    /// The price of all of it for one epoch.
    pub price_sol: Option<String>,
    /// Its class.
    pub tier: Option<String>,
    /// Where it stands.
    pub region: Option<String>,
    /// What people call it.
    pub name: Change<String>,
    /// `listed` or `paused`.
    pub status: Option<String>,
    /// Where lessees connect.
    pub tee_endpoint: Change<String>,
    /// Whether there are seats.
    pub shared_enabled: Option<bool>,
    /// The price of one seat for one epoch.
    pub shared_price_sol: Option<String>,
    /// How many seats there are.
    pub max_concurrent_shared_leases: Option<i64>,
}

/// Proof that the identity agrees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    /// In seconds since 1970.
    pub timestamp: i64,
    /// Unique for the identity.
    pub nonce: String,
    /// Over the challenge.
    pub signature: Signature,
}

/// A registration whose fields are good. Nothing is proven yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registration {
    /// The validator's identity.
    pub identity: PublicKey,
    /// Where its share goes.
    pub payout_wallet: PublicKey,
    /// What people call it.
    pub name: Option<String>,
    /// Where lessees connect.
    pub endpoint: Option<String>,
    /// What it offers.
    pub terms: ValidatorTerms,
    /// Who says so.
    pub proof: Proof,
}

/// A change of the payout wallet whose fields are good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PayoutChange {
    /// The validator's identity.
    pub identity: PublicKey,
    /// Where its share is to go.
    pub payout_wallet: PublicKey,
    /// Who says so.
    pub proof: Proof,
}

/// A wish for a validator that somebody else registered, whose fields are good:
/// it comes with a wallet, for the one that it has is theirs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reclaim(pub PayoutChange);

words! {
    /// Whether an offer can be seen and booked.
    ListingStatus {
        /// It can.
        Listed = "listed",
        /// Its owner paused it.
        Paused = "paused",
        /// Staff stopped it.
        Stopped = "stopped",
    }
}

impl ListingStatus {
    /// What an offer is once staff lifts its stop: its owner says when it is
    /// listed again. `None` if it is not stopped.
    pub const fn lifted(self) -> Option<Self> {
        match self {
            Self::Stopped => Some(Self::Paused),
            Self::Listed | Self::Paused => None,
        }
    }
}

/// What is wrong with a field, in the order in which they are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum FieldError {
    /// A field fails basic validation.
    #[error("{field}: {problem}")]
    Invalid {
        /// Its name on the wire.
        field: &'static str,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// There is no price.
    #[error("price_sol is required")]
    PriceRequired,
    /// Not one of the three tiers.
    #[error("tier must be economy, standard or performance")]
    Tier,
    /// Not a region of this market.
    #[error("region is not known here")]
    Region,
    /// Seats without both their price and their number.
    #[error("shared leasing needs both shared_price_sol and max_concurrent_shared_leases")]
    SharedIncomplete,
    /// The price of a seat is none.
    #[error("shared_price_sol must be a decimal number of SOL above 0")]
    SharedPrice,
    /// Fewer than one seat, or more than can be counted.
    #[error("max_concurrent_shared_leases must be at least 1")]
    SharedSeats,
}

fn invalid(field: &'static str, problem: &'static str) -> FieldError {
    FieldError::Invalid { field, problem }
}

const MISSING: &str = "is missing";

impl Draft {
    /// The registration, or the first thing that is wrong with it. `platform`
    /// is the wallet that fees go to: no share may go there.
    pub fn check(
        &self,
        regions: &Regions,
        platform: PublicKey,
    ) -> Result<Registration, FieldError> {
        let identity = base58("identity_pubkey", self.identity_pubkey.as_deref())?;
        let payout_wallet = wallet(self.payout_wallet.as_deref(), platform)?;
        let name = self.name.as_deref().map(name).transpose()?;
        let endpoint = self.tee_endpoint.as_deref().map(endpoint).transpose()?;
        let price = self.price_sol.as_deref().map(price).transpose()?;
        let proof = proof(
            self.timestamp,
            self.nonce.as_deref(),
            self.signature.as_deref(),
        )?;
        let price = price.ok_or(FieldError::PriceRequired)?;
        let tier = tier(self.tier.as_deref().unwrap_or_default())?;
        let region = regions.find(self.region.as_deref().unwrap_or_default());
        let region = region.ok_or(FieldError::Region)?;
        Ok(Registration {
            identity,
            payout_wallet,
            name,
            endpoint,
            terms: ValidatorTerms {
                price,
                shared: self.shared()?,
                tier,
                region,
            },
            proof,
        })
    }

    fn shared(&self) -> Result<Option<Shared>, FieldError> {
        let (price, seats) = (
            self.shared_price_sol.as_deref(),
            self.max_concurrent_shared_leases,
        );
        let enabled = self
            .shared_enabled
            .unwrap_or(price.is_some() || seats.is_some());
        match (enabled, price, seats) {
            (false, ..) => Ok(None),
            (true, Some(price), Some(seats)) => Ok(Some(Shared {
                price: shared_price(price)?,
                seats: shared_seats(seats)?,
            })),
            (true, ..) => Err(FieldError::SharedIncomplete),
        }
    }
}

impl PayoutDraft {
    /// The change, or the first thing that is wrong with it.
    pub fn check(&self, platform: PublicKey) -> Result<PayoutChange, FieldError> {
        Ok(PayoutChange {
            identity: base58("identity_pubkey", self.identity_pubkey.as_deref())?,
            payout_wallet: wallet(self.payout_wallet.as_deref(), platform)?,
            proof: proof(
                self.timestamp,
                self.nonce.as_deref(),
                self.signature.as_deref(),
            )?,
        })
    }
}

/// A change of an offer whose fields are good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Amended {
    price: Option<Lamports>,
    tier: Option<Tier>,
    region: Option<crate::Region>,
    shared_enabled: Option<bool>,
    shared_price: Option<Lamports>,
    seats: Option<u32>,
    /// What people call it.
    pub name: Change<String>,
    /// Where lessees connect.
    pub endpoint: Change<String>,
    /// Whether it can be seen and booked.
    pub status: Option<ListingStatus>,
}

impl Amendment {
    /// Whether it changes nothing at all.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The change, or the first thing that is wrong with its fields.
    pub fn check(&self, regions: &Regions) -> Result<Amended, FieldError> {
        let price = self.price_sol.as_deref().map(price).transpose()?;
        let status = match self.status.as_deref() {
            None => None,
            Some("listed") => Some(ListingStatus::Listed),
            Some("paused") => Some(ListingStatus::Paused),
            Some(_) => return Err(invalid("status", "must be listed or paused")),
        };
        let name = change(&self.name, name)?;
        let endpoint = change(&self.tee_endpoint, endpoint)?;
        let tier = self.tier.as_deref().map(tier).transpose()?;
        let region = self.region.as_deref();
        let region = region.map(|code| regions.find(code).ok_or(FieldError::Region));
        let shared_price = self.shared_price_sol.as_deref().map(shared_price);
        let seats = self.max_concurrent_shared_leases.map(shared_seats);
        Ok(Amended {
            price,
            tier,
            region: region.transpose()?,
            shared_enabled: self.shared_enabled,
            shared_price: shared_price.transpose()?,
            seats: seats.transpose()?,
            name,
            endpoint,
            status,
        })
    }
}

impl Amended {
    /// The terms after the change. A price or a number of seats alone changes
    /// that part of an offer that has both; where there is none, both are
    /// needed.
    pub fn terms(&self, old: &ValidatorTerms) -> Result<ValidatorTerms, FieldError> {
        let touched = self.shared_price.is_some() || self.seats.is_some();
        let enabled = self
            .shared_enabled
            .unwrap_or(touched || old.shared.is_some());
        let shared = if enabled {
            let price = self.shared_price.or(old.shared.map(|shared| shared.price));
            let seats = self.seats.or(old.shared.map(|shared| shared.seats));
            let (Some(price), Some(seats)) = (price, seats) else {
                return Err(FieldError::SharedIncomplete);
            };
            Some(Shared { price, seats })
        } else {
            None
        };
        Ok(ValidatorTerms {
            price: self.price.unwrap_or(old.price),
            shared,
            tier: self.tier.unwrap_or(old.tier),
            region: self.region.clone().unwrap_or_else(|| old.region.clone()),
        })
    }
}

impl Proof {
    /// Whether it was made within five minutes of now.
    pub fn is_timely(&self, now: Timestamp) -> bool {
        Timestamp::from_second(self.timestamp)
            .is_ok_and(|at| now.duration_since(at).abs() <= MAX_SKEW)
    }
}

impl Registration {
    /// What must have been signed for an account to own the validator.
    pub fn challenge(&self, domain: &str, account: Ulid) -> String {
        RegisterChallenge {
            domain,
            account,
            identity: self.identity,
            payout_wallet: self.payout_wallet,
            name: self.name.as_deref(),
            endpoint: self.endpoint.as_deref(),
            terms: &self.terms,
            timestamp: self.proof.timestamp,
            nonce: &self.proof.nonce,
        }
        .text()
    }
}

impl PayoutChange {
    /// What must have been signed.
    pub fn challenge(&self, domain: &str) -> String {
        let Proof {
            timestamp, nonce, ..
        } = &self.proof;
        payout_challenge(domain, self.identity, self.payout_wallet, *timestamp, nonce)
    }
}

impl Reclaim {
    /// What must have been signed for an account to have the validator.
    pub fn challenge(&self, domain: &str, account: Ulid) -> String {
        let PayoutChange {
            identity,
            payout_wallet,
            proof,
        } = &self.0;
        reclaim_challenge(
            domain,
            account,
            *identity,
            *payout_wallet,
            proof.timestamp,
            &proof.nonce,
        )
    }
}

fn base58<T: FromStr>(field: &'static str, text: Option<&str>) -> Result<T, FieldError> {
    let text = text.ok_or_else(|| invalid(field, MISSING))?;
    text.parse()
        .map_err(|_| invalid(field, "must be base58 of the right length"))
}

fn wallet(text: Option<&str>, platform: PublicKey) -> Result<PublicKey, FieldError> {
    const FIELD: &str = "payout_wallet";
    let wallet = base58(FIELD, text)?;
    if wallet == platform {
        return Err(invalid(FIELD, "is the platform's wallet"));
    }
    if is_reserved(wallet) {
        return Err(invalid(FIELD, "is a program, not a wallet"));
    }
    Ok(wallet)
}

fn name(text: &str) -> Result<String, FieldError> {
    let good = !text.trim().is_empty()
        && text.chars().count() <= MAX_NAME_CHARS
        && !text.chars().any(is_hidden);
    if good {
        Ok(text.trim().to_owned())
    } else {
        Err(invalid(
            "name",
            "must have 1 to 64 characters, none of control or format",
        ))
    }
}

fn endpoint(text: &str) -> Result<String, FieldError> {
    let good = text.len() <= MAX_ENDPOINT_BYTES
        && text.strip_prefix("https://").is_some_and(|rest| {
            rest.starts_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '[')
        })
        && text
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && !br#""\<>^`{|}"#.contains(&byte));
    if good {
        Ok(text.to_owned())
    } else {
        Err(invalid(
            "tee_endpoint",
            "must be an https:// address of at most 255 characters",
        ))
    }
}

fn price(text: &str) -> Result<Lamports, FieldError> {
    parse_sol(text).map_err(|_| {
        invalid(
            "price_sol",
            "must be a decimal number of SOL above 0, with at most 9 digits after the point",
        )
    })
}

fn tier(text: &str) -> Result<Tier, FieldError> {
    text.parse().map_err(|_| FieldError::Tier)
}

fn shared_price(text: &str) -> Result<Lamports, FieldError> {
    parse_sol(text).map_err(|_| FieldError::SharedPrice)
}

fn shared_seats(seats: i64) -> Result<u32, FieldError> {
    let seats = u32::try_from(seats).map_err(|_| FieldError::SharedSeats)?;
    if seats == 0 {
        return Err(FieldError::SharedSeats);
    }
    Ok(seats)
}

fn proof(
    timestamp: Option<i64>,
    nonce: Option<&str>,
    signature: Option<&str>,
) -> Result<Proof, FieldError> {
    let timestamp = timestamp.ok_or_else(|| invalid("timestamp", MISSING))?;
    let nonce = nonce.ok_or_else(|| invalid("nonce", MISSING))?;
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if !NONCE_LENGTH.contains(&nonce.len()) || !nonce.bytes().all(letter) {
        return Err(invalid(
            "nonce",
            "must have 16 to 64 letters, digits, - and _",
        ));
    }
    Ok(Proof {
        timestamp,
        nonce: nonce.to_owned(),
        signature: base58("signature", signature)?,
    })
}

fn change(
    change: &Change<String>,
    check: impl Fn(&str) -> Result<String, FieldError>,
) -> Result<Change<String>, FieldError> {
    Ok(match change {
        Change::Keep => Change::Keep,
        Change::Clear => Change::Clear,
        Change::Set(text) => Change::Set(check(text)?),
    })
}

impl<T> Change<T> {
    /// The field after the change.
    pub fn applied(self, old: Option<T>) -> Option<T> {
        match self {
            Self::Keep => old,
            Self::Clear => None,
            Self::Set(new) => Some(new),
        }
    }
}

#[cfg(test)]
mod tests;
