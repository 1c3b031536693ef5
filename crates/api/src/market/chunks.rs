//! A body of texts that lie in memory already: they are sent one after another,
//! and none of them is copied.

use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use std::{
    collections::VecDeque,
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

/// The texts that are still to be sent.
#[derive(Debug)]
pub(super) struct Chunks(VecDeque<Bytes>);

impl Chunks {
    /// Copies them to where others are.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        for chunk in &self.0 {
            out.extend_from_slice(chunk);
        }
    }
}

impl From<VecDeque<Bytes>> for Chunks {
    fn from(chunks: VecDeque<Bytes>) -> Self {
        Self(chunks)
    }
}

impl From<Chunks> for Body {
    fn from(chunks: Chunks) -> Self {
        Self::new(chunks)
    }
}

impl HttpBody for Chunks {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.pop_front().map(|chunk| Ok(Frame::data(chunk))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_empty()
    }

    /// Exact, so that callers are told the length.
    fn size_hint(&self) -> SizeHint {
        let length: usize = self.0.iter().map(Bytes::len).sum();
        u64::try_from(length).map_or_else(|_| SizeHint::new(), SizeHint::with_exact)
    }
}

#[cfg(test)]
impl Chunks {
    /// What arrives.
    pub(super) fn joined(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(&mut out);
        out
    }

    /// What a strict reader of gzip makes of it; nothing may follow the stream.
    pub(super) fn unpacked(&self) -> Vec<u8> {
        let packed = self.joined();
        let mut decoder = flate2::bufread::GzDecoder::new(packed.as_slice());
        let mut out = Vec::new();
        std::io::Read::read_to_end(&mut decoder, &mut out).unwrap();
        assert!(decoder.into_inner().is_empty());
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::task::Waker;

    #[test]
    fn chunks_come_in_order_and_without_copying_and_their_length_is_known() {
        let texts = ["[", "1,2", "]"].map(Bytes::from);
        let mut body = Chunks(VecDeque::from(texts.clone()));
        let mut context = Context::from_waker(Waker::noop());
        for (text, left) in texts.into_iter().zip([5, 4, 1]) {
            assert!(!body.is_end_stream());
            assert_eq!(body.size_hint().exact(), Some(left));
            let Poll::Ready(Some(Ok(frame))) = Pin::new(&mut body).poll_frame(&mut context) else {
                panic!("there is more");
            };
            let sent = frame.into_data().unwrap();
            assert_eq!((sent.as_ptr(), &sent), (text.as_ptr(), &text));
        }
        assert!(body.is_end_stream());
        assert_eq!(body.size_hint().exact(), Some(0));
        let end = Pin::new(&mut body).poll_frame(&mut context);
        assert!(matches!(end, Poll::Ready(None)));
    }
}
