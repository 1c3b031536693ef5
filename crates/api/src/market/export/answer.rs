//! Files as answers.

use super::{
    file::File,
    table::{Column, Row},
    writer::{Broken, Writer},
};
use axum::{
    body::Body,
    http::{
        HeaderValue,
        header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, VARY},
    },
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures_util::{Stream, StreamExt as _, stream};
use std::pin::Pin;

/// Tells that the answer would be another one for who accepts other files.
pub(in super::super) fn varied(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.append(VARY, HeaderValue::from_static("accept"));
    response
}

type Rows = Pin<Box<dyn Stream<Item = Result<Vec<Row>, Broken>> + Send>>;

impl File {
    /// An answer whose rows are read while they are sent. What breaks off in the
    /// middle ends the connection, so that nobody takes a part for the whole.
    pub(in super::super) fn answer(
        self,
        name: &str,
        columns: &'static [Column],
        rows: impl Stream<Item = Result<Vec<Row>, Broken>> + Send + 'static,
    ) -> Response {
        let rows: Rows = Box::pin(rows);
        let begun = (rows, Some(Writer::new(self, columns)));
        let file = stream::try_unfold(begun, |(mut rows, writer)| async move {
            let Some(writer) = writer else {
                return Ok(None);
            };
            let mut writer = writer?;
            match rows.next().await {
                Some(read) => {
                    let bytes = writer.write(read?)?;
                    Ok(Some((bytes, (rows, Some(Ok(writer))))))
                }
                None => Ok(Some((writer.finish()?, (rows, None)))),
            }
        });
        let file = file.inspect(|part: &Result<Bytes, Broken>| {
            if let Err(error) = part {
                tracing::error!(%error, "a file broke off");
            }
        });
        let disposition = format!("attachment; filename=\"{name}.{}\"", self.ending());
        let disposition = HeaderValue::try_from(disposition);
        let headers = [
            (CONTENT_TYPE, HeaderValue::from_static(self.media_type())),
            (CACHE_CONTROL, HeaderValue::from_static("no-store")),
            (VARY, HeaderValue::from_static("accept")),
            (
                CONTENT_DISPOSITION,
                disposition.unwrap_or(HeaderValue::from_static("attachment")),
            ),
        ];
        (headers, Body::from_stream(file)).into_response()
    }
}
