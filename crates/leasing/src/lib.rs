//! The rules of leasing: what a validator offers, what may become of a lease,
//! what it costs, which epoch it is, how it is paid on Solana, and whether
//! somebody holds the key that they claim.
//!
//! Nothing here waits, performs I/O or logs. What a node says comes in as
//! values, and so does the time.

mod audit_chain;
mod bill;
mod booking;
mod calendar;
mod challenge;
mod ending;
mod epoch_clock;
mod extension;
mod keeping;
mod lease;
mod memo;
mod message;
mod minting;
mod payment;
mod performance;
mod rating;
mod reading;
mod refund;
mod registration;
mod revoking;
mod roles;
mod settling;
mod sign_in;
mod terms;
mod token;
mod usage;
mod webhook;
mod window;
mod words;

pub use audit_chain::{AuditHash, NotAuditHash};
pub use bill::{Bill, FeeRate, FeeTooHigh, TotalOverflow};
pub use booking::{BookError, Booking, Offer, Platform, Trader};
pub use calendar::{HORIZON, Occupancy, Span, availability, free_epochs, next_free_epoch};
pub use challenge::{NotSigned, SignedForm, verify_challenge};
pub use ending::{CancelError, CompleteError, LapseError};
pub use epoch_clock::{EpochClock, EpochPosition};
pub use extension::{
    ExtendError, Extended, Extending, Extension, ExtensionLapseError, ExtensionSettling,
    ExtensionStage, LateExtension, OrphanedExtension,
};
pub use keeping::KeyError;
pub use lease::{EndReason, Lease, LeaseState, Mode, PaymentKind, PaymentStatus, Receipt, Stage};
pub use memo::{MEMO_PROGRAM, MEMO_PROGRAMS, Memo, MemoError};
pub use minting::MintError;
pub use payment::{BelowRent, Leg, PayerError, Payment, PaymentError};
pub use performance::{LedSlots, Share, VoteCredits};
pub use rating::{RateError, RatingSum, Remark, SIGNS_TO_RATE, Stars};
pub use reading::{BalanceChange, Landed, Verdict};
pub use refund::{Debtor, Purchase, Refund, RefundSettling, RefundStage, StrayLeg, Unused};
pub use registration::{
    Amended, Amendment, Change, Draft, FieldError, ListingStatus, MAX_SKEW, PayoutChange,
    PayoutDraft, Proof, Reclaim, RegisterChallenge, Registration, payout_challenge,
    reclaim_challenge,
};
pub use revoking::RevokeError;
pub use roles::{Asker, Party, Roles};
pub use settling::{LatePayment, Orphaned, Settling, Stray, StrayReason};
pub use sign_in::SignIn;
pub use terms::{
    NotPrice, NotRegion, Region, Regions, Shared, Tier, ValidatorTerms, format_sol, parse_sol,
};
pub use token::{
    Gateway, Jwk, Jwks, LeaseClaims, NotTokenKey, Revocations, TOKEN_LIFETIME, TokenKey,
    TokenRefusal, TokenSecret, assembled, signing_input, verify_lease_token,
};
pub use usage::{
    BatchError, MAX_REPORTS, REPORTS_REMEMBERED, Usage, UsageBatch, UsageReport, UsageSums,
    beginning_of_day,
};
pub use webhook::{
    DeliveryProblem, DeliveryStatus, DisabledReason, FAILING_FOR, MAX_ATTEMPTS, Networks,
    TargetError, WebhookEvent, WebhookEvents, WebhookSecret, WebhookTarget, pause,
};
pub use window::{EpochWindow, WindowError};
pub use words::UnknownWord;
