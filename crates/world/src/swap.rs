//! Quotes in a world.

use crate::{Station, World};
use chain::StarknetClient;
use primitives::{Address, Clock, Entropy, SignedDuration, U256, short_string};
use routing::VenueSet;
use services::{
    ExchangeTerms, FreshnessLimits, GasEstimates, Progress, QuoteStore, Snapshots, SwapOptions,
    SwapTerms, Swaps,
};
use simnet::StarknetNode;
use std::{num::NonZeroUsize, sync::Arc, time::Duration};
use trading::{FeeTerms, Fixed, GasModel, GasPrices, Wanted};

/// As an operator has it, but with time enough for an unoptimised build.
pub fn swap_options() -> SwapOptions {
    SwapOptions {
        chain_id: short_string("SN_STOA"),
        executor: Some(StarknetNode::private_executor()),
        lifetime: Duration::from_secs(30),
        deadline: Duration::from_secs(10),
        patience: Duration::from_secs(10),
        freshness: FreshnessLimits {
            max_lag_blocks: 5,
            max_silence: SignedDuration::from_secs(60),
            max_block_age: None,
        },
        workers: NonZeroUsize::MIN,
        queue: 16,
        max_swaps: 12,
        gas: GasEstimates::new(GasModel::simulated()),
    }
}

/// The sale of an amount, as somebody asks for it who says nothing more.
pub const fn sale(sell: Address, buy: Address, amount: U256) -> Wanted {
    Wanted {
        sell,
        buy,
        amount: Fixed::Sell(amount),
        taker: None,
        integrator: None,
        direct: false,
        avoid: VenueSet::NONE,
        size: 1,
        max_swaps: 12,
    }
}

/// The terms of the simulated exchange contract, as these nodes tell them.
pub fn exchange_terms(nodes: Vec<StarknetClient>) -> ExchangeTerms {
    let configured = SwapTerms {
        fees: FeeTerms::default(),
        gas: GasPrices::default(),
    };
    ExchangeTerms::new(nodes, StarknetNode::exchange(), configured)
}

/// Quotes over whatever is published, without a node to be asked for terms.
pub fn swaps_alone(
    snapshots: Snapshots,
    progress: Progress,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
) -> Swaps {
    let (terms, quotes) = (exchange_terms(Vec::new()), QuoteStore::local());
    let swaps = Swaps::start(
        swap_options(),
        snapshots,
        progress,
        Some(terms),
        quotes,
        clock,
        entropy,
    );
    swaps.expect("threads")
}

impl World {
    /// Quotes over what a station publishes.
    pub fn swaps(&self, station: &Station) -> Swaps {
        self.swaps_with(station, swap_options(), QuoteStore::local())
    }

    /// The same, as the operator wants them.
    pub fn swaps_with(&self, station: &Station, options: SwapOptions, quotes: QuoteStore) -> Swaps {
        let swaps = Swaps::start(
            options,
            station.snapshots.clone(),
            station.progress.clone(),
            Some(exchange_terms(vec![self.client.clone()])),
            quotes,
            Arc::clone(&self.clock) as Arc<dyn Clock>,
            Arc::clone(&self.entropy) as Arc<dyn Entropy>,
        );
        swaps.expect("threads")
    }
}
