//! Factories of pairs: each pair tells its reserves after everything that
//! happens to it.

use super::{
    names::Name,
    words::{Untold, Words},
};
use amm::Side;
use amm::book::{Created, Kind, Movement, Named, PoolEvent, Shape, Spot};
use primitives::Address;

pub(super) fn decode(
    kind: Kind,
    name: Name,
    mut words: Words<'_>,
    from: Address,
) -> Result<PoolEvent, Untold> {
    let moved = |pair, movement| PoolEvent::Moved {
        spot: Spot::Contract(pair),
        tokens: None,
        movement,
    };
    let told = match name {
        Name::PairCreated => PoolEvent::Created(created(kind, &mut words)?),
        Name::Sync => moved(from, Movement::Reserves(reserves(kind, &mut words)?)),
        Name::Swap => moved(from, swap(kind, &mut words)?),
        Name::SetPairFee if kind == Kind::StarkDefi => {
            let pair = words.address()?;
            // Whether it is a stable one.
            words.bool()?;
            // Until October 2023 the fee was as wide as an amount.
            let fee = match words.left() {
                1 => words.u64()?,
                _ => u64::try_from(words.amount()?).map_err(|_| Untold::Malformed)?,
            };
            moved(pair, Movement::Fees([fee, fee]))
        }
        Name::Mint | Name::Burn | Name::PairMint | Name::PairBurn => return Err(Untold::Nothing),
        _ => return Err(Untold::Unknown),
    };
    words.end()?;
    Ok(told)
}

/// The pair that an event of a factory is about.
pub(super) fn named(name: Name, mut words: Words<'_>) -> Result<Named, Untold> {
    if name != Name::SetPairFee {
        return Err(Untold::Nothing);
    }
    let spot = Spot::Contract(words.address()?);
    let tokens = None;
    Ok(Named { spot, tokens })
}

/// Both tokens, the pair, and its number. Where pairs may be stable, that stands
/// before the pair, or at the end; there were none at first.
fn created(kind: Kind, words: &mut Words<'_>) -> Result<Created, Untold> {
    let tokens = [words.address()?, words.address()?];
    let is_stable = kind == Kind::SithSwap && words.bool()?;
    let pair = words.address()?;
    words.skip(1)?;
    let is_stable = is_stable || (kind == Kind::StarkDefi && words.left() > 0 && words.bool()?);
    Ok(Created {
        tokens,
        spot: Spot::Contract(pair),
        shape: if is_stable {
            Shape::Stable
        } else {
            Shape::Usual
        },
        price: None,
    })
}

fn reserves(kind: Kind, words: &mut Words<'_>) -> Result<[u128; 2], Untold> {
    if kind == Kind::TenKSwap {
        return Ok([words.u128()?, words.u128()?]);
    }
    Ok([words.amount()?, words.amount()?])
}

/// Whether one token came and the other went, and nothing was borrowed.
pub(super) fn is_plain(kind: Kind, mut words: Words<'_>) -> Result<bool, Untold> {
    let [in0, in1, out0, out1] = flows(kind, &mut words)?.map(|flow| flow > 0);
    Ok(in0 != in1 && in0 == out1 && in1 == out0)
}

/// Who sold, both tokens in, both tokens out, and who bought; in some venues
/// both people are keys.
fn flows(kind: Kind, words: &mut Words<'_>) -> Result<[u128; 4], Untold> {
    let keyed = kind == Kind::StarkDefi;
    words.skip(if keyed { 2 } else { 1 })?;
    let flows = [
        words.amount()?,
        words.amount()?,
        words.amount()?,
        words.amount()?,
    ];
    if !keyed {
        words.skip(1)?;
    }
    Ok(flows)
}

fn swap(kind: Kind, words: &mut Words<'_>) -> Result<Movement, Untold> {
    let [in0, in1, out0, out1] = flows(kind, words)?;
    // What comes straight back is no part of the trade.
    let (sold, amounts) = if in0 > out0 {
        (Side::Token0, [in0 - out0, out1.saturating_sub(in1)])
    } else {
        (Side::Token1, [in1.saturating_sub(out1), out0 - in0])
    };
    Ok(Movement::Traded { sold, amounts })
}
