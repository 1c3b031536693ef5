//! The transactions of a block, read for those who watch contracts and senders:
//! everything that [`Emitted`] has, and whole the events and transactions that
//! are wanted.

use super::{
    felt::{WireFelt, u128_from_hex},
    receipts::{Emitted, RawEvent, is_paid},
};
use crate::error::cut;
use market::following::{ContractEvent, Fee, FeeUnit, SentTransaction, Sightings, Watch};
use primitives::{Address, Felt, Timestamp};
use serde::{Deserialize, de::Error as _};
use serde_json::{Error, value::RawValue};
use std::borrow::Cow;

/// A transaction with its receipt. What few are asked for stays text.
#[derive(Deserialize)]
pub(super) struct WatchedTransaction<'a> {
    #[serde(borrow)]
    transaction: &'a RawValue,
    #[serde(borrow)]
    receipt: Receipt<'a>,
}

#[derive(Deserialize)]
struct Receipt<'a> {
    transaction_hash: WireFelt,
    #[serde(borrow, default)]
    actual_fee: Option<WireFee<'a>>,
    #[serde(default)]
    execution_status: Option<Execution>,
    #[serde(default)]
    revert_reason: Option<String>,
    /// What was deployed, if anything.
    #[serde(default)]
    contract_address: Option<WireFelt>,
    #[serde(borrow)]
    events: Vec<WatchedEvent<'a>>,
}

#[derive(Deserialize)]
struct WireFee<'a> {
    #[serde(borrow)]
    amount: Cow<'a, str>,
    #[serde(default)]
    unit: Option<Unit>,
}

#[derive(Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Unit {
    Wei,
    Fri,
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Execution {
    Succeeded,
    Reverted,
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct WatchedEvent<'a> {
    #[serde(borrow)]
    from_address: Cow<'a, str>,
    #[serde(borrow)]
    keys: &'a RawValue,
    #[serde(borrow)]
    data: &'a RawValue,
}

/// What a transaction says of itself.
#[derive(Deserialize)]
struct Origin {
    #[serde(rename = "type", default)]
    kind: Kind,
    #[serde(default)]
    sender_address: Option<WireFelt>,
}

#[derive(Deserialize, Default, PartialEq, Eq)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Kind {
    /// Sent by the account that it deploys.
    DeployAccount,
    #[default]
    #[serde(other)]
    Other,
}

/// What a block's transactions emitted, and what of it is wanted.
pub(super) fn read(
    transactions: Vec<WatchedTransaction<'_>>,
    watch: &Watch,
    block: u64,
    time: Timestamp,
) -> Result<(Emitted, Sightings), Error> {
    let mut reading = Reading {
        watch,
        block,
        time,
        emitted: Emitted::default(),
        sightings: Sightings::default(),
    };
    for (place, transaction) in (0..).zip(transactions) {
        reading.transaction(place, transaction)?;
    }
    let Reading {
        emitted,
        mut sightings,
        ..
    } = reading;
    sightings.strangers.sort_unstable();
    sightings.strangers.dedup();
    Ok((emitted, sightings))
}

/// A block in hand.
struct Reading<'w> {
    watch: &'w Watch,
    block: u64,
    time: Timestamp,
    emitted: Emitted,
    sightings: Sightings,
}

impl Reading<'_> {
    fn transaction(
        &mut self,
        place: u32,
        transaction: WatchedTransaction<'_>,
    ) -> Result<(), Error> {
        let WatchedTransaction {
            transaction,
            mut receipt,
        } = transaction;
        let mut emitted = Emitted::default();
        let first = self.sightings.events.len();
        for (index, event) in (0..).zip(std::mem::take(&mut receipt.events)) {
            if self.wants(&event) {
                let event = self.event(&event, place, index, receipt.transaction_hash.0)?;
                self.sightings.events.push(event);
            }
            let raw = RawEvent {
                keys: serde_json::from_str(event.keys.get())?,
                from_address: event.from_address,
                data: event.data,
            };
            let taken = emitted.take(raw);
            taken.map_err(|error| Error::custom(format_args!("an address {error}")))?;
        }
        let actual_fee = receipt.actual_fee.as_ref();
        let paid = actual_fee.is_some_and(|fee| is_paid(&fee.amount));
        let hash = || Some(receipt.transaction_hash.0);
        self.emitted.take_transaction(place, emitted, paid, hash);
        let seen = self.sightings.events.get_mut(first..).unwrap_or_default();
        if seen.is_empty() && !self.watch.has_senders() {
            return Ok(());
        }
        let sender = sender(transaction, &receipt)?;
        let fee = fee(receipt.actual_fee.as_ref()).ok();
        for event in seen {
            (event.sender, event.fee) = (sender, fee);
        }
        if let Some(sender) = sender.filter(|sender| self.watch.wants_transactions_of(*sender)) {
            let sent = self.sent(place, sender, receipt)?;
            self.sightings.transactions.push(sent);
        }
        Ok(())
    }

    /// Whether an event is of a watched contract. Who else emits is noted.
    fn wants(&mut self, event: &WatchedEvent<'_>) -> bool {
        let Ok(contract) = event.from_address.parse() else {
            return false;
        };
        let wanted = self.watch.wants_events_of(contract);
        if !wanted && self.sightings.strangers.last() != Some(&contract) {
            self.sightings.strangers.push(contract);
        }
        wanted
    }

    fn event(
        &self,
        event: &WatchedEvent<'_>,
        transaction: u32,
        index: u32,
        transaction_hash: Felt,
    ) -> Result<ContractEvent, Error> {
        let contract = event.from_address.parse::<Address>();
        Ok(ContractEvent {
            contract: contract.map_err(Error::custom)?,
            block: self.block,
            time: self.time,
            transaction,
            index,
            transaction_hash,
            // The transaction tells both, once they are known to be needed.
            sender: None,
            fee: None,
            keys: felts(event.keys)?,
            data: felts(event.data)?,
        })
    }

    fn sent(
        &self,
        transaction: u32,
        sender: Address,
        receipt: Receipt<'_>,
    ) -> Result<SentTransaction, Error> {
        let fee = fee(receipt.actual_fee.as_ref())?;
        let revert_reason = match receipt.execution_status {
            Some(Execution::Succeeded) => None,
            Some(Execution::Reverted) => Some(reason(receipt.revert_reason)),
            Some(Execution::Other) | None => {
                return Err(Error::custom("an execution status that nobody knows"));
            }
        };
        Ok(SentTransaction {
            sender,
            block: self.block,
            time: self.time,
            transaction,
            hash: receipt.transaction_hash.0,
            fee,
            revert_reason,
        })
    }
}

/// None for what the base layer sent, and for the oldest kinds of transactions.
fn sender(transaction: &RawValue, receipt: &Receipt<'_>) -> Result<Option<Address>, Error> {
    let origin: Origin = serde_json::from_str(transaction.get())?;
    let deploys = origin.kind == Kind::DeployAccount;
    let deployed = receipt.contract_address.filter(|_| deploys);
    let sender = origin.sender_address.or(deployed);
    Ok(sender.map(|WireFelt(sender)| Address::new(sender)))
}

fn fee(fee: Option<&WireFee<'_>>) -> Result<Fee, Error> {
    let fee = fee.ok_or_else(|| Error::custom("missing field `actual_fee`"))?;
    let amount = u128_from_hex(&fee.amount);
    let amount = amount.ok_or_else(|| Error::custom("a fee has at most 128 bits"))?;
    let unit = match fee.unit {
        Some(Unit::Wei) => FeeUnit::Wei,
        Some(Unit::Fri) => FeeUnit::Fri,
        Some(Unit::Other) | None => return Err(Error::custom("a fee is paid in WEI or in FRI")),
    };
    Ok(Fee { amount, unit })
}

/// Contracts choose these words, and no database keeps a text with a NUL.
fn reason(words: Option<String>) -> String {
    cut(&words.unwrap_or_default()).replace('\0', "\u{fffd}")
}

fn felts(list: &RawValue) -> Result<Vec<Felt>, Error> {
    let felts: Vec<WireFelt> = serde_json::from_str(list.get())?;
    Ok(felts.into_iter().map(|felt| felt.0).collect())
}
