//! Answers of a Solana node to everything that is asked of one.
//!
//! The first line is the number of a question, an account and the name of a
//! transaction; the others are what the node answers, call by call.

#![no_main]

mod answers;
mod node;
mod solana_questions;

use chain::SolanaClient;
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use node::Node;
use primitives::{PublicKey, Signature};
use std::cell::LazyCell;

thread_local! {
    static NODE: LazyCell<Node<SolanaClient>> = LazyCell::new(|| {
        Node::new(async |url, options, entropy| {
            let client = SolanaClient::connect(&[url], options, &entropy, None).await;
            client.expect("a node that answers")
        })
    });
}

// Its making is not part of the time of the first input.
fuzz_target!(init: NODE.with(|it| _ = LazyCell::force(it)), |text: &str| {
    let Some((question, lines)) = text.split_once('\n') else {
        return;
    };
    let mut words = question.split(' ');
    let Some(Ok(number)) = words.next().map(str::parse) else {
        return;
    };
    let account = words.next().and_then(|word| word.parse().ok());
    let account = account.unwrap_or(PublicKey::from_bytes([7; 32]));
    let name = words.next().and_then(|word| word.parse().ok());
    let name = name.unwrap_or(Signature::from_bytes([7; 64]));
    NODE.with(|node| {
        node.ask(lines, async |client| {
            solana_questions::ask(client, number, account, name).await;
        });
    });
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    fuzz::mutate(data, size, max_size, seed)
});
