//! The command line.

use crate::{
    config::{
        Everything, FlagSet, FlagsOf, Loaded, OfGround, OfService, OfSimnet, OfStore,
        OfStoreAndNode, Problems, Sources, load,
    },
    wiring::Ledger,
};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use leasing::{AuditHash, Tier, parse_sol};
use primitives::{Address, Lamports, PublicKey, SignedDuration, Ulid, felt_from_hex, selector};
use std::path::PathBuf;
use trading::paymaster::CallRule;
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
  stoa doctor --starknet-rpc https://NODE/KEY --data /var/lib/stoa")]
    Doctor(Settings<OfGround>),
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

#[derive(Debug, Subcommand)]
pub(crate) enum AuditAction {
    /// Check that nothing in it was changed, and tell how far it is closed
    ///
    /// Keep what it prints elsewhere: with --expect, whoever rewrote everything
    /// is found out, too.
    Verify {
        /// A position and its hash, as an earlier check printed them
        #[arg(long, value_name = "POSITION:HASH", value_parser = audit_position)]
        expect: Option<(u64, AuditHash)>,
    },
}

fn audit_position(text: &str) -> Result<(u64, AuditHash), String> {
    let wrong = || format!("{text} is no POSITION:HASH with 64 hexadecimal digits");
    let (position, hash) = text.split_once(':').ok_or_else(wrong)?;
    let position = position.parse().map_err(|_| wrong())?;
    Ok((position, hash.parse().map_err(|_| wrong())?))
}

#[derive(Debug, Subcommand)]
pub(crate) enum UserAction {
    /// Make a user
    Add {
        /// What people call them
        #[arg(long, value_name = "NAME")]
        name: String,
        /// Where they can be reached
        #[arg(long, value_name = "ADDRESS")]
        email: Option<String>,
        /// The wallet that they sign in with
        #[arg(long, value_name = "WALLET")]
        wallet: Option<PublicKey>,
        /// What they may do
        #[arg(
            long = "role",
            value_name = "LIST",
            value_delimiter = ',',
            default_value = "trader"
        )]
        roles: Vec<RoleName>,
    },
    /// List all users
    List {
        #[command(flatten)]
        form: ListForm,
    },
    /// Give a user these roles and no others
    Roles {
        /// The user's id, as `list` shows it
        id: Ulid,
        /// What they may do
        #[arg(
            long = "role",
            value_name = "LIST",
            value_delimiter = ',',
            required = true
        )]
        roles: Vec<RoleName>,
    },
}

/// What a user may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RoleName {
    /// Book leases
    Trader,
    /// Register validators
    Validator,
    /// See and end what is others'
    Staff,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokenAction {
    /// Make a token. It is shown this once and cannot be read again
    Create {
        /// Whose token it is, as `stoa user list` shows it
        #[arg(long, value_name = "ID")]
        user: Ulid,
        /// What it is for
        #[arg(long, value_name = "NAME")]
        name: String,
        /// How long it works, such as 24h; without it, until it is revoked
        #[arg(long, value_name = "DURATION")]
        lifetime: Option<SignedDuration>,
    },
    /// List the tokens of a user, revoked ones too
    List {
        /// Whose
        #[arg(long, value_name = "ID")]
        user: Ulid,
        #[command(flatten)]
        form: ListForm,
    },
    /// End a token for good
    Revoke {
        /// Whose
        #[arg(long, value_name = "ID")]
        user: Ulid,
        /// The token's id, as `list` shows it
        id: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ValidatorAction {
    /// Print a signed body for POST /v1/validators
    SignChallenge {
        /// The identity's key, as solana-keygen writes it
        #[arg(long, value_name = "FILE")]
        keypair: PathBuf,
        /// The market's domain, as its sign-in texts show it
        #[arg(long, value_name = "DOMAIN")]
        domain: String,
        /// The user who is to own the validator: their public id, as /v1/me and an
        /// onboarding session tell it
        #[arg(long, value_name = "ID")]
        account: Ulid,
        /// Where the validator's share goes
        #[arg(long, value_name = "WALLET")]
        payout_wallet: PublicKey,
        #[command(flatten)]
        offer: OfferArgs,
    },
    /// Print a signed body for POST /v1/validators/reclaim
    #[command(name = "sign-reclaim")]
    Reclaim {
        /// The identity's key, as solana-keygen writes it
        #[arg(long, value_name = "FILE")]
        keypair: PathBuf,
        /// The market's domain, as its sign-in texts show it
        #[arg(long, value_name = "DOMAIN")]
        domain: String,
        /// The user who is to own the validator
        #[arg(long, value_name = "ID")]
        account: Ulid,
        /// Where the validator's share goes from now on
        #[arg(long, value_name = "WALLET")]
        payout_wallet: PublicKey,
    },
    /// Print a signed body for PUT /v1/validators/payout-wallet
    SignPayoutWallet {
        /// The identity's key, as solana-keygen writes it
        #[arg(long, value_name = "FILE")]
        keypair: PathBuf,
        /// The market's domain, as its sign-in texts show it
        #[arg(long, value_name = "DOMAIN")]
        domain: String,
        /// Where the validator's share goes from now on
        #[arg(long, value_name = "WALLET")]
        payout_wallet: PublicKey,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum LeaseTokenAction {
    /// Check a token as a validator's gateway does, and show what it says
    Verify {
        /// The market's keys: the address of its /.well-known/jwks.json, or a file
        #[arg(long, value_name = "URL|FILE")]
        jwks: String,
        /// The market that is trusted, as its tokens name it
        #[arg(long, value_name = "URL")]
        issuer: String,
        /// The validator's identity
        #[arg(long, value_name = "KEY")]
        identity: PublicKey,
        /// The current epoch, by the validator's own node
        #[arg(long, value_name = "N")]
        epoch: u64,
        /// Leases that were revoked: the market's feed, or a file of it
        #[arg(long, value_name = "URL|FILE")]
        revocations: Option<String>,
        /// The token; without it, or with -, it is read from the input
        token: Option<String>,
    },
    /// Make a new key in the ledger, which signs from in ten minutes on
    Rotate,
}

/// What a validator offers.
#[derive(Debug, Args)]
pub(crate) struct OfferArgs {
    /// What people call it
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Where lessees connect
    #[arg(long, value_name = "URL")]
    pub(crate) tee_endpoint: Option<String>,
    /// economy, standard or performance
    #[arg(long, value_name = "TIER")]
    pub(crate) tier: Tier,
    /// One of the market's regions
    #[arg(long, value_name = "CODE")]
    pub(crate) region: String,
    /// What an epoch costs
    #[arg(long, value_name = "SOL", value_parser = price)]
    pub(crate) price_sol: Lamports,
    /// What a seat costs for an epoch
    #[arg(long, value_name = "SOL", value_parser = price)]
    pub(crate) shared_price_sol: Option<Lamports>,
    /// How many seats there are
    #[arg(long, value_name = "N")]
    pub(crate) seats: Option<u32>,
}

fn price(text: &str) -> Result<Lamports, String> {
    parse_sol(text).map_err(|error| error.to_string())
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

#[derive(Debug, Subcommand)]
pub(crate) enum PaymasterAction {
    /// Swap the tokens that users paid with back to STRK
    ///
    /// Asks a running service for quotes, and sends the swaps from the relayer that
    /// receives what users pay. Shows what would be done, unless told to do it.
    Rebalance {
        /// Swap them
        #[arg(long)]
        execute: bool,
        /// Leave what is worth less
        #[arg(long, value_name = "STRK", value_parser = strk, default_value = "1")]
        least: u128,
        /// The running service; the configured address of this one by default
        #[arg(long, value_name = "URL")]
        api: Option<Url>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum SponsorAction {
    /// Make a sponsor. Its key is shown this once and cannot be read again
    Create {
        /// Who it is
        #[arg(long, value_name = "NAME")]
        name: String,
        /// What it begins with
        #[arg(long, value_name = "STRK", value_parser = strk, default_value = "0")]
        credits: u128,
        /// The most for one user in a day (UTC)
        #[arg(long, value_name = "STRK", value_parser = strk)]
        user_daily: Option<u128>,
        /// A contract, or one function of it, that is paid for: if any is given, nothing else is
        #[arg(long, value_name = "CONTRACT[:FUNCTION]", value_parser = call_rule)]
        allow: Vec<CallRule>,
        /// A contract, or one function of it, that is not paid for
        #[arg(long, value_name = "CONTRACT[:FUNCTION]", value_parser = call_rule)]
        deny: Vec<CallRule>,
        /// A private pool whose fee is paid for, too
        #[arg(long, value_name = "POOL")]
        pool: Vec<Address>,
    },
    /// List all sponsors, disabled ones too
    List {
        #[command(flatten)]
        form: ListForm,
    },
    /// Add credits
    Credit {
        /// The sponsor's id, as `list` shows it
        id: String,
        /// How much
        #[arg(value_name = "STRK", value_parser = strk)]
        amount: u128,
    },
    /// Give a sponsor another key; the former one stops working within ten seconds
    Rotate {
        /// The sponsor's id
        id: String,
    },
    /// End a sponsor's key for good
    Disable {
        /// The sponsor's id
        id: String,
    },
    /// Say which rule would decide about calls, without making them
    Explain {
        /// The sponsor's id
        id: String,
        /// A call
        #[arg(long, value_name = "CONTRACT:FUNCTION", value_parser = call_rule, required = true)]
        call: Vec<CallRule>,
    },
    /// Compare every charge with the receipt that a node has of it
    Audit {
        /// The sponsor's id
        id: String,
    },
}

/// An amount of STRK, in its smallest unit.
fn strk(text: &str) -> Result<u128, String> {
    let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
    let is_number = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit());
    let problem = || {
        format!("{text:?} is no amount of STRK such as 12.5, of at most 18 digits after the point")
    };
    if whole.is_empty() || rest.len() > 18 || !is_number(whole) || !is_number(rest) {
        return Err(problem());
    }
    format!("{whole}{rest:0<18}").parse().map_err(|_| problem())
}

/// A contract, and the function of it after a colon, by name or selector.
fn call_rule(text: &str) -> Result<CallRule, String> {
    let (contract, function) = match text.split_once(':') {
        Some((contract, function)) => (contract, Some(function)),
        None => (text, None),
    };
    let contract = contract.parse();
    Ok(CallRule {
        contract: contract.map_err(|error| format!("the contract {error}"))?,
        selector: function.map(|name| felt_from_hex(name).unwrap_or_else(|_| selector(name))),
    })
}

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
        for name in ["key", "user", "token", "audit", "lease-token", "migrate"] {
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
    fn amounts_of_strk_are_exact() {
        assert_eq!(strk("12.5"), Ok(12_500_000_000_000_000_000));
        assert_eq!(strk("0.000000000000000001"), Ok(1));
        for text in ["", ".5", "1.0000000000000000001", "-1", "1e3", "x"] {
            assert!(strk(text).is_err(), "{text}");
        }
        assert!(strk(&"9".repeat(40)).is_err());
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
