//! What blocks mean for market figures, and how that is taken back.

use crate::{
    fault::Fault,
    indexer::{
        Indexer,
        pools::Followed,
        undoing::{figures_before, taken},
    },
};
use chain::{Block, StarknetClient};
use market::{
    KeptTrade, TokenReading,
    figures::{Appraised, CutFigures, Delta, Figures, Happened, KeptFigures},
    trades_to_bytes,
};
use primitives::{Address, BlockRef, U256};

/// Supplies are read again every so many blocks.
const SUPPLIES_EVERY: u64 = 2_048;

/// Of how many tokens, those with the largest TVL.
const SUPPLIES: usize = 256;

/// Figures as they were at an earlier block.
#[derive(Debug)]
pub(super) struct Undone {
    pub(super) figures: Figures,
    /// What becomes of kept pages, if they tell of later blocks.
    pub(super) cut: Option<CutFigures>,
}

impl Indexer {
    /// The pages to keep after the block of this height, if it is one of those
    /// where they are kept.
    pub(super) fn keep(&mut self, number: u64) -> Option<KeptFigures> {
        let due = number.is_multiple_of(self.options.keep_figures_every) && number > 0;
        due.then(|| self.state.figures.keep())
    }

    /// Takes up what a block means for figures; says that and what is kept of its
    /// trades, as bytes.
    pub(super) async fn appraise(
        &mut self,
        node: &StarknetClient,
        block: &Block,
        readings: &[(Address, TokenReading)],
        followed: &Followed,
    ) -> Result<(Vec<u8>, Vec<u8>), Fault> {
        let supplies = self.supplies(node, block.at, readings).await?;
        let transfers: Vec<(Address, U256)> = block
            .transfers
            .iter()
            .map(|transfers| (transfers.token, transfers.amount))
            .collect();
        let state = &mut self.state;
        let happened = Happened {
            time: block.time.as_second(),
            readings,
            pools: state.book.pools(),
            touched: &followed.touched,
            trades: &followed.trades,
            transfers: &transfers,
            supplies: &supplies,
        };
        let Appraised { delta, worths } = state.appraiser.take_up(&mut state.figures, &happened);
        let trades = followed.trades.iter().zip(worths);
        let trades = trades.map(|(trade, usd)| KeptTrade {
            transaction: block.venue_transaction(trade.transaction),
            usd,
        });
        let trades: Vec<KeptTrade> = trades.collect();
        Ok((delta.to_bytes(), trades_to_bytes(&trades)))
    }

    /// How much there is of new tokens, and now and then of important ones.
    async fn supplies(
        &self,
        node: &StarknetClient,
        at: BlockRef,
        readings: &[(Address, TokenReading)],
    ) -> Result<Vec<(Address, U256)>, Fault> {
        let new = readings
            .iter()
            .filter(|(_, reading)| matches!(reading, TokenReading::Readable(_)))
            .map(|(address, _)| *address);
        let mut tokens: Vec<Address> = new.collect();
        if at.number.is_multiple_of(SUPPLIES_EVERY) {
            let figures = self.state.figures.with_pools(self.state.book.pools());
            let important = figures.by_tvl().iter().take(SUPPLIES);
            tokens.extend(important.filter_map(|token| figures.address(*token)));
        }
        if tokens.is_empty() {
            return Ok(Vec::new());
        }
        let supplies = node.total_supplies(&tokens, at).await?;
        let said = tokens.into_iter().zip(supplies);
        Ok(said
            .filter_map(|(token, supply)| Some((token, supply?)))
            .collect())
    }

    /// The figures as they were at a stored block.
    pub(super) async fn figures_at(&self, to: BlockRef, tip: BlockRef) -> Result<Undone, Fault> {
        let gone = to.number + 1..=tip.number;
        let mut undone = taken(&self.store, gone, Delta::to_take_back).await?;
        undone.reverse();
        let figures = figures_before(&self.state.figures, &undone, to.number, &self.store).await?;
        let mut figures = figures.ok_or(Fault::Diverged { first: tip })?;
        let kept = self.state.kept.is_some_and(|kept| kept > to.number);
        let cut = kept.then(|| figures.cut_pages());
        Ok(Undone { figures, cut })
    }
}
