//! The lease market: people, validators, leases, payments.
//!
//! [`Leasing`] has a service for each thing that use cases are about; they share
//! a store, a cluster, a clock and what is kept of answers. A service loads,
//! lets `leasing` decide, and saves. Whatever changes the ledger does so in one
//! transaction, together with its row in the audit log and, where there is one,
//! the answer that a repeated request gets. Background work is in [`Settlement`],
//! [`Sweeper`], [`EpochWatch`], [`BlockWatch`], [`AuditChain`], [`WebhookFeed`] and
//! [`WebhookSender`], whose rounds may be cut off anywhere and repeated.

mod accounts;
mod admin;
mod applying;
mod audit;
mod audit_chain;
mod audit_log;
mod availability;
mod block_watch;
mod browsing;
mod caller;
mod context;
mod epoch_watch;
mod epochs;
mod extending;
mod idempotency;
mod job;
mod key_hash;
mod lease_keys;
mod lease_news;
mod lease_tokens;
mod leases;
mod names;
mod oidc;
mod onboarding;
mod options;
mod page;
mod pages;
mod parking;
mod payments;
mod ratings;
mod reclaiming;
mod recognising;
mod refunds;
mod registering;
mod revocations;
mod revoking;
mod secret;
mod service_tokens;
mod settlement;
mod settling;
mod signer;
mod solana;
mod stakes;
mod stopping;
mod strays;
mod sweeper;
mod token_keys;
mod tokens;
mod usage;
mod validator_view;
mod validators;
mod webhooks;

pub use accounts::{Accounts, Challenge, NoSession, NotSignedIn, Profile, ProfileError, SignedIn};
pub use admin::{AddUserError, Admin, RolesError};
pub use applying::Settled;
pub use audit_chain::{AuditBreak, AuditChain, AuditStanding};
pub use audit_log::{AuditFilter, AuditLog};
pub use availability::FreeEpochs;
pub use block_watch::BlockWatch;
pub use caller::{Caller, Session};
pub use epoch_watch::EpochWatch;
pub use epochs::{EpochView, Epochs};
pub use extending::ExtensionWish;
pub use idempotency::{Claim, IdempotencyKeys, KeyGuard, StoredAnswer};
pub use key_hash::KeyCost;
pub use lease_keys::{LeaseKeys, NewLeaseKey, ReplaceError, RevealError};
pub use lease_news::{LeaseEvent, LeaseNews, LeaseNewsPage, StreamTicket};
pub use lease_tokens::{LeaseTokens, Minted, NewTokenKey};
pub use leases::{Booked, BookingWarning, LeaseDetail, LeaseFilter, Leases, OwnerError};
pub use oidc::{
    Issuer, IssuerError, IssuerKeys, IssuerOptions, MAX_TOKEN_BYTES, NotSecureUrl, SecureUrl,
};
pub use onboarding::{Onboarding, OnboardingSessions, OnboardingStatus, OnboardingView};
pub use options::{LeasingOptions, WebhookOptions};
pub use page::Page;
pub use pages::{Browse, BrowseKey, Sort};
pub use payments::{PayError, Payments, Unsigned};
pub use ratings::{RatingError, Ratings, ReplyError};
pub use reclaiming::ReclaimError;
pub use refunds::Refunds;
pub use registering::{PayoutError, RegisterError};
pub use revocations::Revocations;
pub use revoking::Revoked;
pub use service_tokens::{ServiceTokenError, ServiceTokens};
pub use settlement::Settlement;
pub use settling::Settling;
pub use signer::{RemoteSigner, SignError, TokenSigner};
pub use solana::SolanaNodes;
pub use stakes::{Leader, Leaders, ScheduleError, StakeError, StakeView, Stakes};
pub use stopping::{LiftError, StopError, Stopped};
pub use store::leasing::{
    AuditLink, AuditRow, DeliveryRow, Drift, ExternalIdentity, Performance, RatingRow,
    RevocationPlace, RevocationRow, StrayLegRow, StrayPlace, StrayTransaction, UsageDay, User,
    WebhookRow,
};
pub use strays::{NotStaff, StrayRefundError, Strays};
pub use sweeper::Sweeper;
pub use token_keys::RotateError;
pub use tokens::{ApiTokens, NewToken, TokenError, TokenInfo, TokenRevokeError};
pub use usage::{Ingested, LeaseUsage, Usage, UsageError};
pub use validator_view::{ValidatorView, ValidatorWarning};
pub use validators::{PatchError, Validators};
pub use webhooks::{
    Lookup, SystemLookup, WebhookChange, WebhookError, WebhookFeed, WebhookSender, WebhookWish,
    Webhooks,
};

use crate::fault::Fault;
use context::Context;
use primitives::{Clock, Entropy};
use std::sync::Arc;
use store::Store;

/// The lease market: its services. Clones share everything.
#[derive(Debug, Clone)]
pub struct Leasing {
    /// People and their sessions.
    pub accounts: Accounts,
    /// What staff does with people.
    pub admin: Admin,
    /// Bearer tokens that people make.
    pub tokens: ApiTokens,
    /// Bearer tokens of validators' gateways.
    pub service_tokens: ServiceTokens,
    /// What is offered.
    pub validators: Validators,
    /// Registering without being signed in.
    pub onboarding: OnboardingSessions,
    /// What the cluster says of validators.
    pub stakes: Stakes,
    /// What is booked.
    pub leases: Leases,
    /// Credentials that belong to a lease.
    pub lease_keys: LeaseKeys,
    /// What lessees show to validators.
    pub lease_tokens: LeaseTokens,
    /// What is to be paid.
    pub payments: Payments,
    /// What is owed to people who paid.
    pub refunds: Refunds,
    /// Leases that ended before their time.
    pub revocations: Revocations,
    /// How much leases are used.
    pub usage: Usage,
    /// What traders say of validators.
    pub ratings: Ratings,
    /// What came and paid for nothing.
    pub strays: Strays,
    /// Where people are told of what happens.
    pub webhooks: Webhooks,
    /// What happens to leases, as it happens.
    pub news: LeaseNews,
    /// What happened.
    pub audit_log: AuditLog,
    /// Which epoch it is, reckoned on between the answers of nodes.
    pub epochs: Epochs,
    /// Whether payments can be looked for.
    pub settling: Settling,
    /// Requests that are done once.
    pub keys: IdempotencyKeys,
    context: Arc<Context>,
}

impl Leasing {
    /// A market on a store and the nodes of a cluster, which may connect later.
    pub fn new(
        store: Store,
        nodes: SolanaNodes,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
        options: LeasingOptions,
    ) -> Self {
        let context = Arc::new(Context::new(store, nodes, clock, entropy, options));
        let shared = || Arc::clone(&context);
        Self {
            accounts: Accounts(shared()),
            admin: Admin(Accounts(shared())),
            tokens: ApiTokens(shared()),
            service_tokens: ServiceTokens(shared()),
            validators: Validators(shared()),
            onboarding: OnboardingSessions(shared()),
            stakes: Stakes(shared()),
            leases: Leases(shared()),
            lease_keys: LeaseKeys(shared()),
            lease_tokens: LeaseTokens::new(shared()),
            payments: Payments(shared()),
            refunds: Refunds(shared()),
            revocations: Revocations(shared()),
            usage: Usage(shared()),
            ratings: Ratings(shared()),
            strays: Strays(shared()),
            webhooks: Webhooks(shared()),
            news: LeaseNews::new(shared()),
            audit_log: AuditLog(shared()),
            epochs: context.epochs.clone(),
            settling: context.settling.clone(),
            keys: IdempotencyKeys::new(shared()),
            context,
        }
    }

    /// How the operator wants the market.
    pub fn options(&self) -> &LeasingOptions {
        &self.context.options
    }

    /// Looks for payments.
    pub fn settlement(&self) -> Settlement {
        Settlement::new(Arc::clone(&self.context))
    }

    /// Ends what nobody paid.
    pub fn sweeper(&self) -> Sweeper {
        Sweeper::new(self.leases.clone())
    }

    /// Links what happened.
    pub fn audit_chain(&self) -> AuditChain {
        AuditChain::new(Arc::clone(&self.context))
    }

    /// Makes deliveries to webhooks of what happened.
    pub fn webhook_feed(&self) -> WebhookFeed {
        WebhookFeed::new(Arc::clone(&self.context))
    }

    /// Sends deliveries to webhooks, whose names are looked up there.
    pub fn webhook_sender(
        &self,
        lookup: &Arc<dyn Lookup>,
    ) -> Result<WebhookSender, reqwest::Error> {
        WebhookSender::new(Arc::clone(&self.context), lookup)
    }

    /// Finds out how well validators do.
    pub fn block_watch(&self) -> BlockWatch {
        BlockWatch::new(Arc::clone(&self.context))
    }

    /// Follows the epoch, completes leases, refreshes stakes.
    pub fn epoch_watch(&self) -> EpochWatch {
        EpochWatch::new(Arc::clone(&self.context))
    }

    /// 32 random bytes under a name: made once, kept in the ledger, the same
    /// for all replicas.
    pub async fn kept_secret(&self, name: &'static str) -> Result<[u8; 32], Fault> {
        let fresh = self.context.entropy.bytes();
        Ok(self.context.store.ledger().secret(name, fresh).await?)
    }
}
