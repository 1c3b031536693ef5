//! A way through pools, and what it pays to the last unit.

use crate::Share;
use amm::book::{AnyCurve, PoolId, Pools};
use amm::{Curve as _, Fill, Refusal, Side};
use primitives::{Address, U256};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Swaps in the order in which they are executed.
///
/// Every swap sells a share of what is there of its token at that moment; the
/// last that sells a token sells all that is left. Swaps that give a token come
/// before those that sell it, so that nothing stays behind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Route {
    /// The tokens on the way: the sold one, the bought one, then those between.
    pub tokens: Vec<Address>,
    /// In the order of execution, each in a pool of its own; those that sell one token
    /// stand side by side.
    pub legs: Vec<Leg>,
    /// What goes into the pools; fees that are charged before are not in it.
    pub sold: U256,
    /// What comes out of the pools, before fees that are charged after.
    pub bought: U256,
    /// The most by which any other way could be better, as a share of this
    /// one's worth, by the prices that the search ended with; infinite if
    /// nothing is known.
    pub gap: f64,
}

/// One swap: how it is to be executed, and what it did when the route was counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leg {
    /// The pool, in which the route has no other swap.
    pub pool: PoolId,
    /// Which of the pool's tokens is sold to it.
    pub side: Side,
    /// The place of the sold token in [`Route::tokens`].
    pub from: u8,
    /// The place of the bought token.
    pub to: u8,
    /// How much of what is there of the sold token.
    pub share: Share,
    /// What it sold when the route was counted; executed, it sells its share.
    pub sold: U256,
    /// What the pool paid for that, by the exact maths of its contract.
    pub bought: U256,
    /// Initialised ticks that the price passes.
    pub ticks: u32,
}

/// Why a route cannot be executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Broken {
    /// A pool is not there, or not traded with any more.
    #[error("a pool of the route is not traded with any more")]
    Gone(PoolId),
    /// A pool refuses its part: it cannot trade that amount, or would pay nothing for it.
    #[error("a pool of the route refuses its part: {1}")]
    Refused(PoolId, Refusal),
    /// The swaps do not fit together.
    #[error("the swaps of the route do not fit together")]
    Malformed,
}

/// A route with the curves of its pools.
#[derive(Debug, Clone)]
pub struct Executable {
    steps: Vec<Step>,
    tokens: usize,
}

#[derive(Debug, Clone)]
struct Step {
    curve: AnyCurve,
    leg: Leg,
}

/// What a route does with an amount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// What there is of the bought token after the last swap.
    pub bought: U256,
    /// What each swap takes and gives, in the order of execution.
    pub fills: Vec<Fill>,
}

impl Route {
    /// Takes the curves of the route's pools.
    pub fn executable(&self, pools: &Pools) -> Result<Executable, Broken> {
        Executable::new(&self.legs, self.tokens.len(), pools)
    }
}

impl Executable {
    /// The swaps of a route through so many tokens, each in a pool of its own: what
    /// a pool pays after another swap in it is not known here.
    pub fn new(legs: &[Leg], tokens: usize, pools: &Pools) -> Result<Self, Broken> {
        let is_again = |(at, leg): (usize, &Leg)| {
            let before = legs.iter().take(at);
            before.into_iter().any(|other| other.pool == leg.pool)
        };
        if legs.iter().enumerate().any(is_again) {
            return Err(Broken::Malformed);
        }
        let step = |leg: &Leg| {
            let view = pools.get(leg.pool).filter(|pool| pool.router().is_some());
            let curve = view.and_then(|pool| pool.curve().ok());
            let curve = curve.ok_or(Broken::Gone(leg.pool))?;
            Ok(Step { curve, leg: *leg })
        };
        let steps = legs.iter().map(step).collect::<Result<_, _>>()?;
        Ok(Self { steps, tokens })
    }

    /// What comes out when this goes in, swap by swap.
    pub fn run(&self, amount: U256) -> Result<Run, Broken> {
        let mut fills = Vec::with_capacity(self.steps.len());
        let bought = self.walk(amount, |step, sold| {
            let fill = step.trade(sold)?;
            fills.push(fill);
            Ok(fill.bought)
        })?;
        Ok(Run { bought, fills })
    }

    /// The same swaps on the pools as a run leaves them.
    pub fn after(&self, run: &Run) -> Result<Self, Broken> {
        let moved = |(step, fill): (&Step, &Fill)| {
            let curve = step.curve.after(step.leg.side, fill);
            let curve = curve.ok_or(Broken::Gone(step.leg.pool))?;
            let leg = step.leg;
            Ok(Step { curve, leg })
        };
        let steps = self.steps.iter().zip(&run.fills);
        Ok(Self {
            steps: steps.map(moved).collect::<Result<_, _>>()?,
            tokens: self.tokens,
        })
    }

    /// What comes out when this goes in.
    pub fn bought_for(&self, amount: U256) -> Result<U256, Broken> {
        self.walk(amount, |step, sold| Ok(step.trade(sold)?.bought))
    }

    /// Goes from swap to swap; `trade` says what each gets for what it sells.
    fn walk(
        &self,
        amount: U256,
        mut trade: impl FnMut(&Step, U256) -> Result<U256, Refusal>,
    ) -> Result<U256, Broken> {
        let (mut few, mut many);
        let balances = if self.tokens <= FEW_TOKENS {
            few = [U256::ZERO; FEW_TOKENS];
            few.as_mut_slice()
        } else {
            many = vec![U256::ZERO; self.tokens];
            many.as_mut_slice()
        };
        *balances.first_mut().ok_or(Broken::Malformed)? = amount;
        for step in &self.steps {
            let leg = &step.leg;
            let from = balances.get_mut(usize::from(leg.from));
            let from = from.ok_or(Broken::Malformed)?;
            let sold = leg.share.of(*from);
            let bought = trade(step, sold);
            let bought = bought.map_err(|refusal| Broken::Refused(leg.pool, refusal))?;
            if bought.is_zero() {
                // Contracts refuse to sell for nothing.
                return Err(Broken::Refused(leg.pool, Refusal::Nothing));
            }
            *from -= sold;
            let to = balances.get_mut(usize::from(leg.to));
            let to = to.ok_or(Broken::Malformed)?;
            *to = to.checked_add(bought).ok_or(Broken::Malformed)?;
        }
        balances.get(1).copied().ok_or(Broken::Malformed)
    }
}

impl Step {
    fn trade(&self, sold: U256) -> Result<Fill, Refusal> {
        self.curve.exact_in(self.leg.side, sold)
    }
}

/// What most routes do with: their balances need no memory of their own.
const FEW_TOKENS: usize = 16;
