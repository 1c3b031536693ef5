//! Ekubo: one contract, and the key of the pool in every event.
//!
//! Layouts changed once: until April 2024 `PoolInitialized` ended with the points
//! at which the pool calls its extension.

use super::{
    names::Name,
    words::{Untold, Words},
};
use amm::Side;
use amm::book::{AskedSwap, Created, Movement, Named, PoolEvent, Price, Shape, Spot};
use primitives::Address;

/// What tells pools apart: tokens, fee, spacing of ticks, extension.
struct Key {
    tokens: [Address; 2],
    spot: Spot,
}

pub(super) fn decode(name: Name, mut words: Words<'_>) -> Result<PoolEvent, Untold> {
    match name {
        Name::PoolInitialized => {
            let Key { tokens, spot } = key(&mut words)?;
            let (tick, sqrt_ratio) = (words.tick()?, words.u256()?);
            if words.left() > 0 {
                words.u8()?;
            }
            words.end()?;
            return Ok(PoolEvent::Created(Created {
                tokens,
                spot,
                shape: Shape::Usual,
                price: Some(Price { sqrt_ratio, tick }),
            }));
        }
        Name::Swapped | Name::PositionUpdated => words.skip(1)?,
        Name::FeesAccumulated | Name::PositionFeesCollected | Name::ProtocolFeesPaid => {}
        _ => return Err(Untold::Unknown),
    }
    let Key { tokens, spot } = key(&mut words)?;
    let movement = match name {
        Name::Swapped => swapped(&mut words)?,
        Name::PositionUpdated => position(&mut words)?,
        Name::FeesAccumulated => Movement::Held([words.small_gain()?, words.small_gain()?]),
        _ => {
            // The salt, the owner and the bounds of the position.
            words.skip(6)?;
            Movement::Held([words.signed()?, words.signed()?])
        }
    };
    words.end()?;
    Ok(PoolEvent::Moved {
        spot,
        tokens: Some(tokens),
        movement,
    })
}

/// The pool whose key an event has.
pub(super) fn named(name: Name, mut words: Words<'_>) -> Result<Named, Untold> {
    if matches!(name, Name::Swapped | Name::PositionUpdated) {
        // Who holds the lock.
        words.skip(1)?;
    }
    let Key { tokens, spot } = key(&mut words)?;
    let tokens = Some(tokens);
    Ok(Named { spot, tokens })
}

/// What a swap was asked for.
pub(super) fn asked(mut words: Words<'_>) -> Result<AskedSwap, Untold> {
    // Who holds the lock.
    words.skip(1)?;
    key(&mut words)?;
    Ok(AskedSwap::Order {
        amount: words.signed()?,
        token: if words.bool()? {
            Side::Token1
        } else {
            Side::Token0
        },
        limit: words.u256()?,
        skip_ahead: words.u128()?,
    })
}

fn key(words: &mut Words<'_>) -> Result<Key, Untold> {
    let tokens = [words.address()?, words.address()?];
    let spot = Spot::Keyed {
        fee: words.u128()?,
        tick_spacing: words.u32()?,
        extension: words.address()?,
    };
    Ok(Key { tokens, spot })
}

fn swapped(words: &mut Words<'_>) -> Result<Movement, Untold> {
    // What was asked for: amount, token, limit, words to skip.
    words.skip(2 + 1 + 2 + 1)?;
    Ok(Movement::Swapped {
        delta: [words.signed()?, words.signed()?],
        price: Price {
            sqrt_ratio: words.u256()?,
            tick: words.tick()?,
        },
        liquidity: words.u128()?,
    })
}

fn position(words: &mut Words<'_>) -> Result<Movement, Untold> {
    // The salt of the position.
    words.skip(1)?;
    Ok(Movement::Position {
        lower: words.tick()?,
        upper: words.tick()?,
        liquidity: words.signed()?,
        delta: [words.signed()?, words.signed()?],
    })
}
