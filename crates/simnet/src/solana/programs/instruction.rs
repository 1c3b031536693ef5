//! An instruction with the accounts that it may read and change.

use crate::solana::account::Account;
use crate::solana::failure::InstructionError;
use primitives::PublicKey;

/// An account as an instruction has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Loaded {
    pub(crate) key: PublicKey,
    pub(crate) account: Account,
    pub(crate) signs: bool,
    pub(crate) writable: bool,
}

/// An instruction on its way.
#[derive(Debug)]
pub(crate) struct Call<'c> {
    /// All accounts of the transaction.
    pub(crate) loaded: &'c mut [Loaded],
    /// Those of the instruction, by their places.
    pub(crate) accounts: &'c [u8],
    pub(crate) data: &'c [u8],
    pub(crate) logs: &'c mut Vec<String>,
}

impl Call<'_> {
    pub(super) fn account(&mut self, place: usize) -> Result<&mut Loaded, InstructionError> {
        let index = self.accounts.get(place);
        let index = index.ok_or(InstructionError::MissingAccount)?;
        let loaded = self.loaded.get_mut(usize::from(*index));
        loaded.ok_or(InstructionError::MissingAccount)
    }

    pub(super) fn log(&mut self, line: String) {
        self.logs.push(line);
    }
}
