//! What becomes of a transaction: it is refused, or it pays its fee and does
//! everything or nothing. Nothing here changes the accounts.

use super::account::Account;
use super::budget::Budget;
use super::failure::{InstructionError, TransactionError};
use super::programs::{self, Call, Loaded, UPGRADEABLE_LOADER, is_builtin, is_memo, is_reserved};
use super::wire::Message;
use primitives::{Lamports, PublicKey};

/// Bytes that an account counts for beside its data.
const ACCOUNT_BYTES: u64 = 64;

/// What a transaction did, or would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) fee: Lamports,
    /// Why nothing but the fee came of it.
    pub(crate) error: Option<TransactionError>,
    pub(crate) logs: Vec<String>,
    /// Compute units that were used.
    pub(crate) units: u64,
    /// All accounts of the message before.
    pub(crate) before: Vec<Account>,
    /// The same, after.
    pub(crate) after: Vec<Account>,
}

/// Executes a message on its accounts, or says why it is none that could be in
/// a block. Whether it is signed, of this time, and names every account once is
/// not looked at.
pub(crate) fn execute(
    before: Vec<Account>,
    message: &Message,
) -> Result<Outcome, TransactionError> {
    if !message.lookups.is_empty() {
        return Err(TransactionError::AddressLookupTableNotFound);
    }
    let budget = Budget::of(message)?;
    let mut loaded = load(&before, message);
    pay(&mut loaded, budget.fee)?;
    let mut run = Run {
        loaded: loaded.clone(),
        logs: Vec::new(),
        left: budget.units,
    };
    let error = check_size(&loaded, budget.data_bytes)
        .and_then(|()| run.find_programs(message))
        .and_then(|()| run.instructions(message))
        .and_then(|()| check_rent(&loaded, &run.loaded))
        .err();
    let after = if error.is_some() {
        &loaded
    } else {
        &run.loaded
    };
    Ok(Outcome {
        fee: budget.fee,
        error,
        logs: run.logs,
        units: budget.units - run.left,
        after: after.iter().map(|loaded| loaded.account).collect(),
        before,
    })
}

/// Whether an account of the message can be written: what belongs to the network
/// cannot, nor programs that are called, unless the loader that upgrades them is
/// there too.
pub(crate) fn is_writable(message: &Message, index: usize) -> bool {
    let is_called = message
        .instructions
        .iter()
        .any(|instruction| usize::from(instruction.program) == index);
    let key = message.keys.get(index);
    message.writes(index)
        && key.is_some_and(|key| !is_reserved(key))
        && (!is_called || message.keys.contains(&UPGRADEABLE_LOADER))
}

fn load(accounts: &[Account], message: &Message) -> Vec<Loaded> {
    let keys = message.keys.iter().zip(accounts).enumerate();
    keys.map(|(index, (key, account))| Loaded {
        key: *key,
        account: *account,
        signs: message.signs(index),
        writable: is_writable(message, index),
    })
    .collect()
}

/// Takes the fee from the first account.
fn pay(loaded: &mut [Loaded], fee: Lamports) -> Result<(), TransactionError> {
    let payer = loaded.first_mut();
    let payer = &mut payer.ok_or(TransactionError::AccountNotFound)?.account;
    if payer.lamports == Lamports::ZERO {
        return Err(TransactionError::AccountNotFound);
    }
    if !payer.is_wallet() || payer.executable {
        return Err(TransactionError::InvalidAccountForFee);
    }
    let left = payer.lamports.checked_sub(fee);
    let left = left.ok_or(TransactionError::InsufficientFundsForFee)?;
    let next = Account::wallet(left);
    if !payer.may_become(&next) {
        return Err(TransactionError::InsufficientFundsForRent(0));
    }
    *payer = next;
    Ok(())
}

fn check_rent(before: &[Loaded], after: &[Loaded]) -> Result<(), TransactionError> {
    for (index, (before, after)) in (0_u8..).zip(before.iter().zip(after)) {
        if after.writable && !before.account.may_become(&after.account) {
            return Err(TransactionError::InsufficientFundsForRent(index));
        }
    }
    Ok(())
}

/// Whether the accounts that there are count for no more than they may.
fn check_size(loaded: &[Loaded], most: u64) -> Result<(), TransactionError> {
    let accounts = loaded.iter().map(|loaded| loaded.account);
    let there = accounts.filter(|account| account.lamports > Lamports::ZERO);
    let bytes: u64 = there.map(|account| account.space + ACCOUNT_BYTES).sum();
    (bytes <= most)
        .then_some(())
        .ok_or(TransactionError::MaxLoadedAccountsDataSizeExceeded)
}

/// A transaction on its way.
struct Run {
    loaded: Vec<Loaded>,
    logs: Vec<String>,
    /// Compute units.
    left: u64,
}

impl Run {
    fn find_programs(&self, message: &Message) -> Result<(), TransactionError> {
        for instruction in &message.instructions {
            let program = self.loaded.get(usize::from(instruction.program));
            let account = program.map_or(Account::NONE, |program| program.account);
            if account.lamports == Lamports::ZERO {
                return Err(TransactionError::ProgramAccountNotFound);
            }
            if !account.executable {
                return Err(TransactionError::InvalidProgramForExecution);
            }
        }
        Ok(())
    }

    fn instructions(&mut self, message: &Message) -> Result<(), TransactionError> {
        for (index, instruction) in (0_u8..).zip(&message.instructions) {
            let Some(program) = message.key(instruction.program) else {
                return Err(TransactionError::ProgramAccountNotFound);
            };
            self.logs.push(format!("Program {program} invoke [1]"));
            let done = self.instruction(program, &instruction.accounts, &instruction.data);
            match done {
                Ok(()) => self.logs.push(format!("Program {program} success")),
                Err(error) => {
                    self.logs.push(format!("Program {program} failed: {error}"));
                    return Err(TransactionError::Instruction(index, error));
                }
            }
        }
        Ok(())
    }

    fn instruction(
        &mut self,
        program: &PublicKey,
        accounts: &[u8],
        data: &[u8],
    ) -> Result<(), InstructionError> {
        let units = programs::units(program, data);
        let limit = self.left;
        let Some(left) = limit.checked_sub(units) else {
            self.left = 0;
            return Err(if is_builtin(program) {
                InstructionError::ComputationalBudgetExceeded
            } else {
                InstructionError::ProgramFailedToComplete
            });
        };
        self.left = left;
        let done = programs::run(
            program,
            &mut Call {
                loaded: &mut self.loaded,
                accounts,
                data,
                logs: &mut self.logs,
            },
        );
        if is_memo(program) {
            self.logs.push(format!(
                "Program {program} consumed {units} of {limit} compute units"
            ));
        }
        done
    }
}
