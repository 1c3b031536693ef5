//! Who and what exists on the simulated network.
//!
//! Tokens are the same for every seed, so that one token list fits all. Holders,
//! accounts, balances and everything that happens come from the seed.

mod accounts;
pub(crate) mod actors;
pub(crate) mod anchor_list;
mod durations;
mod exchange_terms;
mod genesis;
pub(crate) mod market;
mod outside;
mod random;
pub(crate) mod token_list;
mod tokens;
mod traded;
pub(crate) mod venue_list;

pub use accounts::{Funding, PrefundedAccount};
pub(crate) use accounts::{guest, keeper, relayers, saver};
pub(crate) use actors::ACTOR_EVENTS;
pub(crate) use genesis::Genesis;
pub(crate) use market::Watch;
pub(crate) use outside::Outside;

use super::builder::BlockBuilder;
use super::contract::Contract;
use super::contracts::account::{Account, PUBLIC_KEY};
use super::contracts::deployer;
use super::contracts::erc20::mint_call;
use super::contracts::exchange::EXCHANGE;
use super::contracts::paymaster;
use super::contracts::recurring::executor_key;
use super::contracts::staking;
use super::execution::Contracts;
use super::hash::{digest, from_felt};
use super::network::{DEPLOYER, SEQUENCER, STRK};
use super::process::Charge;
use super::state::Key;
use super::transaction::{Call, Deed};
use market::AmmMarket;
use primitives::{Felt, U256};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use random::random_felt;
use std::collections::HashSet;
use std::sync::Arc;
use tokens::Token;
use traded::{Traded, community};

const HOLDERS: usize = 256;

/// STRK for every holder's fees, in whole tokens.
const HOLDER_STRK: u64 = 20_000;

/// The world as it is before anything happens.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) seed: u64,
    pub(crate) contracts: Contracts,
    pub(crate) accounts: Vec<PrefundedAccount>,
    /// From the most to the least popular.
    tokens: Vec<Traded>,
    holders: Vec<Felt>,
    market: AmmMarket,
    /// Contracts that are there only if there is a market.
    exchanges: HashSet<Felt>,
}

impl World {
    /// The world that comes from a genesis.
    pub(crate) fn new(genesis: Genesis) -> Self {
        let seed = genesis.seed;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let accounts = accounts::make(&mut rng);
        let holders: Vec<Felt> = (0..HOLDERS).map(|_| random_felt(&mut rng)).collect();
        let account: Arc<dyn Contract> = Arc::new(Account::Both);
        let mut contracts = Contracts::default();
        accounts::install(&accounts, &mut contracts);
        deployer::install(&mut contracts);
        let market = AmmMarket::new(genesis);
        for address in holders
            .iter()
            .copied()
            .chain(market.desks())
            .chain([DEPLOYER, SEQUENCER])
        {
            contracts.insert(address, Arc::clone(&account));
        }
        let mut tokens = Vec::new();
        for (rank, token) in tokens::all(DEPLOYER, market.founder())
            .into_iter()
            .enumerate()
        {
            let Token {
                address,
                contract,
                supply,
            } = token;
            tokens.push(Traded {
                address,
                supply,
                community: community(address, rank, &holders, &mut rng),
            });
            contracts.insert(address, Arc::new(contract));
        }
        let before: HashSet<Felt> = contracts.iter().map(|(address, _)| address).collect();
        market::install(&mut contracts);
        let all = contracts.iter().map(|(address, _)| address);
        let exchanges = all.filter(|address| !before.contains(address)).collect();
        Self {
            seed,
            contracts,
            accounts,
            tokens,
            holders,
            market,
            exchanges,
        }
    }

    /// The blocks after the first one in which the exchanges open.
    pub(crate) fn opening_blocks(&self) -> usize {
        market::opening_blocks(&self.market)
    }

    /// Fills the first block: every contract is deployed, every token minted.
    pub(crate) fn begin(&self, builder: &mut BlockBuilder<'_>) {
        let contracts = self.contracts.iter();
        let deployed = contracts
            .filter(|(address, _)| self.market.is_open() || !self.exchanges.contains(address));
        for (address, contract) in deployed {
            builder.write(Key::class_hash(address), from_felt(contract.class().hash));
        }
        for account in self.accounts.iter().chain(accounts::everywhere()) {
            let key = Key::new(account.address.felt(), PUBLIC_KEY, &[]);
            builder.write(key, from_felt(account.public_key));
        }
        if self.market.is_open() {
            // Not by a transaction, which would change the course of every world.
            let executor = executor_key(keeper().address.felt());
            builder.write(executor, U256::ONE);
            for (key, value) in staking::first_state(&self.holders, builder.open.timestamp) {
                builder.write(key, value);
            }
            let [relayer, other] = relayers().each_ref().map(|relayer| relayer.address.felt());
            for (key, value) in paymaster::first_state(&[relayer, other], relayer) {
                builder.write(key, value);
            }
            self.prepare("FEES", EXCHANGE, exchange_terms::calls(), builder);
        }
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed ^ u64::MAX);
        for token in &self.tokens {
            let mints = self.mints(token, &mut rng);
            self.prepare("MINT", token.address, mints, builder);
        }
    }

    /// Lets the deployer make calls for nothing.
    fn prepare(&self, what: &str, of: Felt, calls: Vec<Call>, builder: &mut BlockBuilder<'_>) {
        let hash = digest(what, &[Felt::from(self.seed), of]);
        let deed = Deed::plain(DEPLOYER, calls);
        if let Err(error) = builder.act(hash, &deed, Charge::Nothing) {
            tracing::error!(%error, what, "a simulated contract could not be prepared");
        }
    }

    fn mints(&self, token: &Traded, rng: &mut ChaCha8Rng) -> Vec<Call> {
        let mut mints: Vec<Call> = self
            .accounts
            .iter()
            .chain(accounts::everywhere())
            .flat_map(|account| {
                account
                    .funding
                    .iter()
                    .map(move |funding| (account, funding))
            })
            .filter(|(_, funding)| funding.token.felt() == token.address)
            .map(|(account, funding)| {
                mint_call(token.address, account.address.felt(), funding.amount)
            })
            .collect();
        let share = token.supply / U256::from(token.community.len().max(1));
        mints.extend(token.community.iter().map(|holder| {
            let percent = U256::from(rng.random_range(50_u32..=150));
            mint_call(token.address, *holder, share * percent / U256::from(100))
        }));
        if self.market.is_open() && self.market.knows(token.address) {
            let desks = self.market.desks();
            mints.extend(desks.map(|desk| mint_call(token.address, desk, token.supply)));
        }
        if self.market.is_open() {
            let staked = staking::holdings(token.address).into_iter();
            mints.extend(
                staked.map(|(whose, amount)| mint_call(token.address, whose, U256::from(amount))),
            );
        }
        if token.address == STRK {
            let reserve = tokens::whole(HOLDER_STRK, 18);
            mints.extend(
                self.holders
                    .iter()
                    .map(|holder| mint_call(STRK, *holder, reserve)),
            );
        }
        mints
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world(seed: u64) -> World {
        World::new(Genesis {
            seed,
            pools: 24,
            wild: false,
        })
    }

    #[test]
    fn seeds_make_different_holders_and_the_same_tokens() {
        let (one, other) = (world(1), world(2));
        assert_eq!(world(1).holders, one.holders);
        assert_ne!(one.holders, other.holders);
        assert_ne!(one.accounts[0].address, other.accounts[0].address);
        let addresses = |world: &World| -> Vec<Felt> {
            world.tokens.iter().map(|token| token.address).collect()
        };
        assert_eq!(addresses(&one), addresses(&other));
    }

    #[test]
    fn no_two_contracts_share_an_address() {
        let world = world(0);
        let accounts = world.accounts.len() + accounts::everywhere().len();
        let people = HOLDERS + accounts + 2 + world.market.desks().count();
        let deployers = 2;
        let expected = people + deployers + world.tokens.len() + world.exchanges.len();
        assert_eq!(world.contracts.iter().count(), expected);
        let distinct: HashSet<Felt> = world.holders.iter().copied().collect();
        assert_eq!(distinct.len(), HOLDERS);
    }
}
