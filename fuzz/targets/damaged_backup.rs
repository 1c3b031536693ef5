//! Backups with other bytes here and there: restored, opened and read as a start
//! reads a store, or refused.
//!
//! An input is a list of places in a real backup, and what stands there instead.

#![no_main]

use arbitrary::{Arbitrary, Unstructured};
use libfuzzer_sys::fuzz_target;
use primitives::Clock;
use services::{Indexer, IndexerOptions, Nodes, Progress, Snapshots};
use std::{cell::LazyCell, fs, path::Path, sync::Arc};
use store::{
    Location, Store,
    backup::{Halves, backup, restore},
};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use world::World;

const FILES: [&str; 2] = ["chain.db", "ledger.db"];

#[derive(Debug, Arbitrary)]
struct Damage {
    ledger: bool,
    place: u32,
    bytes: [u8; 3],
}

struct Stage {
    runtime: Runtime,
    world: World,
    /// The files of a backup.
    sound: [Vec<u8>; 2],
}

thread_local! {
    static STAGE: LazyCell<Stage> = LazyCell::new(|| {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let (world, sound) = runtime.block_on(sound_backup());
        Stage { runtime, world, sound }
    });
}

async fn sound_backup() -> (World, [Vec<u8>; 2]) {
    let world = World::new(1).await;
    let folder = world.folder().join("backup");
    let mut station = world.station("sound").await;
    station.sync().await;
    station.store.close().await;
    let dir = world.folder().join("sound");
    let copied = backup(&Location::Sqlite { dir }, &folder, Halves::Both).await;
    copied.expect("a backup");
    let read = |name| fs::read(folder.join(name)).expect("a file of the backup");
    (world, FILES.map(read))
}

// Its making is not part of the time of the first input.
fuzz_target!(init: STAGE.with(|it| _ = LazyCell::force(it)), |data: &[u8]| {
    let Ok(damages) = Vec::<Damage>::arbitrary_take_rest(Unstructured::new(data)) else {
        return;
    };
    STAGE.with(|stage| {
        let mut files = stage.sound.clone();
        let [chain, ledger] = &mut files;
        for damage in &damages {
            let file = if damage.ledger {
                &mut *ledger
            } else {
                &mut *chain
            };
            let places = file.len() - damage.bytes.len();
            let place = damage.place as usize % places;
            file[place..place + damage.bytes.len()].copy_from_slice(&damage.bytes);
        }
        stage.runtime.block_on(read(&stage.world, &files));
    });
});

/// Reads a store of these files as a start does.
async fn read(world: &World, files: &[Vec<u8>; 2]) {
    let folder = TempDir::new().expect("a folder");
    let from = folder.path().join("backup");
    fs::create_dir(&from).expect("a folder");
    for (name, bytes) in FILES.iter().zip(files) {
        fs::write(from.join(name), bytes).expect("a file");
    }
    if let Some(store) = restored(folder.path(), &from).await {
        let opened = Indexer::open(
            Nodes::new(vec![world.client.clone()], 1),
            store.clone(),
            world.known.clone(),
            Snapshots::default(),
            Progress::default(),
            Arc::clone(&world.clock) as Arc<dyn Clock>,
            IndexerOptions::default(),
        );
        drop(opened.await);
        store.close().await;
    }
}

async fn restored(folder: &Path, from: &Path) -> Option<Store> {
    let location = Location::Sqlite {
        dir: folder.join("store"),
    };
    restore(&location, from).await.ok()?;
    let store = Store::open(&location).await.ok()?;
    store.migrate().await.ok()?;
    Some(store)
}
