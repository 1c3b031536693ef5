//! The command line.

mod leases;
mod settings;
mod sponsors;

pub(crate) use leases::{
    AuditAction, LeaseTokenAction, OfferArgs, RoleName, TokenAction, UserAction, ValidatorAction,
};
pub(crate) use settings::{ListForm, Settings, StoreArgs, Telling};
pub(crate) use sponsors::{PaymasterAction, SponsorAction};

use crate::config::{Everything, OfGround, OfService, OfSimnet, OfStore, OfStoreAndNode};
use clap::{Parser, Subcommand};
use clap_complete::Shell;
use std::path::PathBuf;
use url::Url;

const HELP: &str = "\
Examples:
  stoa serve                                   everything, on a simulated network
  stoa serve --starknet-rpc https://NODE/KEY   follow a real node of Starknet
  stoa serve --solana-rpc https://NODE/KEY     and one of Solana
  stoa serve --config stoa.toml                with a configuration file
  stoa simnet                                  only the simulated node
  stoa serve --accounts                        with funded accounts to try it with
  stoa config print                            what is in force, and why
  stoa doctor                                  what would keep it from working

Every setting is a key of the configuration file, and an environment variable:
server.listen is STOA__SERVER__LISTEN. Flags override the environment, which
overrides the file. config.example.toml lists every key.

Exit status: 0 success, 1 failure, 2 wrong usage or configuration.";

/// A self-hosted trading API for Starknet and a marketplace for Solana validator capacity
///
/// Stoa follows nodes of both chains, or runs simulated ones, and serves what it
/// finds over HTTP.
#[derive(Debug, Parser)]
#[command(name = "stoa", version, after_help = HELP, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the service
    ///
    /// Opens the store, follows the chain and answers requests until SIGTERM or
    /// SIGINT; then requests in flight are drained. A second signal ends the
    /// program at once. Without --starknet-rpc, a simulated node is started.
    #[command(after_help = "\
Examples:
  stoa serve
  stoa serve --listen 0.0.0.0:80 --data /var/lib/stoa
  stoa serve --listen 127.0.0.1:0 --sim-listen 127.0.0.1:0   any free ports
  stoa serve --log debug                                     a line for every request
  stoa serve --store postgres://stoa:secret@db/stoa --redis redis://cache")]
    Serve {
        #[command(flatten)]
        telling: Telling,
        #[command(flatten)]
        store: StoreArgs,
        #[command(flatten)]
        settings: Settings<Everything>,
    },
    /// Run the simulated node alone
    ///
    /// A Starknet node for tests of other programs: JSON-RPC over HTTP and
    /// WebSocket, pre-funded accounts, blocks, reorganisations and faults on
    /// request. docs/simnet.md says what is simulated and what is not.
    #[command(after_help = "\
Examples:
  stoa simnet
  stoa simnet --sim-listen 127.0.0.1:5050 --sim-seed 7 --data /tmp/simnet")]
    Simnet {
        #[command(flatten)]
        telling: Telling,
        #[command(flatten)]
        settings: Settings<OfSimnet>,
    },
    /// Bring the store to this version of the program
    ///
    /// `serve` does so by itself; this is for those who want it done before.
    #[command(after_help = "\
Examples:
  stoa migrate --data /var/lib/stoa
  stoa migrate --store file:/run/secrets/store-url")]
    Migrate {
        #[command(flatten)]
        store: StoreArgs,
        #[command(flatten)]
        settings: Settings<OfStore>,
    },
    /// Copy the store while it is in use
    ///
    /// The copy is the store of one moment, with everything that was acknowledged
    /// before. SQLite copies itself; PostgreSQL is copied by `pg_dump`, which must be
    /// installed. Nothing is written over.
    #[command(after_help = "\
Examples:
  stoa backup --out backups/monday --data /var/lib/stoa
  stoa backup --out backups/ledger --ledger-only --store file:/run/secrets/store-url")]
    Backup {
        /// The folder to make; it must not exist
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
        /// Leave out what can be read from the chain again
        #[arg(long)]
        ledger_only: bool,
        #[command(flatten)]
        settings: Settings<OfStore>,
    },
    /// Make a store of a backup
    ///
    /// There must be none at that place yet. A backup of SQLite becomes a store of
    /// SQLite, one of PostgreSQL a store of PostgreSQL.
    #[command(after_help = "\
Examples:
  stoa restore --from backups/monday --data /var/lib/stoa
  stoa restore --from backups/monday --store postgres://stoa:secret@db/stoa")]
    Restore {
        /// The folder that `stoa backup` made
        #[arg(long, value_name = "DIR")]
        from: PathBuf,
        #[command(flatten)]
        settings: Settings<OfStore>,
    },
    /// Compute stored blocks anew from the node, and compare
    ///
    /// Pools, trades, candles and tokens of each block are told that are not what the
    /// node says; the exit status is 1 if there are any. Nothing is written. What a
    /// block means depends on those before it, which are taken from the store: begin at
    /// its first block to trust nothing.
    #[command(after_help = "\
Examples:
  stoa verify --from 0 --data /var/lib/stoa
  stoa verify --from 900000 --to 900100 --starknet-rpc https://NODE/KEY")]
    Verify {
        /// The first block
        #[arg(long, value_name = "BLOCK")]
        from: u64,
        /// The last block; without it, the newest that is stored
        #[arg(long, value_name = "BLOCK")]
        to: Option<u64>,
        #[command(flatten)]
        settings: Settings<OfStoreAndNode>,
    },
    /// Write the OpenAPI documents
    ///
    /// Without --out they are printed as one JSON object, by file name.
    #[command(after_help = "\
Examples:
  stoa openapi --out openapi
  stoa openapi | jq keys")]
    Openapi {
        /// The folder to write the files into; made when missing
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// Show or check the configuration
    #[command(after_help = "\
Examples:
  stoa config example > stoa.toml
  stoa config print --config stoa.toml
  STOA__SERVER__LISTEN=0.0.0.0:80 stoa config check")]
    Config {
        #[command(subcommand)]
        action: ConfigAction,
        #[command(flatten)]
        settings: Settings<Everything>,
    },
    /// Check everything the service stands on, and say what to do
    ///
    /// Looks at the folder, the store, the node, the ports and the clock, and
    /// changes nothing. The exit status is 1 if anything failed.
    #[command(after_help = "\
Examples:
  stoa doctor
  stoa doctor --starknet-rpc https://NODE/KEY --data /var/lib/stoa
  stoa doctor --replicas http://10.0.0.1:8080,http://10.0.0.2:8080")]
    Doctor {
        /// Compare these running processes instead: blocks, digests, entity tags
        #[arg(long, value_name = "URL,URL", value_delimiter = ',')]
        replicas: Vec<Url>,
        #[command(flatten)]
        settings: Settings<OfGround>,
    },
    /// Print the list of venues, with what was learned of their contracts' classes
    ///
    /// What is printed can be named in starknet.venues: every class that swaps have proven
    /// is pinned to its rule there, every refuted one is off, and what the list in force
    /// says stays. It is what the store has; the service may run meanwhile.
    #[command(after_help = "\
Examples:
  stoa classes --data /var/lib/stoa > venues.json
  STOA__STARKNET__VENUES=venues.json stoa serve --starknet-rpc https://NODE/KEY")]
    Classes {
        #[command(flatten)]
        settings: Settings<OfStore>,
    },
    /// Make, list and revoke API keys
    ///
    /// A caller that sends a key in the header x-api-key has a limit of its own.
    /// Keys work at once, and stop working within ten seconds.
    #[command(after_help = "\
Examples:
  stoa key create --name 'mobile app'
  stoa key list
  stoa key revoke key_0123456789abcdef")]
    Key {
        #[command(subcommand)]
        action: KeyAction,
        #[command(flatten)]
        settings: Settings<OfStore>,
    },
    /// Make, credit and look at those who pay fees of others
    ///
    /// A sponsor's key is sent to the paymaster in the header x-paymaster-api-key, and to
    /// the report of what was paid in api-key. Amounts are STRK, such as 12.5.
    #[command(after_help = "\
Examples:
  stoa sponsor create --name 'my game' --credits 500 --allow 0x1234:move
  stoa sponsor list
  stoa sponsor credit spn_0123456789abcdef 250
  stoa sponsor rotate spn_0123456789abcdef
  stoa sponsor explain spn_0123456789abcdef --call 0x1234:move
  stoa sponsor audit spn_0123456789abcdef
  stoa sponsor disable spn_0123456789abcdef")]
    Sponsor {
        #[command(subcommand)]
        action: SponsorAction,
        #[command(flatten)]
        settings: Settings<OfStoreAndNode>,
    },
    /// Look after what the paymaster collected
    #[command(after_help = "\
Examples:
  stoa paymaster rebalance
  stoa paymaster rebalance --least 5 --execute")]
    Paymaster {
        #[command(subcommand)]
        action: PaymasterAction,
        #[command(flatten)]
        settings: Settings<OfService>,
    },
    /// Make, list and empower users of the lease market
    ///
    /// People become users by signing in with a wallet; this is for those who
    /// need a role that nobody gives themselves, or have no wallet.
    #[command(after_help = "\
Examples:
  stoa user add --name Ada --role staff
  stoa user add --name 'my bot' --role trader
  stoa user list
  stoa user roles 01J0000000000000000000000A --role trader,staff")]
    User {
        #[command(subcommand)]
        action: UserAction,
        #[command(flatten)]
        settings: Settings<OfStore>,
    },
    /// Make, list and revoke bearer tokens of users of the lease market
    #[command(after_help = "\
Examples:
  stoa token create --user 01J0000000000000000000000A --name 'trading bot'
  stoa token create --user 01J0000000000000000000000A --name ci --lifetime 24h
  stoa token list --user 01J0000000000000000000000A
  stoa token revoke --user 01J0000000000000000000000A ID")]
    Token {
        #[command(subcommand)]
        action: TokenAction,
        #[command(flatten)]
        settings: Settings<OfStore>,
    },
    /// Sign what a validator's identity has to sign
    ///
    /// Prints the body of the request, which can be sent within five minutes.
    /// The key stays on this machine.
    #[command(after_help = "\
Examples:
  stoa validator sign-challenge --keypair identity.json --domain leases.example \\
    --account ID --payout-wallet WALLET --tier standard --region eu-central-1 --price-sol 1.5 |
  curl -H 'Authorization: Bearer TOKEN' -H 'Content-Type: application/json' \\
    -d @- https://leases.example/v1/validators")]
    Validator {
        #[command(subcommand)]
        action: ValidatorAction,
    },
    /// Make a key of lease tokens, or check a token
    #[command(after_help = "Examples:
  stoa lease-token rotate
  stoa lease-token verify --jwks https://leases.example/.well-known/jwks.json \\
    --issuer https://leases.example --identity KEY --epoch 801 TOKEN")]
    LeaseToken {
        #[command(subcommand)]
        action: LeaseTokenAction,
        #[command(flatten)]
        settings: Settings<OfStore>,
    },
    /// Check the audit log of the lease market
    #[command(after_help = "Examples:
  stoa audit verify
  stoa audit verify --expect 120:HASH")]
    Audit {
        #[command(subcommand)]
        action: AuditAction,
        #[command(flatten)]
        settings: Settings<OfStore>,
    },
    /// Print what a shell needs to complete commands and flags
    #[command(after_help = "\
Examples:
  stoa completions bash > /etc/bash_completion.d/stoa
  stoa completions zsh > ~/.zfunc/_stoa
  stoa completions fish > ~/.config/fish/completions/stoa.fish")]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the manual page, or write one for every command
    #[command(after_help = "\
Examples:
  stoa man | man -l -
  stoa man --out /usr/local/share/man/man1")]
    Man {
        /// The folder to write the pages into; made when missing
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
}

#[derive(Debug, Clone, Copy, Subcommand)]
pub(crate) enum ConfigAction {
    /// Print what is in force as TOML, secrets masked, and where each value comes from
    Print,
    /// Print "ok", or every problem; the exit status is 2 if there is one
    Check,
    /// Print every key with its documentation and default, to begin a file with
    Example,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeyAction {
    /// Make a key. Its secret is shown this once and cannot be read again
    Create {
        /// Whose key it is
        #[arg(long, value_name = "NAME")]
        name: String,
    },
    /// List all keys, revoked ones too
    List {
        #[command(flatten)]
        form: ListForm,
    },
    /// End a key for good
    Revoke {
        /// The key's id, as `list` shows it
        id: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_command_shows_the_flags_that_matter_to_it_and_no_others() {
        let help = |name: &str| {
            let mut command = Cli::command();
            let command = command.find_subcommand_mut(name).unwrap();
            command.render_long_help().to_string()
        };
        for name in [
            "key",
            "user",
            "token",
            "audit",
            "lease-token",
            "migrate",
            "backup",
            "restore",
        ] {
            let help = help(name);
            assert!(
                help.contains("--data") && help.contains("--store"),
                "{help}"
            );
            assert!(
                !help.contains("--listen") && !help.contains("--sim-"),
                "{help}"
            );
        }
        assert!(help("sponsor").contains("--starknet-rpc"));
        assert!(!help("simnet").contains("--redis"));
        let serve = help("serve");
        assert!(
            serve.contains("--no-rate-limit") && !serve.contains("Sets "),
            "{serve}"
        );
    }

    #[test]
    fn flags_may_follow_a_nested_command() {
        let cli = Cli::parse_from(["stoa", "config", "print", "--listen", "127.0.0.1:9"]);
        let Command::Config { settings, .. } = cli.command else {
            panic!("another command");
        };
        let config = settings.load().unwrap().config;
        assert_eq!(config.server.listen.port(), 9);
    }
}
