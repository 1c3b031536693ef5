//! Signatures on the Stark curve by a key that is held in memory.

use primitives::{Felt, starknet_keccak};
use starknet_crypto::{get_public_key, rfc6979_generate_k, sign};
use starknet_types_core::{
    curve::{AffinePoint, ProjectivePoint},
    hash::{Pedersen, StarkHash as _},
};
use std::fmt;

/// Signs for accounts that are owned by one Stark key. The key is never shown.
#[derive(Clone)]
pub struct StarkSigner {
    private_key: Felt,
}

/// Hardly any `k` is unusable; so many in a row never are.
const MAX_K: u32 = 16;

impl StarkSigner {
    /// `None` for zero, which is no key.
    #[must_use]
    pub fn new(private_key: Felt) -> Option<Self> {
        (private_key != Felt::ZERO).then_some(Self { private_key })
    }

    /// By which others know the key.
    #[must_use]
    pub fn public_key(&self) -> Felt {
        get_public_key(&self.private_key)
    }

    /// The key as a point of the curve, both coordinates.
    #[must_use]
    pub fn public_point(&self) -> Option<[Felt; 2]> {
        let generator = AffinePoint::generator();
        let generator = ProjectivePoint::from_affine(generator.x(), generator.y()).ok()?;
        let point = (&generator * self.private_key).to_affine().ok()?;
        Some([point.x(), point.y()])
    }

    /// `r` and `s` for a text: for the Pedersen array hash of its one element,
    /// the text's `starknet_keccak`.
    #[must_use]
    pub fn sign_text(&self, text: &[u8]) -> Option<[Felt; 2]> {
        self.sign(Pedersen::hash_array(&[starknet_keccak(text)]))
    }

    /// `r` and `s` for a hash, the same for the same hash (RFC 6979); `None` for
    /// a number that no hash of a transaction is.
    #[must_use]
    pub fn sign(&self, hash: Felt) -> Option<[Felt; 2]> {
        (0..MAX_K).find_map(|seed| {
            let seed = (seed > 0).then(|| Felt::from(seed));
            let k = rfc6979_generate_k(&hash, &self.private_key, seed.as_ref());
            let signature = sign(&self.private_key, &hash, &k).ok()?;
            Some([signature.r, signature.s])
        })
    }
}

impl fmt::Debug for StarkSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StarkSigner(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use starknet_crypto::verify;

    #[test]
    fn a_signature_is_of_its_key_and_hash_alone_and_the_key_is_not_shown() {
        let signer = StarkSigner::new(Felt::from(0x1234_5678_9abc_u64)).unwrap();
        let hash = Felt::from(42);
        let [r, s] = signer.sign(hash).unwrap();
        assert!(verify(&signer.public_key(), &hash, &r, &s).unwrap());
        assert!(!verify(&signer.public_key(), &Felt::from(43), &r, &s).unwrap());
        assert_eq!(signer.sign(hash), Some([r, s]));
        assert_eq!(format!("{signer:?}"), "StarkSigner(..)");
        assert!(StarkSigner::new(Felt::ZERO).is_none());
    }
}
