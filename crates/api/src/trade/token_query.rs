//! Reads the query of the token list. Everything wrong with it is told at
//! once.

use crate::{
    dialect::Dialect,
    http::{
        error::{Problems, Rejection, shown},
        query_values::{once, read_number},
    },
};
use market::{Direction, SortKey, SortProperty, Tag, TokenQuery};
use serde::Deserialize;
use std::num::NonZeroU64;
use utoipa::{IntoParams, ToSchema};

const DEFAULT_SIZE: NonZeroU64 = NonZeroU64::new(20).unwrap();
const MAX_SIZE: u64 = 100;
const MAX_PAGE: u64 = 1_000_000_000;
const MAX_SEARCH_CHARS: usize = 200;
const MAX_SORT_KEYS: usize = SORTABLE.len();

/// What a list can be sorted by.
const SORTABLE: [(&str, SortProperty); 5] = [
    ("address", SortProperty::Address),
    ("name", SortProperty::Name),
    ("symbol", SortProperty::Symbol),
    ("decimals", SortProperty::Decimals),
    ("lastDailyVolumeUsd", SortProperty::Volume),
];

/// The query as it is sent; every key may be repeated.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(super) struct TokenListQuery {
    /// Part of a name or a symbol, in any case; or an address or its beginning
    /// after `0x`; or any part of an address, of at least four digits. Exact
    /// symbols and addresses come first, then beginnings, then parts of names,
    /// then parts of addresses.
    #[param(value_type = Option<String>, max_length = 200, example = "eth")]
    search: Vec<String>,
    /// Tokens with this tag; repeat it for tokens with any of several.
    #[param(value_type = Option<Vec<super::token::TagName>>, style = Form, explode, example = json!(["Verified"]))]
    tag: Vec<String>,
    /// The page, from 0.
    #[param(value_type = Option<u64>, minimum = 0, maximum = 1_000_000_000, default = 0, example = 0)]
    page: Vec<String>,
    /// Tokens on a page.
    #[param(value_type = Option<u64>, minimum = 1, maximum = 100, default = 20, example = 20)]
    size: Vec<String>,
    /// `property,asc` or `property,desc`, where the property is `address`,
    /// `name`, `symbol`, `decimals` or `lastDailyVolumeUsd`; repeat it to
    /// decide between equals. Otherwise tokens come by falling volume, or by
    /// how well they match a search.
    #[param(
        value_type = Option<Vec<SortText>>, inline, style = Form, explode, max_items = 5,
        example = json!(["symbol,asc"])
    )]
    sort: Vec<String>,
}

/// One key of an order.
#[derive(ToSchema)]
#[schema(pattern = "^(address|name|symbol|decimals|lastDailyVolumeUsd),(asc|desc)$")]
#[expect(dead_code, reason = "only describes the text")]
struct SortText(String);

impl TokenListQuery {
    pub(super) fn read(self, dialect: Dialect) -> Result<TokenQuery, Rejection> {
        let mut problems = Problems::default();
        let query = TokenQuery {
            search: read_search(&self.search, &mut problems),
            tags: read_tags(&self.tag, dialect, &mut problems),
            sort: read_sort(&self.sort, &mut problems),
            page: read_number("page", &self.page, 0..=MAX_PAGE, &mut problems).unwrap_or(0),
            size: read_number("size", &self.size, 1..=MAX_SIZE, &mut problems)
                .and_then(NonZeroU64::new)
                .unwrap_or(DEFAULT_SIZE),
        };
        problems.none()?;
        Ok(query)
    }
}

pub(crate) fn read_search(given: &[String], problems: &mut Problems) -> Option<String> {
    let search = once("search", given, problems)?;
    if search.chars().count() > MAX_SEARCH_CHARS {
        problems.add(format!(
            "search must have at most {MAX_SEARCH_CHARS} characters"
        ));
        return None;
    }
    Some(search.to_owned())
}

pub(crate) fn read_tags(given: &[String], dialect: Dialect, problems: &mut Problems) -> Vec<Tag> {
    let mut tags = Vec::new();
    for word in given {
        match dialect.parse_tag(word) {
            Some(tag) if !tags.contains(&tag) => tags.push(tag),
            Some(_) => {}
            None => problems.add(format!(
                "tag must be one of {}, not {}",
                Tag::ALL.map(|tag| dialect.tag(tag)).join(", "),
                shown(word)
            )),
        }
    }
    tags
}

fn read_sort(given: &[String], problems: &mut Problems) -> Vec<SortKey> {
    if given.len() > MAX_SORT_KEYS {
        problems.add(format!("sort may be given at most {MAX_SORT_KEYS} times"));
        return Vec::new();
    }
    let mut keys = Vec::new();
    for text in given {
        match read_sort_key(text) {
            Ok(key) => keys.push(key),
            Err(problem) => problems.add(problem),
        }
    }
    keys
}

fn read_sort_key(text: &str) -> Result<SortKey, String> {
    let Some((property, direction)) = text.split_once(',') else {
        return Err(format!(
            "sort must be a property and a direction such as symbol,asc, not {}",
            shown(text)
        ));
    };
    let found = SORTABLE.iter().find(|(name, _)| *name == property);
    let Some((_, property)) = found else {
        return Err(format!(
            "sort property must be one of {}, not {}",
            SORTABLE.map(|(name, _)| name).join(", "),
            shown(property)
        ));
    };
    let direction = match direction {
        "asc" => Direction::Ascending,
        "desc" => Direction::Descending,
        _ => {
            return Err(format!(
                "sort direction must be asc or desc, not {}",
                shown(direction)
            ));
        }
    };
    Ok(SortKey {
        property: *property,
        direction,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum_extra::extract::Query;
    use proptest::prelude::*;

    fn read(query: &str) -> Result<TokenQuery, Rejection> {
        let uri = format!("http://stoa/?{query}").parse().unwrap();
        let Query(query) = Query::<TokenListQuery>::try_from_uri(&uri).unwrap();
        query.read(Dialect::Plain)
    }

    #[test]
    fn nothing_asked_is_the_first_page_of_twenty() {
        for query in ["", "&", "unknown=1&unknown=2&utm"] {
            let query = read(query).unwrap();
            assert_eq!((query.page, query.size.get()), (0, 20));
            assert!(query.search.is_none() && query.tags.is_empty() && query.sort.is_empty());
        }
    }

    #[test]
    fn repeated_keys_are_lists() {
        let query =
            read("tag=Verified&tag=unruggable&tag=VERIFIED&sort=symbol%2Casc&sort=name,desc")
                .unwrap();
        assert_eq!(query.tags, [Tag::Verified, Tag::Unruggable]);
        let symbol = SortKey {
            property: SortProperty::Symbol,
            direction: Direction::Ascending,
        };
        let name = SortKey {
            property: SortProperty::Name,
            direction: Direction::Descending,
        };
        assert_eq!(query.sort, [symbol, name]);
    }

    #[test]
    fn bounds_are_inclusive() {
        let query = read("page=1000000000&size=100").unwrap();
        assert_eq!((query.page, query.size.get()), (1_000_000_000, 100));
        assert_eq!(read("size=1").unwrap().size.get(), 1);
        assert!(read(&format!("search={}", "é".repeat(200))).is_ok());
    }

    proptest! {
        #[test]
        fn no_query_makes_it_panic(
            pairs in proptest::collection::vec(("(search|tag|page|size|sort|x)", "[ -~]{0,12}"), 0..30),
        ) {
            let pairs: Vec<_> = pairs.iter().map(|(key, value)| {
                let value: String = value.bytes().flat_map(|byte| format!("%{byte:02x}").into_bytes()).map(char::from).collect();
                format!("{key}={value}")
            }).collect();
            if let Err(Rejection::Invalid(problems)) = read(&pairs.join("&")) {
                prop_assert!(problems.none().is_err());
            }
        }

        #[test]
        fn a_page_and_a_size_within_bounds_are_taken(page in 0..=MAX_PAGE, size in 1..=MAX_SIZE) {
            let query = read(&format!("page={page}&size={size}")).unwrap();
            prop_assert_eq!((query.page, query.size.get()), (page, size));
        }
    }
}
