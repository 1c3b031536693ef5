//! What the exchange contract does with a swap, to the last unit.
//!
//! A sale of a fixed amount pays fees on the sold token before the swaps or on
//! the bought one after them. A purchase of a fixed amount is a sale too: the
//! quoted amount is sold, and as long as that gave too little, more is sold in
//! proportion to what is missing, at most three times and up to a maximum. The
//! buyer gets the fixed amount and the platform the rest.

use crate::fees::{Bps, FeeSide, FeeTerms, Fees, Integrator};
use crate::least::{Reach, least};
use amm::Refusal;
use primitives::{Address, U256};
use routing::{Broken, Executable, Leg, Run};

/// How often a purchase sells more than was quoted.
const TOP_UPS: u32 = 3;

/// A swap that the contract is asked to make.
#[derive(Debug, Clone)]
pub(crate) struct Swap<'a> {
    pub(crate) terms: &'a FeeTerms,
    /// The sold and the bought one.
    pub(crate) tokens: [Address; 2],
    pub(crate) integrator: Option<&'a Integrator>,
    pub(crate) legs: &'a [Leg],
    pub(crate) route: Executable,
}

/// What a swap comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Settled {
    pub(crate) sold: U256,
    pub(crate) bought: U256,
    pub(crate) fees: Fees,
    pub(crate) run: Run,
}

/// Why a purchase fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failed {
    Broken(Broken),
    /// It would have to sell more than the maximum.
    Dear,
    /// It would have to sell more too often.
    Slow,
}

impl From<Broken> for Failed {
    fn from(broken: Broken) -> Self {
        Self::Broken(broken)
    }
}

/// What a purchase asks of the swaps.
#[derive(Debug, Clone, Copy)]
struct Target {
    side: FeeSide,
    integrator: Bps,
    /// What the integrator gets if the bought token pays.
    fee: U256,
    /// What must come out of the swaps.
    amount: U256,
}

impl Swap<'_> {
    /// The sale of this amount.
    pub(crate) fn sell(&self, sold: U256) -> Result<Settled, Broken> {
        let rates = self
            .terms
            .rates(self.tokens, self.legs.len(), self.integrator);
        let through = match rates.side {
            FeeSide::Sell => rates.left_of(sold),
            FeeSide::Buy => sold,
        };
        let run = run(&self.route, self.legs, through)?;
        let (charged, bought) = match rates.side {
            FeeSide::Sell => (sold, run.bought),
            FeeSide::Buy => (run.bought, rates.left_of(run.bought)),
        };
        let (platform, integrator) = rates.of(charged);
        let fees = Fees {
            side: rates.side,
            token: self.token(rates.side),
            platform,
            platform_bps: rates.platform,
            integrator,
            integrator_bps: rates.integrator,
        };
        Ok(Settled {
            sold,
            bought,
            fees,
            run,
        })
    }

    /// The purchase of this amount that sells least and needs no more than
    /// that; `None` if no sale is enough.
    pub(crate) fn buy(&self, bought: U256, guess: U256) -> Option<Settled> {
        let target = self.target(bought)?;
        let through = least(guess, |amount| self.reach(amount, target.amount))?;
        let sold = match target.side {
            FeeSide::Sell => target.integrator.around(through)?,
            FeeSide::Buy => through,
        };
        let run = run(&self.route, self.legs, through).ok()?;
        let (integrator, platform) = match target.side {
            FeeSide::Sell => (sold.checked_sub(through)?, U256::ZERO),
            FeeSide::Buy => (target.fee, run.bought.checked_sub(target.amount)?),
        };
        let fees = Fees {
            side: target.side,
            token: self.token(target.side),
            platform,
            platform_bps: Bps::ZERO,
            integrator,
            integrator_bps: target.integrator,
        };
        Some(Settled {
            sold,
            bought,
            fees,
            run,
        })
    }

    /// What a purchase that was quoted to sell this much really sells.
    pub(crate) fn purchase(&self, sold: U256, most: U256, bought: U256) -> Result<U256, Failed> {
        let target = self.target(bought).ok_or(Failed::Dear)?;
        let through = match target.side {
            FeeSide::Sell => sold - target.integrator.within(sold),
            FeeSide::Buy => sold,
        };
        let aim = target
            .amount
            .checked_add(self.terms.exact_out.of(target.amount));
        let aim = aim.ok_or(Failed::Dear)?;
        let mut route = self.route.clone();
        let mut last = run(&route, self.legs, through)?;
        let (mut all, mut added, mut received) = (sold, sold, last.bought);
        for _ in 0..TOP_UPS {
            if received >= target.amount {
                return Ok(all);
            }
            added = amm::mul_div_up(added, aim - received, last.bought).ok_or(Failed::Dear)?;
            all = all
                .checked_add(added)
                .filter(|all| *all <= most)
                .ok_or(Failed::Dear)?;
            route = route.after(&last)?;
            last = run(&route, self.legs, added)?;
            received = received.saturating_add(last.bought);
        }
        if received >= target.amount {
            Ok(all)
        } else {
            Err(Failed::Slow)
        }
    }

    /// What the swaps must give so that this much is bought; `None` if that has
    /// more than 256 bits.
    fn target(&self, bought: U256) -> Option<Target> {
        let side = self.terms.side(self.tokens);
        let integrator = self.integrator.map_or(Bps::ZERO, Integrator::fee);
        let fee = match side {
            FeeSide::Sell => U256::ZERO,
            FeeSide::Buy => integrator.of(bought),
        };
        Some(Target {
            side,
            integrator,
            fee,
            amount: bought.checked_add(fee)?,
        })
    }

    fn reach(&self, amount: U256, target: U256) -> Reach {
        match run(&self.route, self.legs, amount) {
            Ok(run) if run.bought >= target => Reach::Enough,
            Ok(_) | Err(Broken::Refused(_, Refusal::Nothing)) => Reach::Short,
            Err(_) => Reach::Beyond,
        }
    }

    const fn token(&self, side: FeeSide) -> Address {
        let [sold, bought] = self.tokens;
        match side {
            FeeSide::Sell => sold,
            FeeSide::Buy => bought,
        }
    }
}

/// What the swaps do with an amount. Venues refuse a swap that buys nothing.
pub(crate) fn run(route: &Executable, legs: &[Leg], amount: U256) -> Result<Run, Broken> {
    let run = route.run(amount)?;
    let idle = run
        .fills
        .iter()
        .zip(legs)
        .find(|(fill, _)| fill.bought.is_zero());
    match idle {
        Some((_, leg)) => Err(Broken::Refused(leg.pool, Refusal::Nothing)),
        None => Ok(run),
    }
}
