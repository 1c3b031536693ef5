//! How many streams are open: in all, and of one address. Each holds a connection
//! for as long as its reader likes.

use super::{
    client_address::{AddressRange, ClientAddress},
    error::Rejection,
};
use axum::http::request::Parts;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Streams that are open now.
const OPEN: &str = "stoa_streams_open";

/// How many streams there may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamLimits {
    /// In all.
    pub total: usize,
    /// Of one IPv4 address, or of one network of IPv6.
    pub per_address: usize,
}

impl Default for StreamLimits {
    fn default() -> Self {
        Self {
            total: 1_000,
            per_address: 32,
        }
    }
}

/// The open streams. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct Streams(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    limits: StreamLimits,
    trusted: Vec<AddressRange>,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    total: usize,
    of_address: HashMap<String, usize>,
}

/// A stream that may be open, until this is dropped.
#[derive(Debug)]
pub(crate) struct Seat {
    streams: Streams,
    address: String,
}

impl Streams {
    pub(crate) fn new(limits: StreamLimits, trusted: Vec<AddressRange>) -> Self {
        Self(Arc::new(Inner {
            limits,
            trusted,
            open: Mutex::default(),
        }))
    }

    /// Lets whoever sent a request have one more.
    pub(crate) fn admit(&self, request: &Parts) -> Result<Seat, Rejection> {
        let Parts {
            extensions,
            headers,
            ..
        } = request;
        self.seat(ClientAddress::of(extensions, headers, &self.0.trusted).key())
    }

    fn seat(&self, address: String) -> Result<Seat, Rejection> {
        let limits = self.0.limits;
        let mut open = self.lock();
        let of_address = open.of_address.get(&address).copied().unwrap_or(0);
        if of_address >= limits.per_address {
            let most = limits.per_address;
            return Err(Rejection::TooManyStreams { most });
        }
        if open.total >= limits.total {
            return Err(Rejection::StreamsFull);
        }
        open.total += 1;
        open.of_address.insert(address.clone(), of_address + 1);
        drop(open);
        metrics::gauge!(OPEN).increment(1);
        Ok(Seat {
            streams: self.clone(),
            address,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut open = self.streams.lock();
        open.total -= 1;
        if let Some(count) = open.of_address.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                open.of_address.remove(&self.address);
            }
        }
        drop(open);
        metrics::gauge!(OPEN).decrement(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_its_share_and_all_together_have_theirs() {
        let limits = StreamLimits {
            total: 3,
            per_address: 2,
        };
        let streams = Streams::new(limits, Vec::new());
        let seat = |address: &str| streams.seat(address.to_owned());
        let first = seat("a").unwrap();
        let second = seat("a").unwrap();
        let refused = seat("a").unwrap_err();
        assert!(matches!(refused, Rejection::TooManyStreams { most: 2 }));
        let third = seat("b").unwrap();
        assert!(matches!(seat("c").unwrap_err(), Rejection::StreamsFull));
        drop(first);
        assert!(seat("c").is_ok());
        drop((second, third));
        let left = streams.lock();
        assert_eq!((left.total, left.of_address.len()), (0, 0));
    }
}
