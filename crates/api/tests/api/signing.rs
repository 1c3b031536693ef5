//! Signed answers.

use crate::support::{Answer, Bench, get};
use primitives::{Felt, felt_from_hex, starknet_keccak};
use services::AnswerSigner;
use starknet_crypto::{get_public_key, pedersen_hash, verify};

const TOKENS: &str = "/v1/starknet/tokens?size=100";

fn key() -> Felt {
    Felt::from(0x5709_u64)
}

async fn signing() -> Bench {
    Bench::configured(|config| config.signer = AnswerSigner::new(key())).await
}

/// Whether the header is a signature of the body, checked from its description.
fn is_signed(answer: &Answer) -> bool {
    let signature = answer.header("signature").unwrap();
    let (r, s) = signature.split_once(',').unwrap();
    let (r, s) = (felt_from_hex(r).unwrap(), felt_from_hex(s).unwrap());
    let keccak = starknet_keccak(&answer.body);
    let hash = pedersen_hash(&pedersen_hash(&Felt::ZERO, &keccak), &Felt::ONE);
    verify(&get_public_key(&key()), &hash, &r, &s).unwrap()
}

#[tokio::test]
async fn whoever_asks_for_a_signature_gets_one_of_the_very_body() {
    let bench = signing().await;
    for path in [
        TOKENS,
        "/v3/tokens?size=5",
        "/v1/starknet/tokens?size=0",
        "/nothing",
    ] {
        let mut answer = bench.send(get(path).header("ask-signature", "true")).await;
        assert!(is_signed(&answer), "{path}");
        answer.body.push(b' ');
        assert!(!is_signed(&answer), "{path}");
    }
}

#[tokio::test]
async fn a_signed_answer_is_whole_and_not_compressed() {
    let bench = signing().await;
    let tag = bench.get(TOKENS).await;
    let tag = tag.header("etag").unwrap_or("*").to_owned();
    let question = get(TOKENS)
        .header("ask-signature", "True")
        .header("accept-encoding", "gzip, br")
        .header("if-none-match", tag);
    let answer = bench.send(question).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-encoding"), None);
    assert!(is_signed(&answer));
    let varies = answer.headers.get_all("vary").iter();
    assert!(varies.into_iter().any(|value| value == "ask-signature"));
}

#[tokio::test]
async fn who_does_not_ask_or_cannot_be_answered_gets_no_signature() {
    let bench = signing().await;
    assert_eq!(bench.get(TOKENS).await.header("signature"), None);
    let no = bench
        .send(get(TOKENS).header("ask-signature", "false"))
        .await;
    assert_eq!(no.header("signature"), None);
    let without_key = Bench::new().await;
    let answer = without_key
        .send(get(TOKENS).header("ask-signature", "true"))
        .await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("signature"), None);
}
