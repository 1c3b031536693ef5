//! What a transaction may use, and what it pays for it.

use super::failure::{InstructionError, TransactionError};
use super::programs::{COMPUTE_BUDGET, is_builtin};
use super::wire::Message;
use primitives::Lamports;

const LAMPORTS_PER_SIGNATURE: u64 = 5_000;

/// Compute units that an instruction counts for unless a limit is set.
const UNITS_PER_BUILTIN: u32 = 3_000;
const UNITS_PER_INSTRUCTION: u32 = 200_000;
const MAX_UNITS: u32 = 1_400_000;

/// Prices of compute units are in millionths of a lamport.
const MICRO: u128 = 1_000_000;

const HEAP_STEP: u32 = 1_024;
const HEAP_BYTES: std::ops::RangeInclusive<u32> = 32 * 1_024..=256 * 1_024;

/// What the instructions for the compute budget say.
#[derive(Debug, Default)]
struct Asked {
    heap: Option<u32>,
    units: Option<u32>,
    price: Option<u64>,
    data_size: Option<u32>,
}

/// What a transaction may use and has to pay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Budget {
    /// Compute units of all instructions together.
    pub(crate) units: u64,
    pub(crate) fee: Lamports,
}

impl Budget {
    pub(crate) fn of(message: &Message) -> Result<Self, TransactionError> {
        let mut asked = Asked::default();
        let mut usual = 0_u32;
        for (index, instruction) in (0_u8..).zip(&message.instructions) {
            let program = message.key(instruction.program);
            usual = usual.saturating_add(match program {
                Some(program) if is_builtin(program) => UNITS_PER_BUILTIN,
                _ => UNITS_PER_INSTRUCTION,
            });
            if program == Some(&COMPUTE_BUDGET) {
                asked.read(index, &instruction.data)?;
            }
        }
        let units = asked.units.unwrap_or(usual).min(MAX_UNITS);
        let price = asked.price.unwrap_or(0);
        let signatures = u64::from(message.header.required_signatures);
        let priority = (u128::from(units) * u128::from(price)).div_ceil(MICRO);
        let fee = signatures
            .saturating_mul(LAMPORTS_PER_SIGNATURE)
            .saturating_add(u64::try_from(priority).unwrap_or(u64::MAX));
        Ok(Self {
            units: units.into(),
            fee: Lamports::new(fee),
        })
    }
}

impl Asked {
    fn read(&mut self, index: u8, data: &[u8]) -> Result<(), TransactionError> {
        let invalid =
            TransactionError::Instruction(index, InstructionError::InvalidInstructionData);
        let (tag, rest) = data.split_first().ok_or(invalid)?;
        let number = || {
            let bytes = rest.first_chunk().ok_or(invalid)?;
            Ok(u32::from_le_bytes(*bytes))
        };
        let is_new = match *tag {
            1 => {
                let bytes = number()?;
                if !HEAP_BYTES.contains(&bytes) || !bytes.is_multiple_of(HEAP_STEP) {
                    return Err(invalid);
                }
                self.heap.replace(bytes).is_none()
            }
            2 => self.units.replace(number()?).is_none(),
            3 => {
                let bytes = rest.first_chunk().ok_or(invalid)?;
                self.price.replace(u64::from_le_bytes(*bytes)).is_none()
            }
            4 => {
                let bytes = number()?;
                if bytes == 0 {
                    return Err(TransactionError::InvalidLoadedAccountsDataSizeLimit);
                }
                self.data_size.replace(bytes).is_none()
            }
            _ => return Err(invalid),
        };
        is_new
            .then_some(())
            .ok_or(TransactionError::DuplicateInstruction(index))
    }
}
