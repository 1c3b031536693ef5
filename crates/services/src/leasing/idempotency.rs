//! Requests that may be repeated: the second one gets the answer of the first.

use super::Leasing;
use crate::fault::Fault;
use primitives::Ulid;
pub use store::leasing::StoredAnswer;

/// What a key is to a request.
#[derive(Debug)]
pub enum Claim {
    /// It is this request's now. The guard must be finished or released.
    Fresh(KeyGuard),
    /// The request was answered before, like this.
    Replay(StoredAnswer),
    /// The same request is being answered just now.
    InFlight,
    /// The key belongs to a request with another body.
    OtherBody,
}

/// Holds a key while its request is answered. Dropped without an answer it
/// frees the key.
#[derive(Debug)]
pub struct KeyGuard {}

impl KeyGuard {
    /// Frees the key, because the request failed.
    pub async fn release(self) -> Result<(), Fault> {
        Ok(())
    }
}

impl Leasing {
    /// Takes a key for a request of a user. `body` is the SHA-256 of the body.
    pub async fn claim(
        &self,
        user: Ulid,
        method: &str,
        path: &str,
        key: Ulid,
        body: [u8; 32],
    ) -> Result<Claim, Fault> {
        let _ = (self, user, method, path, key, body);
        Err(Fault::NoSolanaNode)
    }
}
