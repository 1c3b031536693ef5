//! Executes the cycles of recurring orders when they are due, as an ordinary
//! account that their factory allows to.
//!
//! The orders themselves make sure that a cycle is executed once, sells its part
//! and buys within its bounds: any number of keepers do no harm. This one sends
//! once for an attempt at a cycle, whichever process it runs in, and tries again
//! when an attempt came to nothing.

use super::orders::RecurringOrders;
use crate::{
    sender::{SendRefused, SenderPool},
    snapshot::Snapshot,
    swap::{QuoteError, Swaps},
};
use chain::ContractCall;
use primitives::{Address, U256};
use std::{sync::Arc, time::Duration};
use store::SendState;
use tokio_util::sync::CancellationToken;
use trading::{
    Call, Quote, Slippage,
    recurring::{DeployedOrder, Now, OrderBook, cycle_call, cycle_sale, skip_call},
};

/// How often it looks for a new block.
const POLL: Duration = Duration::from_millis(250);

/// Attempts at a cycle that may come to nothing.
const MAX_ATTEMPTS: u32 = 5;

/// Cycles that are taken care of for one block; the others wait for the next.
const MAX_CYCLES_PER_BLOCK: usize = 256;

/// How much less than quoted a cycle may buy: too little for whoever trades
/// before and after it to earn their fees back.
const SLIPPAGE: Slippage = Slippage::from_bps(10);

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

impl Keeper {
    /// A keeper that sends from these accounts.
    pub fn new(orders: RecurringOrders, swaps: Swaps, sender: SenderPool) -> Self {
        Self {
            orders,
            swaps,
            sender,
            seen: None,
            next: 0,
        }
    }

    /// Works until told to stop.
    pub async fn run(mut self, stop: CancellationToken) {
        while let Some(done) = stop.run_until_cancelled(self.round()).await {
            if let Err(refused) = done {
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
        self.sender.follow().await?;
        let mut sent = 0;
        for due in &due {
            sent += usize::from(self.take_care(due, &snapshot).await?);
        }
        (self.seen, self.next) = (Some(block), next);
        Ok(sent)
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

    /// Whether something was sent. What concerns this order alone does not keep the
    /// others waiting.
    async fn take_care(
        &self,
        due: &DueCycle,
        snapshot: &Arc<Snapshot>,
    ) -> Result<bool, SendRefused> {
        let Some(purpose) = self.next_attempt(due).await? else {
            return Ok(false);
        };
        let (call, outcome) = match self.decide(due, snapshot).await {
            Decision::Execute(call) => (call, "executed"),
            Decision::Skip(call) => (call, "skipped"),
            Decision::Wait => return Ok(false),
        };
        let call = ContractCall::new(call.to, call.entrypoint, call.calldata);
        let sent = self.sender.submit(&purpose, &[call]).await;
        let is_sent = sent.is_ok();
        let outcome = match sent {
            Ok(row) => {
                let hash = format!("{:#x}", row.hash);
                tracing::info!(purpose, hash, outcome, "a cycle of a recurring order");
                outcome
            }
            Err(refused @ SendRefused::WouldFail(_)) => {
                let error = &refused as &dyn std::error::Error;
                tracing::debug!(purpose, error, "a cycle would fail now");
                "would_fail"
            }
            Err(refused) => return Err(refused),
        };
        metrics::counter!("stoa_keeper_cycles_total", "outcome" => outcome).increment(1);
        Ok(is_sent)
    }

    /// What the next attempt is sent for, if none is under way or was made, and
    /// not too many came to nothing.
    async fn next_attempt(&self, due: &DueCycle) -> Result<Option<String>, SendRefused> {
        let (order, cycle) = (due.order.address, due.cycle);
        for attempt in 1..=MAX_ATTEMPTS {
            let purpose = format!("recurring order {order} cycle {cycle} attempt {attempt}");
            let Some(row) = self.sender.find(&purpose).await? else {
                return Ok(Some(purpose));
            };
            match row.state {
                SendState::Open | SendState::Landed(_) => return Ok(None),
                SendState::Reverted { .. } | SendState::Lost { .. } => {}
            }
        }
        Ok(None)
    }

    /// Quotes the cycle on the newest block.
    async fn decide(&self, due: &DueCycle, snapshot: &Arc<Snapshot>) -> Decision {
        let (quote, exchange) = match self.quote(due, snapshot).await {
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
        let least = bounds.least.unwrap_or(U256::ZERO);
        let accepted = SLIPPAGE.least(offered).max(least);
        let swap = swap.unwrap_or_default();
        Decision::Execute(cycle_call(order.address, cycle, accepted, swap))
    }

    async fn quote(
        &self,
        DueCycle { order, .. }: &DueCycle,
        snapshot: &Arc<Snapshot>,
    ) -> Result<Option<(Quote, Address)>, QuoteError> {
        let wanted = cycle_sale(&order.terms, self.swaps.max_swaps());
        let best = self.swaps.best(wanted, snapshot).await?;
        Ok(best.zip(self.swaps.exchange()))
    }
}
