//! Transactions, receipts and the fee rule.

use primitives::Felt;
use serde::Serialize;

/// An included INVOKE transaction of version 3, with what came of it.
#[derive(Debug)]
pub(crate) struct Transaction {
    pub(crate) hash: Felt,
    pub(crate) sender: Felt,
    pub(crate) nonce: u64,
    pub(crate) calldata: Box<[Felt]>,
    /// Empty for the world's own actors, whom nobody needs to check.
    pub(crate) signature: Box<[Felt]>,
    /// The most that the sender would use and pay.
    pub(crate) bounds: Gas<Bound>,
    pub(crate) tip: u64,
    pub(crate) receipt: Receipt,
}

/// What a transaction did.
#[derive(Debug)]
pub(crate) struct Receipt {
    /// In FRI, the smallest unit of STRK.
    pub(crate) fee: u128,
    pub(crate) resources: Resources,
    pub(crate) events: Vec<Event>,
    /// Why it was reverted, if it was. The fee is charged all the same.
    pub(crate) revert_reason: Option<String>,
}

/// An event of a contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) from: Felt,
    pub(crate) keys: Box<[Felt]>,
    pub(crate) data: Box<[Felt]>,
}

/// One call of a transaction.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) to: Felt,
    pub(crate) selector: Felt,
    pub(crate) calldata: Vec<Felt>,
}

/// What is asked of the chain: calls in the name of `sender`, all or none.
#[derive(Debug, Clone)]
pub(crate) struct Invoke {
    pub(crate) hash: Felt,
    pub(crate) sender: Felt,
    pub(crate) calls: Vec<Call>,
}

impl Invoke {
    /// The calldata of the account's `__execute__`: an array of calls.
    pub(crate) fn calldata(&self) -> Box<[Felt]> {
        let mut calldata = vec![Felt::from(self.calls.len())];
        for call in &self.calls {
            calldata.extend([call.to, call.selector, Felt::from(call.calldata.len())]);
            calldata.extend(&call.calldata);
        }
        calldata.into()
    }
}

/// One value for each kind of gas, with the names of the specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub(crate) struct Gas<T> {
    #[serde(rename = "l1_gas")]
    pub(crate) l1: T,
    #[serde(rename = "l1_data_gas")]
    pub(crate) l1_data: T,
    #[serde(rename = "l2_gas")]
    pub(crate) l2: T,
}

impl<T> Gas<T> {
    pub(crate) fn map<U>(self, change: impl Fn(T) -> U) -> Gas<U> {
        Gas {
            l1: change(self.l1),
            l1_data: change(self.l1_data),
            l2: change(self.l2),
        }
    }

    fn zip<U>(self, other: Gas<U>) -> Gas<(T, U)> {
        Gas {
            l1: (self.l1, other.l1),
            l1_data: (self.l1_data, other.l1_data),
            l2: (self.l2, other.l2),
        }
    }
}

/// Amounts of gas.
pub(crate) type Resources = Gas<u64>;

impl Resources {
    /// A plain rule that grows with the work: no Cairo is run.
    pub(crate) fn of_calls(calls: usize) -> Self {
        const BASE: Resources = Gas {
            l1: 0,
            l1_data: 128,
            l2: 600_000,
        };
        const CALL: Resources = Gas {
            l1: 0,
            l1_data: 160,
            l2: 450_000,
        };
        let calls = u64::try_from(calls).unwrap_or(u64::MAX);
        BASE.zip(CALL)
            .map(|(base, call)| base.saturating_add(call.saturating_mul(calls)))
    }

    /// The fee in FRI at `prices`.
    pub(crate) fn fee(self, prices: Prices) -> u128 {
        let fees = self
            .zip(prices)
            .map(|(amount, price)| u128::from(amount).saturating_mul(price.fri));
        fees.l1.saturating_add(fees.l1_data).saturating_add(fees.l2)
    }
}

/// The price of one unit of gas in the smallest units of STRK and of ETH.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Price {
    pub(crate) fri: u128,
    pub(crate) wei: u128,
}

/// Gas prices of a block.
pub(crate) type Prices = Gas<Price>;

impl Prices {
    /// The prices of every block so far.
    pub(crate) const USUAL: Self = Gas {
        l1: Price {
            fri: 36_000_000_000_000,
            wei: 1_500_000_000,
        },
        l1_data: Price {
            fri: 24_000_000_000,
            wei: 1_000_000,
        },
        l2: Price {
            fri: 3_000_000_000,
            wei: 125_000,
        },
    };
}

/// The most of a kind of gas that a sender uses, and pays for a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bound {
    pub(crate) max_amount: u64,
    pub(crate) max_price_per_unit: u128,
}

/// What a careful sender allows: half as much again as is needed.
pub(crate) fn with_headroom(resources: Resources, prices: Prices) -> Gas<Bound> {
    resources.zip(prices).map(|(amount, price)| Bound {
        max_amount: amount.saturating_add(amount / 2),
        max_price_per_unit: price.fri.saturating_add(price.fri / 2),
    })
}
