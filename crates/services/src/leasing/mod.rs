//! The lease market: people, validators, leases, payments.
//!
//! One [`Leasing`] has all use cases; each file beside this one is one of them.
//! Whatever changes the ledger does so in one transaction, together with its
//! row in the audit log and, where there is one, the answer that a repeated
//! request gets. Background work is in [`Settlement`], [`Sweeper`] and
//! [`EpochWatch`], whose rounds may be cut off anywhere and repeated.

mod accounts;
mod audit;
mod browsing;
mod chain_pay;
mod epochs;
mod idempotency;
mod job;
mod leases;
mod onboarding;
mod options;
mod page;
mod secret;
mod settlement;
mod solana;
mod stakes;
mod sweeper;
mod validators;

pub use accounts::{
    Caller, Challenge, NewToken, NotSignedIn, Profile, ProfileError, SignedIn, TokenError,
    TokenInfo, TokenRevokeError,
};
pub use browsing::{Browse, BrowseKey, Sort};
pub use chain_pay::{PayError, Unsigned};
pub use epochs::{EpochView, EpochWatch};
pub use idempotency::{Claim, KeyGuard, StoredAnswer};
pub use leases::{Booked, BookingWarning, LeaseFilter};
pub use onboarding::{Onboarding, OnboardingStatus, OnboardingView};
pub use options::LeasingOptions;
pub use page::Page;
pub use settlement::{Settled, Settlement};
pub use solana::SolanaNodes;
pub use stakes::{Leader, Leaders, ScheduleError, StakeError, StakeView};
pub use store::leasing::{Drift, User};
pub use sweeper::Sweeper;
pub use validators::{
    OwnerError, PatchError, PayoutError, RegisterError, ValidatorView, ValidatorWarning,
};

use primitives::{Clock, Entropy, SignedDuration, Timestamp, Ulid};
use std::sync::Arc;
use store::Store;

/// The lease market. Clones share everything.
#[derive(Debug, Clone)]
pub struct Leasing(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    store: Store,
    nodes: SolanaNodes,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    options: LeasingOptions,
    epochs: epochs::Epochs,
    votes: solana::Votes,
    pages: browsing::Pages,
    audit_ids: audit::AuditIds,
    in_flight: idempotency::InFlight,
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
        Self(Arc::new(Inner {
            store,
            nodes,
            clock,
            entropy,
            options,
            epochs: epochs::Epochs::default(),
            votes: solana::Votes::default(),
            pages: browsing::Pages::default(),
            audit_ids: audit::AuditIds::default(),
            in_flight: idempotency::InFlight::default(),
        }))
    }

    /// How the operator wants the market.
    pub fn options(&self) -> &LeasingOptions {
        &self.0.options
    }
}

impl Inner {
    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// A time ahead of now; the end of the calendar if it would be beyond.
    fn in_future(&self, by: SignedDuration) -> Timestamp {
        self.now().checked_add(by).unwrap_or(Timestamp::MAX)
    }

    fn new_id(&self) -> Ulid {
        Ulid::new(self.now(), self.entropy.bytes())
    }
}
