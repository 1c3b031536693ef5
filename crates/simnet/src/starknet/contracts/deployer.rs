//! The universal deployers: contracts by which anybody deploys others.
//!
//! Both that people use are there at their public addresses. What is deployed as
//! `unique` is at an address of its deployer's own; the rest is where it would be
//! if nobody had deployed it.

use crate::starknet::class::{
    ADDRESS, BOOL, CLASS_HASH, Class, EventSignature, FELT, FELTS, Interface, Typed,
};
use crate::starknet::contract::{Calldata, Contract, Env, Function, Kind};
use crate::starknet::execution::Contracts;
use crate::starknet::failure::Returned;
use primitives::{Felt, selector};
use starknet_crypto::pedersen_hash;
use std::sync::{Arc, LazyLock};

/// Where they are on the public network.
pub(crate) const LEGACY: Felt =
    Felt::from_hex_unchecked("0x041a78e741e5af2fec34b695679bc6891742439f7afb8484ecd7766661ad02bf");
pub(crate) const MODERN: Felt =
    Felt::from_hex_unchecked("0x02ceed65a4bd731034c01113685c831b01c15d7d432f71afb1cf1634b53a2125");

type Entrypoint = Function<Deployer>;

const DEPLOYMENT: &[Typed] = &[
    ("class_hash", CLASS_HASH),
    ("salt", FELT),
    ("not_from_zero", BOOL),
    ("calldata", FELTS),
];
const LEGACY_DEPLOYMENT: &[Typed] = &[
    ("classHash", CLASS_HASH),
    ("salt", FELT),
    ("unique", BOOL),
    ("calldata", FELTS),
];
const EVENTS: &[EventSignature] = &[EventSignature {
    name: "ContractDeployed",
    keys: &[],
    data: &[
        ("address", ADDRESS),
        ("deployer", ADDRESS),
        ("not_from_zero", BOOL),
        ("class_hash", CLASS_HASH),
        ("calldata", FELTS),
        ("salt", FELT),
    ],
}];

fn kind(name: &str, functions: &[Entrypoint]) -> Kind<Deployer> {
    let interface = Interface {
        events: EVENTS,
        ..Interface::default()
    };
    Kind::new(name, functions, interface)
}

static LEGACY_KIND: LazyLock<Kind<Deployer>> = LazyLock::new(|| {
    let old = Entrypoint::external(
        "deployContract",
        LEGACY_DEPLOYMENT,
        &[ADDRESS],
        Deployer::deploy,
    );
    kind("UniversalDeployerV1", &[old])
});
static MODERN_KIND: LazyLock<Kind<Deployer>> = LazyLock::new(|| {
    let new = Entrypoint::external("deploy_contract", DEPLOYMENT, &[ADDRESS], Deployer::deploy);
    let old = Entrypoint::external("deployContract", DEPLOYMENT, &[ADDRESS], Deployer::deploy);
    kind("UniversalDeployerV2", &[new, old])
});

/// A universal deployer.
#[derive(Debug)]
enum Deployer {
    Legacy,
    Modern,
}

/// Adds both.
pub(crate) fn install(contracts: &mut Contracts) {
    contracts.insert(LEGACY, Arc::new(Deployer::Legacy));
    contracts.insert(MODERN, Arc::new(Deployer::Modern));
}

impl Deployer {
    fn kind(&self) -> &'static Kind<Self> {
        match self {
            Self::Legacy => &LEGACY_KIND,
            Self::Modern => &MODERN_KIND,
        }
    }

    #[expect(clippy::unused_self, reason = "the shape of all entrypoints")]
    fn deploy(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (class_hash, salt) = (calldata.felt()?, calldata.felt()?);
        let (unique, constructor) = (calldata.bool()?, calldata.felts()?);
        let deployer = env.caller();
        let address = if unique {
            env.deploy(class_hash, pedersen_hash(&deployer, &salt), constructor)?
        } else {
            env.deploy_from_zero(class_hash, salt, constructor)?
        };
        let mut data = vec![address, deployer, Felt::from(unique), class_hash];
        data.push(Felt::from(constructor.len()));
        data.extend(constructor);
        data.push(salt);
        env.emit(&[selector("ContractDeployed")], &data);
        Ok(vec![address])
    }
}

impl Contract for Deployer {
    fn class(&self) -> &'static Class {
        &self.kind().class
    }

    fn call(&self, env: &mut Env<'_, '_>, selector: Felt, calldata: &[Felt]) -> Option<Returned> {
        self.kind().entrypoints.run(self, env, selector, calldata)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::starknet::contracts::account::Account;
    use crate::starknet::contracts::test_chain::{ALICE, BOB, TestChain, call, event};
    use primitives::felt_to_hex;

    const VECTORS: [(Felt, bool, &str); 3] = [
        (
            LEGACY,
            true,
            "0x6f975d416ff8999783e8f36f3cfa3d8f0b8bcfa91c433fb5186ee26cd5bd1c9",
        ),
        (
            LEGACY,
            false,
            "0x49241e42732292812f3874b26e00787db32cfa72afb2e387fc70f3c8fb37435",
        ),
        (
            MODERN,
            true,
            "0xe1d456f1b97cc36579c8d7e52866233c77a7e44027d4380d35a60b8bd172ba",
        ),
    ];

    fn test_chain() -> TestChain {
        TestChain::new(|contracts| {
            install(contracts);
            contracts.declare(Arc::new(Account::Both));
        })
    }

    fn deployment(to: Felt, salt: u64, unique: bool) -> crate::starknet::transaction::Call {
        let class_hash = Account::class_hash();
        let key = Felt::from(0x1234);
        let arguments = [class_hash, Felt::from(salt), unique.into(), Felt::ONE, key];
        call(to, "deployContract", &arguments)
    }

    #[test]
    fn addresses_are_those_that_clients_compute() {
        // Made with starknet.js: legacyDeployer and defaultDeployer,
        // buildDeployerCall for the account 0xa11ce.
        let mut chain = test_chain();
        for (deployer, unique, expected) in VECTORS {
            let (returned, _) = chain.run(ALICE, &deployment(deployer, 5, unique));
            assert_eq!(felt_to_hex(returned[0]), expected, "{unique}");
        }
    }

    #[test]
    fn a_deployment_is_told_and_happens_once() {
        let mut chain = test_chain();
        let deploying = deployment(LEGACY, 6, true);
        let (returned, events) = chain.run(ALICE, &deploying);
        let key = Felt::from(0x1234);
        let told = event(&events, "ContractDeployed");
        assert_eq!(told.from, LEGACY);
        let class_hash = Account::class_hash();
        let expected = [
            returned[0],
            ALICE,
            Felt::ONE,
            class_hash,
            Felt::ONE,
            key,
            Felt::from(6),
        ];
        assert_eq!(*told.data, expected);
        assert_eq!(chain.view(returned[0], "get_public_key", &[]), [key]);
        chain.refuses(ALICE, &deploying, "contract is already deployed");
        // Another deployer's is another contract.
        let (other, _) = chain.run(BOB, &deploying);
        assert_ne!(other, returned);
    }

    #[test]
    fn from_zero_both_deployers_and_all_callers_mean_the_same_contract() {
        let mut chain = test_chain();
        chain.run(ALICE, &deployment(LEGACY, 7, false));
        let again = deployment(MODERN, 7, false);
        chain.refuses(BOB, &again, "contract is already deployed");
    }

    #[test]
    fn unknown_classes_are_not_deployed() {
        let mut chain = test_chain();
        let arguments = [Felt::TWO, Felt::ONE, Felt::ZERO, Felt::ZERO];
        let unknown = call(MODERN, "deploy_contract", &arguments);
        chain.refuses(ALICE, &unknown, "class is not declared");
    }
}
