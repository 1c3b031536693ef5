//! Amounts as people read them.

use primitives::U256;

/// An amount of a token's smallest unit, in whole tokens.
pub(crate) fn in_whole_tokens(amount: U256, decimals: u8) -> String {
    let unit = U256::from(10).saturating_pow(U256::from(decimals));
    let (whole, rest) = (amount / unit, amount % unit);
    let width = usize::from(decimals);
    let text = format!("{whole}.{rest:0>width$}", rest = rest.to_string());
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_shown_in_whole_tokens() {
        for (amount, decimals, expected) in [
            (1_500_000_u64, 6, "1.5"),
            (1, 6, "0.000001"),
            (7, 0, "7"),
            (100, 0, "100"),
            (0, 18, "0"),
        ] {
            assert_eq!(in_whole_tokens(U256::from(amount), decimals), expected);
        }
    }
}
