//! The rules of leasing: what a validator offers, what may become of a lease,
//! what it costs, which epoch it is, how it is paid on Solana, and whether
//! somebody holds the key that they claim.
//!
//! Nothing here waits, performs I/O or logs. What a node says comes in as
//! values, and so does the time.

mod bill;
mod calendar;
mod challenge;
mod epoch_clock;
mod lease;
mod memo;
mod message;
mod payment;
mod reading;
mod registration;
mod sign_in;
mod terms;

pub use bill::{Bill, FeeRate, FeeTooHigh, TotalOverflow};
pub use calendar::{HORIZON, Occupancy, Span, availability, next_free_epoch};
pub use challenge::{NotSigned, SignedForm, verify_challenge};
pub use epoch_clock::{EpochClock, EpochPosition};
pub use lease::{EpochWindow, LeaseEvent, LeaseState, Mode, NotAllowed, UnknownWord, WindowError};
pub use memo::{MEMO_PROGRAM, MEMO_PROGRAMS, Memo, MemoError};
pub use payment::{BelowRent, Leg, PayerError, Payment, PaymentError};
pub use reading::{BalanceChange, Landed, Verdict};
pub use registration::{
    Amended, Amendment, Change, Draft, FieldError, ListingStatus, MAX_SKEW, PayoutChange,
    PayoutDraft, Proof, Registration, payout_challenge, register_challenge,
};
pub use sign_in::SignIn;
pub use terms::{NotPrice, NotRegion, Region, Regions, Shared, Terms, Tier, format_sol, parse_sol};
