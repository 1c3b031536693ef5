//! The envelope of what is answered.

use super::{catalog::Slug, cursor::Cursors, cursor::Position, problem::Problem};
use crate::http::{
    error::shown,
    json_answer::{self, Json},
};
use axum::{
    http::{StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use serde::Serialize;
use services::leasing::Page;
use utoipa::ToSchema;

/// One thing.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Data<T> {
    /// What was asked for.
    pub(super) data: T,
}

/// A part of a list.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct List<T> {
    /// The items, in order.
    data: Vec<T>,
    /// How to go on.
    meta: Meta,
}

/// How a list goes on.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Meta {
    /// To be sent as `cursor`, with the same filters, for what follows; null at
    /// the end.
    #[schema(required)]
    next_cursor: Option<String>,
    /// The most items that this answer could have had.
    #[schema(example = 20)]
    limit: u16,
}

/// Answers with one thing.
pub(super) fn ok(data: impl Serialize) -> Response {
    Json(Data { data }).into_response()
}

/// Answers with one thing that was just made.
pub(super) fn created(data: impl Serialize) -> Response {
    (StatusCode::CREATED, ok(data)).into_response()
}

/// Which part of a list is asked for.
#[derive(Debug)]
pub(super) struct Part<P> {
    pub(super) after: Option<P>,
    pub(super) limit: u16,
    scope: String,
}

/// Items of a list when no limit is given, and at most.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    pub(super) usual: u16,
    pub(super) most: u16,
}

/// Those of most lists.
const SIZES: Sizes = Sizes {
    usual: 20,
    most: 50,
};

impl<P: Position> Part<P> {
    /// Reads `limit` and `cursor`. The scope tells this list, with its filters
    /// and its order, from all others.
    pub(super) fn read(
        limit: &[String],
        cursor: &[String],
        scope: String,
        cursors: &Cursors,
    ) -> Result<Self, Problem> {
        Self::read_of(SIZES, limit, cursor, scope, cursors)
    }

    /// The same for a list with sizes of its own.
    pub(super) fn read_of(
        sizes: Sizes,
        limit: &[String],
        cursor: &[String],
        scope: String,
        cursors: &Cursors,
    ) -> Result<Self, Problem> {
        let limit = match limit {
            [] => sizes.usual,
            [text] => self::limit(text, sizes.most)?,
            _ => return Err(Problem::new(Slug::InvalidLimit, "limit is there twice")),
        };
        let after = match cursor {
            [] => None,
            [text] => Some(cursors.open(&scope, text)?),
            _ => return Err(Problem::plain(Slug::InvalidCursor)),
        };
        Ok(Self {
            after,
            limit,
            scope,
        })
    }

    /// The page in its envelope.
    pub(super) fn write<T, U: Serialize>(
        &self,
        page: &Page<T, P>,
        cursors: &Cursors,
        form: impl FnMut(&T) -> U,
    ) -> Bytes {
        let next = page.next.as_ref();
        let list = List {
            data: page.items.iter().map(form).collect::<Vec<_>>(),
            meta: Meta {
                next_cursor: next.map(|position| cursors.seal(&self.scope, position)),
                limit: self.limit,
            },
        };
        Bytes::from(json_answer::line(&list).unwrap_or_default())
    }
}

/// Answers with JSON that is written already.
pub(super) fn written(text: Bytes) -> Response {
    ([(CONTENT_TYPE, "application/json")], text).into_response()
}

fn limit(text: &str, most: u16) -> Result<u16, Problem> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let limit = text.parse().ok().filter(|_| digits);
    limit
        .filter(|limit| (1..=most).contains(limit))
        .ok_or_else(|| {
            let told = format!(
                "limit must be a whole number from 1 to {most}, not {}",
                shown(text)
            );
            Problem::new(Slug::InvalidLimit, told)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use primitives::Ulid;

    fn read(limit: &[&str], cursor: &[&str]) -> Option<(u16, bool)> {
        let texts = |texts: &[&str]| texts.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        let cursors = Cursors::new([0; 32]);
        let part = Part::<Ulid>::read(&texts(limit), &texts(cursor), "list".to_owned(), &cursors);
        part.ok().map(|part| (part.limit, part.after.is_some()))
    }

    #[test]
    fn a_limit_is_a_whole_number_in_its_range() {
        assert_eq!(read(&[], &[]), Some((20, false)));
        assert_eq!(read(&["1"], &[]), Some((1, false)));
        assert_eq!(read(&["50"], &[]), Some((50, false)));
        for wrong in ["0", "51", "-1", "+5", "1.0", "", " 5", "x", "99999999999"] {
            assert_eq!(read(&[wrong], &[]), None, "{wrong}");
        }
        assert_eq!(read(&["1", "1"], &[]), None);
    }

    #[test]
    fn only_our_cursors_are_read() {
        let cursors = Cursors::new([0; 32]);
        let id = "01ARZ3NDEKTSV4RRFFQ69G5FAV".parse::<Ulid>().unwrap();
        let text = cursors.seal("list", &id);
        assert_eq!(read(&[], &[&text]), Some((20, true)));
        assert_eq!(read(&[], &[&text, &text]), None);
        assert_eq!(read(&[], &[""]), None);
    }
}
