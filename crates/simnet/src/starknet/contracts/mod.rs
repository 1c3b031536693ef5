//! The kinds of contracts that exist on the simulated chain.

pub(crate) mod account;
mod arithmetic;
pub(crate) mod deployer;
pub(crate) mod ekubo;
pub(crate) mod erc20;
pub(crate) mod exchange;
pub(crate) mod jediswap_v2;
pub(crate) mod manner;
pub(crate) mod pairs;
pub(crate) mod paymaster;
pub(crate) mod recurring;
mod roots;
mod signed;
pub(crate) mod staking;
#[cfg(test)]
mod test_chain;
pub(crate) mod text;
mod tick_map;
pub(crate) mod vault;

#[cfg(test)]
mod tests;
