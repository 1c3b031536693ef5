//! The configuration: a file, the environment and flags, in rising precedence.
//!
//! [`keys`] is the one place that names every key, with its type, default and
//! documentation; the reader, the flags, `config print` and
//! `config.example.toml` follow from it. Loading either gives a whole [`Config`]
//! or every problem at once, each with its key and where it was written.

mod check;
mod flags;
mod keys;
mod kinds;
mod layers;
mod leaf;
mod load;
mod print;
mod problem;
mod secret;

pub(crate) use flags::{
    Everything, FlagSet, FlagsOf, OfGround, OfService, OfSimnet, OfStore, OfStoreAndNode,
};
pub(crate) use keys::{Config, Server};
pub(crate) use kinds::{
    Bytes, ChainId, ClaimText, LogFilter, LogFormat, Migration, Plan, Role, StakingNames, StarkKey,
    StarkKeys, TokenPem,
};
pub(crate) use layers::Sources;
pub(crate) use load::{Loaded, load};
pub(crate) use print::example;
pub(crate) use problem::Problems;

#[cfg(test)]
mod tests;
