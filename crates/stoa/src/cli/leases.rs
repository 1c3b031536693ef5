//! What can be done about the lease market: its people, their tokens, validators,
//! the audit log.

use super::settings::ListForm;
use clap::{Args, Subcommand, ValueEnum};
use leasing::{AuditHash, Tier, parse_sol};
use primitives::{Lamports, PublicKey, SignedDuration, Ulid};
use std::path::PathBuf;

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
