//! Challenges, signed well and badly.

use super::*;
use ed25519_dalek::{Signer as _, SigningKey};
use proptest::prelude::*;

/// The order of the curve's group, little-endian.
const ORDER: [u8; 32] = [
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
];

const TEXT: &str = "lease-market:v1:register";

/// What `@solana/offchain-messages` makes of [`TEXT`] for [`SIGNER`], and what
/// the crate `solana-offchain-message`, which the command line is built on,
/// makes of it.
const SIGNER: &str = "GKot5hBsd81kMupNCXHaqbhv3huEbxAFMLnpcX2hniwn";
const VERSION_0: &str = concat!(
    "ff736f6c616e61206f6666636861696e",
    "00",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "00",
    "01e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "1800",
    "6c656173652d6d61726b65743a76313a7265676973746572",
);
const VERSION_1: &str = concat!(
    "ff736f6c616e61206f6666636861696e",
    "01",
    "01e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6c656173652d6d61726b65743a76313a7265676973746572",
);
const COMMAND_LINE: &str = concat!(
    "ff736f6c616e61206f6666636861696e",
    "00",
    "00",
    "1800",
    "6c656173652d6d61726b65743a76313a7265676973746572",
);

fn holder(seed: u8) -> (SigningKey, PublicKey) {
    let holder = SigningKey::from_bytes(&[seed; 32]);
    let key = PublicKey::from_bytes(holder.verifying_key().to_bytes());
    (holder, key)
}

fn sign(holder: &SigningKey, bytes: &[u8]) -> Signature {
    Signature::from_bytes(holder.sign(bytes).to_bytes())
}

fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

#[test]
fn envelopes_are_those_of_the_usual_libraries() {
    let signer = SIGNER.parse().unwrap();
    for (form, expected) in [
        (SignedForm::CommandLine, COMMAND_LINE),
        (SignedForm::Version0, VERSION_0),
        (SignedForm::Version1, VERSION_1),
    ] {
        assert_eq!(hex(&form.bytes(signer, TEXT)), expected, "{form:?}");
    }
}

#[test]
fn a_signature_in_any_form_proves_the_key() {
    let (holder, key) = holder(1);
    for form in [
        SignedForm::Raw,
        SignedForm::CommandLine,
        SignedForm::Version0,
        SignedForm::Version1,
    ] {
        let signature = sign(&holder, &form.bytes(key, TEXT));
        assert_eq!(verify_challenge(key, TEXT, signature), Ok(form));
        let (_, another) = self::holder(2);
        assert_eq!(verify_challenge(another, TEXT, signature), Err(NotSigned));
        assert_eq!(verify_challenge(key, "other", signature), Err(NotSigned));
    }
}

#[test]
fn an_envelope_for_another_signer_proves_nothing() {
    let (holder, key) = holder(1);
    let (_, another) = self::holder(2);
    for form in [SignedForm::Version0, SignedForm::Version1] {
        let signature = sign(&holder, &form.bytes(another, TEXT));
        assert_eq!(verify_challenge(key, TEXT, signature), Err(NotSigned));
    }
}

#[test]
fn envelopes_are_for_short_printable_text() {
    let (holder, key) = holder(1);
    let longest = "x".repeat(MAX_ENVELOPED);
    assert_eq!(
        SignedForm::Version0.bytes(key, &longest).len(),
        1_232,
        "the longest text fills a transaction"
    );
    for (text, allowed) in [
        (longest.as_str(), true),
        (&"x".repeat(MAX_ENVELOPED + 1), false),
        ("two\nlines", false),
        ("é", false),
        ("", false),
    ] {
        let signature = sign(&holder, &SignedForm::CommandLine.bytes(key, text));
        let verdict = verify_challenge(key, text, signature);
        assert_eq!(verdict.is_ok(), allowed, "{text:.20}");
        let raw = sign(&holder, text.as_bytes());
        assert_eq!(verify_challenge(key, text, raw), Ok(SignedForm::Raw));
    }
}

#[test]
fn a_second_form_of_a_signature_is_none() {
    // The scalar plus the group's order is the same scalar to a lenient reader.
    let (holder, key) = holder(1);
    let mut bytes = *sign(&holder, TEXT.as_bytes()).as_bytes();
    let mut carry = 0;
    for (byte, order) in bytes[32..].iter_mut().zip(ORDER) {
        let sum = u16::from(*byte) + u16::from(order) + carry;
        *byte = sum.to_le_bytes()[0];
        carry = sum >> 8;
    }
    assert_eq!(carry, 0);
    let signature = Signature::from_bytes(bytes);
    assert_eq!(verify_challenge(key, TEXT, signature), Err(NotSigned));
}

#[test]
fn a_key_that_would_sign_anything_signs_nothing() {
    // The neutral point and its second spelling, a point of order two and one
    // of four. With the neutral point as R and zero as S, the plain equation
    // holds for the first whatever the text is.
    let mut neutral = [0; 32];
    neutral[0] = 1;
    let mut neutral_again = [0xff; 32];
    neutral_again[0] = 0xee;
    neutral_again[31] = 0x7f;
    let mut order_two = [0xff; 32];
    order_two[0] = 0xec;
    order_two[31] = 0x7f;
    let order_four = [0; 32];
    for key in [neutral, neutral_again, order_two, order_four] {
        for r in [neutral, neutral_again, order_two, order_four] {
            let mut signature = [0; 64];
            signature[..32].copy_from_slice(&r);
            let verdict = verify_challenge(
                PublicKey::from_bytes(key),
                TEXT,
                Signature::from_bytes(signature),
            );
            assert_eq!(verdict, Err(NotSigned), "{}", hex(&key));
        }
    }
}

proptest! {
    #[test]
    fn one_flipped_bit_spoils_the_proof(seed in any::<u8>(), bit in 0_usize..(64 + 32) * 8) {
        let (holder, key) = holder(seed);
        let mut bytes = sign(&holder, TEXT.as_bytes()).as_bytes().to_vec();
        bytes.extend(key.as_bytes());
        bytes[bit / 8] ^= 1 << (bit % 8);
        let signature = Signature::try_from(&bytes[..64]).unwrap();
        let key = PublicKey::try_from(&bytes[64..]).unwrap();
        prop_assert_eq!(verify_challenge(key, TEXT, signature), Err(NotSigned));
    }

    #[test]
    fn no_bytes_make_the_check_panic(
        key in any::<[u8; 32]>(), text in ".{0,40}", r in any::<[u8; 32]>(), s in any::<[u8; 32]>(),
    ) {
        let mut signature = [0; 64];
        signature[..32].copy_from_slice(&r);
        signature[32..].copy_from_slice(&s);
        let signature = Signature::from_bytes(signature);
        let verdict = verify_challenge(PublicKey::from_bytes(key), &text, signature);
        prop_assert_eq!(verdict, Err(NotSigned));
    }
}
