//! Files that an operator writes or downloads: settings, with the environment over
//! them, and the lists of tokens, anchors and venues. The first byte says which.

#![no_main]

use amm::book::{Registry, Venue};
use config::{Sources, load};
use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use primitives::short_string;
use std::{fs, path::PathBuf, sync::LazyLock};

#[expect(dead_code, unused_imports, reason = "the program uses more of it")]
#[path = "../../crates/stoa/src/config/mod.rs"]
mod config;

/// Where settings are written before they are read.
static PLACE: LazyLock<PathBuf> =
    LazyLock::new(|| std::env::temp_dir().join(format!("stoa-fuzz-{}", std::process::id())));

fuzz_target!(|text: &str| {
    let Some((kind, text)) = text.split_at_checked(1) else {
        return;
    };
    // What is written elsewhere is read elsewhere.
    if text.contains("file:") {
        return;
    }
    match kind {
        "t" => drop(market::Listings::parse(text, short_string("SN_STOA"))),
        "a" => drop(market::price::AnchorList::parse(text)),
        "v" => drop(serde_json::from_str::<Vec<Venue>>(text).map(Registry::new)),
        "e" => environment(text),
        _ => settings(text),
    }
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    fuzz::mutate(data, size, max_size, seed)
});

fn settings(text: &str) {
    fs::write(&*PLACE, text).expect("a file");
    check(&Sources {
        file: Some(PLACE.clone()),
        ..Sources::default()
    });
}

/// Lines of `NAME=VALUE`.
fn environment(text: &str) {
    let lines = text.lines().filter_map(|line| line.split_once('='));
    check(&Sources {
        environment: lines
            .map(|(name, value)| (name.into(), value.into()))
            .collect(),
        ..Sources::default()
    });
}

/// Whatever is wrong can be told, and what is not can be shown.
fn check(sources: &Sources) {
    match load(sources) {
        Ok(loaded) => drop(loaded.print()),
        Err(problems) => drop(problems.to_string()),
    }
}
