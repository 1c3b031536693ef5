//! Draws from the world's randomness.

use primitives::Felt;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// An element below 2^250: fit for an address or a private key.
pub(super) fn random_felt(rng: &mut ChaCha8Rng) -> Felt {
    let mut bytes = [0; 32];
    rng.fill_bytes(&mut bytes);
    bytes[0] &= 0b11;
    Felt::from_bytes_be(&bytes)
}

/// A factor around 1 of which the logarithm is normal with this deviation.
pub(super) fn log_normal(deviation: f64, rng: &mut ChaCha8Rng) -> f64 {
    let radius: f64 = 1.0 - rng.random_range(0.0..1.0);
    let angle = rng.random_range(0.0..std::f64::consts::TAU);
    (deviation * (-2.0 * radius.ln()).sqrt() * angle.cos()).exp()
}
