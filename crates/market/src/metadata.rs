//! What a token says of itself, made safe to show.
//!
//! Anyone can deploy a token, and its name is whatever the contract answers.
//! [`admit`] turns that answer into text that cannot break a page, a log line
//! or a sum, or refuses the token.

use primitives::{Felt, is_hidden};

/// One unit of a token with more decimals could not be told from dust in 256
/// bits once two amounts are multiplied; no honest token comes near.
pub const MAX_DECIMALS: u8 = 36;

const MAX_NAME_CHARS: usize = 64;
const MAX_SYMBOL_CHARS: usize = 32;

/// Metadata that is safe to show and to calculate with.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TokenMetadata {
    /// Visible text of 1 to 64 characters.
    pub name: String,
    /// Visible text of 1 to 32 characters.
    pub symbol: String,
    /// At most [`MAX_DECIMALS`].
    pub decimals: u8,
}

/// What one look at a token's metadata found.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TokenReading {
    /// The token can be listed.
    Readable(TokenMetadata),
    /// It cannot, for now.
    Refused(Refusal),
}

/// Why a token is kept out of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// A metadata call reverted, or the contract has no such entrypoint.
    Unanswered,
    /// The answer is not a text, or is longer than any name.
    Malformed,
    /// Nothing visible remains of name or symbol.
    Invisible,
    /// More decimals than [`MAX_DECIMALS`].
    Decimals,
}

/// Judges the decoded answers of a token's `name`, `symbol` and `decimals`.
pub fn admit(name: &str, symbol: &str, decimals: Felt) -> TokenReading {
    let decimals = match u8::try_from(decimals) {
        Ok(decimals) if decimals <= MAX_DECIMALS => decimals,
        _ => return TokenReading::Refused(Refusal::Decimals),
    };
    let symbol = visible(symbol, MAX_SYMBOL_CHARS);
    if symbol.is_empty() {
        return TokenReading::Refused(Refusal::Invisible);
    }
    let name = visible(name, MAX_NAME_CHARS);
    TokenReading::Readable(TokenMetadata {
        name: if name.is_empty() {
            symbol.clone()
        } else {
            name
        },
        symbol,
        decimals,
    })
}

/// The text without characters that hide, reorder or break it, runs of white
/// space folded into one space, cut to `max_chars`.
fn visible(text: &str, max_chars: usize) -> String {
    let mut kept = String::new();
    let mut length = 0;
    for word in text.split(char::is_whitespace) {
        let mut word = word.chars().filter(|c| !is_hidden(*c)).peekable();
        if word.peek().is_none() {
            continue;
        }
        let space = usize::from(!kept.is_empty());
        if length + space >= max_chars {
            break;
        }
        if space == 1 {
            kept.push(' ');
        }
        length += space;
        for character in word.take(max_chars - length) {
            kept.push(character);
            length += 1;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn readable(name: &str, symbol: &str) -> TokenMetadata {
        match admit(name, symbol, Felt::from(18)) {
            TokenReading::Readable(metadata) => metadata,
            TokenReading::Refused(refusal) => panic!("refused: {refusal:?}"),
        }
    }

    #[test]
    fn an_honest_token_is_shown_as_it_is() {
        let metadata = readable("Wrapped BTC", "WBTC");
        assert_eq!(
            (metadata.name.as_str(), metadata.symbol.as_str()),
            ("Wrapped BTC", "WBTC")
        );
    }

    #[test]
    fn characters_that_hide_or_reorder_text_are_dropped() {
        let metadata = readable("Safe\u{202e}\u{0}\n\tToken\u{200b}", "U\u{feff}SDC\r\n");
        assert_eq!(metadata.name, "Safe Token");
        assert_eq!(metadata.symbol, "USDC");
    }

    #[test]
    fn an_endless_name_is_cut() {
        assert_eq!(readable(&"a".repeat(10_000), "A").name.len(), 64);
        assert_eq!(
            readable("A", &"é ".repeat(10_000)).symbol.chars().count(),
            31
        );
    }

    #[test]
    fn a_token_without_a_name_is_called_by_its_symbol() {
        assert_eq!(readable("\u{200b} ", "ABC").name, "ABC");
    }

    #[test]
    fn an_invisible_symbol_keeps_the_token_out() {
        assert_eq!(
            admit("Name", "\u{200b}\u{0} ", Felt::from(18)),
            TokenReading::Refused(Refusal::Invisible)
        );
    }

    #[test]
    fn absurd_decimals_keep_the_token_out() {
        for decimals in [Felt::from(37), Felt::from(255), Felt::from(256), Felt::MAX] {
            assert_eq!(
                admit("Name", "N", decimals),
                TokenReading::Refused(Refusal::Decimals)
            );
        }
    }

    proptest! {
        #[test]
        fn whatever_a_contract_answers_is_safe_to_show(name in any::<String>(), symbol in any::<String>()) {
            if let TokenReading::Readable(metadata) = admit(&name, &symbol, Felt::from(6)) {
                for (text, max) in [(&metadata.name, MAX_NAME_CHARS), (&metadata.symbol, MAX_SYMBOL_CHARS)] {
                    prop_assert!((1..=max).contains(&text.chars().count()));
                    prop_assert!(!text.chars().any(is_hidden));
                    prop_assert_eq!(text.trim(), text.as_str());
                }
            }
        }
    }
}
