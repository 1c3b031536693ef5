//! Paying fees for others: what a user signs so that a relayer may execute it,
//! what that costs in which token, and what a sponsor pays for.
//!
//! A transaction is built as an outside execution of the user's account (SNIP-9)
//! whose nonce carries a code over everything in it ([`NonceKey`]): whoever has
//! the key recognises what was built, and nobody has to remember it.

mod bounds;
mod calls;
mod fee;
mod nonce;
mod outside;
mod parse;
mod refusal;
mod request;
mod rules;
mod selected_call;
#[cfg(test)]
mod tests;

pub use bounds::TimeBounds;
pub use calls::{
    deployment_call, fee_transfer, forwarded, forwarded_privately, forwarded_sponsored,
    outside_call, paid_to_forwarder,
};
pub use fee::{Fee, GasTokenPrice, PrivateFee, private_fee, scaled, usual_fee};
pub use nonce::{BuiltNonce, NonceKey};
pub use outside::{OutsideExecution, OutsideVersion};
pub use refusal::Refusal;
pub use request::{Deployment, FeeMode, PoolFee, Tip, Transaction};
pub use rules::{CallRule, Rules, Verdict};
pub use selected_call::SelectedCall;
