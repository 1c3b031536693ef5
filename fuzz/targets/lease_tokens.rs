//! Lease tokens as a gateway verifies them, the market's published keys and
//! revocations, and signatures of wallets.
//!
//! The lines of an input are a set of keys, the head of a token and its claims, which
//! are signed, or a whole token. All of it is also read as a page of revocations, and
//! as the bytes of a key, a signature and a text.

#![no_main]

use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use leasing::{
    Gateway, Jwks, Revocations, TokenSecret, assembled, verify_challenge, verify_lease_token,
};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use primitives::{PublicKey, Signature, Timestamp};
use std::sync::LazyLock;

static SECRET: LazyLock<TokenSecret> =
    LazyLock::new(|| TokenSecret::from_bytes(&[7; 32]).expect("a key"));

fuzz_target!(|text: &str| {
    let _ = Revocations::default().add(text.as_bytes());
    let mut lines = text.split('\n');
    let keys = lines
        .next()
        .and_then(|line| serde_json::from_str(line).ok());
    let keys: Jwks = keys.unwrap_or_else(published);
    let token = match (lines.next().unwrap_or_default(), lines.next()) {
        (head, Some(claims)) => signed(head, claims),
        (whole, None) => whole.to_owned(),
    };
    let gateway = Gateway {
        identity: PublicKey::from_bytes([1; 32]),
        issuer: "https://market.example",
        now: Timestamp::UNIX_EPOCH,
        epoch: 1,
    };
    let _ = verify_lease_token(&token, &keys, &gateway, |_| false);
    signature(text.as_bytes());
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    fuzz::mutate(data, size, max_size, seed)
});

/// A token of our own key, whose name stands in its head as `@kid@`.
fn signed(head: &str, claims: &str) -> String {
    let kid = SECRET.public().expect("a key").kid();
    let head = BASE64_URL_SAFE_NO_PAD.encode(head.replace("@kid@", &kid));
    let input = format!("{head}.{}", BASE64_URL_SAFE_NO_PAD.encode(claims));
    assembled(&input, &SECRET.sign(input.as_bytes()))
}

fn published() -> Jwks {
    let key = SECRET.public().expect("a key");
    Jwks {
        keys: vec![key.jwk()],
    }
}

/// The bytes of a key, a signature and the text that it may be of.
fn signature(bytes: &[u8]) {
    let Some((key, rest)) = bytes.split_first_chunk::<32>() else {
        return;
    };
    let Some((signature, text)) = rest.split_first_chunk::<64>() else {
        return;
    };
    let text = String::from_utf8_lossy(text);
    let signature = Signature::from_bytes(*signature);
    let _ = verify_challenge(PublicKey::from_bytes(*key), &text, signature);
}
