//! What there is at the beginning: programs, wallets for people, a faucet and
//! the validators' accounts.

use super::account::{Account, Accounts, minimum_balance};
use super::config::Rules;
use super::digest::digest;
use super::programs::{
    COMPUTE_BUDGET, LIGHTHOUSE, LOADER, MEMO_V1, MEMO_V3, NATIVE_LOADER, SYSTEM, VOTE,
};
use super::validators::Validators;
use super::wallet::SolanaKeypair;
use primitives::{Lamports, PublicKey, SolanaHash};

const WALLETS: u64 = 10;
const WALLET_SOL: u64 = 10_000;
const FAUCET_SOL: u64 = 500_000_000;
const IDENTITY_SOL: u64 = 10;

/// Bytes of a vote account, and of what stands for a program.
const VOTE_SPACE: u64 = 3_762;
const PROGRAM_SPACE: u64 = 36;
const BUILTIN_SPACE: u64 = 14;

/// The people and programs of a chain.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) genesis: SolanaHash,
    pub(crate) wallets: Vec<SolanaKeypair>,
    pub(crate) faucet: SolanaKeypair,
    pub(crate) validators: Validators,
}

impl World {
    pub(crate) fn new(rules: &Rules) -> Self {
        let genesis = digest("STOA SOLANA GENESIS", &[0; 32], &[rules.seed]);
        let genesis = SolanaHash::from_bytes(genesis);
        let wallet = |number| SolanaKeypair::derive(&genesis, "WALLET", number);
        Self {
            genesis,
            wallets: (0..WALLETS).map(wallet).collect(),
            faucet: SolanaKeypair::derive(&genesis, "FAUCET", 0),
            validators: Validators::new(genesis, rules.slots_per_epoch),
        }
    }

    /// The accounts at the beginning.
    pub(crate) fn accounts(&self) -> Accounts {
        let mut accounts = Accounts::default();
        let program = |owner, lamports, space| Account {
            lamports,
            owner,
            space,
            executable: true,
        };
        for builtin in [SYSTEM, COMPUTE_BUDGET, VOTE] {
            let one = Lamports::new(1);
            accounts.set(builtin, program(NATIVE_LOADER, one, BUILTIN_SPACE));
        }
        for loaded in [MEMO_V1, MEMO_V3, LIGHTHOUSE] {
            let lamports = minimum_balance(PROGRAM_SPACE);
            accounts.set(loaded, program(LOADER, lamports, PROGRAM_SPACE));
        }
        for wallet in self.wallets.iter().chain([&SolanaKeypair::platform()]) {
            accounts.set(wallet.public_key(), Account::wallet(sol(WALLET_SOL)));
        }
        accounts.set(self.faucet.public_key(), Account::wallet(sol(FAUCET_SOL)));
        for validator in self.validators.all() {
            let identity: PublicKey = validator.identity.public_key();
            accounts.set(identity, Account::wallet(sol(IDENTITY_SOL)));
            for vote in &validator.vote_accounts {
                let account = Account {
                    lamports: minimum_balance(VOTE_SPACE),
                    owner: VOTE,
                    space: VOTE_SPACE,
                    executable: false,
                };
                accounts.set(*vote, account);
            }
        }
        accounts
    }
}

fn sol(amount: u64) -> Lamports {
    Lamports::new(amount.saturating_mul(Lamports::PER_SOL.get()))
}
