//! Answers of a Starknet node to everything that is asked of one.
//!
//! The first line is the number of a question and the hash of the block that it is
//! about; the others are what the node answers, call by call.

#![no_main]

mod answers;
mod starknet_questions;

use answers::Answers;
use chain::{RpcOptions, StarknetClient};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use primitives::{Entropy, SeededEntropy, felt_from_hex};
use std::{cell::LazyCell, num::NonZeroU32, sync::Arc, time::Duration};
use tokio::runtime::{Builder, Runtime};

struct Node {
    runtime: Runtime,
    answers: Answers,
    client: StarknetClient,
}

thread_local! {
    static NODE: LazyCell<Node> = LazyCell::new(|| {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let answers = Answers::default();
        let (url, _) = runtime.block_on(answers.serve());
        let options = RpcOptions {
            attempts: NonZeroU32::MIN,
            timeout: Duration::from_secs(2),
            backoff_base: Duration::ZERO,
            backoff_cap: Duration::ZERO,
            ..RpcOptions::default()
        };
        let entropy: Arc<dyn Entropy> = Arc::new(SeededEntropy::new(1));
        let url = url.parse().expect("an address");
        let client = StarknetClient::new(url, options, entropy).expect("a client");
        Node { runtime, answers, client }
    });
}

// Its making is not part of the time of the first input.
fuzz_target!(init: NODE.with(|it| _ = LazyCell::force(it)), |text: &str| {
    let Some((question, lines)) = text.split_once('\n') else {
        return;
    };
    let (number, hash) = question.split_once(' ').unwrap_or((question, ""));
    let (Ok(number), hash) = (number.parse(), felt_from_hex(hash).unwrap_or_default()) else {
        return;
    };
    NODE.with(|node| {
        node.answers.set(lines);
        let asked = starknet_questions::ask(&node.client, number, hash);
        node.runtime.block_on(asked);
    });
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    fuzz::mutate(data, size, max_size, seed)
});
