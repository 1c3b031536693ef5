//! A backup of a store that is written to, against `cp` of its files, which does not
//! give a store that can be used. Both are waited for until they are on disk.

use crate::{Goal, Row, median};
use market::BlockEffects;
use primitives::{BlockRef, Felt};
use std::{fs, fs::File, path::Path, process::Command, time::Duration};
use store::{
    Location, Store,
    backup::{Halves, backup},
};
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;
use world::World;

const TURNS: usize = 5;

/// Blocks in which nothing happens, so many at once: more than a hundred megabytes, as a
/// store has that is worth a backup. Copying a small one is opening files.
const PORTIONS: usize = 1_200;
const PORTION: u64 = 1_000;

/// Between two writes.
const PAUSE: Duration = Duration::from_millis(5);

pub(crate) fn live() -> Row {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    Row {
        what: "backup of a SQLite in use, time",
        baseline: "cp of its files",
        ratio: runtime.block_on(ratio()),
        goal: Goal::AtMost(1.5),
    }
}

async fn ratio() -> f64 {
    let world = World::new(1).await;
    let mut station = world.station("store").await;
    station.sync().await;
    for _ in 0..PORTIONS {
        append(&station.store, PORTION).await;
    }
    let _writing = AbortOnDropHandle::new(tokio::spawn(write(station.store.clone())));
    let dir = world.folder().join("store");
    let location = Location::Sqlite { dir: dir.clone() };
    let mut ratios = Vec::new();
    for turn in 0..TURNS {
        let to = world.folder().join(format!("cp-{turn}"));
        let start = Instant::now();
        copy(&dir, &to);
        let copied = start.elapsed();
        let to = world.folder().join(format!("backup-{turn}"));
        let start = Instant::now();
        backup(&location, &to, Halves::Both).await.unwrap();
        ratios.push(start.elapsed().as_secs_f64() / copied.as_secs_f64());
    }
    median(ratios)
}

fn copy(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("-r").args([from, to]).status();
    assert!(copied.unwrap().success());
    for file in fs::read_dir(to).unwrap() {
        File::open(file.unwrap().path())
            .unwrap()
            .sync_all()
            .unwrap();
    }
}

/// Adds blocks again and again.
async fn write(store: Store) {
    loop {
        append(&store, 1).await;
        tokio::time::sleep(PAUSE).await;
    }
}

/// Adds blocks in which nothing happens.
async fn append(store: &Store, count: u64) {
    let chain = store.chain();
    let time = chain.tip_time().await.unwrap().unwrap();
    let tip = chain.tip().await.unwrap().unwrap();
    let block = |number: u64| BlockRef {
        number,
        hash: Felt::from(number),
    };
    let mut parent = tip.hash;
    let mut effects = Vec::new();
    for number in tip.number + 1..=tip.number + count {
        effects.push(BlockEffects::quiet(block(number), parent, time));
        parent = block(number).hash;
    }
    chain.append(Some(tip), &effects).await.unwrap();
}
