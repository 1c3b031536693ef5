//! A call as a paymaster meets it.

use primitives::{Address, Felt, selector};

/// A call whose function is known by its selector alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectedCall {
    /// The contract.
    pub to: Address,
    /// The function's selector.
    pub selector: Felt,
    /// Its arguments.
    pub calldata: Vec<Felt>,
}

impl SelectedCall {
    /// A call of the function of this name.
    #[must_use]
    pub fn named(to: Address, function: &str, calldata: Vec<Felt>) -> Self {
        Self {
            to,
            selector: selector(function),
            calldata,
        }
    }
}
