//! Factories of pairs: each pair tells its reserves after everything that
//! happens to it.

use super::{
    names::Name,
    words::{Untold, Words},
};
use amm::Side;
use amm::book::{Created, Kind, Movement, PoolEvent, Shape, Spot};
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
            let (pair, fee) = (words.address()?, words.u64()?);
            moved(pair, Movement::Fees([fee, fee]))
        }
        Name::Mint | Name::Burn | Name::PairMint | Name::PairBurn => return Err(Untold::Nothing),
        _ => return Err(Untold::Unknown),
    };
    words.end()?;
    Ok(told)
}

/// Both tokens, what the kind has beyond them, the pair, and its number.
fn created(kind: Kind, words: &mut Words<'_>) -> Result<Created, Untold> {
    let tokens = [words.address()?, words.address()?];
    let has_flag = matches!(kind, Kind::SithSwap | Kind::StarkDefi);
    let shape = if has_flag && words.bool()? {
        Shape::Stable
    } else {
        Shape::Usual
    };
    if kind == Kind::StarkDefi {
        // The fee, which the pair is asked for.
        words.skip(1)?;
    }
    let pair = words.address()?;
    words.skip(1)?;
    Ok(Created {
        tokens,
        spot: Spot::Contract(pair),
        shape,
        price: None,
    })
}

fn reserves(kind: Kind, words: &mut Words<'_>) -> Result<[u128; 2], Untold> {
    if kind == Kind::TenKSwap {
        return Ok([words.u128()?, words.u128()?]);
    }
    Ok([words.amount()?, words.amount()?])
}

/// Who sold, both tokens in, both tokens out, and who bought; in some venues
/// both people are keys.
fn swap(kind: Kind, words: &mut Words<'_>) -> Result<Movement, Untold> {
    let keyed = kind == Kind::StarkDefi;
    words.skip(if keyed { 2 } else { 1 })?;
    let [in0, in1, out0, out1] = [
        words.amount()?,
        words.amount()?,
        words.amount()?,
        words.amount()?,
    ];
    if !keyed {
        words.skip(1)?;
    }
    // What comes straight back is no part of the trade.
    let (sold, amounts) = if in0 > out0 {
        (Side::Token0, [in0 - out0, out1.saturating_sub(in1)])
    } else {
        (Side::Token1, [in1.saturating_sub(out1), out0 - in0])
    };
    Ok(Movement::Traded { sold, amounts })
}
