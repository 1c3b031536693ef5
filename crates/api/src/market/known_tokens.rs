//! Addresses by their texts. Reading a number of 252 bits takes longer than
//! finding its text, and clients ask for the same tokens again and again.

use primitives::{Address, FeltError};
use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};

/// Texts that are remembered.
const MAX_KNOWN: usize = 65_536;

/// The texts of tokens that were asked for, by the digits that matter.
#[derive(Default)]
pub(super) struct KnownTokens(RwLock<HashMap<Box<str>, KnownToken>>);

/// An address that was read.
#[derive(Debug, Clone)]
pub(super) struct KnownToken {
    pub(super) address: Address,
    /// How the record of its price begins: `{"address":"…","decimals":`.
    pub(super) beginning: Arc<str>,
}

impl KnownTokens {
    /// Reads texts; each is remembered if `is_worth_it`.
    pub(super) fn read(
        &self,
        texts: &[&str],
        is_worth_it: impl Fn(Address) -> bool,
    ) -> Vec<Result<KnownToken, FeltError>> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let found: Vec<_> = texts
            .iter()
            .map(|text| known.get(digits(text)?).cloned())
            .collect();
        drop(known);
        let read = found.into_iter().zip(texts).map(|(found, text)| {
            let Some(found) = found else {
                let token = KnownToken::new(text.parse()?);
                if is_worth_it(token.address) {
                    self.remember(&token);
                }
                return Ok(token);
            };
            Ok(found)
        });
        read.collect()
    }

    fn remember(&self, token: &KnownToken) {
        let text = token.address.to_string();
        let Some(digits) = digits(&text) else {
            return;
        };
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() < MAX_KNOWN {
            known.insert(digits.into(), token.clone());
        }
    }
}

impl KnownToken {
    fn new(address: Address) -> Self {
        Self {
            address,
            beginning: format!("{{\"address\":\"{address}\",\"decimals\":").into(),
        }
    }
}

/// The digits of an address that matter. A text of more digits than an address
/// has is left to those who say what is wrong with it.
fn digits(text: &str) -> Option<&str> {
    let digits = text.strip_prefix("0x").filter(|it| it.len() <= 64)?;
    let digits = digits.trim_start_matches('0');
    (!digits.is_empty()).then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_what_is_worth_it_is_remembered() {
        let known = KnownTokens::default();
        let one: Address = "0x1".parse().unwrap();
        known.read(&["0x1", "0x2", "0xg", "0x0"], |it| it == one);
        let kept = known.0.read().unwrap();
        assert_eq!(kept.keys().map(|it| &**it).collect::<Vec<_>>(), ["1"]);
    }

    proptest! {
        #[test]
        fn a_text_means_the_same_whether_it_is_remembered_or_not(
            texts in proptest::collection::vec("(0[xX]|)[0]{0,3}[0-9a-fA-F]{0,3}|0x[0f]{62,65}", 1..20),
        ) {
            let known = KnownTokens::default();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            for _ in 0..2 {
                let read = known.read(&texts, |_| true);
                for (text, read) in texts.iter().zip(read) {
                    let read = read.map(|it| it.address);
                    prop_assert_eq!(read, text.parse::<Address>(), "{}", text);
                }
            }
        }
    }
}
