//! Whether a request's body is what is being waited for: a caller who sends it
//! too slowly is told so, and is not told that we were slow.

use axum::{
    body::{Body, Bytes},
    extract::Request,
};
use hyper::body::{Body as _, Frame, SizeHint};
use std::{
    mem,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
};

/// How the body of one request arrives.
#[derive(Debug)]
pub(crate) struct Arrival(Option<Arc<AtomicBool>>);

impl Arrival {
    /// Watches the body, if there is one.
    pub(crate) fn of(request: &mut Request) -> Self {
        if request.body().is_end_stream() {
            return Self(None);
        }
        let is_awaited = Arc::new(AtomicBool::new(false));
        let body = mem::take(request.body_mut());
        *request.body_mut() = Body::new(Watched {
            body,
            is_awaited: Arc::clone(&is_awaited),
        });
        Self(Some(is_awaited))
    }

    /// Whether there is one.
    pub(crate) const fn has_body(&self) -> bool {
        self.0.is_some()
    }

    /// Whether somebody waits for more of it.
    pub(crate) fn is_awaited(&self) -> bool {
        let flag = self.0.as_ref();
        flag.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
}

/// A body that notes whether somebody waits for it.
struct Watched {
    body: Body,
    is_awaited: Arc<AtomicBool>,
}

impl hyper::body::Body for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        self.is_awaited
            .store(polled.is_pending(), Ordering::Relaxed);
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.is_awaited.store(false, Ordering::Relaxed);
    }
}
