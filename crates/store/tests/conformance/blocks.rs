//! Blocks to store.

use market::{BlockEffects, Refusal, TokenMetadata, TokenReading};
use primitives::{Address, BlockRef, Felt, Timestamp};

/// The block of a height on a fork.
pub(crate) fn block(number: u64, fork: u64) -> BlockRef {
    BlockRef {
        number,
        hash: Felt::from(number * 1_000 + fork),
    }
}

/// An address, by a number.
pub(crate) fn address(number: u64) -> Address {
    Address::new(Felt::from(number))
}

/// A token that can be listed.
pub(crate) fn readable(name: &str) -> TokenReading {
    TokenReading::Readable(TokenMetadata {
        name: name.into(),
        symbol: name.to_uppercase(),
        decimals: 18,
    })
}

/// A block without readings on top of `parent`.
pub(crate) fn empty(parent: BlockRef, fork: u64) -> BlockEffects {
    let block = block(parent.number + 1, fork);
    let second = 1_700_000_000 + i64::try_from(block.number).unwrap();
    BlockEffects::quiet(block, parent.hash, Timestamp::from_second(second).unwrap())
}

/// `count` blocks on top of `parent`. Each has two readings: one of a token of
/// its own, and one of a token that every block reads again.
pub(crate) fn fork(parent: BlockRef, fork: u64, count: usize) -> Vec<BlockEffects> {
    let mut parent = parent;
    let refusals = [
        Refusal::Unanswered,
        Refusal::Malformed,
        Refusal::Invisible,
        Refusal::Decimals,
    ];
    let mut effects = Vec::new();
    for refusal in refusals.into_iter().cycle().take(count) {
        let mut effect = empty(parent, fork);
        let number = effect.block.number;
        effect.readings = vec![
            (address(1), TokenReading::Refused(refusal)),
            (
                address(100 + number),
                readable(&format!("t{number}f{fork}")),
            ),
        ];
        parent = effect.block;
        effects.push(effect);
    }
    effects
}
