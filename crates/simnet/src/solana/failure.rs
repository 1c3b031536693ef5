//! Why transactions fail, in the words and JSON forms of the network.

use serde_json::{Value, json};
use thiserror::Error;

/// Why a transaction was refused or failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(crate) enum TransactionError {
    #[error("Account loaded twice")]
    AccountLoadedTwice,
    #[error("Attempt to debit an account but found no record of a prior credit.")]
    AccountNotFound,
    #[error("Attempt to load a program that does not exist")]
    ProgramAccountNotFound,
    #[error("Insufficient funds for fee")]
    InsufficientFundsForFee,
    #[error("This account may not be used to pay transaction fees")]
    InvalidAccountForFee,
    #[error("This transaction has already been processed")]
    AlreadyProcessed,
    #[error("Blockhash not found")]
    BlockhashNotFound,
    #[error("Error processing Instruction {0}: {1}")]
    Instruction(u8, InstructionError),
    #[error("This program may not be used for executing instructions")]
    InvalidProgramForExecution,
    #[error("Transaction loads an address table account that doesn't exist")]
    AddressLookupTableNotFound,
    #[error("Transaction contains a duplicate instruction ({0}) that is not allowed")]
    DuplicateInstruction(u8),
    #[error("Transaction results in an account ({0}) with insufficient funds for rent")]
    InsufficientFundsForRent(u8),
    #[error("LoadedAccountsDataSizeLimit set for transaction must be greater than 0.")]
    InvalidLoadedAccountsDataSizeLimit,
    #[error("Transaction exceeded max loaded accounts data size cap")]
    MaxLoadedAccountsDataSizeExceeded,
}

/// Why an instruction failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(crate) enum InstructionError {
    #[error("invalid program argument")]
    InvalidArgument,
    #[error("invalid instruction data")]
    InvalidInstructionData,
    #[error("missing required signature for instruction")]
    MissingRequiredSignature,
    #[error("instruction illegally modified the program id of an account")]
    ModifiedProgramId,
    #[error("instruction spent from the balance of an account it does not own")]
    ExternalAccountLamportSpend,
    #[error("instruction changed the balance of a read-only account")]
    ReadonlyLamportChange,
    #[error("instruction modified data of a read-only account")]
    ReadonlyDataModified,
    #[error("An account required by the instruction is missing")]
    MissingAccount,
    #[error("Computational budget exceeded")]
    ComputationalBudgetExceeded,
    #[error("Program failed to complete")]
    ProgramFailedToComplete,
    #[error("Program arithmetic overflowed")]
    ArithmeticOverflow,
    #[error("Invalid account owner")]
    InvalidAccountOwner,
    #[error("custom program error: {0:#x}")]
    Custom(u32),
}

impl TransactionError {
    pub(crate) fn json(self) -> Value {
        match self {
            Self::Instruction(index, error) => json!({"InstructionError": [index, error.json()]}),
            Self::DuplicateInstruction(index) => json!({ "DuplicateInstruction": index }),
            Self::InsufficientFundsForRent(index) => {
                json!({"InsufficientFundsForRent": {"account_index": index}})
            }
            // The names of the others are those of the network.
            other => json!(format!("{other:?}")),
        }
    }
}

impl InstructionError {
    fn json(self) -> Value {
        match self {
            Self::Custom(code) => json!({ "Custom": code }),
            other => json!(format!("{other:?}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_the_forms_of_the_network() {
        for (error, form) in [
            (
                TransactionError::BlockhashNotFound,
                json!("BlockhashNotFound"),
            ),
            (
                TransactionError::Instruction(2, InstructionError::Custom(1)),
                json!({"InstructionError": [2, {"Custom": 1}]}),
            ),
            (
                TransactionError::Instruction(0, InstructionError::MissingRequiredSignature),
                json!({"InstructionError": [0, "MissingRequiredSignature"]}),
            ),
            (
                TransactionError::InsufficientFundsForRent(1),
                json!({"InsufficientFundsForRent": {"account_index": 1}}),
            ),
            (
                TransactionError::DuplicateInstruction(3),
                json!({"DuplicateInstruction": 3}),
            ),
        ] {
            assert_eq!(error.json(), form);
        }
        let error = TransactionError::Instruction(0, InstructionError::Custom(1));
        assert_eq!(
            error.to_string(),
            "Error processing Instruction 0: custom program error: 0x1"
        );
    }
}
