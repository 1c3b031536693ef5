//! What contracts with many pools, or with ticks, say of them at a block, so that
//! pools can be followed from there on.

use super::{
    calls::View,
    pools::{Answer, MAX_PAIRS, answers},
    venues::{Untold, Words},
};
use crate::{error::RpcError, jsonrpc::JsonRpc};
use amm::book::{Created, Kind, Price, Shape, Spot};
use primitives::{Address, Felt};

/// A pool of a contract that numbers its pools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NumberedPool {
    /// The pool.
    pub created: Created,
    /// What it holds.
    pub reserves: [u128; 2],
}

/// A pool with ticks that is to be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TickedQuestion {
    /// How its venue speaks.
    pub kind: Kind,
    /// Where it lies.
    pub contract: Address,
    /// Its tokens, in the pool's order.
    pub tokens: [Address; 2],
    /// What tells it from others.
    pub spot: Spot,
}

/// Where a pool with ticks stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TickedPool {
    /// The price; its root is zero before the first one.
    pub price: Price,
    /// The liquidity at the price.
    pub liquidity: u128,
}

impl TickedQuestion {
    fn views(&self) -> Vec<View> {
        let Spot::Keyed {
            fee,
            tick_spacing,
            extension,
        } = self.spot
        else {
            let names = ["get_sqrt_price_X96", "get_tick", "get_liquidity"];
            return names.map(|name| View::plain(self.contract, name)).into();
        };
        let [token0, token1] = self.tokens.map(Address::felt);
        let key = [
            token0,
            token1,
            Felt::from(fee),
            Felt::from(tick_spacing),
            extension.felt(),
        ];
        let view = |entrypoint| View {
            contract: self.contract,
            entrypoint,
            calldata: key.to_vec(),
        };
        ["get_pool_price", "get_pool_liquidity"].map(view).into()
    }

    /// What the answers mean, one after the other: the root of the price, its tick
    /// and the liquidity. Ekubo's price once ended with more.
    fn read(answers: &[Answer]) -> Option<TickedPool> {
        let mut words = answers
            .iter()
            .map(|answer| answer.as_deref().map(|felts| Words::new(&[], felts)));
        let mut first = words.next()??;
        let sqrt_ratio = first.u256().ok()?;
        let tick = match answers.len() {
            2 => first.tick(),
            _ => words.next()??.tick(),
        };
        let price = Price {
            sqrt_ratio,
            tick: tick.ok()?,
        };
        let liquidity = words.next()??.u128().ok()?;
        Some(TickedPool { price, liquidity })
    }
}

pub(super) async fn ticked(
    rpc: &JsonRpc,
    pools: &[TickedQuestion],
    block_hash: Felt,
) -> Result<Vec<Option<TickedPool>>, RpcError> {
    let views: Vec<Vec<View>> = pools.iter().map(TickedQuestion::views).collect();
    let said = answers(rpc, &views.concat(), block_hash).await?;
    let mut rest = said.as_slice();
    let told = views.iter().map(|views| {
        let (answers, later) = rest.split_at_checked(views.len())?;
        rest = later;
        TickedQuestion::read(answers)
    });
    Ok(told.collect())
}

/// The pools of mySwap's only contract, which counts them from 1.
pub(super) async fn numbered(
    rpc: &JsonRpc,
    contract: Address,
    block_hash: Felt,
) -> Result<Vec<NumberedPool>, RpcError> {
    let count = View::plain(contract, "get_total_number_of_pools");
    let count = answers(rpc, &[count], block_hash).await?.pop().flatten();
    let count = count.and_then(|felts| Words::new(&[], &felts).u64().ok());
    let numbers = 1..=count.unwrap_or(0).min(MAX_PAIRS as u64);
    let views: Vec<View> = numbers
        .clone()
        .map(|number| View {
            contract,
            entrypoint: "get_pool",
            calldata: vec![Felt::from(number)],
        })
        .collect();
    let said = answers(rpc, &views, block_hash).await?;
    let told = numbers
        .zip(said)
        .filter_map(|(number, felts)| numbered_pool(number, Words::new(&[], &felts?)).ok());
    Ok(told.collect())
}

fn numbered_pool(number: u64, mut words: Words<'_>) -> Result<NumberedPool, Untold> {
    // Its name.
    words.skip(1)?;
    let (token0, reserve0) = (words.address()?, words.amount()?);
    let (token1, reserve1) = (words.address()?, words.amount()?);
    let fee = words.u32()?;
    Ok(NumberedPool {
        created: Created {
            tokens: [token0, token1],
            spot: Spot::Numbered(number),
            shape: Shape::Charged { fee },
            price: None,
        },
        reserves: [reserve0, reserve1],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use primitives::U256;

    fn felts(words: &[u64]) -> Vec<Felt> {
        words.iter().copied().map(Felt::from).collect()
    }

    fn read(answers: &[&[u64]]) -> Option<TickedPool> {
        let answers: Vec<Answer> = answers.iter().map(|words| Some(felts(words))).collect();
        TickedQuestion::read(&answers)
    }

    #[test]
    fn both_ways_of_telling_a_price_are_read() {
        let told = TickedPool {
            price: Price {
                sqrt_ratio: U256::from(9_u8),
                tick: -4,
            },
            liquidity: 7,
        };
        let of_core: [&[u64]; 2] = [&[9, 0, 4, 1], &[7]];
        let with_call_points: [&[u64]; 2] = [&[9, 0, 4, 1, 31], &[7]];
        let of_pool: [&[u64]; 3] = [&[9, 0], &[4, 1], &[7]];
        for answers in [&of_core[..], &with_call_points, &of_pool] {
            assert_eq!(read(answers), Some(told), "{answers:?}");
        }
        let short: [&[u64]; 2] = [&[9], &[7]];
        let no_sign: [&[u64]; 3] = [&[9, 0], &[4, 2], &[7]];
        for wrong in [&short[..], &no_sign, &[]] {
            assert_eq!(read(wrong), None, "{wrong:?}");
        }
        let refused = [Some(felts(&[9, 0, 4, 1])), None];
        assert_eq!(TickedQuestion::read(&refused), None);
    }

    #[test]
    fn a_numbered_pool_is_read_in_its_order() {
        let felts = felts(&[1, 10, 5, 0, 11, 6, 0, 30, 0, 0]);
        let pool = numbered_pool(3, Words::new(&[], &felts)).unwrap();
        assert_eq!(pool.reserves, [5, 6]);
        assert_eq!(pool.created.shape, Shape::Charged { fee: 30 });
        assert!(numbered_pool(3, Words::new(&[], &felts[..6])).is_err());
    }
}
