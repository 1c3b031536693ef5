//! A stream whose writes end: a client that does not read is cut off.

use std::{
    io::{self, ErrorKind, IoSlice},
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Sleep, sleep},
};

/// A stream that fails when a write has made no progress for some time.
#[derive(Debug)]
pub(super) struct WriteDeadline<S> {
    stream: S,
    patience: Duration,
    /// Runs while a write waits.
    alarm: Option<Pin<Box<Sleep>>>,
}

impl<S> WriteDeadline<S> {
    pub(super) const fn new(stream: S, patience: Duration) -> Self {
        Self {
            stream,
            patience,
            alarm: None,
        }
    }

    /// What becomes of a write of which this is known.
    fn watch<T>(
        &mut self,
        written: Poll<io::Result<T>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.alarm = None;
            return written;
        }
        let patience = self.patience;
        let alarm = self.alarm.get_or_insert_with(|| Box::pin(sleep(patience)));
        ready!(alarm.as_mut().poll(context));
        Poll::Ready(Err(ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteDeadline<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteDeadline<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watch(written, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.watch(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.watch(flushed, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(context);
        self.watch(shut, context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    const PATIENCE: Duration = Duration::from_millis(50);

    #[tokio::test]
    async fn a_write_that_nobody_reads_fails() {
        let (here, _there) = duplex(16);
        let mut stream = WriteDeadline::new(here, PATIENCE);
        let error = stream.write_all(&[0; 100]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn a_reader_that_is_slow_gets_everything() {
        let (here, mut there) = duplex(16);
        let mut stream = WriteDeadline::new(here, PATIENCE * 10);
        let written = tokio::spawn(async move { stream.write_all(&[7; 200]).await });
        let mut read = Vec::new();
        // Together longer than the patience, which is one for each write.
        for _ in 0..20 {
            tokio::time::sleep(PATIENCE).await;
            let mut some = [0; 10];
            there.read_exact(&mut some).await.unwrap();
            read.extend(some);
        }
        written.await.unwrap().unwrap();
        assert_eq!(read, [7; 200]);
    }
}
