//! Answers that are long on their way: their connection is busy until they end, and
//! what would never end does so when the server stops.

use super::connections::Admission;
use crate::http::event_stream;
use axum::{
    body::{Body, Bytes},
    response::Response,
};
use hyper::body::{Body as _, Frame, SizeHint};
use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// A body of unknown length.
struct Sending {
    body: Body,
    admission: Arc<Admission>,
    /// Of a body that does not end by itself.
    stop: Option<Pin<Box<WaitForCancellationFutureOwned>>>,
}

/// Notes that a request is answered, once its answer is sent. One of known length is
/// as good as sent.
pub(super) fn until_sent(
    response: Response,
    admission: Arc<Admission>,
    stop: &CancellationToken,
) -> Response {
    if response.body().size_hint().exact().is_some() {
        admission.idle();
        return response;
    }
    let is_endless = event_stream::is_endless(&response);
    let stop = is_endless.then(|| Box::pin(stop.clone().cancelled_owned()));
    response.map(|body| {
        Body::new(Sending {
            body,
            admission,
            stop,
        })
    })
}

impl hyper::body::Body for Sending {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if let Some(stop) = &mut self.stop
            && stop.as_mut().poll(context).is_ready()
        {
            return Poll::Ready(None);
        }
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Sending {
    fn drop(&mut self) {
        self.admission.idle();
    }
}
