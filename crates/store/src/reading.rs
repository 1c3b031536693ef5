//! A token reading as a row.

use crate::{column::Column, error::StoreError, row::row};
use market::{Refusal, TokenMetadata, TokenReading};
use primitives::Address;

pub(crate) const TABLE: &str = "token_reading";

const fn column(name: &'static str) -> Column {
    Column { table: TABLE, name }
}

const READABLE: &str = "readable";

row! {
    /// A row of `token_reading`.
    pub(crate) struct ReadingRow {
        address: Vec<u8>,
        block_number: i64,
        outcome: String,
        name: Option<String>,
        symbol: Option<String>,
        decimals: Option<i16>,
    }
}

impl ReadingRow {
    pub(crate) fn decode(self) -> Result<(Address, u64, TokenReading), StoreError> {
        let reading = if self.outcome == READABLE {
            let corrupt = |name| column(name).corrupt();
            TokenReading::Readable(TokenMetadata {
                name: self.name.ok_or_else(|| corrupt("name"))?,
                symbol: self.symbol.ok_or_else(|| corrupt("symbol"))?,
                decimals: self
                    .decimals
                    .and_then(|decimals| decimals.try_into().ok())
                    .ok_or_else(|| corrupt("decimals"))?,
            })
        } else {
            TokenReading::Refused(
                refusal(&self.outcome).ok_or_else(|| column("outcome").corrupt())?,
            )
        };
        Ok((
            column("address").address(&self.address)?,
            column("block_number").counter(self.block_number)?,
            reading,
        ))
    }
}

/// The columns that hold what a reading found: outcome, name, symbol, decimals.
pub(crate) fn columns(
    reading: &TokenReading,
) -> (&'static str, Option<&str>, Option<&str>, Option<i16>) {
    match reading {
        TokenReading::Readable(metadata) => (
            READABLE,
            Some(&metadata.name),
            Some(&metadata.symbol),
            Some(metadata.decimals.into()),
        ),
        TokenReading::Refused(refusal) => (outcome(*refusal), None, None, None),
    }
}

fn outcome(refusal: Refusal) -> &'static str {
    match refusal {
        Refusal::Unanswered => "unanswered",
        Refusal::Malformed => "malformed",
        Refusal::Invisible => "invisible",
        Refusal::Decimals => "decimals",
    }
}

fn refusal(outcome: &str) -> Option<Refusal> {
    Some(match outcome {
        "unanswered" => Refusal::Unanswered,
        "malformed" => Refusal::Malformed,
        "invisible" => Refusal::Invisible,
        "decimals" => Refusal::Decimals,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(outcome: &str, decimals: Option<i16>) -> ReadingRow {
        ReadingRow {
            address: vec![0; 32],
            block_number: 1,
            outcome: outcome.into(),
            name: Some("Ether".into()),
            symbol: Some("ETH".into()),
            decimals,
        }
    }

    #[test]
    fn rows_that_this_program_never_writes_are_corrupt() {
        for (row, column) in [
            (row("odd", Some(18)), "outcome"),
            (row(READABLE, None), "decimals"),
            (row(READABLE, Some(256)), "decimals"),
            (row(READABLE, Some(-1)), "decimals"),
        ] {
            assert_eq!(
                row.decode().unwrap_err().to_string(),
                format!("corrupt data in token_reading.{column}")
            );
        }
    }
}
