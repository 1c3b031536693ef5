//! Where variables are in a contract's storage, as on the network.
//!
//! The address of a variable is the hash of its name; an entry of a mapping is
//! at the Pedersen hash of that and its arguments. Values of 256 bits take two
//! places: the low half and, one further, the high half.

use super::contract::halves;
use super::hash::{address_modulus, felt};
use super::state::{Key, Shape, State};
use primitives::{Felt, U256, selector};
use starknet_crypto::pedersen_hash;
use std::collections::HashMap;

/// The first place of a variable.
pub(crate) fn place(key: &Key) -> Felt {
    let hash = key.args().fold(selector(key.variable.name), |hash, arg| {
        pedersen_hash(&hash, &arg)
    });
    address_modulus(hash)
}

/// The places of a variable with what is there when it has this value.
pub(crate) fn cells(key: &Key, value: U256) -> Vec<(Felt, Felt)> {
    match key.variable.shape {
        Shape::Protocol => Vec::new(),
        Shape::Felt | Shape::U256 => cells_from(place(key), key, value),
    }
}

/// The same where the first place is known: hashing takes long.
pub(crate) fn cells_from(first: Felt, key: &Key, value: U256) -> Vec<(Felt, Felt)> {
    match key.variable.shape {
        Shape::Protocol => Vec::new(),
        Shape::Felt => vec![(first, felt(value))],
        Shape::U256 => {
            let [low, high] = halves(value);
            vec![(first, low), (first + Felt::ONE, high)]
        }
    }
}

/// Finds variables by their place. Addresses are computed when a contract is
/// first asked about, and for new variables since.
#[derive(Debug, Default)]
pub(crate) struct StorageIndex(HashMap<Felt, ContractVariables>);

#[derive(Debug, Default)]
struct ContractVariables {
    variables: usize,
    places: HashMap<Felt, Key>,
}

impl StorageIndex {
    /// The variable of `contract` of which a part is at `place`.
    pub(crate) fn find(&mut self, state: &State, contract: Felt, place: Felt) -> Option<Key> {
        let known = self.0.entry(contract).or_default();
        for key in state.keys_of(contract, known.variables) {
            known.variables += 1;
            for (place, _) in cells(key, U256::ZERO) {
                known.places.insert(place, *key);
            }
        }
        known.places.get(&place).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::starknet::state::Variable;
    use primitives::felt_to_hex;

    #[test]
    fn places_are_those_of_the_network() {
        // Computed with starknet.js: hash.getSelectorFromName for plain variables,
        // ec.starkCurve.pedersen of it and the arguments for mappings.
        let place = |variable, args: &[Felt]| {
            let key = Key::new(Felt::ONE, variable, args);
            felt_to_hex(cells(&key, U256::ZERO)[0].0)
        };
        let (owner, spender) = (Felt::from(0x1234), Felt::from(0x5678));
        assert_eq!(
            place(Variable::felt("Account_public_key"), &[]),
            "0x1379ac0624b939ceb9dede92211d7db5ee174fe28be72245b0a1a2abd81c98f"
        );
        assert_eq!(
            place(Variable::u256("ERC20_balances"), &[owner]),
            "0x4fc7b23d1ef6e4f099416be09d83699fe35126d2a42325636e93745a36ce3cb"
        );
        assert_eq!(
            place(Variable::u256("ERC20_allowances"), &[owner, spender]),
            "0x61b42aa29464f85d526b4c2f6ece78ab1f3eb50199544bb906b795c42f0b8f8"
        );
    }

    #[test]
    fn wide_values_take_two_places() {
        let key = Key::new(Felt::ONE, Variable::u256("x"), &[]);
        let value = (U256::from(7) << 128_usize) | U256::from(5);
        let [(low_place, low), (high_place, high)] = cells(&key, value)[..] else {
            panic!("two places");
        };
        assert_eq!((low, high), (Felt::from(5), Felt::from(7)));
        assert_eq!(high_place, low_place + Felt::ONE);
    }

    #[test]
    fn variables_that_came_later_are_found_too() {
        let mut state = State::default();
        let mut index = StorageIndex::default();
        for name in ["first", "second"] {
            let key = Key::new(Felt::TWO, Variable::felt(name), &[]);
            let place = selector(name);
            assert_eq!(index.find(&state, Felt::TWO, place), None);
            state.write(key, 0, U256::ONE);
            assert_eq!(index.find(&state, Felt::TWO, place), Some(key));
            assert_eq!(index.find(&state, Felt::ONE, place), None);
        }
    }
}
