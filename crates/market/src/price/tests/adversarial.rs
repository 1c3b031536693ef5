//! Attacks on the price of one token, and what they do to our price and to the
//! usual ones.
//!
//! The usual methods are treated kindly: they are told the true prices of all
//! anchors that are not under attack themselves, and always have an answer.

use super::{
    baselines::Method::{LastTrade, WeightedMean},
    baselines::{METHODS, Method, Seen},
    *,
};

/// How much of a pool's liquidity lies within two per cent of its price, where
/// it is spread over all prices.
const SPREAD: f64 = 0.005;

/// A token under attack.
struct Attack {
    name: &'static str,
    truth: f64,
    /// Pools that are not the token's.
    around: Vec<Edge>,
    /// The token's pools before the attack.
    honest: Vec<Seen>,
    /// The token's pools in the block of the attack.
    attacked: Vec<Seen>,
    /// What the last trade of that block was made at.
    last_trade: f64,
    /// Which of the usual methods are wrong by more than a hundredth.
    fools: &'static [Method],
}

impl Attack {
    fn edges(&self, pools: &[Seen]) -> Vec<Edge> {
        let pools = pools.iter().map(|seen| seen.edge);
        numbered(self.around.iter().copied().chain(pools))
    }

    /// The most that our price is wrong, over many blocks of attack and without
    /// a memory of better days.
    fn our_error(&self) -> f64 {
        let attacked = self.edges(&self.attacked);
        let mut market = TestMarket::of(&self.edges(&self.honest));
        assert_near(market.usd(T), self.truth);
        let mut errors = vec![error(TestMarket::of(&attacked).usd(T), self.truth)];
        for _ in 0..9 {
            market.block(&attacked);
            errors.push(error(market.usd(T), self.truth));
        }
        errors.into_iter().fold(0.0, f64::max)
    }

    fn error_of(&self, method: Method) -> f64 {
        error(method.usd(&self.attacked, self.last_trade), self.truth)
    }
}

/// A pool of the token that is spread over all prices.
fn spread(other: TokenId, price: f64, other_usd: f64, liquidity: f64) -> Seen {
    Seen {
        edge: pool([T, other], price, liquidity * SPREAD / other_usd),
        other_usd,
        liquidity,
    }
}

/// Three honest pools, in which the token is worth five dollars, give or take a
/// few tenths of a per cent.
fn honest() -> Vec<Seen> {
    vec![
        spread(USDC, 5.0, 1.0, 1_000_000.0),
        spread(USDT, 5.01, 1.0, 900_000.0),
        spread(ETH, 4.99 / 3_000.0, 3_000.0, 1_000_000.0),
    ]
}

fn attack(name: &'static str, more: &[Seen]) -> Attack {
    let attacked = [honest(), more.to_vec()].concat();
    Attack {
        name,
        truth: 5.0,
        around: honest_anchors(),
        honest: honest(),
        // Whoever makes a pool trades there, too.
        last_trade: more
            .last()
            .map_or(5.0, |seen| seen.edge.mid * seen.other_usd),
        attacked,
        fools: &[LastTrade],
    }
}

fn tiny_pool_at_any_price() -> Vec<Attack> {
    let price = |exponent: i32| 5.0 * 10_f64.powi(exponent);
    [-30, -6, -1, 1, 6, 30]
        .map(|exponent| Attack {
            fools: if exponent > 0 {
                &[LastTrade, WeightedMean]
            } else {
                &[LastTrade]
            },
            ..attack(
                "a pool a hundred dollars deep",
                &[spread(USDC, price(exponent), 1.0, 100.0 / SPREAD)],
            )
        })
        .into()
}

fn nearly_half_of_all_depth() -> Vec<Attack> {
    let liquidity = 0.49 / 0.51 * honest().iter().map(|seen| seen.liquidity).sum::<f64>() * 0.98;
    [0.1, 10.0]
        .map(|factor| Attack {
            fools: &METHODS,
            ..attack(
                "49 % of the depth at ten times or a tenth of the price",
                &[spread(USDC, 5.0 * factor, 1.0, liquidity)],
            )
        })
        .into()
}

fn wash_pool() -> Attack {
    attack(
        "a thin pool that trades with itself",
        &[spread(USDC, 15.0, 1.0, 10_000.0)],
    )
}

fn stale_liquidity() -> Attack {
    // Ten million lie at prices that nobody trades at; at the pool's own price
    // there is next to nothing.
    let mut stale = spread(USDC, 12.0, 1.0, 10_000_000.0);
    stale.edge = pool([T, USDC], 12.0, 50.0);
    Attack {
        fools: &METHODS,
        ..attack("much liquidity that is out of range", &[stale])
    }
}

fn one_sided_pool() -> Attack {
    // Nothing but the token itself, which its maker has enough of.
    let mut one_sided = spread(USDC, 50.0, 1.0, 50_000_000.0);
    one_sided.edge.depth = [2.0, 1_000_000.0];
    Attack {
        fools: &METHODS,
        ..attack("a pool of the token alone", &[one_sided])
    }
}

fn lost_stable() -> Attack {
    // DAI falls to half a dollar; its pools follow, and the plain observer
    // believes in a dollar.
    let mut dai = spread(DAI, 10.0, 0.5, 2_000_000.0);
    dai.other_usd = 1.0;
    Attack {
        around: vec![
            pool([USDT, USDC], 1.0, 500_000.0),
            pool([DAI, USDC], 0.5, 200_000.0),
            pool([ETH, USDC], 3_000.0, 900_000.0),
        ],
        fools: &METHODS,
        ..attack("a stable that lost its peg", &[dai])
    }
}

fn fake_ecosystem() -> Attack {
    // Two minted tokens with a huge pool between them, a tiny link to real
    // money, and pools that hold much of them and hardly any of the token.
    let [a, b] = [ordinary(1), ordinary(2)];
    let mut around = honest_anchors();
    around.extend([pool([a, b], 1.0, 1e9), pool([a, USDC], 100.0, 100.0)]);
    let huge = [a, b].map(|minted| {
        let mut huge = spread(minted, 0.5, 100.0, 30_000_000.0);
        huge.edge.depth = [3_000.0, 0.1];
        huge
    });
    Attack {
        around,
        fools: &METHODS,
        ..attack("an ecosystem of minted tokens", &huge)
    }
}

fn bought_ecosystem() -> Attack {
    // The same with a link that is worth some trust, and a hundred tokens that
    // hang on it.
    let mut around = honest_anchors();
    let root = ordinary(1);
    around.push(pool([root, USDC], 1.0, 2_000.0));
    let minted: Vec<TokenId> = (2..102).map(ordinary).collect();
    around.extend(minted.iter().map(|token| pool([*token, root], 1.0, 1e9)));
    let pools: Vec<Seen> = minted
        .into_iter()
        .map(|token| spread(token, 50.0, 1.0, 2e6))
        .collect();
    Attack {
        around,
        fools: &METHODS,
        ..attack("minted tokens with a little real money", &pools)
    }
}

fn hostile_decimals() -> Vec<Attack> {
    // One whole token is so many or so few of the smallest units that prices
    // are at the ends of the scale; a dust pool says the opposite.
    [-36, -18, 18, 36]
        .map(|exponent| {
            let truth = 10_f64.powi(exponent);
            let honest = vec![spread(USDC, truth, 1.0, 1e6), spread(USDT, truth, 1.0, 9e5)];
            let dust = spread(USDC, truth.recip(), 1.0, 10.0);
            Attack {
                truth,
                attacked: [honest.clone(), vec![dust]].concat(),
                honest,
                last_trade: truth.recip(),
                fools: if exponent < 0 {
                    &[LastTrade, WeightedMean]
                } else {
                    &[LastTrade]
                },
                ..attack("a token with absurd decimals", &[])
            }
        })
        .into()
}

/// A pool that is spread over all prices, from trade to trade.
struct Reserves([f64; 2]);

impl Reserves {
    /// Sells so much of one token and returns what comes out.
    fn sell(&mut self, side: usize, amount: f64) -> f64 {
        let product = self.0[0] * self.0[1];
        self.0[side] += amount;
        let left = product / self.0[side];
        std::mem::replace(&mut self.0[1 - side], left) - left
    }

    fn price(&self) -> f64 {
        self.0[1] / self.0[0]
    }
}

fn sandwich() -> Attack {
    // Somebody buys before a victim and sells after it, in the same block; the
    // price that others bring back is what the block ends with.
    let mut reserves = Reserves([100_000.0, 500_000.0]);
    let before = reserves.price();
    let bought = reserves.sell(1, 100_000.0);
    let at_worst = reserves.price();
    reserves.sell(1, 1_000.0);
    let at_worst = at_worst.max(reserves.price());
    let returned = reserves.sell(0, bought);
    let last_trade = returned / bought;
    assert!(at_worst / before > 1.4, "the block has seen another price");
    assert!(error(reserves.price(), before) < 0.005, "its end has not");
    let mut attacked = honest();
    attacked[0].edge.mid = reserves.price();
    Attack {
        attacked,
        last_trade,
        ..attack("a sandwich within one block", &[])
    }
}

fn suite() -> Vec<Attack> {
    let mut suite = vec![
        wash_pool(),
        stale_liquidity(),
        one_sided_pool(),
        lost_stable(),
        fake_ecosystem(),
        bought_ecosystem(),
        sandwich(),
    ];
    suite.extend(tiny_pool_at_any_price());
    suite.extend(nearly_half_of_all_depth());
    suite.extend(hostile_decimals());
    suite
}

#[test]
fn no_attack_moves_our_price_by_a_hundredth() {
    for attack in suite() {
        let error = attack.our_error();
        assert!(error < 0.01, "{}: {error}", attack.name);
    }
}

#[test]
fn the_usual_methods_are_fooled() {
    for attack in suite() {
        for method in METHODS {
            let error = attack.error_of(method);
            let is_fooled = error > 0.01;
            let expected = attack.fools.contains(&method);
            assert_eq!(is_fooled, expected, "{} {method:?}: {error}", attack.name);
        }
    }
}

#[test]
fn our_worst_error_is_less_than_a_tenth_of_the_best_of_the_usual_methods() {
    let suite = suite();
    let ours = suite.iter().map(Attack::our_error).fold(0.0, f64::max);
    let theirs = METHODS.map(|method| {
        let errors = suite.iter().map(|attack| attack.error_of(method));
        errors.fold(0.0, f64::max)
    });
    let best = theirs.into_iter().fold(f64::INFINITY, f64::min);
    assert!(ours <= best / 10.0, "{ours} against {theirs:?}");
}

#[test]
fn minted_tokens_are_not_trusted_for_their_pools_with_each_other() {
    let attack = fake_ecosystem();
    let market = TestMarket::of(&attack.edges(&attack.attacked));
    for minted in [ordinary(1), ordinary(2)] {
        assert!(!market.is_trusted(minted));
    }
}

#[test]
fn a_hub_that_loses_its_pools_for_a_block_moves_nothing() {
    let hanging = spread(ETH, 5.0 / 3_000.0, 3_000.0, 1e6).edge;
    let pools = [honest_anchors(), vec![hanging]].concat();
    let without = pools
        .iter()
        .filter(|edge| edge.tokens == [T, ETH] || !edge.tokens.contains(&ETH));
    let mut market = TestMarket::of(&numbered(pools.clone()));
    market.block(&numbered(without.copied()));
    assert_near(market.usd(T), 5.0);
    assert_near(market.usd(ETH), 3_000.0);
}
