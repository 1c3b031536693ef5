//! Programs and what they do: the system program, memos, the compute budget,
//! and the guards that wallets put around transactions.

mod ids;
mod instruction;
mod memo;
mod system;

pub(crate) use ids::{
    COMPUTE_BUDGET, LIGHTHOUSE, LOADER, MEMO_V1, MEMO_V3, NATIVE_LOADER, SYSTEM,
    UPGRADEABLE_LOADER, VOTE, is_builtin, is_cheap, is_memo, is_reserved,
};
pub(crate) use instruction::{Call, Loaded};

use super::failure::InstructionError;
use primitives::PublicKey;

/// Compute units that an instruction takes. Those of memos are this network's
/// own: no machine code is run.
pub(crate) fn units(program: &PublicKey, data: &[u8]) -> u64 {
    let bytes = u64::try_from(data.len()).unwrap_or(u64::MAX);
    match *program {
        MEMO_V1 | MEMO_V3 => 2_000_u64.saturating_add(bytes.saturating_mul(100)),
        VOTE => 2_100,
        _ => 150,
    }
}

/// Runs an instruction. What it changes before it fails is the caller's to undo.
pub(crate) fn run(program: &PublicKey, call: &mut Call<'_>) -> Result<(), InstructionError> {
    match *program {
        SYSTEM => system::run(call),
        MEMO_V1 => memo::note(call),
        MEMO_V3 => memo::note_signed(call),
        // The compute budget was read before; guards agree.
        COMPUTE_BUDGET | LIGHTHOUSE => Ok(()),
        _ => refuse(call),
    }
}

/// Votes are not cast by transactions here: nothing that they say is understood.
fn refuse(call: &mut Call<'_>) -> Result<(), InstructionError> {
    if call.account(0)?.account.owner != VOTE {
        return Err(InstructionError::InvalidAccountOwner);
    }
    Err(InstructionError::InvalidInstructionData)
}
