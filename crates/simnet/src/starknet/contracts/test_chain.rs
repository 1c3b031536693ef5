//! A chain small enough to try one contract on: calls, their events, and what
//! they leave behind.

use super::erc20::{Erc20, Fashion, approve_call, balance_key, mint_call};
use super::manner::Manner;
use super::text::Text;
use crate::starknet::contract::{Calldata, Contract};
use crate::starknet::execution::{Contracts, Execution, View};
use crate::starknet::hash::from_felt;
use crate::starknet::network::DEPLOYER;
use crate::starknet::state::{Key, State};
use crate::starknet::syscalls::Syscalls;
use crate::starknet::transaction::{Call, Event};
use primitives::{Felt, U256, felt_to_hex, selector};
use std::sync::Arc;

/// Two people.
pub(super) const ALICE: Felt = Felt::from_hex_unchecked("0xa11ce");
pub(super) const BOB: Felt = Felt::from_hex_unchecked("0xb0b");

/// Two tokens of 18 decimals and one of 6, in the order of their addresses.
pub(super) const ETH: Felt = Felt::from_hex_unchecked("0x100");
pub(super) const USDC: Felt = Felt::from_hex_unchecked("0x200");
pub(super) const DAI: Felt = Felt::from_hex_unchecked("0x300");

pub(super) struct TestChain {
    contracts: Contracts,
    state: State,
    /// The time of the block, in seconds since 1970.
    pub(super) time: u64,
}

impl TestChain {
    /// A chain with three tokens of which both people have plenty.
    pub(super) fn new(install: impl FnOnce(&mut Contracts)) -> Self {
        let mut contracts = Contracts::default();
        for (token, decimals, fashion) in [
            (ETH, 18, Fashion::Legacy),
            (USDC, 6, Fashion::Modern),
            (DAI, 18, Fashion::Modern),
        ] {
            let contract = Erc20 {
                name: Ok(Text::Short.encode("token")),
                symbol: Ok(Text::Short.encode("T")),
                decimals: Ok(vec![Felt::from(decimals)]),
                fashion,
                text: Text::Short,
                minter: DEPLOYER,
                manner: Manner::Plain,
            };
            contracts.insert(token, Arc::new(contract));
        }
        install(&mut contracts);
        let mut state = State::default();
        for (address, contract) in contracts.iter() {
            let hash = from_felt(Contract::class(contract).hash);
            state.write(Key::class_hash(address), 0, hash);
        }
        let mut chain = Self {
            contracts,
            state,
            time: 0,
        };
        for token in [ETH, USDC, DAI] {
            for person in [ALICE, BOB] {
                chain.run(
                    DEPLOYER,
                    &mint_call(token, person, U256::from(1) << 120_usize),
                );
            }
        }
        chain
    }

    /// The state as contracts see it.
    pub(super) fn state(&self) -> View<'_> {
        View {
            contracts: &self.contracts,
            state: &self.state,
            at: 0,
            time: self.time,
            earlier: None,
        }
    }

    fn execution(&self) -> Execution<'_> {
        Execution::new(self.state(), None)
    }

    /// Makes a call that may fail; all or nothing of it stays.
    pub(super) fn try_run(
        &mut self,
        caller: Felt,
        call: &Call,
    ) -> Result<(Vec<Felt>, Vec<Event>), String> {
        let mut execution = self.execution();
        let returned = execution
            .call(caller, call)
            .map_err(|failure| failure.to_string())?;
        let effects = execution.finish();
        for (key, value) in effects.writes {
            self.state.write(key, 0, value);
        }
        Ok((returned, effects.events))
    }

    /// Makes a call that succeeds.
    pub(super) fn run(&mut self, caller: Felt, call: &Call) -> (Vec<Felt>, Vec<Event>) {
        self.try_run(caller, call).unwrap()
    }

    /// Makes a call that reverts with exactly these words.
    pub(super) fn refuses(&mut self, caller: Felt, call: &Call, words: &str) {
        let failure = self.try_run(caller, call).unwrap_err();
        assert!(failure.ends_with(&format!(": {words}")), "{failure}");
    }

    /// What a view returns.
    pub(super) fn view(&self, to: Felt, name: &str, calldata: &[Felt]) -> Vec<Felt> {
        let call = call(to, name, calldata);
        self.execution().call(ALICE, &call).unwrap()
    }

    /// The number that a view returns.
    pub(super) fn number(&self, to: Felt, name: &str, calldata: &[Felt]) -> U256 {
        Calldata::new(&self.view(to, name, calldata))
            .u256()
            .unwrap()
    }

    pub(super) fn balance(&self, token: Felt, owner: Felt) -> U256 {
        self.state.read(&balance_key(token, owner), 0)
    }

    pub(super) fn read(&self, key: &Key) -> U256 {
        self.state.read(key, 0)
    }

    /// Puts a variable where no call would.
    pub(super) fn write(&mut self, key: Key, value: U256) {
        self.state.write(key, 0, value);
    }

    /// Lets `spender` spend everything of `owner`.
    pub(super) fn approve(&mut self, owner: Felt, spender: Felt, tokens: &[Felt]) {
        for token in tokens {
            self.run(owner, &approve_call(*token, spender, U256::MAX));
        }
    }

    /// All of a token that anybody has.
    pub(super) fn total(&self, token: Felt) -> U256 {
        let balances = self.state.keys_of(token, 0);
        balances
            .filter(|key| super::erc20::balances_of(key))
            .fold(U256::ZERO, |sum, key| sum + self.read(key))
    }
}

pub(super) fn call(to: Felt, name: &str, calldata: &[Felt]) -> Call {
    Call {
        to,
        selector: selector(name),
        calldata: calldata.to_vec(),
    }
}

/// The only event of this name.
pub(super) fn event<'e>(events: &'e [Event], name: &str) -> &'e Event {
    let key = selector(name);
    let named: Vec<&Event> = events.iter().filter(|event| event.keys[0] == key).collect();
    assert_eq!(named.len(), 1, "{name} {}", felt_to_hex(key));
    named[0]
}

/// The 256-bit numbers that elements are.
pub(super) fn numbers(felts: &[Felt]) -> Vec<U256> {
    felts
        .chunks(2)
        .map(|halves| Calldata::new(halves).u256().unwrap())
        .collect()
}
