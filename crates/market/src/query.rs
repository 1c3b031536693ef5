//! What people ask of the token list.

use crate::{tag::Tag, token::Token};
use primitives::Address;
use std::{cmp::Ordering, num::NonZeroU64, sync::Arc};

/// One page of a filtered, sorted list.
#[derive(Debug, Clone)]
pub struct TokenQuery {
    /// Part of a name, a symbol or an address.
    pub search: Option<String>,
    /// Tokens with any of these tags; all tokens if there is none.
    pub tags: Vec<Tag>,
    /// Sort keys, the first one weighing most. The list's own order decides
    /// between equals.
    pub sort: Vec<SortKey>,
    /// Which page, from 0.
    pub page: u64,
    /// Tokens on a page.
    pub size: NonZeroU64,
}

impl TokenQuery {
    /// The search text, if there is anything to search for.
    pub(crate) fn search_text(&self) -> Option<&str> {
        self.search
            .as_deref()
            .map(str::trim)
            .filter(|text| !text.is_empty())
    }

    pub(crate) fn takes_all_in_order(&self) -> bool {
        self.search_text().is_none() && self.tags.is_empty() && self.sort.is_empty()
    }
}

/// A property with a direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SortKey {
    /// What to compare.
    pub property: SortProperty,
    /// Which end comes first.
    pub direction: Direction,
}

/// What tokens can be compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SortProperty {
    /// The address as a number.
    Address,
    /// The name, regardless of case.
    Name,
    /// The symbol, regardless of case.
    Symbol,
    /// The number of decimals.
    Decimals,
    /// The volume of the last 24 hours.
    Volume,
}

/// The direction of an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Smallest first.
    Ascending,
    /// Largest first.
    Descending,
}

impl SortKey {
    pub(crate) fn compare(self, a: &Token, b: &Token) -> Ordering {
        let order = match self.property {
            SortProperty::Address => a.address.cmp(&b.address),
            SortProperty::Name => a.name_key.cmp(&b.name_key),
            SortProperty::Symbol => a.symbol_key.cmp(&b.symbol_key),
            SortProperty::Decimals => a.metadata.decimals.cmp(&b.metadata.decimals),
            SortProperty::Volume => a.daily_volume_usd.total_cmp(&b.daily_volume_usd),
        };
        match self.direction {
            Direction::Ascending => order,
            Direction::Descending => order.reverse(),
        }
    }
}

/// Part of a list, with the size of the whole.
#[derive(Debug, Clone)]
pub struct TokenPage {
    /// The tokens of this page, each with its place in the whole list.
    pub content: Vec<(usize, Arc<Token>)>,
    /// The page asked for, from 0.
    pub number: u64,
    /// The size asked for.
    pub size: NonZeroU64,
    /// Matching tokens on all pages.
    pub total_elements: u64,
}

impl TokenPage {
    /// Pages that have content.
    pub fn total_pages(&self) -> u64 {
        self.total_elements.div_ceil(self.size.get())
    }
}

/// Digits that a text without `0x` must have to be looked for in addresses:
/// fewer are in nearly all of them.
const MIN_BARE_DIGITS: usize = 4;

/// A search text, prepared once for all tokens.
#[derive(Debug)]
pub(crate) struct Needle {
    text: String,
    digits: Option<AddressDigits>,
}

/// What a search text says of an address, if it can be of one.
#[derive(Debug)]
struct AddressDigits {
    /// Digits that an address begins with, without leading zeros.
    beginning: String,
    /// Digits that may be anywhere in it. What is written after `0x` is a
    /// beginning alone.
    part: Option<String>,
}

impl AddressDigits {
    fn of(text: &str) -> Option<Self> {
        let after_prefix = text.strip_prefix("0x");
        let digits = after_prefix.unwrap_or(text);
        let part = after_prefix.is_none().then(|| digits.to_owned());
        let least = part.as_ref().map_or(1, |_| MIN_BARE_DIGITS);
        let is_hexadecimal = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        (is_hexadecimal && digits.len() >= least).then(|| Self {
            beginning: digits.trim_start_matches('0').to_owned(),
            part,
        })
    }

    /// How well an address matches: the lower, the better.
    fn rank(&self, address: Address) -> Option<u8> {
        let address = address.to_string();
        let own = address.trim_start_matches("0x");
        let begins = !self.beginning.is_empty() && own.starts_with(&self.beginning);
        if begins {
            return Some(u8::from(own != self.beginning));
        }
        let has_part = self.part.as_ref().is_some_and(|part| own.contains(part));
        has_part.then_some(3)
    }
}

impl Needle {
    pub(crate) fn new(search: &str) -> Self {
        let text = search.to_lowercase();
        let digits = AddressDigits::of(&text);
        Self { text, digits }
    }

    /// How well a token matches: the lower, the better.
    pub(crate) fn rank(&self, token: &Token) -> Option<u8> {
        let address = self.digits.as_ref();
        let address = address.and_then(|digits| digits.rank(token.address));
        let ranks = [self.rank_of_name(token), address];
        ranks.into_iter().flatten().min()
    }

    fn rank_of_name(&self, token: &Token) -> Option<u8> {
        let text = self.text.as_str();
        if token.symbol_key == text {
            Some(0)
        } else if token.symbol_key.starts_with(text) || token.name_key.starts_with(text) {
            Some(1)
        } else if token.symbol_key.contains(text) || token.name_key.contains(text) {
            Some(2)
        } else {
            None
        }
    }
}
