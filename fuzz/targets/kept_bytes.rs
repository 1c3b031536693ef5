//! What stores keep as bytes, perhaps of an older program or a damaged disk: changes
//! and books of pools, figures of blocks, pages of series, trades. What is read is
//! written as something that is read as the same.

#![no_main]

mod registry;

use amm::book::{Book, changes_from_bytes, changes_to_bytes};
use libfuzzer_sys::fuzz_target;
use market::{
    figures::{Delta, Figures, KeptFigures},
    series::{LevelTrack, PriceTrack, SumTrack, TrackPage},
    trades_from_bytes, trades_to_bytes,
};
use registry::registry;

fuzz_target!(|data: &[u8]| {
    let Some((kind, bytes)) = data.split_first() else {
        return;
    };
    match kind % 6 {
        0 => changes(bytes),
        1 => book(bytes),
        2 => delta(bytes),
        3 => trades(bytes),
        4 => figures(bytes),
        _ => pages(bytes),
    }
});

fn changes(bytes: &[u8]) {
    let Ok(changes) = changes_from_bytes(bytes) else {
        return;
    };
    let again = changes_from_bytes(&changes_to_bytes(&changes));
    assert_eq!(again.ok().as_ref(), Some(&changes));
}

fn book(bytes: &[u8]) {
    if let Ok(book) = Book::from_bytes(registry(), 1, bytes) {
        let whole = book.to_bytes();
        let again = Book::from_bytes(registry(), 1, &whole).expect("a book that was kept");
        assert!(again.to_bytes() == whole, "a book is kept as it was");
    }
}

fn delta(bytes: &[u8]) {
    let _ = Delta::to_take_back(bytes);
    if let Ok(delta) = Delta::from_bytes(bytes) {
        let written = delta.to_bytes();
        let again = Delta::from_bytes(&written).expect("what was just written");
        assert!(
            again.to_bytes() == written,
            "figures of a block are kept as they were"
        );
    }
}

fn trades(bytes: &[u8]) {
    if let Ok(trades) = trades_from_bytes(bytes) {
        let again = trades_from_bytes(&trades_to_bytes(&trades)).unwrap_or_default();
        assert_eq!(again, trades);
    }
}

fn figures(bytes: &[u8]) {
    let kept = KeptFigures {
        state: bytes.to_vec(),
        pages: Vec::new(),
    };
    let _ = Figures::from_kept(kept);
}

/// Pages of one series: each a resolution, a number, a length and bytes.
fn pages(bytes: &[u8]) {
    let Some((kind, mut bytes)) = bytes.split_first() else {
        return;
    };
    let mut pages: Vec<TrackPage> = Vec::new();
    while let Some(([resolution, number, length], rest)) = bytes.split_first_chunk() {
        let (page, rest) = rest.split_at(rest.len().min(usize::from(*length)));
        pages.push((*resolution, u32::from(*number), page.to_vec()));
        bytes = rest;
    }
    match kind % 3 {
        0 => drop(PriceTrack::from_pages(pages)),
        1 => drop(SumTrack::from_pages(pages)),
        _ => drop(LevelTrack::from_pages(pages)),
    }
}
