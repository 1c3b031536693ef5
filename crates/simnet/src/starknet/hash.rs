//! Hashes of the simulated chain.
//!
//! Blocks and the actors' transactions are hashed with one Keccak instead of
//! the network's Pedersen and Poseidon trees, so that a long history is cheap.
//! What clients recompute (contract addresses) is computed as on the network.

use primitives::{Felt, U256, short_string};
use sha3::{Digest, Keccak256};
use starknet_crypto::pedersen_hash;

/// A hash of 250 bits over `parts`; hashes of different domains never meet.
pub(crate) fn digest(domain: &str, parts: &[Felt]) -> Felt {
    let mut hasher = Keccak256::new();
    hasher.update(domain.as_bytes());
    hasher.update([0]);
    for part in parts {
        hasher.update(part.to_bytes_be());
    }
    let mut bytes: [u8; 32] = hasher.finalize().into();
    bytes[0] &= 0b11;
    Felt::from_bytes_be(&bytes)
}

/// The address of a contract that no other contract deployed.
pub(crate) fn contract_address(salt: Felt, class_hash: Felt, constructor: &[Felt]) -> Felt {
    deployed_address(Felt::ZERO, salt, class_hash, constructor)
}

/// The address of a contract that `deployer` deployed.
pub(crate) fn deployed_address(
    deployer: Felt,
    salt: Felt,
    class_hash: Felt,
    constructor: &[Felt],
) -> Felt {
    let address = pedersen_array(&[
        short_string("STARKNET_CONTRACT_ADDRESS"),
        deployer,
        salt,
        class_hash,
        pedersen_array(constructor),
    ]);
    address_modulus(address)
}

/// Addresses of contracts and of storage stay below 2^251 - 256.
pub(crate) fn address_modulus(hash: Felt) -> Felt {
    let bound = (U256::from(1) << 251_usize) - U256::from(256);
    felt(from_felt(hash) % bound)
}

/// The number that an element is.
pub(crate) fn from_felt(felt: Felt) -> U256 {
    U256::from_be_bytes(felt.to_bytes_be())
}

/// The element of a number below the prime; larger ones wrap around it.
pub(crate) fn felt(number: U256) -> Felt {
    Felt::from_bytes_be(&number.to_be_bytes())
}

fn pedersen_array(felts: &[Felt]) -> Felt {
    let chained = felts
        .iter()
        .fold(Felt::ZERO, |hash, felt| pedersen_hash(&hash, felt));
    pedersen_hash(&chained, &Felt::from(felts.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use primitives::felt_from_hex;

    #[test]
    fn domains_and_parts_make_different_hashes() {
        let parts = [Felt::ONE, Felt::TWO];
        assert_eq!(digest("A", &parts), digest("A", &parts));
        assert_ne!(digest("A", &parts), digest("B", &parts));
        assert_ne!(digest("A", &parts), digest("A", &[Felt::TWO, Felt::ONE]));
        assert_ne!(digest("A", &parts), digest("A", &parts[..1]));
    }

    #[test]
    fn contract_addresses_are_those_of_the_network() {
        // Computed with starknet.js: hash.calculateContractAddressFromHash.
        let felt = |text| felt_from_hex(text).unwrap();
        assert_eq!(
            contract_address(felt("0x1234"), felt("0xabcd"), &[felt("0x1234")]),
            felt("0x5fe5dfbc86f6b9fa7eb14f32d51a6103b07fa713aae16e9b4c318e75b6c4131")
        );
    }
}
