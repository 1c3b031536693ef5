//! Which contracts of a block behave like ERC-20 tokens, and whether the block's
//! events are all there.
//!
//! This is where most of a block's bytes are. Nothing is copied per element:
//! keys are compared as text, the rest is counted, and an address is decoded
//! only when its event is a transfer.

use primitives::{Address, FeltError};
use serde::{
    Deserialize, Deserializer,
    de::{Error, IgnoredAny, SeqAccess, Visitor},
};
use std::{borrow::Cow, fmt, marker::PhantomData};

/// Digits of the selector of `Transfer`.
const TRANSFER: &str = "99cd8bde557814842a3121e8ddfd433a539b8c9f14bf31ebf108d12e6196e9";

/// Contracts that emitted an ERC-20 transfer in any of a block's transactions,
/// reverted ones included: the transfer of their fee did happen.
#[derive(Debug, Default)]
pub(super) struct Emitters {
    addresses: Vec<Address>,
    events: u64,
    paid_in_silence: bool,
}

impl Emitters {
    pub(super) fn sorted(self) -> Vec<Address> {
        let mut addresses = self.addresses;
        addresses.sort_unstable();
        addresses.dedup();
        addresses
    }

    /// Whether events are missing: fewer or more than the header counts, where
    /// it does, or none where a fee was paid, since paying it is a transfer.
    pub(super) fn are_incomplete(&self, counted: Option<u64>) -> bool {
        self.paid_in_silence || counted.is_some_and(|counted| counted != self.events)
    }
}

#[derive(Deserialize)]
struct Transaction<'a> {
    #[serde(borrow)]
    receipt: Receipt<'a>,
}

#[derive(Deserialize)]
struct Receipt<'a> {
    #[serde(borrow, default)]
    actual_fee: Option<Fee<'a>>,
    #[serde(deserialize_with = "emitters_of_events")]
    events: Emitters,
}

#[derive(Deserialize)]
struct Fee<'a> {
    #[serde(borrow)]
    amount: Cow<'a, str>,
}

impl Fee<'_> {
    fn is_paid(&self) -> bool {
        let digits = self.amount.get(2..).unwrap_or_default();
        digits.bytes().any(|digit| digit != b'0')
    }
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow)]
    from_address: Cow<'a, str>,
    keys: Keys,
    data: Count,
}

impl Event<'_> {
    /// Sender and receiver are both keys or both data, and the amount is always
    /// two elements of data. An NFT's transfer has its id among the keys.
    fn is_erc20_transfer(&self) -> bool {
        self.keys.begin_with_transfer && matches!((self.keys.count, self.data.0), (3, 2) | (1, 4))
    }
}

impl<'de> Deserialize<'de> for Emitters {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        fold(
            deserializer,
            |found: &mut Self, Transaction { receipt }: Transaction<'de>| {
                let paid = receipt.actual_fee.is_some_and(|fee| fee.is_paid());
                found.paid_in_silence |= paid && receipt.events.events == 0;
                found.events += receipt.events.events;
                found.addresses.extend(receipt.events.addresses);
                Ok(())
            },
        )
    }
}

fn emitters_of_events<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Emitters, D::Error> {
    fold(deserializer, |found: &mut Emitters, event: Event<'de>| {
        found.events += 1;
        if event.is_erc20_transfer() {
            let address = event.from_address.parse()?;
            if found.addresses.last() != Some(&address) {
                found.addresses.push(address);
            }
        }
        Ok(())
    })
}

#[derive(Default)]
struct Keys {
    count: usize,
    begin_with_transfer: bool,
}

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        fold(deserializer, |keys: &mut Self, key: Key| {
            if keys.count == 0 {
                keys.begin_with_transfer = key.is_transfer;
            }
            keys.count += 1;
            Ok(())
        })
    }
}

#[derive(Default)]
struct Count(usize);

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        fold(deserializer, |count: &mut Self, _: IgnoredAny| {
            count.0 += 1;
            Ok(())
        })
    }
}

struct Key {
    is_transfer: bool,
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Hex;

        impl Visitor<'_> for Hex {
            type Value = Key;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a field element in hexadecimal")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Key, E> {
                let digits = text.get(2..).unwrap_or_default().trim_start_matches('0');
                Ok(Key {
                    is_transfer: digits.eq_ignore_ascii_case(TRANSFER),
                })
            }
        }

        deserializer.deserialize_str(Hex)
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
    use primitives::{felt_to_hex, selector};
    use serde_json::{Value, json};

    fn emitters(events: &Value) -> Vec<String> {
        let transactions = json!([{"transaction": {}, "receipt": {"events": events}}]);
        serde_json::from_str::<Emitters>(&transactions.to_string())
            .unwrap()
            .sorted()
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    fn event(from: &str, keys: &[&str], data: usize) -> Value {
        json!({"from_address": from, "keys": keys, "data": vec!["0x1"; data]})
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

    fn incomplete(fee: &str, events: usize, counted: Option<u64>) -> bool {
        let events = vec![event("0x1", &["0x2"], 1); events];
        let fee = json!({"amount": fee, "unit": "FRI"});
        let text = json!([{"receipt": {"actual_fee": fee, "events": events}}]).to_string();
        let found: Emitters = serde_json::from_str(&text).unwrap();
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
        let error = serde_json::from_str::<Emitters>(&text).unwrap_err();
        assert!(
            error.to_string().contains("an address has a character"),
            "{error}"
        );
    }
}
