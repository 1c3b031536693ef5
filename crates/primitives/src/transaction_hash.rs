//! Hashes of account transactions of version 3: what an account signs.
//!
//! The parts that every such transaction has are its [`Terms`]; what it is for
//! is an [`Invoke`] or a [`DeployAccount`].

use crate::felt::short_string;
use starknet_types_core::felt::Felt;
use starknet_types_core::hash::{Poseidon, StarkHash};

/// Bit 128 of a version marks a transaction that is only simulated, so that its
/// signature is worthless as a real one.
const QUERY: Felt = Felt::from_hex_unchecked("0x100000000000000000000000000000000");

/// Whether a transaction is to be executed or only to be simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Version {
    /// Version 3.
    V3,
    /// Version 3 with the mark of a simulation.
    QueryV3,
}

impl Version {
    /// The number that is hashed and sent.
    pub fn felt(self) -> Felt {
        match self {
            Self::V3 => Felt::THREE,
            Self::QueryV3 => QUERY + Felt::THREE,
        }
    }
}

/// The most of a kind of gas that a sender uses, and pays for a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Bound {
    /// In units of gas.
    pub max_amount: u64,
    /// In FRI, the smallest unit of STRK.
    pub max_price_per_unit: u128,
}

impl Bound {
    /// Name, amount and price in one element: 60, 64 and 128 bits.
    fn pack(self, resource: &str) -> Felt {
        let mut bytes = [0; 32];
        let (name, numbers) = bytes.split_at_mut(8);
        let (amount, price) = numbers.split_at_mut(8);
        let resource = resource.as_bytes();
        for (place, byte) in name.iter_mut().rev().zip(resource.iter().rev()) {
            *place = *byte;
        }
        amount.copy_from_slice(&self.max_amount.to_be_bytes());
        price.copy_from_slice(&self.max_price_per_unit.to_be_bytes());
        Felt::from_bytes_be(&bytes)
    }
}

/// The bounds of all three kinds of gas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ResourceBounds {
    /// Messages to the base layer.
    pub l1_gas: Bound,
    /// Computation.
    pub l2_gas: Bound,
    /// Published state.
    pub l1_data_gas: Bound,
}

/// Where the data of a nonce or of a fee are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum DataAvailability {
    /// On the base layer.
    #[default]
    L1,
    /// On Starknet only.
    L2,
}

impl DataAvailability {
    fn number(self) -> u64 {
        match self {
            Self::L1 => 0,
            Self::L2 => 1,
        }
    }
}

/// What every account transaction of version 3 says.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Terms {
    /// The number of transactions that the account sent before.
    pub nonce: u64,
    /// Offered on top of the price of a unit of L2 gas.
    pub tip: u64,
    /// The most that the sender uses and pays.
    pub bounds: ResourceBounds,
    /// Somebody else who pays; empty on today's networks.
    pub paymaster_data: Vec<Felt>,
    /// Where the data of the nonce are kept; the base layer by default.
    pub nonce_data_availability: DataAvailability,
    /// Where the data of the fee are kept; the base layer by default.
    pub fee_data_availability: DataAvailability,
}

impl Terms {
    fn fee_fields(&self) -> Felt {
        let ResourceBounds {
            l1_gas,
            l2_gas,
            l1_data_gas,
        } = self.bounds;
        Poseidon::hash_array(&[
            Felt::from(self.tip),
            l1_gas.pack("L1_GAS"),
            l2_gas.pack("L2_GAS"),
            l1_data_gas.pack("L1_DATA"),
        ])
    }

    fn data_availability(&self) -> Felt {
        let nonce = self.nonce_data_availability.number() << 32;
        Felt::from(nonce | self.fee_data_availability.number())
    }

    /// The elements that all transactions begin with.
    fn prefix(&self, kind: &str, version: Version, sender: Felt, chain_id: Felt) -> [Felt; 8] {
        [
            short_string(kind),
            version.felt(),
            sender,
            self.fee_fields(),
            Poseidon::hash_array(&self.paymaster_data),
            chain_id,
            Felt::from(self.nonce),
            self.data_availability(),
        ]
    }
}

/// Calls that an account makes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Invoke {
    /// The account.
    pub sender: Felt,
    /// What its `__execute__` is called with.
    pub calldata: Vec<Felt>,
    /// How the account would be deployed first; empty on today's networks.
    pub account_deployment_data: Vec<Felt>,
}

impl Invoke {
    /// The transaction's hash on the network `chain_id`.
    pub fn hash(&self, terms: &Terms, version: Version, chain_id: Felt) -> Felt {
        let prefix = terms.prefix("invoke", version, self.sender, chain_id);
        let rest = [
            Poseidon::hash_array(&self.account_deployment_data),
            Poseidon::hash_array(&self.calldata),
        ];
        Poseidon::hash_array(&[&prefix[..], &rest].concat())
    }
}

/// An account that deploys itself and pays for it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DeployAccount {
    /// The class of the account.
    pub class_hash: Felt,
    /// Makes accounts of one owner differ.
    pub salt: Felt,
    /// What the constructor is called with.
    pub constructor_calldata: Vec<Felt>,
}

impl DeployAccount {
    /// The transaction's hash on the network `chain_id`, where the account will
    /// be at `address`.
    pub fn hash(&self, address: Felt, terms: &Terms, version: Version, chain_id: Felt) -> Felt {
        let prefix = terms.prefix("deploy_account", version, address, chain_id);
        let rest = [
            Poseidon::hash_array(&self.constructor_calldata),
            self.class_hash,
            self.salt,
        ];
        Poseidon::hash_array(&[&prefix[..], &rest].concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::felt::{felt_from_hex, felt_to_hex};

    // All expected values were computed with starknet.js 8.9.2:
    // hash.calculateInvokeTransactionHash, hash.calculateDeployAccountTransactionHash.

    const CHAIN_ID: Felt = Felt::from_hex_unchecked("0x534e5f53544f41");

    fn terms(nonce: u64) -> Terms {
        let bound = |max_amount, max_price_per_unit| Bound {
            max_amount,
            max_price_per_unit,
        };
        Terms {
            nonce,
            bounds: ResourceBounds {
                l1_gas: bound(0, 0x1234),
                l2_gas: bound(0x001e_8480, 0xb2d0_5e00),
                l1_data_gas: bound(0x180, 0x5968_2f00),
            },
            ..Terms::default()
        }
    }

    fn invoke() -> Invoke {
        Invoke {
            sender: Felt::from(0x1234_abcd),
            calldata: [0x1, 0x49d3, 0x83af, 0x3, 0x5, 0x64, 0x0]
                .map(|felt: u32| Felt::from(felt))
                .to_vec(),
            account_deployment_data: vec![],
        }
    }

    fn hash(invoke: &Invoke, terms: &Terms, version: Version) -> String {
        felt_to_hex(invoke.hash(terms, version, CHAIN_ID))
    }

    #[test]
    fn a_plain_invoke_has_the_hash_of_the_network() {
        assert_eq!(
            hash(&invoke(), &terms(7), Version::V3),
            "0x5fa0b605fb167c6411ef092e3a1ee9429042aa9f1f2fc1f68b31f599d72c9af"
        );
    }

    #[test]
    fn every_optional_field_is_part_of_the_hash() {
        let deploying = Invoke {
            account_deployment_data: vec![Felt::from(0xa), Felt::from(0xb)],
            ..invoke()
        };
        let sponsored = Terms {
            tip: 12345,
            paymaster_data: vec![Felt::from(0xc)],
            nonce_data_availability: DataAvailability::L2,
            ..terms(7)
        };
        assert_eq!(
            hash(&deploying, &sponsored, Version::V3),
            "0x512dae57a10aa1aef9133f0650104365a4a373d55249d0e4c4bc2ba6acbf772"
        );
        let cheap = Terms {
            fee_data_availability: DataAvailability::L2,
            ..terms(7)
        };
        assert_eq!(
            hash(&invoke(), &cheap, Version::V3),
            "0x2da3231b9ad9df18d49817526dd76d20964eb7122d272c49f8035d2fd0cd187"
        );
    }

    #[test]
    fn a_simulated_transaction_has_another_hash_than_a_real_one() {
        assert_eq!(
            hash(&invoke(), &terms(7), Version::QueryV3),
            "0x2242b6c2720a10a5f0f35f79ba1e7ec92223b4c9f664d8d80551754736c40b4"
        );
    }

    #[test]
    fn a_deployment_has_the_hash_of_the_network() {
        let deployment = DeployAccount {
            class_hash: Felt::from(0xabcd),
            salt: Felt::from(0x1234),
            constructor_calldata: vec![Felt::from(0x1234)],
        };
        let address =
            felt_from_hex("0x5fe5dfbc86f6b9fa7eb14f32d51a6103b07fa713aae16e9b4c318e75b6c4131")
                .unwrap();
        let terms = Terms { tip: 5, ..terms(0) };
        let hash = deployment.hash(address, &terms, Version::V3, CHAIN_ID);
        assert_eq!(
            felt_to_hex(hash),
            "0x38db99ab30087625807457a8a5c4b1ef7fa02046bf8c2582d3591740cea8a56"
        );
    }
}
