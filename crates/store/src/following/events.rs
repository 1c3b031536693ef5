//! Events of followed contracts.

use super::{fee, page::MAX_PAGE};
use crate::{
    block_table::{ChainStore, NUMBER, find_block},
    bulk,
    column::Column,
    db::{Tx, on},
    error::{StoreError, in_table},
    row::row,
};
use market::{BlockEffects, following::ContractEvent};
use primitives::{Address, BlockRef, Felt};
use sqlx::QueryBuilder;

const TABLE: &str = "followed_event";

/// Bytes of an element.
const FELT: usize = 32;

const fn column(name: &'static str) -> Column {
    Column { table: TABLE, name }
}

/// Where an event is on the chain: its block, the place of its transaction in
/// the block, and its place in the transaction.
pub type EventPlace = (u64, u32, u32);

/// Where an event is among those that became known: the block that it became
/// known with, and where it is on the chain.
pub type LearnedPlace = (u64, EventPlace);

/// An event, and the block that it became known with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LearnedEvent {
    /// The height of the block.
    pub learned: u64,
    /// What happened in that block, or in an older one that was read with it.
    pub event: ContractEvent,
}

impl LearnedEvent {
    /// Where it is among those that became known.
    #[must_use]
    pub const fn place(&self) -> LearnedPlace {
        (self.learned, self.event.place())
    }
}

row! {
    struct LearnedRow {
        contract: Vec<u8>,
        learned_block: i64,
        ..event: EventRow,
    }
}

impl LearnedRow {
    fn decode(self) -> Result<LearnedEvent, StoreError> {
        let contract = column("contract").address(&self.contract)?;
        Ok(LearnedEvent {
            learned: column("learned_block").counter(self.learned_block)?,
            event: self.event.decode(contract)?,
        })
    }
}

row! {
    struct EventRow {
        block_number: i64,
        transaction_index: i64,
        event_index: i64,
        time: i64,
        transaction_hash: Vec<u8>,
        sender: Option<Vec<u8>>,
        fee: Option<Vec<u8>>,
        fee_unit: Option<String>,
        keys: Vec<u8>,
        data: Vec<u8>,
    }
}

impl EventRow {
    fn decode(self, contract: Address) -> Result<ContractEvent, StoreError> {
        let sender = self.sender.as_deref();
        let fee = self.fee.as_deref().zip(self.fee_unit.as_deref());
        Ok(ContractEvent {
            contract,
            block: column("block_number").counter(self.block_number)?,
            time: column("time").time(self.time)?,
            transaction: column("transaction_index").narrow(self.transaction_index)?,
            index: column("event_index").narrow(self.event_index)?,
            transaction_hash: column("transaction_hash").felt(&self.transaction_hash)?,
            sender: sender
                .map(|sender| column("sender").address(sender))
                .transpose()?,
            fee: fee
                .map(|(amount, unit)| fee::decode(TABLE, amount, unit))
                .transpose()?,
            keys: felts("keys", &self.keys)?,
            data: felts("data", &self.data)?,
        })
    }
}

impl ChainStore {
    /// The next events of a followed contract `after` a place, or from its first
    /// one on, as of a block: in the order of the chain, as many as asked for and
    /// at most 1,000. With a subject only events that name it in the key behind
    /// the event's own. None when the block is not stored any more.
    pub async fn events_of(
        &self,
        contract: Address,
        subject: Option<Felt>,
        at: BlockRef,
        after: Option<EventPlace>,
        limit: u32,
    ) -> Result<Option<Vec<ContractEvent>>, StoreError> {
        let mut tx = self.db().begin_reading().await?;
        let events = match find_block(&mut tx, at).await? {
            Some(at) => Some(page(&mut tx, contract, subject, at, after, limit).await?),
            None => None,
        };
        tx.commit().await?;
        Ok(events)
    }

    /// The next events of a lead and of all that it led to, `after` a place, as of
    /// a block: in the order in which they became known, as many as asked for and
    /// at most 1,000. None when the block is not stored any more.
    pub async fn events_led_by(
        &self,
        lead: Address,
        at: BlockRef,
        after: Option<LearnedPlace>,
        limit: u32,
    ) -> Result<Option<Vec<LearnedEvent>>, StoreError> {
        let mut tx = self.db().begin_reading().await?;
        let events = match find_block(&mut tx, at).await? {
            Some(at) => Some(learned_page(&mut tx, lead, at, after, limit).await?),
            None => None,
        };
        tx.commit().await?;
        Ok(events)
    }
}

async fn learned_page(
    tx: &mut Tx,
    lead: Address,
    at: i64,
    after: Option<LearnedPlace>,
    limit: u32,
) -> Result<Vec<LearnedEvent>, StoreError> {
    let (learned, place) = after.unzip();
    let learned = learned.map_or(Ok(-1), |it| NUMBER.to_stored(it))?;
    let (block, transaction, event) = stored(place)?;
    let address = lead.to_bytes();
    let rows: Vec<LearnedRow> = on!(tx tx, connection =>
        sqlx::query_as(
            "SELECT contract, followed_event.learned_block, block_number, transaction_index,
                    event_index, time, transaction_hash, sender, fee, fee_unit, keys, data
             FROM followed_event JOIN followed_contract ON address = contract
             WHERE lead = $1 AND followed_event.learned_block BETWEEN $2 AND $3
               AND (followed_event.learned_block, block_number, transaction_index, event_index)
                   > ($2, $4, $5, $6)
             ORDER BY followed_event.learned_block, block_number, transaction_index, event_index
             LIMIT $7",
        )
        .bind(address.as_slice())
        .bind(learned)
        .bind(at)
        .bind(block)
        .bind(transaction)
        .bind(event)
        .bind(i64::from(limit.min(MAX_PAGE)))
        .fetch_all(connection)
        .await
    )
    .map_err(in_table(TABLE))?;
    rows.into_iter().map(LearnedRow::decode).collect()
}

/// A place as it is stored, or one before all others.
fn stored(place: Option<EventPlace>) -> Result<(i64, i64, i64), StoreError> {
    match place {
        Some((block, transaction, event)) => {
            Ok((NUMBER.to_stored(block)?, transaction.into(), event.into()))
        }
        None => Ok((-1, 0, 0)),
    }
}

async fn page(
    tx: &mut Tx,
    contract: Address,
    subject: Option<Felt>,
    at: i64,
    after: Option<EventPlace>,
    limit: u32,
) -> Result<Vec<ContractEvent>, StoreError> {
    let (block, transaction, event) = stored(after)?;
    let rows: Vec<EventRow> = on!(tx tx, connection => {
        let mut query = QueryBuilder::new(
            "SELECT block_number, transaction_index, event_index, time, transaction_hash, sender,
                    fee, fee_unit, keys, data
             FROM followed_event WHERE contract = ",
        );
        query.push_bind(contract.to_bytes().to_vec());
        if let Some(subject) = subject {
            // The second key; as the index has it.
            query.push(" AND substr(keys, 33, 32) = ");
            query.push_bind(subject.to_bytes_be().to_vec());
        }
        query.push(" AND learned_block <= ").push_bind(at);
        query.push(" AND (block_number, transaction_index, event_index) > (");
        query.push_bind(block).push(", ").push_bind(transaction);
        query.push(", ").push_bind(event);
        query.push(") ORDER BY block_number, transaction_index, event_index LIMIT ");
        query.push_bind(i64::from(limit.min(MAX_PAGE)));
        query.build_query_as().fetch_all(connection).await
    })
    .map_err(in_table(TABLE))?;
    let events = rows.into_iter().map(|row| row.decode(contract));
    events.collect()
}

pub(super) async fn insert(tx: &mut Tx, effects: &[BlockEffects]) -> Result<(), StoreError> {
    let mut rows = Vec::new();
    for effect in effects {
        let learned = NUMBER.to_stored(effect.block.number)?;
        for event in &effect.followed.events {
            let number = column("block_number").to_stored(event.block)?;
            rows.push((event, number, learned));
        }
    }
    let bytes = |(event, ..): &(&ContractEvent, i64, i64)| {
        (event.keys.len() + event.data.len()).saturating_mul(FELT)
    };
    for portion in bulk::portions(&rows, bytes) {
        on!(tx &mut *tx, connection => {
            let mut insert = QueryBuilder::new(
                "INSERT INTO followed_event (contract, block_number, transaction_index, event_index,
                                             learned_block, time, transaction_hash, sender, fee,
                                             fee_unit, keys, data) ",
            );
            insert.push_values(portion, |mut row, (event, number, learned)| {
                row.push_bind(event.contract.to_bytes().to_vec())
                    .push_bind(*number)
                    .push_bind(i64::from(event.transaction))
                    .push_bind(i64::from(event.index))
                    .push_bind(*learned)
                    .push_bind(event.time.as_microsecond())
                    .push_bind(event.transaction_hash.to_bytes_be().to_vec())
                    .push_bind(event.sender.map(|sender| sender.to_bytes().to_vec()))
                    .push_bind(event.fee.map(|fee| fee.amount.to_be_bytes().to_vec()))
                    .push_bind(event.fee.map(|fee| fee::unit(fee.unit)))
                    .push_bind(bytes_of(&event.keys))
                    .push_bind(bytes_of(&event.data));
            });
            insert.build().persistent(false).execute(connection).await.map(drop)
        })
        .map_err(in_table(TABLE))?;
    }
    Ok(())
}

fn bytes_of(felts: &[Felt]) -> Vec<u8> {
    felts.iter().flat_map(Felt::to_bytes_be).collect()
}

fn felts(name: &'static str, bytes: &[u8]) -> Result<Vec<Felt>, StoreError> {
    let words = bytes.chunks(FELT);
    words.map(|word| column(name).felt(word)).collect()
}
