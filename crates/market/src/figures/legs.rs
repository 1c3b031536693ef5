//! Trades as volume: what moved of which token, and what it was worth.

use super::{
    UsdE8,
    delta::{Flow, FlowPoint},
    trade::Trade,
};
use crate::{series::Sum, token_id::TokenId, whole::whole};
use amm::{Signed, book::VenueId};
use primitives::U256;
use std::collections::BTreeMap;

/// Hundred-millionths in a dollar.
const E8: f64 = 1e8;

/// What an amount may be counted as.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Worth {
    /// USD for a whole token.
    pub(super) usd: f64,
    /// USD that stand behind that price.
    pub(super) support: f64,
    /// The token's decimals.
    pub(super) decimals: u8,
}

/// A trade's pool: its venue and tokens, as far as they are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TradedPool {
    pub(super) venue: VenueId,
    pub(super) tokens: [Option<TokenId>; 2],
}

/// One token in one transaction.
#[derive(Debug, Clone, Copy, Default)]
struct Passage {
    gross: Sum,
    into_pools: u128,
    out_of_pools: u128,
}

/// The volume of a block's trades, and what each of them was worth. `worth` is asked of trusted tokens only. No
/// trade counts for more of a token than there is, where `supply` knows: who lends
/// a pool liquidity and takes it back at once can trade with more than exists.
pub(super) fn flows(
    trades: &[Trade],
    place: impl Fn(&Trade) -> Option<TradedPool>,
    worth: impl Fn(TokenId) -> Option<Worth>,
    supply: impl Fn(TokenId) -> Option<u128>,
) -> (Vec<FlowPoint>, Vec<UsdE8>) {
    let mut worths = Vec::with_capacity(trades.len());
    let mut sums: BTreeMap<(TokenId, Flow), Sum> = BTreeMap::new();
    let mut passages: BTreeMap<(u32, TokenId), Passage> = BTreeMap::new();
    for trade in trades {
        let Some(place) = place(trade) else {
            worths.push(0);
            continue;
        };
        let [gained0, gained1] = trade.gained;
        let [token0, token1] = place.tokens;
        let limit = |token: Option<TokenId>, gained: Signed| {
            let most = token.and_then(&supply).unwrap_or(u128::MAX);
            Signed::new(gained.magnitude().min(most), gained.is_negative())
        };
        let gained = [limit(token0, gained0), limit(token1, gained1)];
        let usd = leg(place.tokens, gained.map(Signed::magnitude), &worth);
        worths.push(usd);
        for (token, gained) in place.tokens.into_iter().zip(gained) {
            let Some(token) = token else { continue };
            let flow = Flow::Traded(place.venue);
            let units = gained.magnitude();
            add(sums.entry((token, flow)).or_default(), units, usd);
            let passage = passages.entry((trade.transaction, token)).or_default();
            passage.take(gained, usd);
        }
    }
    for ((_, token), passage) in passages {
        let (units, usd) = passage.net();
        add(sums.entry((token, Flow::Net)).or_default(), units, usd);
    }
    let points = sums.into_iter();
    let points = points
        .filter(|(_, gross)| gross.units > 0 || gross.usd > 0)
        .map(|((token, flow), Sum { units, usd })| FlowPoint {
            token,
            flow,
            units,
            usd,
        });
    (points.collect(), worths)
}

impl Passage {
    fn take(&mut self, gained: Signed, usd: u128) {
        let units = gained.magnitude();
        add(&mut self.gross, units, usd);
        let side = if gained.is_negative() {
            &mut self.out_of_pools
        } else {
            &mut self.into_pools
        };
        *side = side.saturating_add(units);
    }

    /// What did not only pass through, and its share of the worth.
    fn net(&self) -> (u128, u128) {
        let net = self.into_pools.abs_diff(self.out_of_pools);
        (net, share(self.gross.usd, net, self.gross.units))
    }
}

/// Adds to a sum.
fn add(sum: &mut Sum, units: u128, usd: u128) {
    *sum = sum.plus(Sum { units, usd });
}

/// `whole · part / all`, rounded down; never more than the whole.
fn share(whole: u128, part: u128, all: u128) -> u128 {
    if part >= all {
        return whole;
    }
    let product = U256::from(whole) * U256::from(part);
    (product / U256::from(all)).saturating_to()
}

/// What a leg is worth: by the trusted token, or by the one with more behind
/// its price; nothing if neither is trusted.
fn leg(
    tokens: [Option<TokenId>; 2],
    amounts: [u128; 2],
    worth: &impl Fn(TokenId) -> Option<Worth>,
) -> u128 {
    let mut best: Option<(f64, u128)> = None;
    for (token, units) in tokens.into_iter().zip(amounts) {
        if let Some(worth) = token.and_then(worth)
            && best.is_none_or(|(support, _)| worth.support > support)
        {
            best = Some((worth.support, worth.of(units)));
        }
    }
    best.map_or(0, |(_, usd)| usd)
}

impl Worth {
    /// What an amount is worth, in hundred-millionths of a dollar.
    pub(super) fn of(&self, units: u128) -> u128 {
        let usd = whole(units, self.decimals) * self.usd * E8;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the cast saturates, and there are no negative prices"
        )]
        let rounded = usd.round() as u128;
        rounded
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use amm::book::PoolId;

    const A: TokenId = TokenId(0);
    const B: TokenId = TokenId(1);
    const C: TokenId = TokenId(2);

    fn trade(transaction: u32, gained: [i128; 2]) -> Trade {
        let pool: PoolId = postcard::from_bytes(&[0]).unwrap();
        Trade {
            transaction,
            pool,
            gained: gained.map(Signed::from),
        }
    }

    fn dollars(token: TokenId) -> Option<Worth> {
        (token != C).then_some(Worth {
            usd: 2.0,
            support: f64::from(token.0),
            decimals: 0,
        })
    }

    fn volume(trades: &[(Trade, [TokenId; 2])]) -> Vec<(TokenId, Flow, u128, u128)> {
        let all: Vec<Trade> = trades.iter().map(|(trade, _)| *trade).collect();
        let place = |trade: &Trade| {
            let (_, tokens) = trades.iter().find(|(other, _)| other == trade)?;
            Some(TradedPool {
                venue: VenueId::at(0)?,
                tokens: tokens.map(Some),
            })
        };
        // There are ten thousand of B.
        let supply = |token| (token == B).then_some(10_000);
        let (points, worths) = flows(&all, place, dollars, supply);
        assert_eq!(worths.len(), all.len());
        points
            .into_iter()
            .map(|point| (point.token, point.flow, point.units, point.usd))
            .collect()
    }

    fn at() -> Flow {
        Flow::Traded(VenueId::at(0).unwrap())
    }

    #[test]
    fn a_leg_is_worth_the_same_for_both_tokens() {
        let volume = volume(&[(trade(0, [10, -7]), [A, B])]);
        let usd = 7 * 2 * 100_000_000;
        assert_eq!(
            volume,
            [
                (A, at(), 10, usd),
                (A, Flow::Net, 10, usd),
                (B, at(), 7, usd),
                (B, Flow::Net, 7, usd),
            ]
        );
    }

    #[test]
    fn no_trade_counts_for_more_than_there_is() {
        let most = i128::MAX;
        let volume = volume(&[(trade(0, [most, -most]), [A, B])]);
        let (usd, units) = (10_000 * 2 * 100_000_000, most.unsigned_abs());
        assert_eq!(volume[0], (A, at(), units, usd));
        assert_eq!(volume[2], (B, at(), 10_000, usd));
        assert_eq!(volume[3], (B, Flow::Net, 10_000, usd));
    }

    #[test]
    fn a_token_that_is_not_trusted_is_worth_what_is_given_for_it() {
        let volume = volume(&[(trade(0, [1_000_000, -3]), [C, A])]);
        assert_eq!(volume[2], (C, at(), 1_000_000, 600_000_000));
    }

    #[test]
    fn what_only_passes_through_is_not_net() {
        let volume = volume(&[
            (trade(5, [10, -7]), [A, B]),
            (trade(5, [7, -9]), [B, C]),
            (trade(6, [1, -1]), [B, A]),
        ]);
        let net = |token| {
            let flows = volume
                .iter()
                .filter(|(of, flow, ..)| *of == token && *flow == Flow::Net);
            flows.map(|(_, _, units, usd)| (*units, *usd)).sum_pairs()
        };
        assert_eq!(net(B), (1, 200_000_000));
        assert_eq!(net(C).0, 9);
        assert_eq!(net(A).0, 11);
        for (token, _, _, net) in volume.iter().filter(|(_, flow, ..)| *flow == Flow::Net) {
            let gross = volume
                .iter()
                .find(|(of, flow, ..)| of == token && *flow == at());
            assert!(*net <= gross.unwrap().3);
        }
    }

    trait SumPairs {
        fn sum_pairs(self) -> (u128, u128);
    }

    impl<I: Iterator<Item = (u128, u128)>> SumPairs for I {
        fn sum_pairs(self) -> (u128, u128) {
            self.fold((0, 0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1))
        }
    }

    #[test]
    fn shares_are_exact_and_never_more_than_the_whole() {
        assert_eq!(share(10, 1, 3), 3);
        assert_eq!(share(10, 3, 3), 10);
        assert_eq!(share(u128::MAX, u128::MAX - 1, u128::MAX), u128::MAX - 1);
        assert_eq!(share(10, 0, 0), 10);
    }
}
