//! Executes the cycles of recurring orders when they are due, as an ordinary
//! account that their factory allows to.
//!
//! The orders themselves make sure that a cycle is executed once, sells its part
//! and buys within its bounds: any number of keepers do no harm. This one sends
//! once for an attempt at a cycle, whichever process it runs in, and tries again
//! when an attempt came to nothing.
//!
//! Of orders that sell the same token for the same other one, one is executed at a
//! time: the next is quoted on what that one leaves behind, and not on prices that
//! it will not find.

use super::orders::RecurringOrders;
use crate::{
    duty::Duty,
    sender::{Payer, SendRefused, SenderPool},
    snapshot::Snapshot,
    swap::{BestQuote, QuoteError, Swaps},
};
use chain::ContractCall;
use primitives::{Address, U256};
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};
use store::{SendRow, SendState};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use trading::{
    Call, Slippage,
    recurring::{DeployedOrder, NewOrder, Now, OrderBook, cycle_call, cycle_sale, skip_call},
};

/// How often it looks for a new block.
const POLL: Duration = Duration::from_millis(250);

/// How often it finds out what became of what it sent: whether cycles were
/// executed, orders tell by themselves.
const FOLLOWS_EVERY: Duration = Duration::from_secs(8);

/// Attempts at a cycle that may come to nothing.
const MAX_ATTEMPTS: u32 = 5;

/// Cycles that are taken care of for one block; the others wait for the next.
const MAX_CYCLES_PER_BLOCK: usize = 256;

/// How much less than quoted a cycle may buy at most.
const SLIPPAGE: Slippage = Slippage::from_bps(10);

/// Blocks in which what was sent should land.
const LANDS_WITHIN: u64 = 3;

/// Executes due cycles.
#[derive(Debug)]
pub struct Keeper {
    orders: RecurringOrders,
    swaps: Swaps,
    sender: SenderPool,
    /// The newest block whose due cycles were looked at.
    seen: Option<u64>,
    /// The order that the next look begins with.
    next: usize,
    followed: Option<Instant>,
    /// The blocks at which something was sent for a pair, sold and bought.
    sent: HashMap<(Address, Address), u64>,
}

/// A cycle that somebody should take care of.
#[derive(Debug)]
struct DueCycle {
    order: DeployedOrder,
    cycle: u32,
}

/// What is done about a cycle.
enum Decision {
    Execute(Call),
    Skip(Call),
    /// Nothing can be bought.
    Wait,
}

/// What was done about a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Care {
    Sent,
    /// Something that was sent earlier has not landed yet.
    UnderWay,
    Nothing,
}

/// How far attempts at a cycle have come.
enum Attempt {
    /// One can be made, for this purpose.
    Next(String),
    UnderWay,
    /// One succeeded, or too many came to nothing.
    Over,
}

impl Keeper {
    /// A keeper that sends from these accounts.
    pub fn new(orders: RecurringOrders, swaps: Swaps, sender: SenderPool) -> Self {
        Self {
            orders,
            swaps,
            sender,
            seen: None,
            next: 0,
            followed: None,
            sent: HashMap::new(),
        }
    }

    /// Works until told to stop, while the duty is held: one of several keepers, so
    /// that none sends what another one has decided otherwise meanwhile.
    pub async fn run(self, duty: Duty, stop: CancellationToken) {
        duty.during(Box::pin(self.work(&duty, stop))).await;
    }

    async fn work(mut self, duty: &Duty, stop: CancellationToken) {
        let mut round = async || {
            if duty.is_held() {
                self.round().await
            } else {
                Ok(0)
            }
        };
        while let Some(done) = stop.run_until_cancelled(round()).await {
            // Who has just lost it is not held up.
            if let Err(refused) = done
                && duty.is_held()
            {
                let error = &refused as &dyn std::error::Error;
                tracing::warn!(error, "the keeper of recurring orders is held up");
            }
            let slept = stop.run_until_cancelled(tokio::time::sleep(POLL));
            if slept.await.is_none() {
                return;
            }
        }
    }

    /// Takes care of every cycle that is due at a new block; says for how many of
    /// them it sent something.
    pub async fn round(&mut self) -> Result<usize, SendRefused> {
        // Orders that are not fresh may be over, and prices others.
        let Ok(snapshot) = self.swaps.fresh() else {
            return Ok(0);
        };
        let look = |book: &OrderBook, now: Now| self.look(book, now);
        let Some((block, due, next)) = self.orders.look(look).flatten() else {
            return Ok(0);
        };
        self.follow().await?;
        let (mut sent, mut trading) = (0, HashSet::new());
        self.sent
            .retain(|_, at| block.saturating_sub(*at) < LANDS_WITHIN);
        for due in &due {
            let NewOrder { sell, buy, .. } = due.order.terms;
            let pair = (sell, buy);
            if trading.contains(&pair) {
                continue;
            }
            match self.take_care(due, &snapshot).await? {
                Care::Sent => {
                    sent += 1;
                    trading.insert(pair);
                    self.sent.insert(pair, block);
                }
                // One that was reverted is under way until that is final.
                Care::UnderWay if self.sent.contains_key(&pair) => {
                    trading.insert(pair);
                }
                Care::UnderWay | Care::Nothing => {}
            }
        }
        (self.seen, self.next) = (Some(block), next);
        Ok(sent)
    }

    /// Finds out what became of what was sent, now and then.
    async fn follow(&mut self) -> Result<(), SendRefused> {
        let is_due = |followed: Instant| followed.elapsed() >= FOLLOWS_EVERY;
        if self.followed.is_none_or(is_due) {
            self.sender.follow().await.1?;
            self.followed = Some(Instant::now());
        }
        Ok(())
    }

    /// What is due at a block that was not looked at before, and where to begin at
    /// the next one.
    fn look(&self, book: &OrderBook, now: Now) -> Option<(u64, Vec<DueCycle>, usize)> {
        if self.seen == Some(now.block) {
            return None;
        }
        let (due, next) = book.due(now, self.next, MAX_CYCLES_PER_BLOCK);
        let due = due.into_iter().map(|(order, cycle)| DueCycle {
            order: order.deployed,
            cycle,
        });
        Some((now.block, due.collect(), next))
    }

    /// What concerns this order alone does not keep the others waiting.
    async fn take_care(
        &self,
        due: &DueCycle,
        snapshot: &Arc<Snapshot>,
    ) -> Result<Care, SendRefused> {
        let purpose = match self.next_attempt(due).await? {
            Attempt::Next(purpose) => purpose,
            Attempt::UnderWay => return Ok(Care::UnderWay),
            Attempt::Over => return Ok(Care::Nothing),
        };
        let (call, outcome) = match self.decide(due, snapshot).await {
            Decision::Execute(call) => (call, "executed"),
            Decision::Skip(call) => (call, "skipped"),
            Decision::Wait => return Ok(Care::Nothing),
        };
        let call = ContractCall::new(call.to, call.entrypoint, call.calldata);
        let (outcome, care) = match self.send(&purpose, &[call]).await {
            Ok(row) => {
                let hash = format!("{:#x}", row.hash);
                tracing::info!(purpose, hash, outcome, "a cycle of a recurring order");
                (outcome, Care::Sent)
            }
            Err(refused @ SendRefused::WouldFail(_)) => {
                let error = &refused as &dyn std::error::Error;
                tracing::debug!(purpose, error, "a cycle would fail now");
                ("would_fail", Care::Nothing)
            }
            Err(refused) => return Err(refused),
        };
        metrics::counter!("stoa_keeper_cycles_total", "outcome" => outcome).increment(1);
        Ok(care)
    }

    /// Sends for a purpose that nothing was found for. If another process was faster,
    /// nothing else is sent.
    async fn send(&self, purpose: &str, calls: &[ContractCall]) -> Result<SendRow, SendRefused> {
        let survey = self.sender.survey(calls, 0).await?;
        let sent = self
            .sender
            .submit_surveyed(purpose, calls, &survey, Payer::Service);
        sent.await
    }

    /// How far attempts at a cycle have come.
    async fn next_attempt(&self, due: &DueCycle) -> Result<Attempt, SendRefused> {
        let (order, cycle) = (due.order.address, due.cycle);
        for attempt in 1..=MAX_ATTEMPTS {
            let purpose = format!("recurring order {order} cycle {cycle} attempt {attempt}");
            let Some(row) = self.sender.find(&purpose).await? else {
                return Ok(Attempt::Next(purpose));
            };
            match row.state {
                SendState::Open => return Ok(Attempt::UnderWay),
                SendState::Landed(_) => return Ok(Attempt::Over),
                SendState::Reverted { .. } | SendState::Lost { .. } => {}
            }
        }
        Ok(Attempt::Over)
    }

    /// Quotes the cycle on the newest block.
    async fn decide(&self, due: &DueCycle, snapshot: &Arc<Snapshot>) -> Decision {
        let (BestQuote { quote, gas }, exchange) = match self.quote(due, snapshot).await {
            Ok(Some(quote)) => quote,
            Ok(None) => return Decision::Wait,
            Err(error) => {
                tracing::warn!(?error, "a cycle of a recurring order was not quoted");
                return Decision::Wait;
            }
        };
        let (order, cycle) = (&due.order, due.cycle);
        let (bounds, offered) = (order.terms.bounds, quote.buy_amount);
        if !bounds.allow(offered) {
            return Decision::Skip(skip_call(order.address, cycle, offered));
        }
        let calls = trading::calls(&quote, order.address, SLIPPAGE, false, exchange);
        let swap = calls.first().map(|call| call.calldata.as_slice());
        let accepted = accepted(offered, gas).max(bounds.least.unwrap_or(U256::ZERO));
        let swap = swap.unwrap_or_default();
        Decision::Execute(cycle_call(order.address, cycle, accepted, swap))
    }

    async fn quote(
        &self,
        DueCycle { order, .. }: &DueCycle,
        snapshot: &Arc<Snapshot>,
    ) -> Result<Option<(BestQuote, Address)>, QuoteError> {
        let wanted = cycle_sale(&order.terms, self.swaps.max_swaps());
        let best = self.swaps.best(wanted, snapshot).await?;
        Ok(best.zip(self.swaps.exchange()))
    }
}

/// The least that a cycle accepts where this was quoted. What it leaves is worth
/// less than one trade's gas: whoever trades before and after it pays for two, and
/// cannot get them back from it.
fn accepted(offered: U256, gas: Option<U256>) -> U256 {
    let left = offered.saturating_sub(gas.unwrap_or(U256::ZERO));
    left.max(SLIPPAGE.least(offered))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_leaves_no_more_than_its_gas_and_a_thousandth() {
        let accepted = |offered: u64, gas: Option<u64>| {
            let gas = gas.map(U256::from);
            u64::try_from(accepted(U256::from(offered), gas)).unwrap()
        };
        assert_eq!(accepted(1_000_000, Some(1)), 999_999);
        assert_eq!(accepted(1_000_000, Some(1_000)), 999_000);
        assert_eq!(accepted(1_000_000, Some(50_000)), 999_000);
        assert_eq!(accepted(1_000_000, None), 1_000_000);
    }
}
