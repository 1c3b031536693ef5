//! A wallet for tests: signs as ordinary clients do.

use super::contracts::account::Account;
use super::contracts::account::outside::{OutsideExecution, OutsideVersion};
use super::hash::contract_address;
use super::node::StarknetNode;
use super::transaction::{Action, Call, Request, SignedTransaction, execute_calldata};
use primitives::transaction_hash::{Bound, DeployAccount, Invoke, ResourceBounds, Terms, Version};
use primitives::{Felt, selector};
use starknet_crypto::{get_public_key, rfc6979_generate_k, sign};

/// Bounds that are enough for a few calls at any price of a simulated network:
/// 0.11 STRK at most.
pub(crate) const BOUNDS: ResourceBounds = ResourceBounds {
    l1_gas: Bound {
        max_amount: 0,
        max_price_per_unit: 100_000_000_000_000,
    },
    l2_gas: Bound {
        max_amount: 10_000_000,
        max_price_per_unit: 10_000_000_000,
    },
    l1_data_gas: Bound {
        max_amount: 100_000,
        max_price_per_unit: 100_000_000_000,
    },
};

/// A key and its account.
#[derive(Debug, Clone)]
pub(crate) struct Wallet {
    pub(crate) address: Felt,
    pub(crate) private_key: Felt,
}

impl Wallet {
    /// One of the accounts that exist from the beginning.
    pub(crate) fn funded(node: &StarknetNode, index: usize) -> Self {
        let account = &node.accounts()[index];
        Self {
            address: account.address.felt(),
            private_key: account.private_key,
        }
    }

    /// An account that does not exist yet.
    pub(crate) fn fresh(private_key: u64) -> Self {
        let private_key = Felt::from(private_key);
        let public_key = get_public_key(&private_key);
        Self {
            address: contract_address(public_key, Account::class_hash(), &[public_key]),
            private_key,
        }
    }

    pub(crate) fn public_key(&self) -> Felt {
        get_public_key(&self.private_key)
    }

    /// Calls that are signed.
    pub(crate) fn invoke(&self, nonce: u64, calls: &[Call]) -> SignedTransaction {
        let terms = Terms {
            nonce,
            bounds: BOUNDS,
            ..Terms::default()
        };
        self.invoke_on(terms, calls)
    }

    /// Calls on other terms than the usual.
    pub(crate) fn invoke_on(&self, terms: Terms, calls: &[Call]) -> SignedTransaction {
        let invoke = Invoke {
            sender: self.address,
            calldata: execute_calldata(calls),
            account_deployment_data: Vec::new(),
        };
        self.signed(Action::Invoke(invoke), terms)
    }

    /// The deployment of the account itself.
    pub(crate) fn deployment(&self) -> SignedTransaction {
        let deployment = DeployAccount {
            class_hash: Account::class_hash(),
            salt: self.public_key(),
            constructor_calldata: vec![self.public_key()],
        };
        let terms = Terms {
            bounds: BOUNDS,
            ..Terms::default()
        };
        self.signed(Action::DeployAccount(deployment), terms)
    }

    /// The call by which others do what this account lets them.
    pub(crate) fn outside(&self, version: OutsideVersion, execution: &OutsideExecution) -> Call {
        let hash = execution.hash(version, self.address).unwrap();
        outside_call(self.address, version, execution, &self.sign(hash))
    }

    pub(crate) fn signed(&self, action: Action, terms: Terms) -> SignedTransaction {
        let unsigned = SignedTransaction {
            action,
            terms,
            signature: Vec::new(),
        };
        let hash = Request::new(unsigned.clone(), Version::V3).hash;
        SignedTransaction {
            signature: self.sign(hash),
            ..unsigned
        }
    }

    pub(crate) fn sign(&self, hash: Felt) -> Vec<Felt> {
        let k = rfc6979_generate_k(&hash, &self.private_key, None);
        let signature = sign(&self.private_key, &hash, &k).unwrap();
        vec![signature.r, signature.s]
    }
}

/// The call of an outside execution with any signature.
pub(crate) fn outside_call(
    account: Felt,
    version: OutsideVersion,
    execution: &OutsideExecution,
    signature: &[Felt],
) -> Call {
    let name = match version {
        OutsideVersion::One => "execute_from_outside",
        OutsideVersion::Two => "execute_from_outside_v2",
    };
    let mut calldata = vec![
        execution.caller,
        execution.nonce,
        Felt::from(execution.execute_after),
        Felt::from(execution.execute_before),
    ];
    calldata.extend(execute_calldata(&execution.calls));
    calldata.push(Felt::from(signature.len()));
    calldata.extend(signature);
    Call {
        to: account,
        selector: selector(name),
        calldata,
    }
}
