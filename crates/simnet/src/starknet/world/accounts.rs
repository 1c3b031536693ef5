//! Accounts for people: funded, with keys that everybody may know.

use super::random::random_felt;
use super::tokens::well_known::{ETH, USDC};
use super::tokens::whole;
use crate::starknet::contract::Contract;
use crate::starknet::contracts::account::Account;
use crate::starknet::execution::Contracts;
use crate::starknet::hash::contract_address;
use crate::starknet::network::STRK;
use primitives::{Address, Felt, U256, short_string};
use rand_chacha::ChaCha8Rng;
use starknet_crypto::get_public_key;
use std::sync::{Arc, LazyLock};

/// Ten accounts, of which the last three know less of outside execution.
const ACCOUNTS: [Account; 10] = [
    Account::Both,
    Account::Both,
    Account::Both,
    Account::Both,
    Account::Both,
    Account::Both,
    Account::Both,
    Account::OnlyFirst,
    Account::OnlyFirst,
    Account::Neither,
];

/// Symbol, token, whole tokens, decimals.
type Fund = (&'static str, Felt, u64, u8);

/// What the keeper has for its fees, in whole tokens.
const KEEPER_STRK: u64 = 100_000;

/// What a relayer has for its fees, in whole tokens.
const RELAYER_STRK: u64 = 1_000_000;

/// What every account has.
const FUNDS: [Fund; 3] = [
    ("ETH", ETH, 1_000, 18),
    ("STRK", STRK, 1_000_000, 18),
    ("USDC", USDC, 1_000_000, 6),
];

/// An account that a person or a test can sign with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrefundedAccount {
    /// Where it is deployed: the address that follows from its public key.
    pub address: Address,
    /// The Stark-curve key that owns it.
    pub public_key: Felt,
    /// Its secret, which is none: it protects nothing of value.
    pub private_key: Felt,
    /// What it owned at the beginning.
    pub funding: Vec<Funding>,
}

/// An amount of a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Funding {
    /// The token's symbol.
    pub symbol: &'static str,
    /// The contract that counts it.
    pub token: Address,
    /// In the token's smallest unit.
    pub amount: U256,
    /// Digits of the token after the point.
    pub decimals: u8,
}

/// Those that are on every simulated network, whatever its seed. Their keys take
/// longer to work out than the rest of a small world, so that is done once.
struct Everywhere {
    keeper: PrefundedAccount,
    saver: PrefundedAccount,
    relayers: [PrefundedAccount; 2],
    guest: PrefundedAccount,
}

static EVERYWHERE: LazyLock<Everywhere> = LazyLock::new(|| {
    let account =
        |key, funds: &[Fund]| PrefundedAccount::new(&Account::Both, short_string(key), funds);
    let strk = |whole| [("STRK", STRK, whole, 18)];
    Everywhere {
        keeper: account("stoa keeps orders", &strk(KEEPER_STRK)),
        saver: account("stoa saves", &FUNDS),
        relayers: ["stoa relays", "stoa relays, too"].map(|key| account(key, &strk(RELAYER_STRK))),
        guest: account("stoa is a guest", &FUNDS),
    }
});

/// The account that executes recurring orders, on every simulated network the
/// same one: whoever runs a keeper there can sign for it.
pub(crate) fn keeper() -> &'static PrefundedAccount {
    &EVERYWHERE.keeper
}

/// The account of simulated people who order, the same one everywhere.
pub(crate) fn saver() -> &'static PrefundedAccount {
    &EVERYWHERE.saver
}

/// The accounts that relay transactions of others, the same ones everywhere.
pub(crate) fn relayers() -> &'static [PrefundedAccount; 2] {
    &EVERYWHERE.relayers
}

/// The account of simulated people whose fees others pay, the same one everywhere.
pub(crate) fn guest() -> &'static PrefundedAccount {
    &EVERYWHERE.guest
}

/// All of them.
pub(super) fn everywhere() -> [&'static PrefundedAccount; 5] {
    let [relayer, other_relayer] = relayers();
    [keeper(), saver(), relayer, other_relayer, guest()]
}

pub(super) fn make(rng: &mut ChaCha8Rng) -> Vec<PrefundedAccount> {
    ACCOUNTS
        .into_iter()
        .map(|account| PrefundedAccount::new(&account, random_felt(rng), &FUNDS))
        .collect()
}

/// The contracts of these accounts, and of those that are everywhere; and the class of
/// accounts with several owners, of which nobody has one yet.
pub(super) fn install(accounts: &[PrefundedAccount], contracts: &mut Contracts) {
    contracts.declare(Arc::new(Account::Several));
    for account in everywhere() {
        contracts.insert(account.address.felt(), Arc::new(Account::Both));
    }
    for (account, contract) in accounts.iter().zip(ACCOUNTS) {
        contracts.insert(account.address.felt(), Arc::new(contract));
    }
}

impl PrefundedAccount {
    fn new(account: &Account, private_key: Felt, funds: &[Fund]) -> Self {
        let public_key = get_public_key(&private_key);
        let address = contract_address(public_key, account.class().hash, &[public_key]);
        let funding = funds
            .iter()
            .map(|(symbol, token, amount, decimals)| Funding {
                symbol,
                token: Address::new(*token),
                amount: whole(*amount, u32::from(*decimals)),
                decimals: *decimals,
            });
        Self {
            address: Address::new(address),
            public_key,
            private_key,
            funding: funding.collect(),
        }
    }
}
