//! What people ask of the token list.

use crate::{tag::Tag, token_list::Token};
use std::{cmp::Ordering, num::NonZeroU64, sync::Arc};

/// One page of a filtered, sorted list.
#[derive(Debug, Clone)]
pub struct TokenQuery {
    /// Part of a name or symbol, or an address.
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

/// A property to sort by.
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
pub struct Page {
    /// The tokens of this page, each with its place in the whole list.
    pub content: Vec<(usize, Arc<Token>)>,
    /// The page asked for, from 0.
    pub number: u64,
    /// The size asked for.
    pub size: NonZeroU64,
    /// Matching tokens on all pages.
    pub total_elements: u64,
}

impl Page {
    /// Pages that have content.
    pub fn total_pages(&self) -> u64 {
        self.total_elements.div_ceil(self.size.get())
    }
}

/// A search text, prepared once for all tokens.
#[derive(Debug)]
pub(crate) struct Needle {
    text: String,
    /// Digits of an address without leading zeros, if the text looks like the
    /// beginning of one.
    address_digits: Option<String>,
}

impl Needle {
    pub(crate) fn new(search: &str) -> Self {
        let text = search.to_lowercase();
        let address_digits = text
            .strip_prefix("0x")
            .map(|digits| digits.trim_start_matches('0'))
            .filter(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit()))
            .map(str::to_owned);
        Self {
            text,
            address_digits,
        }
    }

    /// How well a token matches: the lower, the better.
    pub(crate) fn rank(&self, token: &Token) -> Option<u8> {
        let text = self.text.as_str();
        if let Some(digits) = &self.address_digits {
            let address = token.address.to_string();
            let own = address.trim_start_matches("0x");
            if own == digits {
                return Some(0);
            }
            if own.starts_with(digits.as_str()) {
                return Some(1);
            }
        }
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
