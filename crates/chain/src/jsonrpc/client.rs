//! Calls with retries, and batches that shrink until the node can answer them.

use super::{
    RpcOptions, backoff,
    endpoint::Endpoint,
    envelope::{self, Request},
};
use crate::error::RpcError;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use metrics::{counter, histogram};
use primitives::Entropy;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;
use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};
use tokio::{sync::Semaphore, time::Instant};
use url::Url;

/// A client of one node.
pub(crate) struct JsonRpc {
    endpoint: Endpoint,
    options: RpcOptions,
    entropy: Arc<dyn Entropy>,
    places: Semaphore,
    next_id: AtomicU64,
}

impl JsonRpc {
    pub(crate) fn new(
        url: Url,
        options: RpcOptions,
        entropy: Arc<dyn Entropy>,
    ) -> Result<Self, RpcError> {
        Ok(Self {
            endpoint: Endpoint::new(url)?,
            options,
            entropy,
            places: Semaphore::new(options.concurrency.get().min(Semaphore::MAX_PERMITS)),
            next_id: AtomicU64::new(1),
        })
    }

    /// Scheme, host and port.
    pub(crate) fn node(&self) -> &str {
        self.endpoint.node()
    }

    /// One call, repeated as long as its error is a passing one and attempts are left.
    pub(crate) async fn call<P: Serialize, T: DeserializeOwned>(
        &self,
        method: &'static str,
        params: &P,
    ) -> Result<T, RpcError> {
        self.single(method, params, |result| parse(method, result))
            .await
    }

    /// One call that is not repeated, whatever becomes of it.
    pub(crate) async fn call_once<P: Serialize, T: DeserializeOwned>(
        &self,
        method: &'static str,
        params: &P,
    ) -> Result<T, RpcError> {
        let id = self.take_ids(1);
        let read = |body: &[u8]| {
            let answer = envelope::read_single(method, id, body)?;
            parse(
                method,
                answer.map_err(|source| RpcError::Node { method, source })?,
            )
        };
        let question = Request::new(id, method, params);
        self.request(method, &question, read, |_| false).await
    }

    /// One call for each of `params`, in batches, the results in the same order.
    ///
    /// `decode` makes a value of a result, or of the failure of one call. It
    /// sees the node's error for that call, or, when a batch failed and shrank
    /// to this one call, why that failed in every attempt. An error of `decode`
    /// is the error of the whole.
    pub(crate) async fn batch<P, T, D>(
        &self,
        method: &'static str,
        params: &[P],
        decode: D,
    ) -> Result<Vec<T>, RpcError>
    where
        P: Serialize + Sync,
        T: Send,
        D: Fn(&P, Result<&RawValue, RpcError>) -> Result<T, RpcError> + Sync,
    {
        let parts: Vec<_> = params
            .chunks(self.options.max_batch.get())
            .map(|part| self.shrinking_batch(method, part, &decode))
            .collect();
        stream::iter(parts)
            .buffered(self.options.concurrency.get())
            .try_concat()
            .await
    }

    async fn shrinking_batch<P: Serialize, T>(
        &self,
        method: &'static str,
        params: &[P],
        decode: &impl Fn(&P, Result<&RawValue, RpcError>) -> Result<T, RpcError>,
    ) -> Result<Vec<T>, RpcError> {
        let mut done = Vec::with_capacity(params.len());
        let mut rest = params;
        let mut size = params.len();
        while let Some((params, later)) = rest.split_at_checked(size.min(rest.len()))
            && let Some(first) = params.first()
        {
            if params.len() == 1 {
                let outcome = self
                    .single(method, first, |result| decode(first, Ok(result)))
                    .await;
                done.push(outcome.or_else(|error| decode(first, Err(error)))?);
            } else {
                match self.whole_batch(method, params, decode).await {
                    Ok(values) => done.extend(values),
                    Err(error) if error.is_cured_by_splitting() => {
                        size = params.len() / 2;
                        continue;
                    }
                    Err(error) => return Err(error),
                }
            }
            rest = later;
        }
        Ok(done)
    }

    async fn single<P: Serialize, T>(
        &self,
        method: &'static str,
        params: &P,
        decode: impl Fn(&RawValue) -> Result<T, RpcError>,
    ) -> Result<T, RpcError> {
        let id = self.take_ids(1);
        let question = Request::new(id, method, params);
        let read = |body: &[u8]| {
            envelope::read_single(method, id, body)?
                .map_err(|source| RpcError::Node { method, source })
                .and_then(&decode)
        };
        self.request(method, &question, read, RpcError::is_transient)
            .await
    }

    async fn whole_batch<P: Serialize, T>(
        &self,
        method: &'static str,
        params: &[P],
        decode: &impl Fn(&P, Result<&RawValue, RpcError>) -> Result<T, RpcError>,
    ) -> Result<Vec<T>, RpcError> {
        let first_id = self.take_ids(params.len());
        let questions: Vec<_> = (first_id..)
            .zip(params)
            .map(|(id, params)| Request::new(id, method, params))
            .collect();
        let read = |body: &[u8]| {
            let replies = envelope::read_batch(method, first_id, params.len(), body)?;
            replies
                .into_iter()
                .zip(params)
                .map(|(reply, params)| {
                    let answer = reply.map_err(|source| RpcError::Node { method, source });
                    match answer {
                        Err(error) if error.is_transient() => Err(error),
                        answer => decode(params, answer),
                    }
                })
                .collect()
        };
        // Splitting is the better second attempt where it can help.
        self.request(method, &questions, read, |error| {
            error.is_transient() && !error.is_cured_by_splitting()
        })
        .await
    }

    /// Sends a question until `read` makes something of the answer, the error
    /// is not worth `retrying`, or the attempts are used up.
    async fn request<T>(
        &self,
        method: &'static str,
        question: &impl Serialize,
        read: impl Fn(&[u8]) -> Result<T, RpcError>,
        retrying: impl Fn(&RpcError) -> bool,
    ) -> Result<T, RpcError> {
        let body =
            serde_json::to_vec(question).map_err(|source| RpcError::malformed(method, source))?;
        let mut attempt = 1;
        loop {
            let error = match self.attempt(method, body.clone(), &read).await {
                Ok(value) => return Ok(value),
                Err(error) => error,
            };
            if !retrying(&error) || !self.pause(method, attempt, &error).await {
                return Err(error);
            }
            attempt += 1;
        }
    }

    /// Waits before the next attempt after an error; says whether there is one.
    pub(crate) async fn pause(&self, method: &'static str, attempt: u32, error: &RpcError) -> bool {
        if attempt >= self.options.attempts.get() {
            return false;
        }
        let delay = backoff::delay(&self.options, attempt, error.retry_after(), &*self.entropy);
        counter!("stoa_rpc_retries_total", "method" => method).increment(1);
        tracing::debug!(
            method,
            attempt,
            ?delay,
            error = error as &dyn std::error::Error,
            "asking the node again"
        );
        tokio::time::sleep(delay).await;
        true
    }

    async fn attempt<T>(
        &self,
        method: &'static str,
        body: Vec<u8>,
        read: impl Fn(&[u8]) -> Result<T, RpcError>,
    ) -> Result<T, RpcError> {
        // The semaphore is never closed. The place is kept while the answer is
        // read, so that it also limits the answers in memory.
        let _place = self.places.acquire().await;
        let started = Instant::now();
        let outcome = self
            .endpoint
            .post(body, self.options.timeout, self.options.max_response_bytes)
            .await
            .and_then(|body| read(&body));
        let kind = outcome.as_ref().map_or_else(RpcError::kind, |_| "ok");
        counter!("stoa_rpc_requests_total", "method" => method, "outcome" => kind).increment(1);
        histogram!("stoa_rpc_seconds", "method" => method).record(started.elapsed());
        outcome
    }

    fn take_ids(&self, count: usize) -> u64 {
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        self.next_id.fetch_add(count, Ordering::Relaxed)
    }
}

/// A result as the type that the method promises.
pub(crate) fn parse<'a, T: Deserialize<'a>>(
    method: &'static str,
    result: &'a RawValue,
) -> Result<T, RpcError> {
    serde_json::from_str(result.get()).map_err(|source| RpcError::malformed(method, source))
}

impl fmt::Debug for JsonRpc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonRpc")
            .field("node", &self.endpoint)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
