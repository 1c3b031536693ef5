//! The kinds of contracts that exist on the simulated chain.

pub(crate) mod account;
mod arithmetic;
pub(crate) mod ekubo;
pub(crate) mod erc20;
#[cfg(test)]
mod lab;
pub(crate) mod pairs;
pub(crate) mod text;
