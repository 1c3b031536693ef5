//! The tokens of a list by the text of their addresses, with the beginnings of
//! their records; made once for as long as the list stays the same.

use arc_swap::ArcSwapOption;
use market::{Token, TokenList};
use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

/// What is known of the newest list.
#[derive(Default)]
pub(super) struct NewestTokens(ArcSwapOption<KnownTokens>);

pub(super) struct KnownTokens {
    list: Arc<TokenList>,
    /// By the digits of their addresses, without leading zeros.
    places: HashMap<Box<str>, usize>,
    beginnings: Box<[OnceLock<Box<[u8]>>]>,
}

impl NewestTokens {
    pub(super) fn of(&self, list: &Arc<TokenList>) -> Arc<KnownTokens> {
        let newest = self.0.load();
        if let Some(known) = newest.as_ref().filter(|it| Arc::ptr_eq(&it.list, list)) {
            return Arc::clone(known);
        }
        let known = Arc::new(KnownTokens::new(Arc::clone(list)));
        self.0.store(Some(Arc::clone(&known)));
        known
    }
}

impl KnownTokens {
    fn new(list: Arc<TokenList>) -> Self {
        let places = (0..).zip(list.tokens()).filter_map(|(place, token)| {
            let text = token.address.to_string();
            Some((Box::from(digits(&text)?), place))
        });
        Self {
            places: places.collect(),
            beginnings: list.tokens().iter().map(|_| OnceLock::new()).collect(),
            list,
        }
    }

    pub(super) fn list(&self) -> &TokenList {
        &self.list
    }

    /// The place of a token whose address is written like this, in lower case,
    /// padded or not; other texts may mean known tokens, too.
    pub(super) fn by_text(&self, text: &str) -> Option<usize> {
        self.places.get(digits(text)?).copied()
    }

    pub(super) fn token(&self, place: usize) -> Option<&Token> {
        self.list.tokens().get(place).map(|token| &**token)
    }

    /// How the record of a token's price begins: with address and decimals.
    pub(super) fn beginning(&self, place: usize, token: &Token) -> &[u8] {
        self.beginnings.get(place).map_or(b"{", |text| {
            text.get_or_init(|| {
                let (address, decimals) = (token.address, token.metadata.decimals);
                format!("{{\"address\":\"{address}\",\"decimals\":{decimals}")
                    .into_bytes()
                    .into()
            })
        })
    }
}

/// The digits of an address that matter. A text of more digits than an address
/// has is left to those who say what is wrong with it.
fn digits(text: &str) -> Option<&str> {
    let digits = text.strip_prefix("0x").filter(|it| it.len() <= 64)?;
    Some(digits.trim_start_matches('0'))
}
