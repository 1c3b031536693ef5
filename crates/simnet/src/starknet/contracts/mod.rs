//! The kinds of contracts that exist on the simulated chain.

pub(crate) mod account;
mod arithmetic;
pub(crate) mod ekubo;
pub(crate) mod erc20;
pub(crate) mod jediswap_v2;
#[cfg(test)]
mod lab;
#[cfg_attr(not(test), expect(dead_code, reason = "the world does not use it yet"))]
pub(crate) mod migration;
pub(crate) mod pairs;
mod signed;
pub(crate) mod text;
mod tick_map;
#[cfg_attr(not(test), expect(dead_code, reason = "the world does not use it yet"))]
pub(crate) mod vault;

#[cfg(test)]
mod tests;
