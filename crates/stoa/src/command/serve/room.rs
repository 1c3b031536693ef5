//! How many connections fit: every one is an open file, and the system limits
//! those.

use crate::{
    config::Config,
    wiring::{self, Connections},
};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Files that are kept for the store, the nodes, Redis and everything else that is
/// opened from here.
const RESERVED_FILES: u64 = 256;

/// Connections of the operations listener, which has its own.
const OPERATIONS: usize = 32;

/// Connections of simulated nodes at most: they are our own, and those of people
/// who try things out.
const MAX_NODES: u64 = 2_000;

/// Files that can be counted on where the system sets no limit.
const UNLIMITED: u64 = 1 << 20;

/// Who may have how many connections.
#[derive(Debug)]
pub(crate) struct Room {
    /// Of all listeners that strangers can reach.
    pub(super) public: Connections,
    /// Of those who run the program, so that health can be asked at any time.
    pub(super) operations: Connections,
    /// Of the simulated nodes.
    pub(super) nodes: Connections,
}

impl Room {
    /// Asks the system for as many files as it gives, and divides them.
    pub(crate) fn new(config: &Config) -> Self {
        raise_open_files();
        let [public, nodes] = shares(open_files().0, config.server.max_connections.into());
        let of_address = usize::try_from(config.server.max_connections_per_address);
        Self {
            public: wiring::connections(config, public, of_address.unwrap_or(usize::MAX)),
            operations: wiring::connections(config, OPERATIONS, OPERATIONS),
            nodes: wiring::connections(config, nodes, nodes),
        }
    }
}

/// Files that may be open, and how many that could be.
pub(crate) fn open_files() -> (u64, u64) {
    let limit = getrlimit(Resource::Nofile);
    let most = limit.maximum.unwrap_or(UNLIMITED);
    (limit.current.unwrap_or(most), most)
}

/// Takes what the system gives without being asked twice.
fn raise_open_files() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        ..limit
    };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::warn!(%error, "cannot open more files than the system allows at first");
    }
}

/// Connections of strangers and of simulated nodes, when so many files may be open.
fn shares(files: u64, wanted: u64) -> [usize; 2] {
    let files = files.saturating_sub(RESERVED_FILES);
    let nodes = (files / 4).min(MAX_NODES);
    let public = (files - nodes).min(wanted);
    [public, nodes].map(|count| usize::try_from(count.max(1)).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_files_are_always_left() {
        for files in [0, 1, 256, 300, 1_024, 4_096, 65_536, UNLIMITED] {
            let [public, nodes] = shares(files, 10_000);
            let total = u64::try_from(public + nodes).unwrap();
            assert!(
                total <= files.saturating_sub(RESERVED_FILES).max(2),
                "{files}"
            );
            assert!((1..=10_000).contains(&public) && nodes >= 1);
        }
        assert_eq!(shares(1_024, 10_000), [576, 192]);
        assert_eq!(shares(65_536, 10_000), [10_000, 2_000]);
    }
}
