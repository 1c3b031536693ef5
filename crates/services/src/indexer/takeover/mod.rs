//! Takes pools over at a block: as if they had been followed from their first
//! event on, from what the chain says of its past and contracts of themselves.
//!
//! Pairs and numbered pools say everything themselves. Pools with ticks say where
//! their price stands; where their liquidity lies follows from the positions that
//! were ever opened and closed, and is held against the liquidity that the contract
//! names. What such a pool holds is what its positions are worth: fees that nobody
//! collected yet are not seen.

mod gathered;
mod walk;

use crate::{
    fault::Fault,
    indexer::{
        Indexer,
        pools::{Followed, Questions},
    },
};
use amm::{
    Signed,
    book::{Change, Created, Flaw, Kind, Movement, Named, PoolId, Spot, State, Venue},
    ekubo, v3,
};
use chain::{StarknetClient, TickedPool, TickedQuestion};
use gathered::{Gathered, Ranges};
use primitives::{BlockRef, Felt, selector};
use std::sync::Arc;
use walk::{PARTS, Wanted, walk};

impl Indexer {
    /// Takes over what was there after a block, the one before the first that is
    /// indexed.
    pub(in crate::indexer) async fn take_over(
        &mut self,
        node: &StarknetClient,
        before: BlockRef,
        followed: &mut Followed,
        questions: &mut Questions,
    ) -> Result<(), Fault> {
        let venues = self.known.venues.clone();
        self.progress.begins_to_take_over(self.clock.now());
        for venue in venues.venues() {
            if venue.start_block > before.number {
                continue;
            }
            let known = self.state.book.pools().len();
            match venue.kind {
                Kind::Ekubo | Kind::JediSwapV2 => {
                    self.take_over_ticked(node, before, venue, followed, questions)
                        .await?;
                }
                Kind::MySwap => {
                    self.take_over_numbered(node, before, venue, followed, questions)
                        .await?;
                }
                Kind::JediSwap
                | Kind::TenKSwap
                | Kind::SithSwap
                | Kind::StarkDefi
                | Kind::Nostra => {
                    self.take_over_pairs(node, before, venue, followed, questions)
                        .await?;
                }
                Kind::Endur => {
                    self.take_over_vault(node, before, venue, followed, questions)
                        .await?;
                }
            }
            let pools = self.state.book.pools().len().saturating_sub(known);
            tracing::info!(venue = venue.name, pools, "pools taken over");
        }
        self.progress.ends_to_take_over();
        // All of it must be of one fork.
        self.still_has(node, before).await
    }

    /// Takes over a pool, unless it is known. Returns where it is.
    fn begin_pool(
        &mut self,
        venue: &Venue,
        pool: Created,
        followed: &mut Followed,
        questions: &mut Questions,
    ) -> Option<PoolId> {
        let known = self.state.book.pools().len();
        let venue = venue.contract;
        self.take_up(Change::Created { venue, pool }, followed, questions);
        let newest = self.state.book.pools().newest()?.id;
        (self.state.book.pools().len() > known).then_some(newest)
    }

    async fn take_over_pairs(
        &mut self,
        node: &StarknetClient,
        before: BlockRef,
        venue: &Venue,
        followed: &mut Followed,
        questions: &mut Questions,
    ) -> Result<(), Fault> {
        let mut pools = Vec::new();
        for pair in node.pairs(venue.kind, venue.contract, before).await? {
            pools.extend(self.begin_pool(venue, pair, followed, questions));
        }
        let (pools, asked): (Vec<_>, Vec<_>) = self.questions(&pools).into_iter().unzip();
        let reserves = node.pool_reserves(&asked, before).await?;
        for (pool, held) in pools.into_iter().zip(reserves) {
            if let Some(held) = held {
                let movement = Movement::Reserves(held);
                self.change(followed, Change::Moved { pool, movement });
            }
        }
        Ok(())
    }

    async fn take_over_numbered(
        &mut self,
        node: &StarknetClient,
        before: BlockRef,
        venue: &Venue,
        followed: &mut Followed,
        questions: &mut Questions,
    ) -> Result<(), Fault> {
        for numbered in node.numbered_pools(venue.contract, before).await? {
            if let Some(pool) = self.begin_pool(venue, numbered.created, followed, questions) {
                let movement = Movement::Reserves(numbered.reserves);
                self.change(followed, Change::Moved { pool, movement });
            }
        }
        Ok(())
    }

    async fn take_over_ticked(
        &mut self,
        node: &StarknetClient,
        before: BlockRef,
        venue: &Venue,
        followed: &mut Followed,
        questions: &mut Questions,
    ) -> Result<(), Fault> {
        let mut gathered = self.gather(node, before, venue).await?;
        let created = std::mem::take(&mut gathered.created);
        let asked: Vec<TickedQuestion> = created
            .iter()
            .map(|(_, pool)| question(venue, pool))
            .collect();
        let standing = node.ticked_pools(&asked, before).await?;
        let malformed: Vec<bool> = created
            .iter()
            .map(|(_, pool)| gathered.is_malformed(&named(pool)))
            .collect();
        let mut ranges = gathered.into_ranges();
        for (((_, pool), standing), malformed) in created.into_iter().zip(standing).zip(malformed) {
            let ranges = ranges.remove(&named(&pool)).unwrap_or_default();
            let Some(id) =
                self.begin_pool(venue, at_its_price(pool, standing), followed, questions)
            else {
                continue;
            };
            let settled = match standing {
                _ if malformed => Err(Flaw::Malformed),
                None => Err(Flaw::Unexpected),
                Some(standing) => self.settle(venue.kind, id, standing, &ranges, followed),
            };
            if let Err(flaw) = settled {
                tracing::warn!(venue = venue.name, ?pool, %flaw, "a pool is not taken over");
                self.change(followed, Change::Flawed { pool: id, flaw });
            }
        }
        Ok(())
    }

    /// Puts liquidity where it lies, and holds it against what the contract says.
    fn settle(
        &mut self,
        kind: Kind,
        pool: PoolId,
        standing: TickedPool,
        ranges: &Ranges,
        followed: &mut Followed,
    ) -> Result<(), Flaw> {
        if kind == Kind::JediSwapV2 && !standing.price.sqrt_ratio.is_zero() {
            let movement = Movement::Priced(standing.price);
            self.change(followed, Change::Moved { pool, movement });
        }
        for ((lower, upper), liquidity) in ranges {
            let liquidity = liquidity.ok_or(Flaw::Unbalanced)?;
            let root = standing.price.sqrt_ratio;
            let worth = match kind {
                Kind::Ekubo => ekubo::position_amounts(root, *lower, *upper, liquidity),
                _ => v3::position_amounts(root, *lower, *upper, liquidity),
            };
            let movement = Movement::Position {
                lower: *lower,
                upper: *upper,
                liquidity: liquidity.into(),
                delta: worth.ok_or(Flaw::Unexpected)?.map(Signed::positive),
            };
            self.change(followed, Change::Moved { pool, movement });
        }
        match self
            .state
            .book
            .pools()
            .get(pool)
            .map(|view| view.pool.state())
        {
            Some(State::Concentrated(pool)) if pool.liquidity == standing.liquidity => Ok(()),
            _ => Err(Flaw::Unbalanced),
        }
    }

    /// What the events of a venue left until a block.
    async fn gather(
        &self,
        node: &StarknetClient,
        before: BlockRef,
        venue: &Venue,
    ) -> Result<Gathered, Fault> {
        let range = venue.start_block..=before.number;
        let (of_venue, of_pools) = names(venue.kind);
        let wanted = Wanted {
            kind: venue.kind,
            contract: venue.contract,
            names: of_venue,
            range: range.clone(),
        };
        self.progress.takes_over(PARTS);
        let passed = || self.progress.took_over();
        let mut gathered = walk(node, wanted.parts(), passed).await?;
        if of_pools.is_empty() {
            return Ok(gathered);
        }
        let of_pool = |(block, pool): &(u64, Created)| {
            let Spot::Contract(contract) = pool.spot else {
                return None;
            };
            Some(Wanted {
                kind: venue.kind,
                contract,
                names: Arc::clone(&of_pools),
                range: *block..=*range.end(),
            })
        };
        let wanted: Vec<_> = gathered.created.iter().filter_map(of_pool).collect();
        self.progress.takes_over(wanted.len() as u64);
        gathered.merge(walk(node, wanted, passed).await?);
        Ok(gathered)
    }
}

/// The names of events by which pools with ticks come into being and liquidity
/// moves: those of the venue's contract, and those of pools with one of their own.
fn names(kind: Kind) -> (Arc<[Felt]>, Arc<[Felt]>) {
    let selectors = |names: &[&str]| names.iter().map(|name| selector(name)).collect();
    match kind {
        Kind::Ekubo => (
            selectors(&["PoolInitialized", "PositionUpdated"]),
            Arc::default(),
        ),
        _ => (selectors(&["PoolCreated"]), selectors(&["Mint", "Burn"])),
    }
}

/// What events call a pool, with its tokens where they are part of its key.
fn named(pool: &Created) -> Named {
    let is_keyed = matches!(pool.spot, Spot::Keyed { .. });
    Named {
        spot: pool.spot,
        tokens: is_keyed.then_some(pool.tokens),
    }
}

fn question(venue: &Venue, pool: &Created) -> TickedQuestion {
    let contract = match pool.spot {
        Spot::Contract(contract) => contract,
        Spot::Numbered(_) | Spot::Keyed { .. } => venue.contract,
    };
    TickedQuestion {
        kind: venue.kind,
        contract,
        tokens: pool.tokens,
        spot: pool.spot,
    }
}

/// A pool that begins with a price begins with the one that it has by now.
fn at_its_price(pool: Created, standing: Option<TickedPool>) -> Created {
    Created {
        price: standing.map(|it| it.price).filter(|_| pool.price.is_some()),
        ..pool
    }
}
