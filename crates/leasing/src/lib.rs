//! The rules of leasing: which epoch it is, how a lease is paid on Solana, and
//! whether somebody holds the key that they claim.
//!
//! Nothing here waits, performs I/O or logs. What a node says comes in as
//! values, and so does the time.

mod challenge;
mod epoch_clock;
mod memo;
mod message;
mod payment;
mod reading;

pub use challenge::{NotSigned, SignedForm, verify_challenge};
pub use epoch_clock::{EpochClock, EpochPosition};
pub use memo::{MEMO_PROGRAM, MEMO_PROGRAMS, Memo, MemoError};
pub use payment::{BelowRent, Leg, PayerError, Payment, PaymentError};
pub use reading::{BalanceChange, Landed, Verdict};
