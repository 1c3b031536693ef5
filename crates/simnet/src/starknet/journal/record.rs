//! What a journal says, entry by entry.

use crate::journal::codec::{Input, Stored, load, stored_struct};
use crate::starknet::block::Block;
use crate::starknet::chain::KeptBlock;
use crate::starknet::gas::{Gas, Price};
use crate::starknet::state::{Key, Shape, Variable};
use crate::starknet::transaction::{
    Action, Event, Receipt, Request, SignedTransaction, Transaction,
};
use primitives::transaction_hash::{
    Bound, DataAvailability, DeployAccount, Invoke, ResourceBounds, Terms,
};
use primitives::{Felt, U256};
use std::collections::HashSet;
use std::sync::{LazyLock, Mutex, PoisonError};

/// Names of variables that journals may bring along.
const MAX_VARIABLES: usize = 10_000;

/// What is steered from outside and is no block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Control {
    /// Seconds by which the node's clock is ahead.
    pub(crate) ahead: u64,
    pub(crate) paused: bool,
    /// Reorgs so far.
    pub(crate) fork: u64,
}

stored_struct!(Control {
    ahead,
    paused,
    fork
});

/// One entry.
#[derive(Debug)]
pub(super) enum Record {
    Control(Control),
    /// Variables with their values; there may be more.
    Values(Vec<(Key, U256)>),
    /// A transaction was taken and is in no block yet.
    Taken(Box<Request>),
    Block(Box<KeptBlock>),
    /// The blocks above this height are no longer in the chain.
    Truncate(u64),
    /// The block in the making has this time.
    Begun(u64),
}

const CONTROL: u8 = 0;
const VALUES: u8 = 1;
const TAKEN: u8 = 2;
const BLOCK: u8 = 3;
const TRUNCATE: u8 = 4;
const BEGUN: u8 = 5;

impl Record {
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let (tag, body) = bytes.split_first()?;
        match *tag {
            CONTROL => load(body).map(Self::Control),
            VALUES => load(body).map(Self::Values),
            TAKEN => load(body).map(|request| Self::Taken(Box::new(request))),
            BLOCK => load(body).map(|block| Self::Block(Box::new(block))),
            TRUNCATE => load(body).map(Self::Truncate),
            BEGUN => load(body).map(Self::Begun),
            _ => None,
        }
    }

    /// Whether the bytes are [`Self::Values`], without reading them.
    pub(super) fn is_values(bytes: &[u8]) -> bool {
        bytes.first() == Some(&VALUES)
    }
}

pub(super) fn control(control: Control, out: &mut Vec<u8>) {
    out.push(CONTROL);
    control.store(out);
}

pub(super) fn values(values: &[(Key, U256)], out: &mut Vec<u8>) {
    out.push(VALUES);
    crate::journal::codec::store_list(values, out);
}

pub(super) fn taken(request: &Request, out: &mut Vec<u8>) {
    out.push(TAKEN);
    request.store(out);
}

/// A block with the values that it wrote.
pub(super) fn block(block: &Block, writes: &[(Key, U256)], out: &mut Vec<u8>) {
    out.push(BLOCK);
    store_block(block, out);
    crate::journal::codec::store_list(writes, out);
}

pub(super) fn truncate(height: u64, out: &mut Vec<u8>) {
    out.push(TRUNCATE);
    height.store(out);
}

pub(super) fn begun(timestamp: u64, out: &mut Vec<u8>) {
    out.push(BEGUN);
    timestamp.store(out);
}

fn store_block(block: &Block, out: &mut Vec<u8>) {
    block.number.store(out);
    block.hash.store(out);
    block.parent_hash.store(out);
    block.timestamp.store(out);
    block.prices.store(out);
    block.transactions.store(out);
}

impl Stored for KeptBlock {
    fn store(&self, out: &mut Vec<u8>) {
        store_block(&self.block, out);
        self.writes.store(out);
    }

    fn load(input: &mut Input<'_>) -> Option<Self> {
        let block = Block {
            number: Stored::load(input)?,
            hash: Stored::load(input)?,
            parent_hash: Stored::load(input)?,
            timestamp: Stored::load(input)?,
            prices: Stored::load(input)?,
            transactions: Stored::load(input)?,
            writes: Vec::new(),
        };
        let writes = Stored::load(input)?;
        Some(Self { block, writes })
    }
}

impl<T: Stored> Stored for Gas<T> {
    fn store(&self, out: &mut Vec<u8>) {
        self.l1.store(out);
        self.l1_data.store(out);
        self.l2.store(out);
    }

    fn load(input: &mut Input<'_>) -> Option<Self> {
        Some(Self {
            l1: Stored::load(input)?,
            l1_data: Stored::load(input)?,
            l2: Stored::load(input)?,
        })
    }
}

stored_struct!(Price { fri, wei });
stored_struct!(Bound {
    max_amount,
    max_price_per_unit
});
stored_struct!(ResourceBounds {
    l1_gas,
    l2_gas,
    l1_data_gas
});
stored_struct!(Terms {
    nonce,
    tip,
    bounds,
    paymaster_data,
    nonce_data_availability,
    fee_data_availability,
});
stored_struct!(Invoke {
    sender,
    calldata,
    account_deployment_data
});
stored_struct!(DeployAccount {
    class_hash,
    salt,
    constructor_calldata
});
stored_struct!(SignedTransaction {
    action,
    terms,
    signature
});
stored_struct!(Request {
    hash,
    sender,
    signed
});
stored_struct!(Event { from, keys, data });
stored_struct!(Receipt {
    fee,
    resources,
    events,
    revert_reason
});
stored_struct!(Transaction { request, receipt });

impl Stored for DataAvailability {
    fn store(&self, out: &mut Vec<u8>) {
        (*self == Self::L2).store(out);
    }

    fn load(input: &mut Input<'_>) -> Option<Self> {
        bool::load(input).map(|on_l2| if on_l2 { Self::L2 } else { Self::L1 })
    }
}

impl Stored for Action {
    fn store(&self, out: &mut Vec<u8>) {
        match self {
            Self::Invoke(invoke) => {
                out.push(0);
                invoke.store(out);
            }
            Self::DeployAccount(deployment) => {
                out.push(1);
                deployment.store(out);
            }
        }
    }

    fn load(input: &mut Input<'_>) -> Option<Self> {
        match input.byte()? {
            0 => Stored::load(input).map(Self::Invoke),
            1 => Stored::load(input).map(Self::DeployAccount),
            _ => None,
        }
    }
}

impl Stored for Key {
    fn store(&self, out: &mut Vec<u8>) {
        self.contract.store(out);
        self.variable.store(out);
        self.args().collect::<Vec<Felt>>().store(out);
    }

    fn load(input: &mut Input<'_>) -> Option<Self> {
        let contract = Stored::load(input)?;
        let variable = Stored::load(input)?;
        let args: Vec<Felt> = Stored::load(input)?;
        Some(Self::new(contract, variable, &args))
    }
}

impl Stored for Variable {
    fn store(&self, out: &mut Vec<u8>) {
        self.name.to_owned().store(out);
        out.push(match self.shape {
            Shape::Protocol => 0,
            Shape::Felt => 1,
            Shape::U256 => 2,
        });
    }

    fn load(input: &mut Input<'_>) -> Option<Self> {
        let name = lasting(input.text()?)?;
        let shape = match input.byte()? {
            0 => Shape::Protocol,
            1 => Shape::Felt,
            2 => Shape::U256,
            _ => return None,
        };
        Some(Self { name, shape })
    }
}

/// The name as one of those that live as long as the program: variables are
/// named by constants, and what is read back must be equal to them.
fn lasting(name: &str) -> Option<&'static str> {
    static NAMES: LazyLock<Mutex<HashSet<&'static str>>> = LazyLock::new(Mutex::default);
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name) {
        return Some(known);
    }
    if names.len() >= MAX_VARIABLES {
        return None;
    }
    let name: &'static str = Box::leak(name.into());
    names.insert(name);
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_kind_of_entry_comes_back() {
        let key = Key::new(Felt::TWO, Variable::u256("balances"), &[Felt::THREE]);
        let mut out = Vec::new();
        values(
            &[(key, U256::from(5)), (Key::nonce(Felt::ONE), U256::ONE)],
            &mut out,
        );
        assert!(Record::is_values(&out));
        let Some(Record::Values(read)) = Record::read(&out) else {
            panic!("no values");
        };
        assert_eq!(read[0], (key, U256::from(5)));
        assert_eq!(read[1].0, Key::nonce(Felt::ONE));

        let mut out = Vec::new();
        let steered = Control {
            ahead: 5,
            paused: true,
            fork: 9,
        };
        control(steered, &mut out);
        assert!(matches!(Record::read(&out), Some(Record::Control(read)) if read == steered));
        out.push(0);
        assert!(Record::read(&out).is_none(), "nothing may follow");

        let mut out = Vec::new();
        truncate(77, &mut out);
        assert!(matches!(Record::read(&out), Some(Record::Truncate(77))));
        let mut out = Vec::new();
        begun(78, &mut out);
        assert!(matches!(Record::read(&out), Some(Record::Begun(78))));
        assert!(Record::read(&[]).is_none());
        assert!(Record::read(&[200]).is_none());
    }

    proptest! {
        #[test]
        fn no_bytes_make_reading_panic(tag in 0_u8..7, bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = Record::read(&[&[tag], &bytes[..]].concat());
        }
    }
}
