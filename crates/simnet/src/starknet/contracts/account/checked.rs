//! Signatures of Stark keys. Good ones are remembered: whether a key signed a hash
//! depends on nothing else.

use super::remembered::Remembered;
use primitives::Felt;
use std::sync::LazyLock;

/// A key, a hash, `r` and `s`.
static GOOD: LazyLock<Remembered<[Felt; 4], ()>> = LazyLock::new(Remembered::default);

/// Whether the owner of a key signed a hash.
pub(super) fn is_signed(key: Felt, hash: Felt, [r, s]: [Felt; 2]) -> bool {
    let check = |[key, hash, r, s]: &[Felt; 4]| {
        let verified = starknet_crypto::verify(key, hash, r, s);
        matches!(verified, Ok(true)).then_some(())
    };
    GOOD.answer([key, hash, r, s], check).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::starknet::wallet::Wallet;

    #[test]
    fn a_good_signature_makes_no_other_one_good() {
        let wallet = Wallet::fresh(7);
        let (key, other) = (wallet.public_key(), Wallet::fresh(8).public_key());
        let hash = Felt::from(0x1234);
        let [r, s] = wallet.sign(hash).try_into().unwrap();
        for _ in 0..2 {
            assert!(is_signed(key, hash, [r, s]));
            assert!(!is_signed(other, hash, [r, s]));
            assert!(!is_signed(key, hash + Felt::ONE, [r, s]));
            assert!(!is_signed(key, hash, [r + Felt::ONE, s]));
            assert!(!is_signed(key, hash, [r, s + Felt::ONE]));
            assert!(!is_signed(key, hash, [s, r]));
        }
    }
}
