//! Threads of their own for what follows the chain: blocks are decoded and applied there,
//! which takes a processor for milliseconds, and never on a thread that answers requests.

use anyhow::Context as _;
use tokio::runtime::{Builder, Handle, Runtime};

/// A runtime beside the one that answers. It has to outlive the store, whose
/// connections belong to the runtime that opened them.
#[derive(Debug)]
pub(super) struct Apart {
    /// Taken when it is dropped.
    runtime: Option<Runtime>,
    handle: Handle,
}

impl Apart {
    pub(super) fn new() -> anyhow::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .enable_all()
            .thread_name("follows-chain")
            .build()
            .context("cannot start the threads that follow the chain")?;
        Ok(Self {
            handle: runtime.handle().clone(),
            runtime: Some(runtime),
        })
    }

    pub(super) const fn handle(&self) -> &Handle {
        &self.handle
    }
}

impl Drop for Apart {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Waiting for its threads would block one that answers.
            runtime.shutdown_background();
        }
    }
}
