//! Hashes and seeded numbers of the simulated chain.

use sha2::{Digest, Sha256};

/// A hash over `parts`; hashes of different domains never meet.
pub(crate) fn digest(domain: &str, base: &[u8; 32], parts: &[u64]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    hasher.update(domain.as_bytes());
    hasher.update([0]);
    hasher.update(base);
    for part in parts {
        hasher.update(part.to_le_bytes());
    }
    hasher.finalize().into()
}

/// A number below `end` that follows from `parts`; 0 if there is none.
pub(crate) fn number(domain: &str, base: &[u8; 32], parts: &[u64], end: u64) -> u64 {
    let digest = digest(domain, base, parts);
    let [b0, b1, b2, b3, b4, b5, b6, b7, ..] = digest;
    let random = u64::from_le_bytes([b0, b1, b2, b3, b4, b5, b6, b7]);
    let scaled = (u128::from(random) * u128::from(end)) >> 64;
    u64::try_from(scaled).unwrap_or_default()
}
