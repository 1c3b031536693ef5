//! Events of contracts: of every kind of exchange, of recurring orders and of
//! delegation pools. What exchanges tell is followed by a book of pools, which can
//! take the block back and is kept and read as the same.

#![no_main]

mod registry;

use amm::{
    Curve as _, Side,
    book::{Book, Kind, changes_from_bytes, changes_to_bytes},
};
use arbitrary::{Arbitrary, Unstructured};
use chain::Event;
use libfuzzer_sys::fuzz_target;
use primitives::{Felt, U256, selector};
use registry::{address, registry};
use std::sync::LazyLock;
use trading::{
    recurring::{DeployedOrder, OrderEvent},
    staking::DeedReader,
};

/// Names that decoders know.
const NAMES: &[&str] = &[
    "Burn",
    "ClassHashReplaced",
    "Collect",
    "CollectProtocol",
    "FeesAccumulated",
    "Initialize",
    "Mint",
    "PairBurn",
    "PairCreated",
    "PairMint",
    "PoolCreated",
    "PoolInitialized",
    "PositionFeesCollected",
    "PositionUpdated",
    "ProtocolFeesPaid",
    "SetPairFee",
    "Swap",
    "Swapped",
    "Sync",
    "Upgraded",
    "DcaOrderDeployed",
    "CycleExecuted",
    "CycleSkipped",
    "OrderClosed",
    "OrderCancelled",
    "PoolMemberBalanceChanged",
    "PoolMemberExitIntent",
    "PoolMemberExitAction",
    "PoolMemberRewardClaimed",
];

static SELECTORS: LazyLock<Vec<Felt>> =
    LazyLock::new(|| NAMES.iter().map(|name| selector(name)).collect());

/// A word of an event, in the sizes that mean something to contracts.
#[derive(Debug, Arbitrary)]
enum Word {
    Small(u8),
    Number(u128),
    Negative(u64),
    Whole([u8; 32]),
    Sign(bool),
}

#[derive(Debug, Arbitrary)]
struct Told {
    from: u8,
    name: u8,
    keys: Vec<Word>,
    data: Vec<Word>,
}

fuzz_target!(|data: &[u8]| {
    let Ok(told) = Vec::<Told>::arbitrary_take_rest(Unstructured::new(data)) else {
        return;
    };
    let events: Vec<Event> = told.iter().map(event).collect();
    let mut deeds = DeedReader::default();
    for Event { keys, data, .. } in &events {
        let _ = DeployedOrder::read(keys, data);
        let _ = OrderEvent::read(keys, data);
        let _ = deeds.read(Felt::ONE, keys, data);
    }
    follow(&events);
});

fn follow(events: &[Event]) {
    let mut book = Book::new(registry());
    book.begin(1);
    let before = book.to_bytes();
    let mut changes = Vec::new();
    for event in events {
        for kind in Kind::ALL {
            let _ = (chain::named_pool(kind, event), chain::asked(kind, event));
            let _ = chain::pool_event(kind, event);
        }
        let _ = chain::deposited(event);
        let Some(speaker) = book.speaker(event.from) else {
            continue;
        };
        let venue = book.pools().registry().venue(speaker.venue());
        let Some(kind) = venue.map(|venue| venue.kind) else {
            continue;
        };
        let told = chain::pool_event(kind, event).ok();
        let change = told.and_then(|told| book.change(speaker, &told));
        if let Some(change) = change {
            book.apply(&change);
            changes.push(change);
        }
    }
    for pool in book.pools().iter() {
        if let Ok(curve) = pool.curve() {
            for side in Side::BOTH {
                let _ = curve.exact_in(side, U256::MAX);
                let _ = curve.exact_out(side, U256::ONE);
                let _ = curve.ladder(side);
            }
        }
        let _ = pool.quotation();
    }
    let kept = changes_to_bytes(&changes);
    assert_eq!(changes_from_bytes(&kept).ok().as_ref(), Some(&changes));
    let whole = book.to_bytes();
    let again = Book::from_bytes(registry(), 1, &whole).expect("a book that was kept");
    assert!(again.to_bytes() == whole, "a book is kept as it was");
    book.rollback(None).expect("one block");
    assert!(
        book.to_bytes() == before,
        "a block that is taken back leaves nothing"
    );
}

fn event(told: &Told) -> Event {
    let name = SELECTORS.get(usize::from(told.name) % SELECTORS.len());
    let name = name.copied().unwrap_or_default();
    let words = |words: &[Word]| words.iter().map(felt).collect::<Vec<_>>();
    let mut keys = words(&told.keys);
    keys.insert(0, name);
    Event {
        transaction: 0,
        from: address(u64::from(told.from % 16)),
        keys,
        data: words(&told.data),
    }
}

fn felt(word: &Word) -> Felt {
    match word {
        Word::Small(number) => Felt::from(*number),
        Word::Number(number) => Felt::from(*number),
        Word::Negative(number) => Felt::ZERO - Felt::from(*number),
        Word::Whole(bytes) => Felt::from_bytes_be(bytes),
        Word::Sign(sign) => Felt::from(u8::from(*sign)),
    }
}
