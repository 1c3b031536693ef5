//! Answers of a Starknet node to everything that is asked of one.
//!
//! The first line is the number of a question and the hash of the block that it is
//! about; the others are what the node answers, call by call.

#![no_main]

mod answers;
mod node;
mod starknet_questions;

use chain::StarknetClient;
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use node::Node;
use primitives::felt_from_hex;
use std::cell::LazyCell;

thread_local! {
    static NODE: LazyCell<Node<StarknetClient>> = LazyCell::new(|| {
        Node::new(async |url, options, entropy| {
            StarknetClient::new(url, options, entropy).expect("a client")
        })
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
        node.ask(lines, async |client| {
            starknet_questions::ask(client, number, hash).await;
        });
    });
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    fuzz::mutate(data, size, max_size, seed)
});
