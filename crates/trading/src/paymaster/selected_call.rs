//! A call as a paymaster meets it.

use primitives::{Address, Felt, selector};

/// A call whose function is known by its selector alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectedCall {
    /// The contract that has the function.
    pub to: Address,
    /// The hash of the function's name, by which contracts know it.
    pub selector: Felt,
    /// Its arguments as elements, one after the other, as the function reads them.
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
