//! Replicas at work.

use services::{Doorbell, Follower};
use store::Store;
use tokio_util::sync::CancellationToken;

/// Has a replica work until told to stop, rung for at every commit to its store, which
/// is on PostgreSQL.
pub fn spawn_replica(follower: Follower, store: &Store, stop: &CancellationToken) {
    let bell = Doorbell::default();
    let commits = store.chain().commits().expect("PostgreSQL");
    tokio::spawn(bell.clone().ring_at_commits(commits, None, stop.clone()));
    tokio::spawn(follower.run(bell, stop.clone()));
}
