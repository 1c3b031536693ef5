//! The system program: transfers, and accounts that come to be.
//!
//! Seeds and nonces are not part of this network; their instructions are
//! refused as data that nobody understands.

use super::ids::SYSTEM;
use super::instruction::{Call, Loaded};
use crate::solana::account::MAX_SPACE;
use crate::solana::failure::InstructionError;
use primitives::{Lamports, PublicKey};

const CREATE_ACCOUNT: u32 = 0;
const ASSIGN: u32 = 1;
const TRANSFER: u32 = 2;
const ALLOCATE: u32 = 8;

const ALREADY_IN_USE: InstructionError = InstructionError::Custom(0);
const NEGATIVE_LAMPORTS: InstructionError = InstructionError::Custom(1);
const DATA_LENGTH: InstructionError = InstructionError::Custom(3);

pub(super) fn run(call: &mut Call<'_>) -> Result<(), InstructionError> {
    let mut data = Data(call.data);
    match u32::from_le_bytes(data.take()?) {
        CREATE_ACCOUNT => {
            let lamports = data.lamports()?;
            let space = u64::from_le_bytes(data.take()?);
            let owner = PublicKey::from_bytes(data.take()?);
            create(call, lamports, space, owner)
        }
        ASSIGN => {
            let owner = PublicKey::from_bytes(data.take()?);
            expect_accounts(call, 1)?;
            assign(call, 0, owner)
        }
        TRANSFER => {
            let lamports = data.lamports()?;
            expect_accounts(call, 2)?;
            transfer(call, lamports)
        }
        ALLOCATE => {
            let space = u64::from_le_bytes(data.take()?);
            expect_accounts(call, 1)?;
            allocate(call, 0, space)
        }
        _ => Err(InstructionError::InvalidInstructionData),
    }
}

/// What is left of an instruction's data. More than is needed does no harm.
struct Data<'d>(&'d [u8]);

impl Data<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], InstructionError> {
        let split = self.0.split_first_chunk();
        let (taken, rest) = split.ok_or(InstructionError::InvalidInstructionData)?;
        self.0 = rest;
        Ok(*taken)
    }

    fn lamports(&mut self) -> Result<Lamports, InstructionError> {
        self.take().map(u64::from_le_bytes).map(Lamports::new)
    }
}

fn expect_accounts(call: &Call<'_>, count: usize) -> Result<(), InstructionError> {
    (call.accounts.len() >= count)
        .then_some(())
        .ok_or(InstructionError::MissingAccount)
}

fn transfer(call: &mut Call<'_>, lamports: Lamports) -> Result<(), InstructionError> {
    let from = call.account(0)?;
    let (key, account) = (from.key, from.account);
    if !from.signs {
        call.log(format!("Transfer: `from` account {key} must sign"));
        return Err(InstructionError::MissingRequiredSignature);
    }
    if account.space > 0 {
        call.log("Transfer: `from` must not carry data".to_owned());
        return Err(InstructionError::InvalidArgument);
    }
    let Some(left) = account.lamports.checked_sub(lamports) else {
        let held = account.lamports;
        call.log(format!(
            "Transfer: insufficient lamports {held}, need {lamports}"
        ));
        return Err(NEGATIVE_LAMPORTS);
    };
    set_lamports(call.account(0)?, left)?;
    let to = call.account(1)?;
    let sum = to.account.lamports.checked_add(lamports);
    set_lamports(to, sum.ok_or(InstructionError::ArithmeticOverflow)?)
}

fn set_lamports(loaded: &mut Loaded, lamports: Lamports) -> Result<(), InstructionError> {
    if loaded.account.owner != SYSTEM && lamports < loaded.account.lamports {
        return Err(InstructionError::ExternalAccountLamportSpend);
    }
    if !loaded.writable {
        return Err(InstructionError::ReadonlyLamportChange);
    }
    loaded.account.lamports = lamports;
    Ok(())
}

fn create(
    call: &mut Call<'_>,
    lamports: Lamports,
    space: u64,
    owner: PublicKey,
) -> Result<(), InstructionError> {
    expect_accounts(call, 2)?;
    let to = call.account(1)?;
    let key = to.key;
    if to.account.lamports > Lamports::ZERO {
        call.log(format!("Create Account: account {key} already in use"));
        return Err(ALREADY_IN_USE);
    }
    allocate(call, 1, space)?;
    assign(call, 1, owner)?;
    transfer(call, lamports)
}

fn allocate(call: &mut Call<'_>, place: usize, space: u64) -> Result<(), InstructionError> {
    let to = call.account(place)?;
    let key = to.key;
    if !to.signs {
        call.log(format!("Allocate: 'to' account {key} must sign"));
        return Err(InstructionError::MissingRequiredSignature);
    }
    if !to.account.is_wallet() {
        call.log(format!("Allocate: account {key} already in use"));
        return Err(ALREADY_IN_USE);
    }
    if space > MAX_SPACE {
        call.log(format!(
            "Allocate: requested {space}, max allowed {MAX_SPACE}"
        ));
        return Err(DATA_LENGTH);
    }
    let to = call.account(place)?;
    if !to.writable {
        return Err(InstructionError::ReadonlyDataModified);
    }
    to.account.space = space;
    Ok(())
}

fn assign(call: &mut Call<'_>, place: usize, owner: PublicKey) -> Result<(), InstructionError> {
    let to = call.account(place)?;
    let key = to.key;
    if to.account.owner == owner {
        return Ok(());
    }
    if !to.signs {
        call.log(format!("Assign: account {key} must sign"));
        return Err(InstructionError::MissingRequiredSignature);
    }
    if to.account.owner != SYSTEM || !to.writable {
        return Err(InstructionError::ModifiedProgramId);
    }
    to.account.owner = owner;
    Ok(())
}
