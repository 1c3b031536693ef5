//! mySwap v1: one contract, and the number of the pool in every event.
//!
//! The venue's source is not public; these are the events of the simulated
//! network's contract.

use super::{
    names::Name,
    words::{Untold, Words},
};
use amm::book::{Created, Movement, Named, PoolEvent, Shape, Spot};

/// The pool whose number an event has.
pub(super) fn named(mut words: Words<'_>) -> Result<Named, Untold> {
    let spot = Spot::Numbered(words.u64()?);
    let tokens = None;
    Ok(Named { spot, tokens })
}

pub(super) fn decode(name: Name, mut words: Words<'_>) -> Result<PoolEvent, Untold> {
    match name {
        Name::PoolCreated | Name::Sync | Name::Swap => {}
        Name::Mint | Name::Burn => return Err(Untold::Nothing),
        _ => return Err(Untold::Unknown),
    }
    let spot = Spot::Numbered(words.u64()?);
    let told = match name {
        Name::PoolCreated => PoolEvent::Created(Created {
            spot,
            tokens: [words.address()?, words.address()?],
            shape: Shape::Charged { fee: words.u32()? },
            price: None,
        }),
        Name::Sync => PoolEvent::Moved {
            spot,
            tokens: None,
            movement: Movement::Reserves([words.amount()?, words.amount()?]),
        },
        _ => {
            // Who traded.
            words.skip(1)?;
            PoolEvent::Sold {
                spot,
                token: words.address()?,
                amounts: [words.amount()?, words.amount()?],
            }
        }
    };
    words.end()?;
    Ok(told)
}
