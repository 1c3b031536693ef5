//! Where a contract is that nobody else deployed.

use crate::{address::Address, felt::short_string};
use ruint::aliases::U256;
use starknet_types_core::{
    felt::Felt,
    hash::{Pedersen, StarkHash},
};

/// The address that follows from a contract's class, its salt and the arguments
/// of its constructor, where no contract deploys it.
#[must_use]
pub fn contract_address(class_hash: Felt, salt: Felt, constructor: &[Felt]) -> Address {
    let parts = [
        short_string("STARKNET_CONTRACT_ADDRESS"),
        Felt::ZERO,
        salt,
        class_hash,
        Pedersen::hash_array(constructor),
    ];
    let hash = Pedersen::hash_array(&parts);
    let bound = (U256::from(1) << 251_usize) - U256::from(256);
    let address = U256::from_be_bytes(hash.to_bytes_be()) % bound;
    Address::new(Felt::from_bytes_be(&address.to_be_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::felt::felt_from_hex;

    #[test]
    fn addresses_are_those_that_clients_compute() {
        // Made with starknet.js: hash.calculateContractAddressFromHash.
        let felt = |text| felt_from_hex(text).unwrap();
        let address = contract_address(felt("0xabcd"), felt("0x1234"), &[felt("0x1234")]);
        let expected = "0x5fe5dfbc86f6b9fa7eb14f32d51a6103b07fa713aae16e9b4c318e75b6c4131";
        assert_eq!(address.to_string(), expected);
    }
}
