//! Reads the query of the table. Everything wrong with it is told at once.

use crate::{
    dialect::Dialect,
    http::{
        error::{Problems, shown},
        query_values::{once, read_number},
    },
    trade::{TagName, read_search, read_tags},
};
use market::{Direction, SortKey, SortProperty, TokenQuery};
use serde::Deserialize;
use std::num::NonZeroU64;
use utoipa::{IntoParams, ToSchema};

/// Rows of a page, and pages.
pub(super) const DEFAULT_SIZE: u64 = 20;
pub(super) const MAX_SIZE: u64 = 100;
pub(super) const MAX_PAGE: u64 = 1_000_000_000;

/// What the table can be sorted by.
const SORTABLE: [(&str, Column); 6] = [
    ("symbol", Column::Listed(SortProperty::Symbol)),
    ("name", Column::Listed(SortProperty::Name)),
    ("volumeUsd24h", Column::Figure(Figure::Volume)),
    ("priceUsd", Column::Figure(Figure::Price)),
    ("change24h", Column::Figure(Figure::Change)),
    ("tvlUsd", Column::Figure(Figure::Tvl)),
];

/// The query as it is sent; only `tag` may be repeated.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
pub(super) struct TableQuery {
    /// Part of a name or a symbol, in any case; or an address or its beginning
    /// after `0x`; or any part of an address, of at least four digits.
    #[param(value_type = Option<String>, max_length = 200, example = "eth")]
    search: Vec<String>,
    /// Tokens with this tag; repeat it for tokens with any of several.
    #[param(value_type = Option<Vec<TagName>>, style = Form, explode, example = json!(["Verified"]))]
    tag: Vec<String>,
    /// The page, from 0.
    #[param(value_type = Option<u64>, minimum = 0, maximum = 1_000_000_000, default = 0, example = 0)]
    page: Vec<String>,
    /// Tokens on a page.
    #[param(value_type = Option<u64>, minimum = 1, maximum = 100, default = 20, example = 20)]
    size: Vec<String>,
    /// `property,asc` or `property,desc`, where the property is `symbol`, `name`,
    /// `priceUsd`, `change24h`, `volumeUsd24h` or `tvlUsd`. What is null comes
    /// last. Otherwise tokens come by falling TVL, or by how well they match a
    /// search.
    #[param(value_type = Option<SortText>, inline, example = "tvlUsd,desc")]
    sort: Vec<String>,
}

/// An order.
#[derive(ToSchema)]
#[schema(pattern = "^(symbol|name|priceUsd|change24h|volumeUsd24h|tvlUsd),(asc|desc)$")]
#[expect(dead_code, reason = "only describes the text")]
struct SortText(String);

/// What is asked of the table.
#[derive(Debug)]
pub(super) struct TableRequest {
    /// What the token list knows of it, on one page.
    pub(super) list: TokenQuery,
    /// What else it is sorted by.
    pub(super) figure: Option<(Figure, Direction)>,
    pub(super) page: u64,
    pub(super) size: NonZeroU64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Listed(SortProperty),
    Figure(Figure),
}

/// A figure to sort by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Figure {
    Price,
    Change,
    Volume,
    Tvl,
}

impl TableQuery {
    pub(super) fn read(self, dialect: Dialect, problems: &mut Problems) -> TableRequest {
        let search = read_search(&self.search, problems);
        let tags = read_tags(&self.tag, dialect, problems);
        let page = read_number("page", &self.page, 0..=MAX_PAGE, problems).unwrap_or(0);
        let size = read_number("size", &self.size, 1..=MAX_SIZE, problems);
        let size = size.and_then(NonZeroU64::new);
        let sort = read_sort(&self.sort, problems);
        let is_search = search.as_ref().is_some_and(|it| !it.trim().is_empty());
        let (listed, figure) = match sort {
            Some((Column::Listed(property), direction)) => {
                let key = SortKey {
                    property,
                    direction,
                };
                (vec![key], None)
            }
            Some((Column::Figure(figure), direction)) => (Vec::new(), Some((figure, direction))),
            None if is_search => (Vec::new(), None),
            None => (Vec::new(), Some((Figure::Tvl, Direction::Descending))),
        };
        TableRequest {
            list: TokenQuery {
                search,
                tags,
                sort: listed,
                page: 0,
                size: NonZeroU64::MAX,
            },
            figure,
            page,
            size: size.unwrap_or(NonZeroU64::MIN.saturating_add(DEFAULT_SIZE - 1)),
        }
    }
}

fn read_sort(given: &[String], problems: &mut Problems) -> Option<(Column, Direction)> {
    let text = once("sort", given, problems)?;
    let (property, direction) = text.split_once(',').unwrap_or((text, ""));
    let found = SORTABLE.iter().find(|(name, _)| *name == property);
    let direction = match direction {
        "asc" => Some(Direction::Ascending),
        "desc" => Some(Direction::Descending),
        _ => None,
    };
    if let (Some((_, column)), Some(direction)) = (found, direction) {
        return Some((*column, direction));
    }
    problems.add(format!(
        "sort must be one of {} with a direction such as symbol,asc or tvlUsd,desc, not {}",
        SORTABLE.map(|(name, _)| name).join(", "),
        shown(text)
    ));
    None
}

#[cfg(test)]
mod tests {
    use super::super::query::parse;
    use super::*;

    fn read(query: &str) -> (TableRequest, Problems) {
        let uri = format!("http://stoa/?{query}").parse().unwrap();
        let mut problems = Problems::default();
        let asked = parse::<TableQuery>(&uri).unwrap();
        (asked.read(Dialect::Plain, &mut problems), problems)
    }

    #[test]
    fn nothing_asked_is_the_first_page_by_tvl() {
        let (asked, problems) = read("");
        assert!(problems.is_empty());
        assert_eq!((asked.page, asked.size.get()), (0, 20));
        assert_eq!(asked.figure, Some((Figure::Tvl, Direction::Descending)));
        let (asked, _) = read("search=eth");
        assert!(asked.figure.is_none() && asked.list.sort.is_empty());
    }

    #[test]
    fn a_column_of_the_list_is_sorted_by_the_list() {
        let (asked, problems) = read("sort=name,asc&size=100&page=3");
        assert!(problems.is_empty() && asked.figure.is_none());
        assert_eq!(asked.list.sort.len(), 1);
        let (asked, _) = read("sort=change24h,asc&search=x");
        assert_eq!(asked.figure, Some((Figure::Change, Direction::Ascending)));
    }

    #[test]
    fn everything_wrong_is_told() {
        for wrong in [
            "sort=tvl,desc",
            "sort=name",
            "sort=name,up",
            "sort=name,asc&sort=name,asc",
            "size=0",
            "size=101",
            "page=-1",
            "tag=Nobody",
        ] {
            assert!(!read(wrong).1.is_empty(), "{wrong}");
        }
    }
}
