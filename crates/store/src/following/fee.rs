//! Fees of transactions, as they are stored.

use crate::{column::Column, error::StoreError};
use market::following::{Fee, FeeUnit};

const WEI: &str = "wei";
const FRI: &str = "fri";

/// The fee in the columns of a table's row.
pub(super) fn decode(table: &'static str, amount: &[u8], unit: &str) -> Result<Fee, StoreError> {
    let corrupt = |name| Column { table, name }.corrupt();
    let amount = amount.try_into().map_err(|_| corrupt("fee"))?;
    Ok(Fee {
        amount: u128::from_be_bytes(amount),
        unit: match unit {
            WEI => FeeUnit::Wei,
            FRI => FeeUnit::Fri,
            _ => return Err(corrupt("fee_unit")),
        },
    })
}

pub(super) const fn unit(unit: FeeUnit) -> &'static str {
    match unit {
        FeeUnit::Wei => WEI,
        FeeUnit::Fri => FRI,
    }
}
