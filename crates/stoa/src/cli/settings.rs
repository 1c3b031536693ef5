//! Flags that several commands have.

use crate::{
    config::{FlagSet, FlagsOf, Loaded, Problems, Sources, load},
    wiring::Ledger,
};
use clap::Args;
use std::path::PathBuf;

/// How a list is printed.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct ListForm {
    /// Print a JSON array, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

/// What is said while the program runs.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Telling {
    /// Show the funded accounts of the simulated networks with their keys and balances, and
    /// the demo tokens
    #[arg(long)]
    pub(crate) accounts: bool,
    /// Print nothing but warnings and errors
    #[arg(long, conflicts_with_all = ["accounts", "server.log"])]
    pub(crate) quiet: bool,
}

/// What is done about the store.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct StoreArgs {
    /// Start with an empty ledger where the store has lost its own, or keep one that belongs to
    /// another chain. Both are refused without this flag, because users, keys and leases exist
    /// nowhere else
    #[arg(long)]
    new_ledger: bool,
}

impl StoreArgs {
    pub(crate) fn ledger(self) -> Ledger {
        if self.new_ledger {
            Ledger::New
        } else {
            Ledger::Kept
        }
    }
}

/// Where the configuration comes from.
#[derive(Debug, Args)]
pub(crate) struct Settings<S: FlagSet> {
    /// The configuration file
    #[arg(
        long,
        value_name = "FILE",
        global = true,
        help_heading = "Configuration"
    )]
    config: Option<PathBuf>,
    #[command(flatten)]
    flags: FlagsOf<S>,
}

impl<S: FlagSet> Settings<S> {
    /// The configuration of this process.
    pub(crate) fn load(self) -> Result<Loaded, Problems> {
        load(&Sources {
            file: self.config,
            environment: std::env::vars_os().collect(),
            flags: self.flags.given(),
        })
    }
}
