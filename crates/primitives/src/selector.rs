//! Names of entrypoints and events as the chain knows them.

use sha3::{Digest, Keccak256};
use starknet_types_core::felt::Felt;

/// The selector of an entrypoint, or the first key of an event.
pub fn selector(name: &str) -> Felt {
    starknet_keccak(name.as_bytes())
}

/// The low 250 bits of Keccak-256.
pub fn starknet_keccak(bytes: &[u8]) -> Felt {
    let mut digest: [u8; 32] = Keccak256::digest(bytes).into();
    digest[0] &= 0b11;
    Felt::from_bytes_be(&digest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::felt_to_hex;

    #[test]
    fn selectors_are_those_of_deployed_contracts() {
        for (name, expected) in [
            (
                "Transfer",
                "0x99cd8bde557814842a3121e8ddfd433a539b8c9f14bf31ebf108d12e6196e9",
            ),
            (
                "transfer",
                "0x83afd3f4caedc6eebf44246fe54e38c95e3179a5ec9ea81740eca5b482d12e",
            ),
            (
                "balanceOf",
                "0x2e4263afad30923c891518314c3c95dbe830a16874e8abc5777a9a20b54c76e",
            ),
        ] {
            assert_eq!(felt_to_hex(selector(name)), expected, "{name}");
        }
    }
}
