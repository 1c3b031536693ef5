//! Following a chain to its end and through whatever it does, on simulated nodes: what
//! the store has and what is served.

mod announced;
mod exactness;
mod faults;
mod figures;
mod followed;
mod following;
mod forgetting;
mod head_start;
mod learned;
mod outlook;
mod pools;
mod pruned;
mod recoded;
mod rehearsals;
mod same_hash;
mod shares;
mod standby;
mod strangers;
mod takeover;
mod trouble;
mod vaults;
mod venues;
mod verifying;

/// Runs a case of a property, which is not asynchronous itself.
#[expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
fn in_runtime<T>(case: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.unwrap().block_on(case)
}
