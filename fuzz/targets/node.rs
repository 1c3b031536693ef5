//! A client of a node whose answers a target says.

use crate::answers::Answers;
use chain::RpcOptions;
use primitives::{Entropy, SeededEntropy};
use std::{num::NonZeroU32, sync::Arc, time::Duration};
use tokio::runtime::{Builder, Runtime};
use url::Url;

pub(crate) struct Node<C> {
    runtime: Runtime,
    answers: Answers,
    client: C,
}

impl<C> Node<C> {
    /// With a client that asks once and does not wait for long.
    pub(crate) fn new(connect: impl AsyncFnOnce(Url, RpcOptions, Arc<dyn Entropy>) -> C) -> Self {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("a runtime");
        let answers = Answers::default();
        let options = RpcOptions {
            attempts: NonZeroU32::MIN,
            timeout: Duration::from_secs(2),
            backoff_base: Duration::ZERO,
            backoff_cap: Duration::ZERO,
            ..RpcOptions::default()
        };
        let client = runtime.block_on(async {
            let (url, _) = answers.serve().await;
            let url = url.parse().expect("an address");
            connect(url, options, Arc::new(SeededEntropy::new(1))).await
        });
        Self {
            runtime,
            answers,
            client,
        }
    }

    /// Asks something while these lines are the answers.
    pub(crate) fn ask(&self, lines: &str, question: impl AsyncFnOnce(&C)) {
        self.answers.set(lines);
        self.runtime.block_on(question(&self.client));
    }
}
