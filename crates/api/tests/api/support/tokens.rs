//! The tokens that the tests ask about.

use market::{BlockEffects, Directory, Listings, TokenList, admit};
use primitives::{Address, BlockRef, Felt, Timestamp};

const LISTED: &str = r#"{"tokens": [
    {"chainId": 1, "address": "0x30", "tags": ["Verified", "PLATFORM"],
     "logoURI": "https://logo.example/eth.svg",
     "extensions": {"coingeckoId": "ethereum", "website": "https://ether.example"}},
    {"chainId": 1, "address": "0x40", "tags": ["Community"]},
    {"chainId": 1, "address": "0x50", "tags": ["Unruggable"]}
]}"#;

const NAMED: [(u64, &str, &str, u64); 5] = [
    (0x10, "Bridged \"Ether\"", "ETHB", 18),
    (0x20, "Staked Ether", "wstETH", 18),
    (0x30, "Ether", "ETH", 18),
    (0x40, "Ether Look-alike", "eth", 6),
    (0x50, "Plain Coin", "PLN é/%", 0),
];

/// The five named tokens, and as many more as are asked for.
pub(super) fn list(more: u64) -> TokenList {
    let named = NAMED.iter().map(|(address, name, symbol, decimals)| {
        (
            *address,
            (*name).to_owned(),
            (*symbol).to_owned(),
            *decimals,
        )
    });
    let more = (0..more).map(|n| (0x1000 + n, format!("Token number {n}"), format!("T{n}"), 18));
    let readings = named.chain(more).map(|(address, name, symbol, decimals)| {
        let address = Address::new(Felt::from(address));
        (address, admit(&name, &symbol, Felt::from(decimals)))
    });
    let mut directory = Directory::default();
    directory.apply(&BlockEffects {
        readings: readings.collect(),
        ..BlockEffects::quiet(head(), Felt::ZERO, Timestamp::UNIX_EPOCH)
    });
    let listings = Listings::parse(LISTED, Felt::ONE).unwrap();
    TokenList::new(&directory, &listings, |_| false)
}

pub(super) fn head() -> BlockRef {
    BlockRef {
        number: 7,
        hash: Felt::from(0xabc),
    }
}
