//! What can be done about the paymaster and those who pay for others.

use super::settings::ListForm;
use clap::Subcommand;
use primitives::{Address, felt_from_hex, selector};
use trading::paymaster::CallRule;
use url::Url;

#[derive(Debug, Subcommand)]
pub(crate) enum PaymasterAction {
    /// Swap the tokens that users paid with back to STRK
    ///
    /// Asks a running service for quotes, and sends the swaps from the relayer that
    /// receives what users pay. Shows what would be done, unless told to do it.
    Rebalance {
        /// Swap them
        #[arg(long)]
        execute: bool,
        /// Leave what is worth less
        #[arg(long, value_name = "STRK", value_parser = strk, default_value = "1")]
        least: u128,
        /// The running service; the configured address of this one by default
        #[arg(long, value_name = "URL")]
        api: Option<Url>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum SponsorAction {
    /// Make a sponsor. Its key is shown this once and cannot be read again
    Create {
        /// Who it is
        #[arg(long, value_name = "NAME")]
        name: String,
        /// What it begins with
        #[arg(long, value_name = "STRK", value_parser = strk, default_value = "0")]
        credits: u128,
        /// The most for one user in a day (UTC)
        #[arg(long, value_name = "STRK", value_parser = strk)]
        user_daily: Option<u128>,
        /// A contract, or one function of it, that is paid for: if any is given, nothing else is
        #[arg(long, value_name = "CONTRACT[:FUNCTION]", value_parser = call_rule)]
        allow: Vec<CallRule>,
        /// A contract, or one function of it, that is not paid for
        #[arg(long, value_name = "CONTRACT[:FUNCTION]", value_parser = call_rule)]
        deny: Vec<CallRule>,
        /// A private pool whose fee is paid for, too
        #[arg(long, value_name = "POOL")]
        pool: Vec<Address>,
    },
    /// List all sponsors, disabled ones too
    List {
        #[command(flatten)]
        form: ListForm,
    },
    /// Add credits
    Credit {
        /// The sponsor's id, as `list` shows it
        id: String,
        /// How much
        #[arg(value_name = "STRK", value_parser = strk)]
        amount: u128,
    },
    /// Give a sponsor another key; the former one stops working within ten seconds
    Rotate {
        /// The sponsor's id
        id: String,
    },
    /// End a sponsor's key for good
    Disable {
        /// The sponsor's id
        id: String,
    },
    /// Say which rule would decide about calls, without making them
    Explain {
        /// The sponsor's id
        id: String,
        /// A call
        #[arg(long, value_name = "CONTRACT:FUNCTION", value_parser = call_rule, required = true)]
        call: Vec<CallRule>,
    },
    /// Compare every charge with the receipt that a node has of it
    Audit {
        /// The sponsor's id
        id: String,
    },
}

/// An amount of STRK, in its smallest unit.
fn strk(text: &str) -> Result<u128, String> {
    let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
    let is_number = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit());
    let problem = || {
        format!("{text:?} is no amount of STRK such as 12.5, of at most 18 digits after the point")
    };
    if whole.is_empty() || rest.len() > 18 || !is_number(whole) || !is_number(rest) {
        return Err(problem());
    }
    format!("{whole}{rest:0<18}").parse().map_err(|_| problem())
}

/// A contract, and the function of it after a colon, by name or selector.
fn call_rule(text: &str) -> Result<CallRule, String> {
    let (contract, function) = match text.split_once(':') {
        Some((contract, function)) => (contract, Some(function)),
        None => (text, None),
    };
    let contract = contract.parse();
    Ok(CallRule {
        contract: contract.map_err(|error| format!("the contract {error}"))?,
        selector: function.map(|name| felt_from_hex(name).unwrap_or_else(|_| selector(name))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_of_strk_are_exact() {
        assert_eq!(strk("12.5"), Ok(12_500_000_000_000_000_000));
        assert_eq!(strk("0.000000000000000001"), Ok(1));
        for text in ["", ".5", "1.0000000000000000001", "-1", "1e3", "x"] {
            assert!(strk(text).is_err(), "{text}");
        }
        assert!(strk(&"9".repeat(40)).is_err());
    }
}
