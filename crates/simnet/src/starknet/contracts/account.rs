//! The account contract: one Stark key owns it.

use crate::starknet::contract::{Calldata, Contract, Entrypoints, Env, Returned};
use crate::starknet::hash::{digest, felt};
use primitives::Felt;
use std::sync::LazyLock;

/// The variable that holds the owner's public key.
pub(crate) const PUBLIC_KEY: &str = "public_key";

static ENTRYPOINTS: LazyLock<Entrypoints<Account>> = LazyLock::new(|| {
    Entrypoints::new(&[
        ("get_public_key", Account::public_key),
        ("getPublicKey", Account::public_key),
    ])
});

/// An account. All of it is in its variables.
#[derive(Debug)]
pub(crate) struct Account;

impl Account {
    /// The class of all accounts.
    pub(crate) fn class() -> Felt {
        digest("CLASS", &[primitives::short_string("Account")])
    }

    #[expect(
        clippy::unnecessary_wraps,
        clippy::unused_self,
        reason = "the shape of all entrypoints"
    )]
    fn public_key(&self, env: &mut Env<'_, '_>, _: &mut Calldata<'_>) -> Returned {
        Ok(vec![felt(env.read(PUBLIC_KEY, &[]))])
    }
}

impl Contract for Account {
    fn class_hash(&self) -> Felt {
        Self::class()
    }

    fn call(&self, env: &mut Env<'_, '_>, selector: Felt, calldata: &[Felt]) -> Option<Returned> {
        ENTRYPOINTS.run(self, env, selector, calldata)
    }
}
