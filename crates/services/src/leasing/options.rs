//! What an operator decides about the market.

use super::{key_hash::KeyCost, oidc::Issuer, signer::TokenSigner};
use leasing::{FeeRate, Networks, Regions};
use primitives::{PublicKey, SignedDuration};
use std::time::Duration;

/// How the operator wants the market.
#[derive(Debug, Clone)]
pub struct LeasingOptions {
    /// The host that people see, in the texts that they sign.
    pub domain: String,
    /// The address that people see, in the text of a sign-in.
    pub uri: String,
    /// The cluster in the text of a sign-in: `mainnet`, `devnet`, …
    pub chain_id: String,
    /// The wallet that fees go to. Every payment names it.
    pub platform_wallet: PublicKey,
    /// The platform's part.
    pub fee: FeeRate,
    /// Where validators may stand.
    pub regions: Regions,
    /// How long a booking waits for its payment.
    pub payment_window: SignedDuration,
    /// How much longer it holds its epochs, for a payment that was signed at
    /// the last moment to become final.
    pub settlement_grace: SignedDuration,
    /// How long a text to sign can be used.
    pub challenge_lifetime: SignedDuration,
    /// How long somebody stays signed in.
    pub session_lifetime: SignedDuration,
    /// How long an onboarding token can be used.
    pub onboarding_lifetime: SignedDuration,
    /// Bookings that a trader may have without having paid for them.
    pub max_unpaid: u32,
    /// Where the key of lease tokens is.
    pub token_signer: TokenSigner,
    /// How long a key signs that is kept in the ledger.
    pub token_rotation: SignedDuration,
    /// What the hash of a lease key costs.
    pub key_cost: KeyCost,
    /// Who else signs people in, beside their wallets.
    pub issuer: Option<Issuer>,
    /// How deliveries to webhooks are sent.
    pub webhooks: WebhookOptions,
    /// Whether bearer tokens that everybody knows are recognised: only where
    /// nothing is worth anything.
    pub published_tokens: bool,
}

/// How deliveries to webhooks are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WebhookOptions {
    /// Where they may lead.
    pub networks: Networks,
    /// How long one attempt may take.
    pub timeout: Duration,
}

impl Default for WebhookOptions {
    fn default() -> Self {
        Self {
            networks: Networks::PUBLIC,
            timeout: Duration::from_secs(10),
        }
    }
}

impl LeasingOptions {
    /// The usual market under a domain.
    pub fn new(domain: &str, platform_wallet: PublicKey) -> Self {
        Self {
            domain: domain.to_owned(),
            uri: format!("https://{domain}"),
            chain_id: "mainnet".to_owned(),
            platform_wallet,
            fee: FeeRate::default(),
            regions: Regions::default(),
            payment_window: SignedDuration::from_mins(15),
            settlement_grace: SignedDuration::from_secs(120),
            challenge_lifetime: SignedDuration::from_mins(5),
            session_lifetime: SignedDuration::from_hours(24),
            onboarding_lifetime: SignedDuration::from_hours(24),
            max_unpaid: 50,
            token_signer: TokenSigner::Ledger,
            token_rotation: SignedDuration::from_hours(30 * 24),
            key_cost: KeyCost::default(),
            issuer: None,
            webhooks: WebhookOptions::default(),
            published_tokens: false,
        }
    }
}
