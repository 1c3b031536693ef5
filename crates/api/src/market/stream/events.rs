//! The events of a stream, as they are sent and described.

use super::super::{date::Time, points::Candle, token_price::ETH};
use crate::{dialect::Dialect, http::event_stream::StreamEvent};
use primitives::{Address, BlockRef, Impossible, felt_to_hex};
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

/// An event and the block that it is of.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct News {
    pub(super) block: BlockRef,
    pub(super) body: NewsBody,
}

/// The data of an event: which of these it is follows from its name.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = StreamEvent)]
#[serde(untagged)]
pub(super) enum NewsBody {
    Block(BlockEvent),
    Reorganisation(ReorganisationEvent),
    Prices(PricesEvent),
    Candle(CandleEvent),
    Orders(OrdersEvent),
    Lagging(LaggingEvent),
}

/// `block`: the chain has one more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub(super) struct BlockEvent {
    #[schema(example = 123)]
    pub(super) number: u64,
    #[schema(value_type = String, example = "0x2a1c")]
    pub(super) hash: Hash,
    #[schema(value_type = String, format = DateTime, example = "2026-01-31T12:00:00Z")]
    pub(super) timestamp: Time,
}

/// `reorganisation`: blocks that were told are gone. This one is the newest that is
/// still there; what was told of later ones does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub(super) struct ReorganisationEvent {
    #[schema(example = 120)]
    pub(super) number: u64,
    #[schema(value_type = String, example = "0x19f3")]
    pub(super) hash: Hash,
    /// How many of the blocks that were told are gone.
    #[schema(example = 3)]
    pub(super) depth: u64,
}

/// `prices`: figures that changed; at the beginning, all that there are.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct PricesEvent {
    #[schema(example = 123)]
    pub(super) block_number: u64,
    pub(super) prices: Vec<StreamedPrice>,
}

/// A token's price.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct StreamedPrice {
    /// Its contract, hexadecimal without padding.
    #[schema(value_type = String, example = json!(ETH))]
    pub(super) address: Address,
    /// Null if it has none any more.
    #[schema(required, example = 3_500.25)]
    pub(super) price_usd: Option<f64>,
    /// Over 24 hours, in per cent; null if there was no price then.
    #[serde(rename = "change24h")]
    #[schema(required, example = -0.58)]
    pub(super) change_24h: Option<f64>,
}

/// `candle`: one of the newest buckets changed.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub(super) struct CandleEvent {
    /// The token's contract, hexadecimal without padding.
    #[schema(value_type = String, example = json!(ETH))]
    pub(super) address: Address,
    #[schema(value_type = super::super::resolution::ResolutionName, example = "1H")]
    pub(super) resolution: &'static str,
    pub(super) candle: Candle,
}

/// `orders`: something about the trader's recurring orders changed; ask for them
/// again. Always told at the beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct OrdersEvent {
    #[schema(value_type = String, example = "0x64b48806902a367c8598f4f95c305e8c1a1acba5f082d294a43793113115691")]
    pub(super) trader: Address,
    /// The newest block that the orders are known by.
    #[schema(example = 123)]
    pub(super) block_number: u64,
}

/// `lagging`: the reader was so slow that blocks were passed over. Everything that
/// the stream tells is told anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub(super) struct LaggingEvent {
    /// How many.
    #[schema(example = 300)]
    pub(super) missed: u64,
}

/// The hash of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hash(pub(super) primitives::Felt);

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&felt_to_hex(self.0))
    }
}

impl News {
    pub(super) fn written(&self, dialect: Dialect) -> Result<StreamEvent, Impossible> {
        let text = dialect.one_line(&self.body)?;
        Ok(StreamEvent {
            id: event_id(self.block),
            name: self.body.name(),
            data: String::from_utf8_lossy(&text).into_owned(),
        })
    }
}

impl NewsBody {
    const fn name(&self) -> &'static str {
        match self {
            Self::Block(_) => "block",
            Self::Reorganisation(_) => "reorganisation",
            Self::Prices(_) => "prices",
            Self::Candle(_) => "candle",
            Self::Orders(_) => "orders",
            Self::Lagging(_) => "lagging",
        }
    }
}

/// What a client says to go on after a block.
fn event_id(block: BlockRef) -> String {
    format!("{}-{}", block.number, felt_to_hex(block.hash))
}

/// The block that an id is of.
pub(super) fn block_of(id: &str) -> Option<BlockRef> {
    let (number, hash) = id.split_once('-')?;
    Some(BlockRef {
        number: number.parse().ok()?,
        hash: primitives::felt_from_hex(hash).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use primitives::Felt;
    use proptest::prelude::*;

    #[test]
    fn events_are_written_as_documented() {
        let block = BlockRef {
            number: 123,
            hash: Felt::from(0x2a),
        };
        let hash = Hash(block.hash);
        let written = |body| {
            let news = News { block, body };
            let event = news.written(Dialect::Plain).unwrap();
            assert_eq!(event.id, "123-0x2a");
            (event.name, event.data)
        };
        let timestamp = Time(20_454 * 86_400);
        let told = NewsBody::Block(BlockEvent {
            number: 123,
            hash,
            timestamp,
        });
        let text = r#"{"number":123,"hash":"0x2a","timestamp":"2026-01-01T00:00:00Z"}"#;
        assert_eq!(written(told), ("block", text.to_owned()));
        let told = NewsBody::Reorganisation(ReorganisationEvent {
            number: 123,
            hash,
            depth: 3,
        });
        let text = r#"{"number":123,"hash":"0x2a","depth":3}"#;
        assert_eq!(written(told), ("reorganisation", text.to_owned()));
        let told = NewsBody::Prices(PricesEvent {
            block_number: 123,
            prices: vec![StreamedPrice {
                address: Address::new(Felt::ONE),
                price_usd: Some(1.5),
                change_24h: None,
            }],
        });
        let text =
            r#"{"blockNumber":123,"prices":[{"address":"0x1","priceUsd":1.5,"change24h":null}]}"#;
        assert_eq!(written(told), ("prices", text.to_owned()));
        let told = NewsBody::Orders(OrdersEvent {
            trader: Address::new(Felt::ONE),
            block_number: 122,
        });
        let text = r#"{"trader":"0x1","blockNumber":122}"#;
        assert_eq!(written(told), ("orders", text.to_owned()));
        let told = NewsBody::Lagging(LaggingEvent { missed: 7 });
        assert_eq!(written(told), ("lagging", r#"{"missed":7}"#.to_owned()));
    }

    proptest! {
        #[test]
        fn an_id_is_read_back(number: u64, low: u128, high in 0..1_u128 << 120) {
            let hash = Felt::from(high) * Felt::from(u128::MAX) + Felt::from(low);
            let block = BlockRef { number, hash };
            prop_assert_eq!(block_of(&event_id(block)), Some(block));
        }

        #[test]
        fn no_id_makes_it_panic(id in "[0-9a-fx-]{0,30}|.{0,20}") {
            let _ = block_of(&id);
        }
    }
}
