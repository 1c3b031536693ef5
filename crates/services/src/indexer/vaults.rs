//! What vaults count: deposits, and what they earned.
//!
//! No event tells what a vault earns. So its contract is asked at the end of every
//! block in which it says anything but that its shares moved, and now and then
//! besides: when, depends on the chain alone.

use super::{
    Indexer,
    pools::{Followed, Questions},
};
use crate::fault::Fault;
use amm::{
    Deposit,
    book::{Change, Created, Movement, Named, PoolId, Shape, Spot, State, Venue},
};
use chain::{Block, StarknetClient, VaultReading, deposited};
use futures_util::future::try_join_all;
use primitives::{Address, BlockRef};

/// Vaults that say nothing are asked every so many blocks.
const READ_EVERY: u64 = 64;

/// What vaults say of themselves at a block; `None` where one does not answer.
type VaultReadings = Vec<(Address, Option<VaultReading>)>;

impl Indexer {
    /// What the vaults whose turn it is say at each of some blocks. All are asked at
    /// once, so that a slow node does not hold up one block after the other.
    pub(super) async fn read_vaults(
        &self,
        node: &StarknetClient,
        blocks: &[Block],
    ) -> Result<Vec<VaultReadings>, Fault> {
        let each = blocks
            .iter()
            .map(|block| read(node, block.at, self.due_vaults(block)));
        try_join_all(each).await
    }

    /// The vaults whose turn it is at a block.
    fn due_vaults(&self, block: &Block) -> Vec<Address> {
        let number = block.at.number;
        let is_turn = number.is_multiple_of(READ_EVERY);
        let is_due = |venue: &&Venue| {
            let has_begun = venue.kind.is_vault() && venue.start_block <= number;
            has_begun && (is_turn || has_spoken(venue.contract, block))
        };
        let venues = self.known.venues.venues().iter();
        venues.filter(is_due).map(|venue| venue.contract).collect()
    }

    /// Takes up what vaults say at a block, and hears what their deposits say of
    /// their classes.
    pub(super) fn follow_vaults(
        &mut self,
        block: &Block,
        readings: &[(Address, Option<VaultReading>)],
        followed: &mut Followed,
        questions: &mut Questions,
    ) {
        for (vault, reading) in readings.iter().copied() {
            let heard = only_deposit(vault, block).and_then(|deposit| {
                let view = self.state.book.pools().get(self.pool_of_vault(vault)?)?;
                view.hear_deposit(deposit, reading?.counted)
            });
            followed.heard.extend(heard);
            self.take_count(vault, reading, followed, questions);
        }
    }

    /// Takes over the vault of a venue at a block.
    pub(super) async fn take_over_vault(
        &mut self,
        node: &StarknetClient,
        before: BlockRef,
        venue: &Venue,
        followed: &mut Followed,
        questions: &mut Questions,
    ) -> Result<(), Fault> {
        for (vault, reading) in read(node, before, vec![venue.contract]).await? {
            self.take_count(vault, reading, followed, questions);
        }
        Ok(())
    }

    /// Takes up what a vault counts. One that does not answer any more has no rate,
    /// and one that never did is not there.
    fn take_count(
        &mut self,
        vault: Address,
        reading: Option<VaultReading>,
        followed: &mut Followed,
        questions: &mut Questions,
    ) {
        if let Some(VaultReading { asset, .. }) = reading
            && self.pool_of_vault(vault).is_none()
        {
            let pool = Created {
                tokens: [asset, vault],
                spot: Spot::Contract(vault),
                shape: Shape::Usual,
                price: None,
            };
            let created = Change::Created { venue: vault, pool };
            self.take_up(created, followed, questions);
        }
        let counted = reading.map_or(Deposit::new(0, 0), |reading| reading.counted);
        let pool = self.pool_of_vault(vault);
        let view = pool.and_then(|pool| self.state.book.pools().get(pool));
        if let Some(view) = view.filter(|view| *view.pool.state() != State::Vault(counted)) {
            let (pool, movement) = (view.id, Movement::Counted(counted));
            self.change(followed, Change::Moved { pool, movement });
        }
    }

    fn pool_of_vault(&self, vault: Address) -> Option<PoolId> {
        let book = &self.state.book;
        let spot = Spot::Contract(vault);
        book.subject(book.speaker(vault)?, Some(Named { spot, tokens: None }))
    }
}

/// What vaults say of themselves at a block.
async fn read(
    node: &StarknetClient,
    at: BlockRef,
    vaults: Vec<Address>,
) -> Result<VaultReadings, Fault> {
    if vaults.is_empty() {
        return Ok(Vec::new());
    }
    let readings = node.vaults(&vaults, at).await?;
    Ok(vaults.into_iter().zip(readings).collect())
}

/// Whether a contract said anything in a block; transfers of its shares are left out.
fn has_spoken(contract: Address, block: &Block) -> bool {
    let mut known = block.venue_events.iter().map(|event| event.from);
    let mut others = block.other_events.iter().map(|(other, _)| *other);
    known.any(|other| other == contract) || others.any(|other| other == contract)
}

/// The assets and shares of a vault's deposit in a block, if there was just one.
fn only_deposit(vault: Address, block: &Block) -> Option<[u128; 2]> {
    let events = block.venue_events.iter();
    let mut deposits = events.filter(|event| event.from == vault).map(deposited);
    let first = deposits.next()?;
    first.filter(|_| deposits.next().is_none())
}
