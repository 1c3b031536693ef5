//! Every field of every event at whatever its protocol lets it be: what strangers
//! can bring about is read, or is known to be about the pool that it names.

use super::{Event, POOL, Untold, address, named_pool, pool_event};
use amm::book::{Kind, Named, Spot};
use primitives::{Felt, selector};
use proptest::prelude::*;

/// What a field can be.
#[derive(Debug, Clone, Copy)]
enum Field {
    Felt,
    Bool,
    Number(u128),
    /// Two halves.
    Wide,
    /// A magnitude up to this, and a sign.
    Signed(u128),
    /// Two halves and a sign.
    WideSigned,
}

use Field::{Bool, Number, Signed, Wide, WideSigned};

const WORD: Field = Field::Felt;
const U8: Field = Number(u8::MAX as u128);
const U32: Field = Number(u32::MAX as u128);
const U64: Field = Number(u64::MAX as u128);
const U128: Field = Number(u128::MAX);
const I129: Field = Signed(u128::MAX);
const EKUBO_TICK: Field = Signed(88_722_883);
const V3_TICK: Field = Signed(887_272);

/// Tokens, fee, spacing of ticks, extension.
const KEY: [Field; 5] = [WORD, WORD, U128, Number(354_892), WORD];

/// The events of a kind: name, fields before the key of the pool, fields after it.
fn events(kind: Kind) -> Vec<(&'static str, Vec<Field>, Vec<Field>)> {
    let keyed = |name, before: &[Field], after: &[Field]| (name, before.to_vec(), after.to_vec());
    let plain = |name, fields: &[Field]| (name, Vec::new(), fields.to_vec());
    let swap = [WORD, Wide, Wide, Wide, Wide, WORD];
    match kind {
        Kind::Ekubo => vec![
            keyed("PoolInitialized", &[], &[EKUBO_TICK, Wide]),
            keyed("PoolInitialized", &[], &[EKUBO_TICK, Wide, U8]),
            keyed(
                "Swapped",
                &[WORD],
                &[I129, Bool, Wide, U128, I129, I129, Wide, EKUBO_TICK, U128],
            ),
            keyed(
                "PositionUpdated",
                &[WORD],
                &[WORD, EKUBO_TICK, EKUBO_TICK, I129, I129, I129],
            ),
            keyed(
                "PositionFeesCollected",
                &[],
                &[WORD, WORD, EKUBO_TICK, EKUBO_TICK, I129, I129],
            ),
            keyed(
                "ProtocolFeesPaid",
                &[],
                &[WORD, WORD, EKUBO_TICK, EKUBO_TICK, I129, I129],
            ),
            keyed("FeesAccumulated", &[], &[U128, U128]),
        ],
        Kind::JediSwapV2 => vec![
            plain("PoolCreated", &[WORD, WORD, U32, U32, WORD]),
            plain("Initialize", &[Wide, V3_TICK]),
            plain("Mint", &[WORD, WORD, V3_TICK, V3_TICK, U128, Wide, Wide]),
            plain("Burn", &[WORD, V3_TICK, V3_TICK, U128, Wide, Wide]),
            plain("Collect", &[WORD, WORD, V3_TICK, V3_TICK, U128, U128]),
            plain(
                "Swap",
                &[WORD, WORD, WideSigned, WideSigned, Wide, U128, V3_TICK],
            ),
            plain("CollectProtocol", &[WORD, WORD, U128, U128]),
        ],
        Kind::MySwap => vec![
            plain("PoolCreated", &[U64, WORD, WORD, U32]),
            plain("Sync", &[U64, Wide, Wide]),
            plain("Swap", &[U64, WORD, WORD, Wide, Wide]),
        ],
        Kind::TenKSwap => vec![
            plain("PairCreated", &[WORD; 4]),
            plain("Sync", &[U128, U128]),
            plain("Swap", &swap),
        ],
        Kind::JediSwap | Kind::Nostra => vec![
            plain("PairCreated", &[WORD; 4]),
            plain("Sync", &[Wide, Wide]),
            plain("Swap", &swap),
        ],
        Kind::SithSwap => vec![
            plain("PairCreated", &[WORD, WORD, Bool, WORD, WORD]),
            plain("Sync", &[Wide, Wide]),
            plain("Swap", &swap),
        ],
        Kind::StarkDefi => vec![
            plain("PairCreated", &[WORD, WORD, WORD, U32, Bool]),
            plain("SetPairFee", &[WORD, Bool, U8]),
            plain("SetPairFee", &[WORD, Bool, Wide]),
            plain("Sync", &[Wide, Wide]),
            plain("Swap", &[WORD, WORD, Wide, Wide, Wide, Wide]),
        ],
        Kind::Endur => vec![plain("Deposit", &[WORD, WORD, Wide, Wide])],
    }
}

/// How a field is drawn: the largest that it can be, the smallest, or anything.
type Draw = (u8, [u8; 32]);

fn number(most: u128, (way, bytes): Draw) -> u128 {
    match way {
        0 => most,
        1 => 0,
        2 => most / 2 + 1,
        _ => {
            let mut any = [0; 16];
            any.copy_from_slice(&bytes[..16]);
            let any = u128::from_be_bytes(any);
            most.checked_add(1).map_or(any, |count| any % count)
        }
    }
}

fn elements(field: Field, draw: Draw, other: Draw) -> Vec<Felt> {
    let sign = Felt::from(draw.1[31] & 1);
    let halves = [draw, other].map(|draw| Felt::from(number(u128::MAX, draw)));
    match field {
        Field::Felt => vec![Felt::from_bytes_be(&draw.1)],
        Bool => vec![sign],
        Number(most) => vec![Felt::from(number(most, draw))],
        Wide => halves.to_vec(),
        Signed(most) => vec![Felt::from(number(most, draw)), sign],
        WideSigned => vec![halves[0], halves[1], sign],
    }
}

fn felts(fields: &[Field], draws: &mut impl Iterator<Item = Draw>) -> Vec<Felt> {
    let mut draw = || draws.next().unwrap_or_default();
    let each = |field: &Field| elements(*field, draw(), draw());
    fields.iter().flat_map(each).collect()
}

fn event(name: &str, data: Vec<Felt>) -> Event {
    Event {
        transaction: 0,
        from: address(POOL),
        keys: vec![selector(name)],
        data,
    }
}

/// Whether the kind's pools have contracts of their own, so that an event is about
/// whoever emitted it.
fn tells_of_itself(kind: Kind, name: &str) -> bool {
    !kind.is_singleton() && !["PairCreated", "PoolCreated", "SetPairFee"].contains(&name)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn what_protocols_allow_is_read_or_is_known_to_be_about_one_pool(
        kind in prop::sample::select(&Kind::ALL),
        which in any::<prop::sample::Index>(),
        draws in prop::collection::vec((0_u8..5, any::<[u8; 32]>()), 60),
    ) {
        let events = events(kind);
        let (name, before, after) = which.get(&events);
        let mut draws = draws.into_iter();
        let before = felts(before, &mut draws);
        let key = if kind == Kind::Ekubo { felts(&KEY, &mut draws) } else { Vec::new() };
        let after = felts(after, &mut draws);
        let event = event(name, [before, key.clone(), after].concat());
        let told = pool_event(kind, &event);
        let named = named_pool(kind, &event);
        if kind == Kind::Ekubo {
            // The whole range of every field.
            prop_assert!(told.is_ok(), "{name}: {told:?}");
            let [token0, token1, fee, spacing, extension] = key[..] else {
                unreachable!();
            };
            let spot = Spot::Keyed {
                fee: fee.try_into().unwrap(),
                tick_spacing: spacing.try_into().unwrap(),
                extension: extension.into(),
            };
            let tokens = Some([token0.into(), token1.into()]);
            prop_assert_eq!(named, Some(Named { spot, tokens }));
        } else if told == Err(Untold::Malformed) {
            // Amounts that no token can have.
            prop_assert!(named.is_some() || tells_of_itself(kind, name), "{kind:?} {name}");
        }
        prop_assert_ne!(told, Err(Untold::Unknown));
    }

    #[test]
    fn what_a_key_names_does_not_depend_on_what_follows(
        fee in any::<u128>(),
        rest in prop::collection::vec(any::<[u8; 32]>(), 0..20),
        name in prop::sample::select(&["PoolInitialized", "FeesAccumulated", "PositionFeesCollected"][..]),
    ) {
        let key = [Felt::ONE, Felt::TWO, Felt::from(fee), Felt::THREE, Felt::ZERO];
        let rest = rest.iter().map(Felt::from_bytes_be);
        let event = event(name, key.into_iter().chain(rest).collect());
        let spot = Spot::Keyed { fee, tick_spacing: 3, extension: address(0) };
        let tokens = Some([address(1), address(2)]);
        prop_assert_eq!(named_pool(Kind::Ekubo, &event), Some(Named { spot, tokens }));
    }
}
