//! Transactions, receipts and the fee rule.

use primitives::Felt;

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
    pub(crate) bounds: Bounds,
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

/// Gas of the three kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Resources {
    pub(crate) l1_gas: u64,
    pub(crate) l1_data_gas: u64,
    pub(crate) l2_gas: u64,
}

impl Resources {
    /// A plain rule that grows with the work: no Cairo is run.
    pub(crate) fn of_calls(calls: usize) -> Self {
        const BASE_L2_GAS: u64 = 600_000;
        const CALL_L2_GAS: u64 = 450_000;
        const BASE_DATA_GAS: u64 = 128;
        const CALL_DATA_GAS: u64 = 160;
        let calls = u64::try_from(calls).unwrap_or(u64::MAX);
        Self {
            l1_gas: 0,
            l1_data_gas: BASE_DATA_GAS.saturating_add(CALL_DATA_GAS.saturating_mul(calls)),
            l2_gas: BASE_L2_GAS.saturating_add(CALL_L2_GAS.saturating_mul(calls)),
        }
    }

    /// The fee in FRI at `prices`.
    pub(crate) fn fee(self, prices: &Prices) -> u128 {
        [
            (self.l1_gas, prices.l1_gas),
            (self.l1_data_gas, prices.l1_data_gas),
            (self.l2_gas, prices.l2_gas),
        ]
        .into_iter()
        .fold(0, |fee: u128, (amount, price)| {
            fee.saturating_add(u128::from(amount).saturating_mul(price.fri))
        })
    }
}

/// The price of one unit of gas in the smallest units of STRK and of ETH.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Price {
    pub(crate) fri: u128,
    pub(crate) wei: u128,
}

/// Gas prices of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Prices {
    pub(crate) l1_gas: Price,
    pub(crate) l1_data_gas: Price,
    pub(crate) l2_gas: Price,
}

impl Prices {
    /// The prices of every block so far.
    pub(crate) const USUAL: Self = Self {
        l1_gas: Price {
            fri: 36_000_000_000_000,
            wei: 1_500_000_000,
        },
        l1_data_gas: Price {
            fri: 24_000_000_000,
            wei: 1_000_000,
        },
        l2_gas: Price {
            fri: 3_000_000_000,
            wei: 125_000,
        },
    };
}

/// Limits of one kind of gas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bound {
    pub(crate) max_amount: u64,
    pub(crate) max_price_per_unit: u128,
}

/// Limits of all kinds of gas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub(crate) l1_gas: Bound,
    pub(crate) l1_data_gas: Bound,
    pub(crate) l2_gas: Bound,
}

impl Bounds {
    /// What a careful sender allows: half as much again as is needed.
    pub(crate) fn with_headroom(resources: Resources, prices: &Prices) -> Self {
        let bound = |amount: u64, price: Price| Bound {
            max_amount: amount.saturating_add(amount / 2),
            max_price_per_unit: price.fri.saturating_add(price.fri / 2),
        };
        Self {
            l1_gas: bound(resources.l1_gas, prices.l1_gas),
            l1_data_gas: bound(resources.l1_data_gas, prices.l1_data_gas),
            l2_gas: bound(resources.l2_gas, prices.l2_gas),
        }
    }
}
