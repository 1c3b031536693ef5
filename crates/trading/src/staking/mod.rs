//! Staking: what members of delegation pools may do, the calls that do it, what
//! stakes earn, and what events tell of members.
//!
//! Amounts are exact. The pools' functions and the layout of their arguments
//! are in [`calls`](self) alone; which names withdrawals have is configured.

mod calls;
mod checks;
mod earnings;
mod history;
mod realised;

pub use calls::{
    WithdrawalNames, claim_rewards_calls, claim_withdrawal_call, initiate_withdrawal_call,
    stake_calls,
};
pub use checks::{
    BadRestake, BadWithdrawal, EarlyClaim, Member, check_withdrawal, restaked_rewards,
    withdrawal_amount,
};
pub use earnings::{Earnings, YEAR_SECONDS};
pub use history::{Action, Deed, DeedReader};
pub use realised::Realised;

#[cfg(test)]
mod tests;
