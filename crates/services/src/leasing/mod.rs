//! The lease market: people, validators, leases, payments.
//!
//! One [`Leasing`] has all use cases; each file beside this one is one of them.
//! Whatever changes the ledger does so in one transaction, together with its
//! row in the audit log and, where there is one, the answer that a repeated
//! request gets. Background work is in [`Settlement`], [`Sweeper`] and
//! [`EpochWatch`], whose rounds may be cut off anywhere and repeated.

mod accounts;
mod chain_pay;
mod epochs;
mod idempotency;
mod leases;
mod onboarding;
mod options;
mod page;
mod secret;
mod settlement;
mod solana;
mod sweeper;
mod validators;

pub use accounts::{
    Caller, Challenge, NewToken, NotSignedIn, Profile, ProfileError, SignedIn, TokenError,
    TokenInfo, TokenRevokeError,
};
pub use chain_pay::{PayError, Unsigned};
pub use epochs::{EpochView, EpochWatch};
pub use idempotency::{Claim, KeyGuard, StoredAnswer};
pub use leases::{
    BookError, Booked, Booking, BookingWarning, CancelError, LeaseFilter, LeaseView, PaymentView,
};
pub use onboarding::{Onboarding, OnboardingStatus, OnboardingView};
pub use options::LeasingOptions;
pub use page::Page;
pub use settlement::{Settled, Settlement};
pub use solana::SolanaNodes;
pub use store::leasing::{EndReason, PaymentKind, PaymentStatus, Roles, User};
pub use sweeper::Sweeper;
pub use validators::{
    Browse, BrowseKey, Leader, Leaders, OwnerError, PatchError, PayoutError, RegisterError,
    ScheduleError, Sort, StakeError, StakeView, ValidatorView, ValidatorWarning,
};

use primitives::{Clock, Entropy, Timestamp, Ulid};
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

    fn new_id(&self) -> Ulid {
        Ulid::new(self.now(), self.entropy.bytes())
    }
}
