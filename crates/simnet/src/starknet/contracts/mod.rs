//! The kinds of contracts that exist on the simulated chain.

pub(crate) mod account;
pub(crate) mod erc20;
pub(crate) mod text;
