//! Quotes: searched by a worker, kept, told.

use super::{
    drift::estimated_slippage,
    freshness::{FreshnessLimits, Stale},
    gas_watch::GasEstimates,
    offer::Offer,
    quotes::{KeptQuote, QuoteStore},
    terms::{ExchangeTerms, SwapTerms},
    workers::{Refused, Workers},
};
use crate::{
    fee_token::STRK,
    indexer::Progress,
    snapshot::{Snapshot, Snapshots},
    worth::unit_usd,
};
use primitives::{Address, Clock, Entropy, Felt, Timestamp, U256};
use routing::Route;
use std::{io, num::NonZeroUsize, sync::Arc, time::Duration};
use tokio::time::Instant;
use trading::{GasCosts, GasModel, Integrator, Quote, Wanted, Worth};

/// How quotes are made.
#[derive(Debug, Clone)]
pub struct SwapOptions {
    /// The chain that trades are executed on.
    pub chain_id: Felt,
    /// The contract that trades for those who stay private.
    pub executor: Option<Address>,
    /// How long a quote can be built.
    pub lifetime: Duration,
    /// How long a search may take, from when it begins.
    pub deadline: Duration,
    /// How long a node may take to say what a taker has and allows.
    pub patience: Duration,
    /// How new the block must be that is traded on.
    pub freshness: FreshnessLimits,
    /// Threads that search.
    pub workers: NonZeroUsize,
    /// Searches that may wait for one of them.
    pub queue: usize,
    /// No route has more swaps.
    pub max_swaps: usize,
    /// What swaps cost in gas.
    pub gas: GasEstimates,
}

/// Makes quotes and builds them. Clones share everything.
#[derive(Debug, Clone)]
pub struct Swaps(pub(super) Arc<Inner>);

#[derive(Debug)]
pub(super) struct Inner {
    pub(super) options: SwapOptions,
    pub(super) snapshots: Snapshots,
    pub(super) progress: Progress,
    /// None if no exchange contract is known, so that there are no routes.
    pub(super) terms: Option<ExchangeTerms>,
    pub(super) quotes: QuoteStore,
    pub(super) clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    workers: Workers,
}

/// Why there is no answer to a wish for quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuoteError {
    /// As many searches wait as may wait.
    Saturated,
    /// A search broke down, which is a bug.
    Broken,
}

/// The best that a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct BestQuote {
    /// The route with its amounts and fees.
    pub quote: Quote,
    /// What its gas costs, in the token that it buys; none where a price is missing.
    pub gas: Option<U256>,
}

/// What a search found.
#[derive(Debug)]
struct Found {
    quote: Quote,
    gap: f64,
    estimated_slippage: f64,
}

impl Swaps {
    /// Starts the threads that search.
    pub fn start(
        options: SwapOptions,
        snapshots: Snapshots,
        progress: Progress,
        terms: Option<ExchangeTerms>,
        quotes: QuoteStore,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
    ) -> io::Result<Self> {
        let workers = Workers::start(options.workers, options.queue)?;
        Ok(Self(Arc::new(Inner {
            options,
            snapshots,
            progress,
            terms,
            quotes,
            clock,
            entropy,
            workers,
        })))
    }

    /// The chain that trades are executed on.
    pub fn chain_id(&self) -> Felt {
        self.0.options.chain_id
    }

    /// The contract that executes quotes, if one is known.
    pub fn exchange(&self) -> Option<Address> {
        self.0.terms.as_ref().map(ExchangeTerms::exchange)
    }

    /// No route has more swaps.
    pub fn max_swaps(&self) -> usize {
        self.0.options.max_swaps
    }

    /// The newest snapshot, if it may be traded on.
    pub fn fresh(&self) -> Result<Arc<Snapshot>, Stale> {
        let fresh = self.0.fresh();
        if fresh.is_err() {
            metrics::counter!("stoa_swap_stale_total").increment(1);
        }
        fresh
    }

    /// The best quotes for what is wanted on a snapshot, which should be a fresh
    /// one, the best first; none if there is no way.
    pub async fn quote(
        &self,
        wanted: Wanted,
        snapshot: Arc<Snapshot>,
    ) -> Result<Vec<Offer>, QuoteError> {
        let Some(terms) = &self.0.terms else {
            return Ok(Vec::new());
        };
        let integrator = wanted.integrator.as_ref().map(Integrator::recipient);
        let terms = terms.of([wanted.sell, wanted.buy], integrator).await;
        let balance = self.balance(wanted.taker, wanted.sell);
        let found = self.search(wanted, &snapshot, &terms);
        let (found, balance) = tokio::join!(found, balance);
        let now = self.0.clock.now();
        let expiry = self.expiry(now);
        let offers: Vec<Offer> = found?
            .into_iter()
            .map(|found| self.offer(found, &snapshot, &terms, expiry, balance))
            .collect();
        let kept = offers.iter().map(|offer| {
            let quote = offer.quote.clone();
            (offer.id, KeptQuote { expiry, quote })
        });
        self.0.quotes.keep(kept.collect(), now).await;
        Ok(offers)
    }

    /// The best quote for what is wanted on a snapshot, for nobody to build.
    pub async fn best(
        &self,
        wanted: Wanted,
        snapshot: &Arc<Snapshot>,
    ) -> Result<Option<BestQuote>, QuoteError> {
        let Some(terms) = &self.0.terms else {
            return Ok(None);
        };
        let integrator = wanted.integrator.as_ref().map(Integrator::recipient);
        let terms = terms.of([wanted.sell, wanted.buy], integrator).await;
        let worth = worth(snapshot, wanted.sell, wanted.buy);
        let found = self.search(wanted, snapshot, &terms).await?;
        let best = found.into_iter().next().map(|Found { quote, .. }| {
            let gas = worth.in_bought(quote.gas.fee(&terms.gas));
            BestQuote { quote, gas }
        });
        Ok(best)
    }

    /// How much the taker has, if there is one. Nobody else waits for a node.
    async fn balance(&self, taker: Option<Address>, token: Address) -> Option<U256> {
        self.0.balance(taker?, token).await
    }

    async fn search(
        &self,
        wanted: Wanted,
        snapshot: &Arc<Snapshot>,
        terms: &Arc<SwapTerms>,
    ) -> Result<Vec<Found>, QuoteError> {
        let started = Instant::now();
        let (inner, snapshot, terms) =
            (Arc::clone(&self.0), Arc::clone(snapshot), Arc::clone(terms));
        let search = move || {
            // However long it waited: how many may wait bounds that.
            let deadline = Instant::now() + inner.options.deadline;
            let stop = || Instant::now() >= deadline;
            inner.found(&wanted, &snapshot, &terms, &stop)
        };
        let found = match self.0.workers.run(search).await {
            Ok(found) => Ok(found),
            Err(Refused::Full) => Err(QuoteError::Saturated),
            Err(Refused::Broken) => Err(QuoteError::Broken),
        };
        record(&found, started);
        found
    }

    /// When a quote of now expires: at a whole second, not before its time.
    fn expiry(&self, now: Timestamp) -> i64 {
        let lifetime = i64::try_from(self.0.options.lifetime.as_secs()).unwrap_or(i64::MAX);
        let begun = i64::from(now.subsec_nanosecond() > 0);
        now.as_second()
            .saturating_add(begun)
            .saturating_add(lifetime)
    }

    fn offer(
        &self,
        found: Found,
        snapshot: &Snapshot,
        terms: &SwapTerms,
        expiry: i64,
        balance: Option<U256>,
    ) -> Offer {
        let Found {
            quote,
            gap,
            estimated_slippage,
        } = found;
        let figures = &snapshot.figures;
        let price = |token| Some(figures.price(figures.token(token)?)?.usd);
        Offer {
            id: uuid::Builder::from_random_bytes(self.0.entropy.bytes()).into_uuid(),
            expiry,
            gas_fee: quote.gas.fee(&terms.gas),
            worth: worth(snapshot, quote.sell, quote.buy),
            prices: [quote.sell, quote.buy].map(price),
            estimated_slippage,
            gap,
            exceeds_balance: balance.map(|balance| quote.sell_amount > balance),
            quote,
        }
    }
}

impl Inner {
    fn fresh(&self) -> Result<Arc<Snapshot>, Stale> {
        let snapshot = self.snapshots.load().ok_or(Stale::Empty)?;
        let (seen, now) = (self.progress.view(), self.clock.now());
        self.options.freshness.check(&snapshot, &seen, now)?;
        Ok(snapshot)
    }

    fn found(
        &self,
        wanted: &Wanted,
        snapshot: &Snapshot,
        terms: &SwapTerms,
        stop: &dyn Fn() -> bool,
    ) -> Vec<Found> {
        let model = self.options.gas.model();
        let gas = GasCosts {
            model: &model,
            prices: terms.gas,
            worth: worth(snapshot, wanted.sell, wanted.buy),
        };
        let Snapshot { pools, graph, .. } = snapshot;
        let order = trading::order(wanted, &terms.fees, &gas, pools.registry());
        let Some(order) = order else {
            return Vec::new();
        };
        let routes = routing::routes(graph, pools, &order, wanted.size, stop);
        let quoted = routes
            .iter()
            .filter_map(|route| self.quoted(wanted, route, snapshot, terms, &model));
        quoted.collect()
    }

    fn quoted(
        &self,
        wanted: &Wanted,
        route: &Route,
        snapshot: &Snapshot,
        terms: &SwapTerms,
        model: &GasModel,
    ) -> Option<Found> {
        let (pools, block) = (&snapshot.pools, snapshot.head.number);
        let quoted = trading::quote(wanted, route, pools, &terms.fees, model, block);
        match quoted {
            Ok(quote) => Some(Found {
                gap: route.gap,
                estimated_slippage: estimated_slippage(&quote, snapshot, self.options.lifetime),
                quote,
            }),
            Err(reason) => {
                tracing::debug!(%reason, "a route makes no quote");
                None
            }
        }
    }
}

fn worth(snapshot: &Snapshot, sell: Address, buy: Address) -> Worth {
    let unit = |token| unit_usd(&snapshot.figures, token);
    Worth {
        sell: unit(sell),
        buy: unit(buy),
        strk: unit(STRK),
    }
}

/// Counts a wish for quotes, how long its answer took and how near to the best
/// it is known to be.
fn record(found: &Result<Vec<Found>, QuoteError>, started: Instant) {
    let outcome = match found {
        Ok(found) if found.is_empty() => "none",
        Ok(_) => "found",
        Err(QuoteError::Saturated) => "saturated",
        Err(QuoteError::Broken) => "failed",
    };
    metrics::counter!("stoa_swap_quotes_total", "outcome" => outcome).increment(1);
    metrics::histogram!(QUOTE_SECONDS).record(started.elapsed());
    if let Some(best) = found.as_ref().ok().and_then(|found| found.first()) {
        metrics::histogram!(QUOTE_GAP).record(best.gap);
        tracing::debug!(gap = best.gap, hops = best.quote.hops.len(), "quoted");
    }
}

/// How long the search for quotes took, waiting included.
pub const QUOTE_SECONDS: &str = "stoa_swap_quote_seconds";

/// The most by which any other way could be better than the best quote, as a
/// share of it.
pub const QUOTE_GAP: &str = "stoa_swap_quote_gap";
