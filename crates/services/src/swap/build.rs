//! From a quote to the calls that execute it.

use super::{Swaps, freshness::Stale, quoter::Inner};
use primitives::{Address, Felt};
use trading::{Call, Integrator, Quote, Slippage, WouldRevert};
use uuid::Uuid;

/// Which quote, and how it is to be executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildRequest {
    /// The id that the quote was given with.
    pub quote: Uuid,
    /// Who will execute it.
    pub taker: Taker,
    /// How much worse than quoted it may be.
    pub slippage: Slippage,
    /// Whether the exchange must be allowed to take what is sold, unless it is
    /// already.
    pub approve: bool,
}

/// Who executes the calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taker {
    /// Whom the quote named.
    OfQuote,
    /// Somebody else, or the same once more.
    Is(Address),
    /// The contract that trades for those who stay private.
    Private,
}

/// The calls of a quote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Built {
    /// The chain that they are for.
    pub chain_id: Felt,
    /// The calls, in order.
    pub calls: Vec<Call>,
    /// The private executor, if it is the one who calls.
    pub executor: Option<Address>,
}

/// Why a quote cannot be built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BuildError {
    /// There is no such quote any more, or there never was.
    Expired,
    /// Neither the quote nor the request says who will execute it.
    NoTaker,
    /// Nobody executes private swaps here.
    NoExecutor,
    /// The calls would fail on the newest block.
    WouldRevert(WouldRevert),
    /// There is no block to try it on, or not a new one.
    Stale(Stale),
}

impl Swaps {
    /// The calls that execute a quote, if they would succeed on the newest
    /// block.
    pub async fn build(&self, request: &BuildRequest) -> Result<Built, BuildError> {
        let inner = &*self.0;
        let snapshot = self.fresh().map_err(BuildError::Stale)?;
        let found = inner.quotes.find(request.quote, inner.clock.now()).await;
        let kept = found.ok_or(BuildError::Expired)?;
        let quote = &kept.quote;
        let taker = inner.taker(request.taker, quote.taker)?;
        let terms = inner.terms.as_ref().ok_or(BuildError::Expired)?;
        let exchange = terms.exchange();
        let integrator = quote.integrator.as_ref().map(Integrator::recipient);
        let terms = terms.of([quote.sell, quote.buy], integrator).await;
        let checked = trading::recheck(quote, &snapshot.pools, &terms.fees, request.slippage);
        if let Err(reason) = checked {
            metrics::counter!("stoa_swap_builds_total", "outcome" => "would_revert").increment(1);
            return Err(BuildError::WouldRevert(reason));
        }
        metrics::counter!("stoa_swap_builds_total", "outcome" => "built").increment(1);
        let is_private = request.taker == Taker::Private;
        let approve =
            is_private || request.approve && !inner.is_allowed(request, quote, taker).await;
        Ok(Built {
            chain_id: inner.options.chain_id,
            calls: trading::calls(quote, taker, request.slippage, approve, exchange),
            executor: is_private.then_some(taker),
        })
    }
}

impl Inner {
    /// Whether the exchange is known to be allowed to take what is sold.
    async fn is_allowed(&self, request: &BuildRequest, quote: &Quote, taker: Address) -> bool {
        let allowed = self.allowance(taker, quote.sell).await;
        allowed.is_some_and(|allowed| allowed >= trading::spent(quote, request.slippage))
    }

    fn taker(&self, asked: Taker, quoted: Option<Address>) -> Result<Address, BuildError> {
        match asked {
            Taker::Is(taker) => Ok(taker),
            Taker::OfQuote => quoted.ok_or(BuildError::NoTaker),
            Taker::Private => self.options.executor.ok_or(BuildError::NoExecutor),
        }
    }
}
