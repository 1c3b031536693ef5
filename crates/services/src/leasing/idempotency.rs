//! Requests that may be repeated: the second one gets the answer of the first.
//!
//! A request takes its key in the very transaction that does what it asks for
//! and keeps the answer: one commit, and nothing to clean up after a request
//! that fails or a process that dies. A copy that comes meanwhile is told so at
//! once by the process that has the first one; at another replica it waits for
//! the first one's answer.

use super::context::Context;
use crate::{fault::Fault, refused::Refused};
use primitives::{Impossible, SignedDuration, Ulid};
use std::{
    collections::{HashMap, hash_map::Entry},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use store::leasing::{KeyClaim, KeyName, LedgerTx};

pub use store::leasing::StoredAnswer;

/// How long an answer is kept.
const LIFETIME: SignedDuration = SignedDuration::from_hours(24);

/// The keys of a market's guarded requests. Clones share everything.
#[derive(Debug, Clone)]
pub struct IdempotencyKeys {
    context: Arc<Context>,
    in_flight: Arc<InFlight>,
}

/// What a key is to a request.
#[derive(Debug)]
pub enum Claim {
    /// It is this request's now.
    Fresh(KeyGuard),
    /// The request was answered before, like this.
    Replay(StoredAnswer),
    /// The same request is being answered just now.
    InFlight,
    /// The key belongs to a request with another body.
    OtherBody,
}

/// Holds a key while its request is answered, in a transaction that whatever
/// the request does is written with. Dropped without an answer it leaves
/// nothing, and the key is free.
#[derive(Debug)]
pub struct KeyGuard {
    /// Ends before the place is given up.
    pub(super) tx: LedgerTx,
    place: InFlightClaim,
}

impl KeyGuard {
    /// Frees the key, because the request failed.
    pub async fn release(self) {
        let Self { tx, place } = self;
        if let Err(error) = tx.rollback().await {
            // Without its connection the transaction is over too.
            let error = Fault::from(error).chain_text();
            tracing::warn!(error, "a request that failed could not be taken back");
        }
        drop(place);
    }

    /// Makes what was done last, together with the answer that `render` makes of it;
    /// what was refused frees the key.
    pub(super) async fn finish<T, E>(
        self,
        done: Result<T, Refused<E>>,
        render: impl FnOnce(&T) -> Result<StoredAnswer, Impossible>,
    ) -> Result<(T, StoredAnswer), Refused<E>> {
        let done = match done {
            Ok(done) => done,
            Err(refused) => {
                self.release().await;
                return Err(refused);
            }
        };
        let answer = render(&done).map_err(Fault::from)?;
        let Self { mut tx, place } = self;
        tx.answer_key(&place.name, &answer).await?;
        tx.commit().await?;
        Ok((done, answer))
    }
}

/// The keys of requests that this process is answering, with the digests of
/// their bodies. There are never more than requests.
#[derive(Debug, Default)]
struct InFlight(Mutex<HashMap<KeyName, [u8; 32]>>);

impl InFlight {
    fn lock(&self) -> MutexGuard<'_, HashMap<KeyName, [u8; 32]>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request's place among those in flight; dropped, it is free.
#[derive(Debug)]
struct InFlightClaim {
    in_flight: Arc<InFlight>,
    name: KeyName,
}

impl InFlightClaim {
    /// Takes the place of a key, or tells the body of the request that has it.
    fn take(in_flight: &Arc<InFlight>, name: KeyName, body: [u8; 32]) -> Result<Self, [u8; 32]> {
        match in_flight.lock().entry(name.clone()) {
            Entry::Occupied(held) => return Err(*held.get()),
            Entry::Vacant(free) => free.insert(body),
        };
        Ok(Self {
            in_flight: Arc::clone(in_flight),
            name,
        })
    }
}

impl Drop for InFlightClaim {
    fn drop(&mut self) {
        self.in_flight.lock().remove(&self.name);
    }
}

impl IdempotencyKeys {
    pub(super) fn new(context: Arc<Context>) -> Self {
        Self {
            context,
            in_flight: Arc::default(),
        }
    }

    /// Takes a key for a request of a user. `body` is the SHA-256 of the body.
    ///
    /// While the guard lives, only what is written with it can be written to a
    /// ledger on SQLite.
    pub async fn claim(
        &self,
        user: Ulid,
        method: &str,
        path: &str,
        key: Ulid,
        body: [u8; 32],
    ) -> Result<Claim, Fault> {
        let context = &*self.context;
        let name = KeyName {
            user,
            method: method.to_owned(),
            path: path.to_owned(),
            key,
        };
        let place = match InFlightClaim::take(&self.in_flight, name, body) {
            Ok(place) => place,
            Err(held) if held == body => return Ok(Claim::InFlight),
            Err(_) => return Ok(Claim::OtherBody),
        };
        let (now, expires_at) = (context.now(), context.in_future(LIFETIME));
        let mut tx = context.store.ledger().begin().await?;
        let claim = tx.claim_key(&place.name, &body, now, expires_at).await?;
        Ok(match claim {
            KeyClaim::Taken => Claim::Fresh(KeyGuard { tx, place }),
            KeyClaim::Answered(answer) => Claim::Replay(answer),
            KeyClaim::Held => Claim::InFlight,
            KeyClaim::OtherBody => Claim::OtherBody,
        })
    }
}
