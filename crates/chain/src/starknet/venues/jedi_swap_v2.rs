//! JediSwap v2: a factory of pools of the Uniswap v3 type.

use super::{
    names::Name,
    words::{Untold, Words},
};
use amm::Signed;
use amm::book::{Created, Movement, PoolEvent, Price, Shape, Spot};
use primitives::Address;

pub(super) fn decode(name: Name, mut words: Words<'_>, from: Address) -> Result<PoolEvent, Untold> {
    let movement = match name {
        Name::PoolCreated => {
            let tokens = [words.address()?, words.address()?];
            let shape = Shape::Tiered {
                fee: words.u32()?,
                tick_spacing: words.u32()?,
            };
            let spot = Spot::Contract(words.address()?);
            words.end()?;
            return Ok(PoolEvent::Created(Created {
                tokens,
                spot,
                shape,
                price: None,
            }));
        }
        Name::Initialize => Movement::Priced(Price {
            sqrt_ratio: words.u256()?,
            tick: words.tick()?,
        }),
        Name::Swap => swap(&mut words)?,
        Name::Mint => {
            // Who paid and who owns.
            words.skip(2)?;
            let (lower, upper) = (words.tick()?, words.tick()?);
            Movement::Position {
                lower,
                upper,
                liquidity: words.small_gain()?,
                delta: [words.gain()?, words.gain()?],
            }
        }
        Name::Burn => {
            words.skip(1)?;
            let (lower, upper) = (words.tick()?, words.tick()?);
            let liquidity = words.small_gain()?;
            // The tokens stay until they are collected.
            words.skip(4)?;
            Movement::Position {
                lower,
                upper,
                liquidity: -liquidity,
                delta: [Signed::ZERO; 2],
            }
        }
        Name::Collect => {
            // Who owned, who receives, and the bounds.
            words.skip(2 + 4)?;
            Movement::Held([-words.small_gain()?, -words.small_gain()?])
        }
        Name::CollectProtocol => {
            // Who asked and who receives.
            words.skip(2)?;
            Movement::Held([-words.small_gain()?, -words.small_gain()?])
        }
        _ => return Err(Untold::Unknown),
    };
    words.end()?;
    Ok(PoolEvent::Moved {
        spot: Spot::Contract(from),
        tokens: None,
        movement,
    })
}

fn swap(words: &mut Words<'_>) -> Result<Movement, Untold> {
    // Who sold and who bought.
    words.skip(2)?;
    let delta = [words.signed_amount()?, words.signed_amount()?];
    let sqrt_ratio = words.u256()?;
    let liquidity = words.u128()?;
    Ok(Movement::Swapped {
        delta,
        price: Price {
            sqrt_ratio,
            tick: words.tick()?,
        },
        liquidity,
    })
}
