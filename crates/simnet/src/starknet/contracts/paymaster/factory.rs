//! The factory: deploys an account for anybody, if its owners signed for that.

use crate::starknet::class::{ADDRESS, CLASS_HASH, Class, FELT, FELTS, Interface, Typed};
use crate::starknet::contract::{Calldata, Contract, Env, Function, Kind};
use crate::starknet::contracts::account::valid;
use crate::starknet::contracts::arithmetic::ensure;
use crate::starknet::failure::Returned;
use crate::starknet::transaction::Call;
use primitives::{Felt, selector};
use starknet_crypto::pedersen_hash;
use std::sync::LazyLock;

/// Where the network's factory is.
pub(crate) const ACCOUNT_FACTORY: Felt =
    Felt::from_hex_unchecked("0x73746f615f6163636f756e745f666163746f7279");

const DEPLOYMENT: &[Typed] = &[
    ("class_hash", CLASS_HASH),
    ("salt", FELT),
    ("calldata", FELTS),
    ("sigdata", FELTS),
];

static KIND: LazyLock<Kind<AccountFactory>> = LazyLock::new(|| {
    let deploy = Function::external(
        "deploy_account",
        DEPLOYMENT,
        &[ADDRESS],
        AccountFactory::deploy_account,
    );
    Kind::new("AccountFactory", &[deploy], Interface::default())
});

/// The factory, which keeps nothing.
#[derive(Debug)]
pub(super) struct AccountFactory;

impl Contract for AccountFactory {
    fn class(&self) -> &'static Class {
        &KIND.class
    }

    fn call(&self, env: &mut Env<'_, '_>, selector: Felt, calldata: &[Felt]) -> Option<Returned> {
        KIND.entrypoints.run(self, env, selector, calldata)
    }
}

impl AccountFactory {
    /// Deploys an account where it would be if nobody had deployed it, and has it
    /// say whether its owners signed its address and class.
    #[expect(clippy::unused_self, reason = "the shape of all entrypoints")]
    fn deploy_account(&self, env: &mut Env<'_, '_>, calldata: &mut Calldata<'_>) -> Returned {
        let (class_hash, salt) = (calldata.felt()?, calldata.felt()?);
        let (constructor, sigdata) = (calldata.felts()?, calldata.felts()?);
        let address = env.deploy_from_zero(class_hash, salt, constructor)?;
        let hash = pedersen_hash(&address, &class_hash);
        let mut question = vec![hash, Felt::from(sigdata.len())];
        question.extend(sigdata);
        let said = env.call(&Call {
            to: address,
            selector: selector("is_valid_signature"),
            calldata: question,
        })?;
        ensure(said == [valid()], "Factory: the owners did not sign")?;
        Ok(vec![address])
    }
}
