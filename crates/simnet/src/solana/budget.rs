//! What a transaction may use, and what it pays for it.

use super::failure::{InstructionError, TransactionError};
use super::programs::{COMPUTE_BUDGET, is_cheap};
use super::wire::Message;
use primitives::Lamports;

const LAMPORTS_PER_SIGNATURE: u64 = 5_000;

/// Compute units that an instruction counts for unless a limit is set.
const UNITS_PER_CHEAP: u32 = 3_000;
const UNITS_PER_INSTRUCTION: u32 = 200_000;
const MAX_UNITS: u32 = 1_400_000;

/// Prices of compute units are in millionths of a lamport.
const MICRO: u128 = 1_000_000;

const HEAP_STEP: u32 = 1_024;
const HEAP_BYTES: std::ops::RangeInclusive<u32> = 32 * 1_024..=256 * 1_024;

/// Bytes that the accounts of a transaction may count for unless a limit is set,
/// and at most.
const MAX_DATA_BYTES: u32 = 64 * 1_024 * 1_024;

/// What the instructions for the compute budget say.
#[derive(Debug, Default)]
struct BudgetRequest {
    /// With the instruction that says so.
    heap: Option<(u8, u32)>,
    units: Option<u32>,
    price: Option<u64>,
    data_bytes: Option<u32>,
}

/// What a transaction may use and has to pay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Budget {
    /// Compute units of all instructions together.
    pub(crate) units: u64,
    /// Bytes of all accounts together.
    pub(crate) data_bytes: u64,
    pub(crate) fee: Lamports,
}

impl Budget {
    pub(crate) fn of(message: &Message) -> Result<Self, TransactionError> {
        let mut asked = BudgetRequest::default();
        let mut usual = 0_u32;
        for (index, instruction) in (0_u8..).zip(&message.instructions) {
            let program = message.key(instruction.program);
            usual = usual.saturating_add(match program {
                Some(program) if is_cheap(program) => UNITS_PER_CHEAP,
                _ => UNITS_PER_INSTRUCTION,
            });
            if program == Some(&COMPUTE_BUDGET) {
                asked.read(index, &instruction.data)?;
            }
        }
        asked.check()?;
        let units = asked.units.unwrap_or(usual).min(MAX_UNITS);
        let price = asked.price.unwrap_or(0);
        let signatures = u64::from(message.header.required_signatures);
        let priority = (u128::from(units) * u128::from(price)).div_ceil(MICRO);
        let fee = signatures
            .saturating_mul(LAMPORTS_PER_SIGNATURE)
            .saturating_add(u64::try_from(priority).unwrap_or(u64::MAX));
        let data_bytes = asked.data_bytes.unwrap_or(MAX_DATA_BYTES);
        Ok(Self {
            units: units.into(),
            data_bytes: data_bytes.min(MAX_DATA_BYTES).into(),
            fee: Lamports::new(fee),
        })
    }
}

impl BudgetRequest {
    /// Takes up one instruction. Each kind may be there once.
    fn read(&mut self, index: u8, data: &[u8]) -> Result<(), TransactionError> {
        let invalid = || invalid(index);
        let (tag, rest) = data.split_first().ok_or_else(invalid)?;
        let number = || {
            let bytes = rest.first_chunk().ok_or_else(invalid)?;
            Ok(u32::from_le_bytes(*bytes))
        };
        let is_new = match *tag {
            1 => self.heap.replace((index, number()?)).is_none(),
            2 => self.units.replace(number()?).is_none(),
            3 => {
                let bytes = rest.first_chunk().ok_or_else(invalid)?;
                self.price.replace(u64::from_le_bytes(*bytes)).is_none()
            }
            4 => self.data_bytes.replace(number()?).is_none(),
            _ => return Err(invalid()),
        };
        is_new
            .then_some(())
            .ok_or(TransactionError::DuplicateInstruction(index))
    }

    /// Whether the network can give that; only looked at when all is read.
    fn check(&self) -> Result<(), TransactionError> {
        if let Some((index, bytes)) = self.heap
            && (!HEAP_BYTES.contains(&bytes) || !bytes.is_multiple_of(HEAP_STEP))
        {
            return Err(invalid(index));
        }
        if self.data_bytes == Some(0) {
            return Err(TransactionError::InvalidLoadedAccountsDataSizeLimit);
        }
        Ok(())
    }
}

fn invalid(index: u8) -> TransactionError {
    TransactionError::Instruction(index, InstructionError::InvalidInstructionData)
}
