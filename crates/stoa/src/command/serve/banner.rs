//! What the person who started the service is told. Programs may read the
//! lines too: each begins with one word and its value.

use crate::{
    config::{Config, Role},
    console::say_about,
    network::Network,
    wiring,
};
use std::net::SocketAddr;

/// Nodes of our own.
#[derive(Debug)]
pub(crate) struct Simulation {
    pub(super) url: String,
    pub(super) announcements: String,
    /// What its paths of market data begin with.
    pub(super) aggregator: String,
    /// Where the Solana node is.
    pub(super) solana: String,
    pub(super) accounts: Vec<wiring::PrefundedAccount>,
    pub(super) wallets: Vec<wiring::SolanaKeypair>,
    /// The validators of the Solana node.
    pub(super) validators: Vec<wiring::SimulatedValidator>,
    /// The newest block when it was started.
    pub(crate) head: u64,
}

/// What is served where.
#[derive(Debug)]
pub(super) struct Banner<'a> {
    pub(super) config: &'a Config,
    pub(super) network: Network,
    pub(super) whole: SocketAddr,
    pub(super) trade: Option<SocketAddr>,
    pub(super) market: Option<SocketAddr>,
    pub(super) leasing: Option<SocketAddr>,
    pub(super) paymaster: Option<SocketAddr>,
    /// For those who run the program.
    pub(super) operations: Option<SocketAddr>,
    /// Where people reach the lease market, if there is one.
    pub(super) site: Option<&'a str>,
    pub(super) simulation: Option<&'a Simulation>,
    /// Whether the simulated accounts are said after it.
    pub(super) shows_accounts: bool,
}

impl Banner<'_> {
    pub(super) fn say(&self) {
        let whole = self.whole;
        say_about("network", self.network);
        say_about("store", wiring::location(self.config));
        if self.config.process.roles.contains(&Role::Api) {
            say_about("api", format_args!("http://{whole}"));
            say_about("console", format_args!("http://{whole}/"));
        }
        for (face, address) in [
            ("trade", self.trade),
            ("market", self.market),
            ("leasing", self.leasing),
            ("paymaster", self.paymaster),
        ] {
            if let Some(address) = address {
                say_about(face, format_args!("http://{address}"));
            }
        }
        match self.site {
            Some(site) => say_about("leases", format_args!("{site}/v1/validators")),
            None => say_about("leases", "no market: no Solana node is named"),
        }
        say_about("docs", format_args!("http://{whole}/docs"));
        say_about("health", format_args!("http://{whole}/readyz"));
        if let Some(address) = self.operations {
            say_about("operations", format_args!("http://{address}/readyz"));
        }
        if let Some(signer) = wiring::answer_signer(self.config, self.network) {
            say_about("signer", signer.public_key());
        }
        match (self.simulation, &self.config.starknet.rpc) {
            (Some(simulation), _) => {
                simulation.say();
                if !self.shows_accounts {
                    say_about(
                        "accounts",
                        "add --accounts to see funded accounts and demo tokens",
                    );
                }
            }
            (None, Some(rpc)) => say_about("node", rpc),
            (None, None) => {}
        }
    }
}

impl Simulation {
    pub(crate) fn say(&self) {
        say_about("node", &self.url);
        say_about("heads", &self.announcements);
        say_about("global", &self.aggregator);
        say_about("solana", &self.solana);
    }
}
