//! In which form a caller wants an answer.

use super::file::File;
use crate::http::{
    error::{Problems, shown},
    query_values::once,
};
use axum::{
    extract::FromRequestParts,
    http::{header::ACCEPT, request::Parts},
};
use std::convert::Infallible;
use url::form_urlencoded;
use utoipa::IntoParams;

/// The form of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Format {
    Json,
    File(File),
}

/// What files are called in queries, and in `Accept`.
const FILES: [(&str, &str, File); 2] = [
    ("csv", "text/csv", File::Csv),
    ("parquet", "application/vnd.apache.parquet", File::Parquet),
];

/// The form of an answer.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "only describes the parameter")]
pub(in super::super) struct FormatQuery {
    /// `csv` or `parquet` for a file instead of JSON. Without it `Accept` decides:
    /// `text/csv` or `application/vnd.apache.parquet`.
    #[param(
        required = false,
        pattern = "^(json|csv|parquet)$",
        default = "json",
        example = "csv"
    )]
    format: String,
}

/// What a caller says of the form.
#[derive(Debug, Default)]
pub(in super::super) struct WantedFormat {
    given: Vec<String>,
    accepted: Option<File>,
}

impl WantedFormat {
    /// The form that is wanted; none if it is not known.
    pub(in super::super) fn read(&self, problems: &mut Problems) -> Option<Format> {
        if self.given.is_empty() {
            return Some(self.accepted.map_or(Format::Json, Format::File));
        }
        let text = once("format", &self.given, problems)?;
        let file = FILES.iter().find(|(name, ..)| *name == text);
        match (text, file) {
            ("json", _) => Some(Format::Json),
            (_, Some((.., file))) => Some(Format::File(*file)),
            (_, None) => {
                problems.add(format!(
                    "format must be json, csv or parquet, not {}",
                    shown(text)
                ));
                None
            }
        }
    }

    fn of(parts: &Parts) -> Self {
        let query = parts.uri.query().unwrap_or_default();
        let given = if query.contains("format=") {
            let pairs = form_urlencoded::parse(query.as_bytes());
            let given = pairs.filter(|(key, _)| key == "format");
            given.map(|(_, value)| value.into_owned()).collect()
        } else {
            Vec::new()
        };
        let accept = parts.headers.get_all(ACCEPT).iter();
        let mut accepted = accept
            .filter_map(|value| value.to_str().ok())
            .flat_map(|text| text.split(','))
            .map(|wish| wish.split(';').next().unwrap_or_default().trim());
        let accepted = accepted.find_map(|wish| {
            let file = FILES
                .iter()
                .find(|(_, media, _)| media.eq_ignore_ascii_case(wish));
            file.map(|(.., file)| *file)
        });
        Self { given, accepted }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for WantedFormat {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(parts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::Request;

    fn wanted(query: &str, accept: &str) -> Option<Format> {
        let request = Request::get(format!("http://stoa/?{query}")).header(ACCEPT, accept);
        let (parts, ()) = request.body(()).unwrap().into_parts();
        WantedFormat::of(&parts).read(&mut Problems::default())
    }

    #[test]
    fn a_query_goes_before_what_is_accepted() {
        let csv = Some(Format::File(File::Csv));
        let parquet = Some(Format::File(File::Parquet));
        assert_eq!(wanted("", "*/*"), Some(Format::Json));
        assert_eq!(wanted("", "Text/CSV; q=0.9, */*"), csv);
        assert_eq!(wanted("format=parquet", "text/csv"), parquet);
        assert_eq!(wanted("format=json", "text/csv"), Some(Format::Json));
        assert_eq!(wanted("", "application/vnd.apache.parquet"), parquet);
        assert_eq!(wanted("format=xlsx", ""), None);
        assert_eq!(wanted("format=csv&format=csv", ""), None);
    }
}
