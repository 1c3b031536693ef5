//! Registering a validator and changing what it offers: bodies, and what may
//! be wrong with them.

use super::{
    MarketplaceState, Problem,
    catalog::Slug,
    fields::{Fields, Wish},
};
use crate::http::json::JsonText;
use leasing::{Amendment, Change, Draft, FieldError, PayoutDraft};
use utoipa::ToSchema;

/// A validator that wants to be leased.
#[derive(ToSchema)]
#[schema(as = Registration)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only describes the body, which is read in place")]
pub(super) struct RegistrationWish {
    /// The validator's identity, in base58.
    #[schema(example = "4Nd1mYvKQ2Xv3LwqjPz6yYw1g9oM4n8J7d2c5b6a3XyZ")]
    identity_pubkey: String,
    /// Where its share goes, in base58; not the platform's wallet.
    #[schema(example = "7Kq2mYvKQ2Xv3LwqjPz6yYw1g9oM4n8J7d2c5b6a3XyZ")]
    payout_wallet: String,
    /// What people call it, 1 to 64 characters, none of control or format.
    #[schema(example = "Harbour")]
    name: Option<String>,
    /// `economy`, `standard` or `performance`.
    #[schema(example = "standard")]
    tier: String,
    /// One of the marketplace's regions.
    #[schema(example = "eu-central-1")]
    region: String,
    /// The price of all of it for one epoch in SOL, as a text or a number: above
    /// 0, at most 9 digits after the point, no exponent.
    #[schema(example = "1.5")]
    price_sol: String,
    /// Whether seats are offered; if it is not given, the two fields that follow
    /// decide.
    #[schema(example = true)]
    shared_enabled: Option<bool>,
    /// The price of one seat for one epoch in SOL.
    #[schema(example = "0.2")]
    shared_price_sol: Option<String>,
    /// How many seats there are, at least 1.
    #[schema(minimum = 1, example = 8)]
    max_concurrent_shared_leases: Option<i64>,
    /// Where lessees connect, an https address.
    #[schema(example = "https://sign.harbour.example")]
    tee_endpoint: Option<String>,
    /// Stands for the user who opened the session, instead of credentials.
    #[schema(example = "lo_k3j9x2qr_3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")]
    onboard_token: Option<String>,
    /// When the challenge was signed, in seconds since 1970; at most 5 minutes
    /// from now.
    #[schema(example = 1_769_860_800)]
    timestamp: i64,
    /// Makes the challenge unique: 16 to 64 letters, digits, `-` and `_`.
    #[schema(example = "k3J9x2Lq8Vn5Zt7B")]
    nonce: String,
    /// The identity's Ed25519 signature over the challenge, in base58.
    signature: String,
}

const REGISTRATION: [&str; 14] = [
    "identity_pubkey",
    "payout_wallet",
    "name",
    "tier",
    "region",
    "price_sol",
    "shared_enabled",
    "shared_price_sol",
    "max_concurrent_shared_leases",
    "tee_endpoint",
    "onboard_token",
    "timestamp",
    "nonce",
    "signature",
];

/// Reads a registration and its onboarding token.
pub(super) fn read(text: &JsonText) -> Result<(Draft, Option<String>), Problem> {
    let fields = Fields::read(text, Slug::RegisterInvalidField)?.only(&REGISTRATION)?;
    let draft = Draft {
        identity_pubkey: fields.text("identity_pubkey")?,
        payout_wallet: fields.text("payout_wallet")?,
        name: fields.text("name")?,
        tier: fields.text("tier")?,
        region: fields.text("region")?,
        price_sol: fields.decimal("price_sol")?,
        shared_enabled: fields.truth("shared_enabled")?,
        shared_price_sol: fields.decimal("shared_price_sol")?,
        max_concurrent_shared_leases: fields.whole("max_concurrent_shared_leases")?,
        tee_endpoint: fields.text("tee_endpoint")?,
        timestamp: fields.whole("timestamp")?,
        nonce: fields.text("nonce")?,
        signature: fields.text("signature")?,
    };
    Ok((draft, fields.text("onboard_token")?))
}

/// Another wallet for a validator's share.
#[derive(ToSchema)]
#[schema(as = PayoutWalletChange)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only describes the body, which is read in place")]
pub(super) struct PayoutWish {
    /// The validator's identity, in base58.
    #[schema(example = "4Nd1mYvKQ2Xv3LwqjPz6yYw1g9oM4n8J7d2c5b6a3XyZ")]
    identity_pubkey: String,
    /// Where its share is to go, in base58.
    #[schema(example = "7Kq2mYvKQ2Xv3LwqjPz6yYw1g9oM4n8J7d2c5b6a3XyZ")]
    payout_wallet: String,
    /// When the challenge was signed, in seconds since 1970.
    #[schema(example = 1_769_860_800)]
    timestamp: i64,
    /// Makes the challenge unique: 16 to 64 letters, digits, `-` and `_`.
    #[schema(example = "k3J9x2Lq8Vn5Zt7B")]
    nonce: String,
    /// The identity's Ed25519 signature over the challenge, in base58.
    signature: String,
}

const PAYOUT: [&str; 5] = [
    "identity_pubkey",
    "payout_wallet",
    "timestamp",
    "nonce",
    "signature",
];

/// Reads a change of the payout wallet.
pub(super) fn read_payout(text: &JsonText) -> Result<PayoutDraft, Problem> {
    let fields = Fields::read(text, Slug::RegisterInvalidField)?.only(&PAYOUT)?;
    Ok(PayoutDraft {
        identity_pubkey: fields.text("identity_pubkey")?,
        payout_wallet: fields.text("payout_wallet")?,
        timestamp: fields.whole("timestamp")?,
        nonce: fields.text("nonce")?,
        signature: fields.text("signature")?,
    })
}

/// What is to be otherwise. Fields that are not there stay as they are.
#[derive(ToSchema)]
#[schema(as = ValidatorChange)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only describes the body, which is read in place")]
pub(super) struct AmendmentWish {
    /// The price of all of it for one epoch in SOL. Booked leases keep theirs.
    #[schema(example = "1.5")]
    price_sol: Option<String>,
    /// `economy`, `standard` or `performance`.
    #[schema(example = "standard")]
    tier: Option<String>,
    /// One of the marketplace's regions.
    #[schema(example = "eu-central-1")]
    region: Option<String>,
    /// What people call it; `null` empties it.
    #[schema(example = "Harbour")]
    name: Option<String>,
    /// `listed` or `paused`.
    #[schema(example = "paused")]
    status: Option<String>,
    /// Where lessees connect; `null` empties it.
    #[schema(example = "https://sign.harbour.example")]
    tee_endpoint: Option<String>,
    /// Whether seats are offered.
    #[schema(example = true)]
    shared_enabled: Option<bool>,
    /// The price of one seat for one epoch in SOL.
    #[schema(example = "0.2")]
    shared_price_sol: Option<String>,
    /// How many seats there are. Fewer than are taken only stops new bookings.
    #[schema(minimum = 1, example = 8)]
    max_concurrent_shared_leases: Option<i64>,
}

const AMENDMENT: [&str; 9] = [
    "price_sol",
    "tier",
    "region",
    "name",
    "status",
    "tee_endpoint",
    "shared_enabled",
    "shared_price_sol",
    "max_concurrent_shared_leases",
];

/// Reads a change of an offer.
pub(super) fn read_amendment(text: &JsonText) -> Result<Amendment, Problem> {
    let fields = Fields::read(text, Slug::RegisterInvalidField)?.only(&AMENDMENT)?;
    Ok(Amendment {
        price_sol: fields.decimal("price_sol")?,
        tier: fields.text("tier")?,
        region: fields.text("region")?,
        name: fields.wish("name")?.into(),
        status: fields.text("status")?,
        tee_endpoint: fields.wish("tee_endpoint")?.into(),
        shared_enabled: fields.truth("shared_enabled")?,
        shared_price_sol: fields.decimal("shared_price_sol")?,
        max_concurrent_shared_leases: fields.whole("max_concurrent_shared_leases")?,
    })
}

impl From<Wish> for Change<String> {
    fn from(wish: Wish) -> Self {
        match wish {
            Wish::Nothing => Self::Keep,
            Wish::Empty => Self::Clear,
            Wish::Text(text) => Self::Set(text),
        }
    }
}

impl MarketplaceState {
    /// What is wrong with a field.
    pub(super) fn field_problem(&self, error: FieldError) -> Problem {
        let slug = match error {
            FieldError::Invalid { .. } => Slug::RegisterInvalidField,
            FieldError::PriceRequired => Slug::RegisterPriceRequired,
            FieldError::Tier => Slug::RegisterInvalidTier,
            FieldError::Region => return self.region_problem(),
            FieldError::SharedIncomplete => Slug::RegisterSharedConfigIncomplete,
            FieldError::SharedPrice => Slug::RegisterSharedPriceInvalid,
            FieldError::SharedSeats => Slug::RegisterSharedSeatsInvalid,
        };
        Problem::new(slug, error.to_string())
    }

    fn region_problem(&self) -> Problem {
        let regions = self.leasing().options().regions.iter();
        let known: Vec<&str> = regions.map(leasing::Region::as_str).collect();
        let told = format!("region must be one of {}", known.join(", "));
        Problem::new(Slug::RegisterInvalidRegion, told)
    }
}
