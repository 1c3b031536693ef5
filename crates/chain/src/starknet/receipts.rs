//! What the events of a block say: which contracts behave like ERC-20 tokens
//! and how much they moved, what may have happened to pools, and whether all
//! events are there.
//!
//! This is where most of a block's bytes are. Nothing is copied per element:
//! keys are compared as text, and elements are decoded only where they are the
//! amount of a transfer or an event may tell of a pool.

use super::{
    felt::{WireFelt, u128_from_hex},
    venues,
};
use primitives::{Address, Felt, FeltError, U256, felt_from_hex, selector};
use serde::{
    Deserialize, Deserializer,
    de::{Error, SeqAccess, Visitor},
};
use serde_json::value::RawValue;
use std::{borrow::Cow, fmt, marker::PhantomData, sync::LazyLock};

/// Digits of the selector of `Transfer`.
const TRANSFER: &str = "99cd8bde557814842a3121e8ddfd433a539b8c9f14bf31ebf108d12e6196e9";

/// What tokens say beside transfers; shares of pools are tokens too.
static APPROVAL: LazyLock<Felt> = LazyLock::new(|| selector("Approval"));

/// An event of a contract that may be a venue's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The place of its transaction in the block, counted from 0.
    pub transaction: u32,
    /// The contract.
    pub from: Address,
    /// The selector of the event's name, and what is indexed beside it.
    pub keys: Vec<Felt>,
    /// The rest.
    pub data: Vec<Felt>,
}

/// What a token's ERC-20 transfers of a block move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfers {
    /// The contract that emitted them.
    pub token: Address,
    /// All amounts together, at most what 256 bits hold. One that is no number
    /// of 256 bits counts as nothing.
    pub amount: U256,
}

impl Transfers {
    /// Takes in what moved later, if it is of the same token.
    fn absorb(&mut self, later: &Self) -> bool {
        let same = self.token == later.token;
        if same {
            self.amount = self.amount.saturating_add(later.amount);
        }
        same
    }
}

/// What the events of a block's transactions say. Those that were reverted
/// count too: the transfer of their fee did happen.
#[derive(Debug, Default)]
pub(super) struct Emitted {
    /// What tokens moved, and more than once where others did in between.
    transfers: Vec<Transfers>,
    /// Events with a name that venues use, in order.
    pub(super) venue_events: Vec<Event>,
    /// The hashes of their transactions, each after its place.
    pub(super) venue_transactions: Vec<(u32, Felt)>,
    /// Contracts with names of other events of theirs.
    others: Vec<(Address, Felt)>,
    events: u64,
    paid_in_silence: bool,
}

impl Emitted {
    /// What tokens moved; sorted by token, unique.
    pub(super) fn take_transfers(&mut self) -> Vec<Transfers> {
        let mut transfers = std::mem::take(&mut self.transfers);
        transfers.sort_unstable_by_key(|moved| moved.token);
        transfers.dedup_by(|later, earlier| earlier.absorb(later));
        transfers
    }

    /// Contracts with the names of their events that venues do not use; sorted,
    /// unique.
    pub(super) fn take_others(&mut self) -> Vec<(Address, Felt)> {
        sorted(std::mem::take(&mut self.others))
    }

    /// Whether events are missing: fewer or more than the header counts, where
    /// it does, or none where a fee was paid, since paying it is a transfer.
    pub(super) fn are_incomplete(&self, counted: Option<u64>) -> bool {
        self.paid_in_silence || counted.is_some_and(|counted| counted != self.events)
    }

    /// Takes in what the next transaction of the block emitted, and whether a fee
    /// was paid for it. Its hash is asked for only if that matters to anybody.
    pub(super) fn take_transaction(
        &mut self,
        place: u32,
        mut events: Self,
        paid: bool,
        hash: impl FnOnce() -> Option<Felt>,
    ) {
        for event in &mut events.venue_events {
            event.transaction = place;
        }
        if !events.venue_events.is_empty() {
            let hash = hash().map(|hash| (place, hash));
            self.venue_transactions.extend(hash);
        }
        events.paid_in_silence = paid && events.events == 0;
        self.append(events);
    }

    /// Takes in an event of the transaction in hand.
    pub(super) fn take(&mut self, event: RawEvent<'_>) -> Result<(), FeltError> {
        self.events += 1;
        if let Some(amount) = event.transferred() {
            self.transfer(Transfers {
                token: event.from_address.parse()?,
                amount,
            });
        }
        let Some(name) = event.keys.name else {
            return Ok(());
        };
        if venues::is_name(name) {
            self.venue_events.push(event.decode()?);
        } else if name != *APPROVAL
            && let Ok(from) = event.from_address.parse()
        {
            push_new(&mut self.others, (from, name));
        }
        Ok(())
    }

    fn transfer(&mut self, moved: Transfers) {
        let last = self.transfers.last_mut();
        if !last.is_some_and(|last| last.absorb(&moved)) {
            self.transfers.push(moved);
        }
    }

    fn append(&mut self, mut other: Self) {
        self.transfers.append(&mut other.transfers);
        self.venue_events.append(&mut other.venue_events);
        self.venue_transactions
            .append(&mut other.venue_transactions);
        self.others.append(&mut other.others);
        self.events += other.events;
        self.paid_in_silence |= other.paid_in_silence;
    }
}

fn push_new<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if list.last() != Some(&item) {
        list.push(item);
    }
}

fn sorted<T: Ord>(mut list: Vec<T>) -> Vec<T> {
    list.sort_unstable();
    list.dedup();
    list
}

#[derive(Deserialize)]
struct Transaction<'a> {
    #[serde(borrow)]
    receipt: Receipt<'a>,
}

#[derive(Deserialize)]
struct Receipt<'a> {
    #[serde(borrow, default)]
    transaction_hash: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    actual_fee: Option<Fee<'a>>,
    #[serde(deserialize_with = "emitted_by_one")]
    events: Emitted,
}

#[derive(Deserialize)]
struct Fee<'a> {
    #[serde(borrow)]
    amount: Cow<'a, str>,
}

/// Whether a fee of this amount is more than nothing.
pub(super) fn is_paid(amount: &str) -> bool {
    let digits = amount.get(2..).unwrap_or_default();
    digits.bytes().any(|digit| digit != b'0')
}

#[derive(Deserialize)]
pub(super) struct RawEvent<'a> {
    #[serde(borrow)]
    pub(super) from_address: Cow<'a, str>,
    pub(super) keys: Keys,
    #[serde(borrow)]
    pub(super) data: &'a RawValue,
}

impl RawEvent<'_> {
    /// The amount of an ERC-20 transfer; `None` if this is none. Sender and
    /// receiver are both keys or both data, and the amount is always two
    /// elements of data. An NFT's transfer has its id among the keys.
    fn transferred(&self) -> Option<U256> {
        let words = match self.keys.count {
            3 if self.keys.begin_with_transfer => 2,
            1 if self.keys.begin_with_transfer => 4,
            _ => return None,
        };
        let last: LastTwo<'_> = serde_json::from_str(self.data.get()).ok()?;
        (last.count == words).then(|| last.number().unwrap_or_default())
    }

    fn decode(self) -> Result<Event, FeltError> {
        let data = serde_json::from_str::<Vec<WireFelt>>(self.data.get());
        Ok(Event {
            // An event does not know its place; the block tells it.
            transaction: 0,
            from: self.from_address.parse()?,
            keys: self.keys.felts,
            // What is no list of elements is a list that no venue knows.
            data: data.map_or_else(
                |_| Vec::new(),
                |data| data.into_iter().map(|felt| felt.0).collect(),
            ),
        })
    }
}

impl<'de> Deserialize<'de> for Emitted {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut place = 0_u32;
        fold(
            deserializer,
            |found: &mut Self, Transaction { receipt }: Transaction<'de>| {
                let paid = receipt.actual_fee.is_some_and(|fee| is_paid(&fee.amount));
                let hash = || felt_from_hex(&receipt.transaction_hash?).ok();
                found.take_transaction(place, receipt.events, paid, hash);
                place = place.saturating_add(1);
                Ok(())
            },
        )
    }
}

/// The events of one transaction.
pub(super) fn emitted_by_one<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Emitted, D::Error> {
    fold(deserializer, |found: &mut Emitted, event: RawEvent<'de>| {
        found.take(event)
    })
}

#[derive(Default)]
pub(super) struct Keys {
    count: usize,
    begin_with_transfer: bool,
    /// The first key, unless it is that of a transfer.
    name: Option<Felt>,
    /// All keys of an event with a name that venues use.
    felts: Vec<Felt>,
}

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        fold(deserializer, |keys: &mut Self, Key(key): Key<'de>| {
            if keys.count == 0 {
                keys.begin_with_transfer = is_transfer(&key);
                keys.name = (!keys.begin_with_transfer)
                    .then(|| felt_from_hex(&key).ok())
                    .flatten();
            }
            if keys.name.is_some_and(venues::is_name) {
                keys.felts.push(felt_from_hex(&key)?);
            }
            keys.count += 1;
            Ok(())
        })
    }
}

#[derive(Deserialize)]
#[serde(transparent)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

fn is_transfer(key: &str) -> bool {
    let digits = key.get(2..).unwrap_or_default().trim_start_matches('0');
    digits.eq_ignore_ascii_case(TRANSFER)
}

/// How many elements there are, and the last two of them as they are written.
#[derive(Default)]
struct LastTwo<'a> {
    count: usize,
    low: Option<&'a RawValue>,
    high: Option<&'a RawValue>,
}

impl LastTwo<'_> {
    /// Low half, high half.
    fn number(&self) -> Option<U256> {
        let half = |text: Option<&RawValue>| {
            let Key(text) = serde_json::from_str(text?.get()).ok()?;
            u128_from_hex(&text)
        };
        let (low, high) = (half(self.low)?, half(self.high)?);
        Some(U256::from(low) | (U256::from(high) << 128_usize))
    }
}

impl<'de> Deserialize<'de> for LastTwo<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        fold(deserializer, |last: &mut Self, element: &'de RawValue| {
            last.count += 1;
            last.low = last.high.replace(element);
            Ok(())
        })
    }
}

/// Reads an array item by item into one value, without keeping the items.
fn fold<'de, D, T, S, F>(deserializer: D, add: F) -> Result<S, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
    S: Default,
    F: FnMut(&mut S, T) -> Result<(), FeltError>,
{
    struct Fold<T, S, F> {
        add: F,
        types: PhantomData<(T, S)>,
    }

    impl<'de, T, S, F> Visitor<'de> for Fold<T, S, F>
    where
        T: Deserialize<'de>,
        S: Default,
        F: FnMut(&mut S, T) -> Result<(), FeltError>,
    {
        type Value = S;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an array")
        }

        fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<S, A::Error> {
            let mut sum = S::default();
            while let Some(item) = items.next_element()? {
                (self.add)(&mut sum, item)
                    .map_err(|error| A::Error::custom(format_args!("an address {error}")))?;
            }
            Ok(sum)
        }
    }

    deserializer.deserialize_seq(Fold {
        add,
        types: PhantomData,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use primitives::felt_to_hex;
    use serde_json::{Value, json};

    fn transfers(text: &str) -> Vec<(String, U256)> {
        let mut emitted: Emitted = serde_json::from_str(text).unwrap();
        let transfers = emitted.take_transfers().into_iter();
        transfers
            .map(|moved| (moved.token.to_string(), moved.amount))
            .collect()
    }

    fn by_one(events: &Value) -> String {
        json!([{"transaction": {}, "receipt": {"events": events}}]).to_string()
    }

    fn emitters(events: &Value) -> Vec<String> {
        let transfers = transfers(&by_one(events)).into_iter();
        transfers.map(|(token, _)| token).collect()
    }

    fn event(from: &str, keys: &[&str], data: usize) -> Value {
        json!({"from_address": from, "keys": keys, "data": vec!["0x1"; data]})
    }

    /// A transfer with sender and receiver among the keys.
    fn keyed(from: &str, low: &Value, high: &Value) -> Value {
        json!({"from_address": from, "keys": [transfer(), "0x1", "0x2"], "data": [low, high]})
    }

    /// A transfer with sender and receiver among the data.
    fn plain(from: &str, low: &Value, high: &Value) -> Value {
        json!({"from_address": from, "keys": [transfer()], "data": ["0x1", "0x2", low, high]})
    }

    fn transfer() -> String {
        felt_to_hex(selector("Transfer"))
    }

    #[test]
    fn the_key_is_the_selector_of_transfer() {
        assert_eq!(transfer(), format!("0x{TRANSFER}"));
    }

    #[test]
    fn both_shapes_of_erc20_transfers_count() {
        let padded = format!("0x00{}", TRANSFER.to_uppercase());
        let events = json!([
            event("0xb", &[&transfer(), "0x1", "0x2"], 2),
            event("0x00a", &[&padded], 4),
            event("0x0b", &[&padded, "0x1", "0x2"], 2),
        ]);
        assert_eq!(emitters(&events), ["0xa", "0xb"]);
    }

    #[test]
    fn other_shapes_and_other_events_do_not() {
        let key = transfer();
        let events = json!([
            event("0x1", &[&key, "0x1", "0x2", "0x3", "0x0"], 0),
            event("0x2", &[&key, "0x1", "0x2"], 3),
            event("0x3", &[&key, "0x1", "0x2"], 1),
            event("0x4", &[&key], 3),
            event("0x5", &[&key], 5),
            event("0x6", &[], 4),
            event("0x7", &["0x1", "0x1", &key], 2),
            event(
                "0x8",
                &[&felt_to_hex(selector("Approval")), "0x1", "0x2"],
                2
            ),
            event("0x9", &["", "0", "é"], 2),
            event("not an address", &["0x1"], 4),
        ]);
        assert_eq!(emitters(&events), Vec::<String>::new());
    }

    #[test]
    fn amounts_of_a_token_add_up_over_the_whole_block() {
        let of = |low: &str, high: &str| [json!(low), json!(high)];
        let [five, two, wide] = [of("0x5", "0x0"), of("0x02", "0x00"), of("0x1", "0xA")];
        let text = json!([
            {"receipt": {"events": [
                keyed("0xb", &five[0], &five[1]),
                plain("0xb", &two[0], &two[1]),
                plain("0xa", &two[0], &two[1]),
            ]}},
            {"receipt": {"events": [keyed("0x0b", &wide[0], &wide[1])]}},
            {"receipt": {"events": [keyed("0xc", &json!("0x0"), &json!("0x0"))]}},
        ]);
        let expected = [
            ("0xa", U256::from(2)),
            ("0xb", (U256::from(10) << 128) + U256::from(8)),
            ("0xc", U256::ZERO),
        ];
        let expected = expected.map(|(token, amount)| (token.to_owned(), amount));
        assert_eq!(transfers(&text.to_string()), expected);
    }

    #[test]
    fn amounts_end_where_256_bits_do() {
        let half = json!(format!("0x{}", "f".repeat(32)));
        let all = keyed("0x1", &half, &half);
        let one = keyed("0x1", &json!("0x1"), &json!("0x0"));
        let between = keyed("0x2", &json!("0x1"), &json!("0x0"));
        let text = by_one(&json!([all, one, between, all]));
        let expected = [("0x1", U256::MAX), ("0x2", U256::ONE)];
        let expected = expected.map(|(token, amount)| (token.to_owned(), amount));
        assert_eq!(transfers(&text), expected);
    }

    #[test]
    fn an_amount_that_is_no_number_counts_as_nothing_but_the_token_is_seen() {
        let too_long = json!(format!("0x1{}", "0".repeat(32)));
        for half in [
            too_long,
            json!(felt_to_hex(Felt::MAX)),
            json!("12"),
            json!("0xg"),
            json!("0x"),
            json!(""),
            json!(12),
            json!(null),
            json!(["0x1"]),
            json!({"low": "0x1"}),
        ] {
            let good = json!("0x1");
            let events = json!([
                keyed("0x1", &half, &good),
                keyed("0x2", &good, &half),
                plain("0x3", &half, &good),
                plain("0x4", &good, &half),
                keyed("0x4", &json!("0x7"), &json!("0x0")),
            ]);
            let nothing = ["0x1", "0x2", "0x3"].map(|token| (token.to_owned(), U256::ZERO));
            let mut expected = nothing.to_vec();
            expected.push(("0x4".to_owned(), U256::from(7)));
            assert_eq!(transfers(&by_one(&events)), expected, "{half}");
        }
    }

    #[test]
    fn an_amount_is_read_from_any_form_of_the_text() {
        let data = r#"["0x2\u0041" , "0X000"]"#;
        let key = transfer();
        let text = format!(
            r#"[{{"receipt":{{"events":[{{"from_address":"0x1","keys":["{key}","0x1","0x2"],"data":{data}}}]}}}}]"#
        );
        assert_eq!(transfers(&text), [("0x1".to_owned(), U256::from(42))]);
    }

    #[test]
    fn events_with_names_that_venues_use_are_kept_whole_and_in_order() {
        let [sync, swap] = ["Sync", "Swap"].map(|name| felt_to_hex(selector(name)));
        let text = json!([
            {"receipt": {"events": [event("0x2", &[&sync], 4), event("0x1", &["0x9"], 1)]}},
            {"receipt": {"events": []}},
            {"receipt": {"events": [event("0x1", &[&swap, "0x7"], 1), event("0x1", &["0x9"], 3)]}},
        ]);
        let mut found: Emitted = serde_json::from_str(&text.to_string()).unwrap();
        let names = found.venue_events.iter().map(|event| {
            let from = event.from.to_string();
            (event.transaction, from, event.keys.len(), event.data.len())
        });
        assert_eq!(
            names.collect::<Vec<_>>(),
            [(0, "0x2".to_owned(), 1, 4), (2, "0x1".to_owned(), 2, 1)]
        );
        assert_eq!(found.take_others(), [(Felt::ONE.into(), Felt::from(9))]);
    }

    fn incomplete(fee: &str, events: usize, counted: Option<u64>) -> bool {
        let events = vec![event("0x1", &["0x2"], 1); events];
        let fee = json!({"amount": fee, "unit": "FRI"});
        let text = json!([{"receipt": {"actual_fee": fee, "events": events}}]).to_string();
        let found: Emitted = serde_json::from_str(&text).unwrap();
        found.are_incomplete(counted)
    }

    #[test]
    fn a_fee_that_was_paid_without_any_event_gives_missing_events_away() {
        assert!(incomplete("0x1f", 0, None));
        assert!(!incomplete("0x1f", 1, None));
        assert!(!incomplete("0x0", 0, None));
        assert!(!incomplete("0x00", 0, None));
    }

    #[test]
    fn where_the_header_counts_events_all_of_them_must_be_there() {
        assert!(!incomplete("0x1", 2, Some(2)));
        assert!(incomplete("0x1", 1, Some(2)));
        assert!(incomplete("0x0", 0, Some(1)));
    }

    #[test]
    fn a_transfer_from_no_address_is_malformed() {
        let text = json!([{"receipt": {"events": [event("0xg", &[&transfer()], 4)]}}]).to_string();
        let error = serde_json::from_str::<Emitted>(&text).unwrap_err();
        assert!(
            error.to_string().contains("an address has a character"),
            "{error}"
        );
    }
}
