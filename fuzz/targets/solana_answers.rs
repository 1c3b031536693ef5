//! Answers of a Solana node to everything that is asked of one.
//!
//! The first line is the number of a question, an account and the name of a
//! transaction; the others are what the node answers, call by call.

#![no_main]

mod answers;
mod solana_questions;

use answers::Answers;
use chain::{RpcOptions, SolanaClient};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use primitives::{Entropy, PublicKey, SeededEntropy, Signature};
use std::{cell::LazyCell, num::NonZeroU32, sync::Arc, time::Duration};
use tokio::runtime::{Builder, Runtime};

struct Node {
    runtime: Runtime,
    answers: Answers,
    client: SolanaClient,
}

thread_local! {
    static NODE: LazyCell<Node> = LazyCell::new(|| {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let answers = Answers::default();
        let client = runtime.block_on(client(&answers));
        Node { runtime, answers, client }
    });
}

async fn client(answers: &Answers) -> SolanaClient {
    let (url, _) = answers.serve().await;
    let options = RpcOptions {
        attempts: NonZeroU32::MIN,
        timeout: Duration::from_secs(2),
        backoff_base: Duration::ZERO,
        backoff_cap: Duration::ZERO,
        ..RpcOptions::default()
    };
    let entropy: Arc<dyn Entropy> = Arc::new(SeededEntropy::new(1));
    let urls = [url.parse().expect("an address")];
    let client = SolanaClient::connect(&urls, options, &entropy, None).await;
    client.expect("a node that answers")
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
        node.answers.set(lines);
        let asked = solana_questions::ask(&node.client, number, account, name);
        node.runtime.block_on(asked);
    });
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    fuzz::mutate(data, size, max_size, seed)
});
