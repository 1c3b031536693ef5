//! What stands behind the question mark. Unknown keys are ignored.

use super::{MarketplaceState, catalog::Slug, problem::Problem};
use crate::http::error::shown;
use axum::{extract::FromRequestParts, http::request::Parts};
use axum_extra::extract::Query;
use serde::de::DeserializeOwned;
use std::str::FromStr;

/// The keys of a query, each with all its values.
#[derive(Debug)]
pub(super) struct QueryKeys<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequestParts<MarketplaceState> for QueryKeys<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &MarketplaceState) -> Result<Self, Problem> {
        let read = Query::<T>::try_from_uri(&parts.uri);
        let unreadable = |_| Problem::new(Slug::MalformedRequest, "the query cannot be read");
        read.map(|Query(query)| Self(query)).map_err(unreadable)
    }
}

/// A whole number of 64 bits: digits, and perhaps a minus before them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Whole(pub(super) i64);

impl FromStr for Whole {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(());
        }
        text.parse().map(Self).map_err(|_| ())
    }
}

/// The one value of a key, read as something. `slug` is what a value that
/// cannot be read is refused as, and `must` says what it should have been.
pub(super) fn one<T: FromStr>(
    name: &str,
    values: &[String],
    slug: Slug,
    must: &str,
) -> Result<Option<T>, Problem> {
    match values {
        [] => Ok(None),
        [text] => {
            let wrong =
                |_| Problem::new(slug, format!("{name} must be {must}, not {}", shown(text)));
            text.parse().map(Some).map_err(wrong)
        }
        _ => Err(Problem::new(slug, format!("{name} is there twice"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_its_digits() {
        for (text, number) in [("5", Some(5)), ("-5", Some(-5)), ("007", Some(7))] {
            assert_eq!(text.parse::<Whole>().ok().map(|it| it.0), number);
        }
        for text in [
            "+5",
            "",
            "-",
            "--5",
            " 5",
            "5 ",
            "5.0",
            "0x5",
            "9223372036854775808",
        ] {
            assert!(text.parse::<Whole>().is_err(), "{text}");
        }
    }
}
