//! The layouts that contracts of each venue ever had, by their public sources:
//! events as their structures are written there, each with the release or the
//! commit since which it is so. Where no source is public, nothing is listed.

use super::{Untold, pool_event};
use amm::book::{Kind, PoolEvent};
use primitives::{Address, Felt, selector};

/// What a field takes of an event.
#[derive(Debug, Clone, Copy)]
enum Field {
    /// An element.
    One,
    /// Two halves, or a magnitude and a sign.
    Two,
    /// A pool key of Ekubo.
    PoolKey,
    /// A position key of Ekubo: salt, owner, bounds.
    PositionKey,
    /// Two magnitudes with signs.
    Delta,
    /// What a swap of Ekubo asks for: amount, token, limit, words to skip.
    SwapParameters,
    /// What a position of Ekubo asks for: salt, bounds, liquidity.
    UpdateParameters,
    /// Two halves and a sign.
    Three,
}

use Field::{Delta, One, PoolKey, PositionKey, SwapParameters, Three, Two, UpdateParameters};

impl Field {
    const fn elements(self) -> usize {
        match self {
            One => 1,
            Two => 2,
            Three => 3,
            Delta => 4,
            PoolKey => 5,
            PositionKey | SwapParameters => 6,
            UpdateParameters => 7,
        }
    }
}

/// What an event does, if it is read at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Does {
    Creates,
    Moves,
    Upgrades,
    Nothing,
}

struct Layout {
    kind: Kind,
    /// Since when.
    since: &'static str,
    event: &'static str,
    keys: &'static [Field],
    data: &'static [Field],
    does: Does,
}

/// What a layout is made of, in the order of its fields.
type Row = (
    Kind,
    &'static str,
    &'static str,
    &'static [Field],
    &'static [Field],
    Does,
);

const fn layout((kind, since, event, keys, data, does): Row) -> Layout {
    Layout {
        kind,
        since,
        event,
        keys,
        data,
        does,
    }
}

/// EkuboProtocol/starknet-contracts, `src/core.cairo`, at its tags. Every tag from
/// v1.0.0 (2023-09-08) to v3.0.9 has the first form of `PoolInitialized`, every one
/// from v3.0.10 (2024-04-01) to v5.0.1 (2026-06-04) the second; v5.0.0 dropped
/// `ProtocolFeesPaid`. jediswaplabs/JediSwap, `contracts/Pair.cairo` (Cairo 0) and
/// `src/PairC1.cairo` of the branch 31-upgrade-to-cairo-10. 10k-swap/
/// 10k_swap-contracts, `contracts/l0k_pair.cairo`. jediswaplabs/JediSwap-v2-core,
/// `src/jediswap_v2_pool.cairo`. Starkdefi/StarkDefi, `src/dex/v1`.
#[rustfmt::skip]
const LAYOUTS: &[Row] = &[
    (Kind::Ekubo, "v1.0.0", "PoolInitialized", &[], &[PoolKey, Two, Two, One], Does::Creates),
    (Kind::Ekubo, "v3.0.10", "PoolInitialized", &[], &[PoolKey, Two, Two], Does::Creates),
    (Kind::Ekubo, "v1.0.0", "Swapped", &[], &[One, PoolKey, SwapParameters, Delta, Two, Two, One], Does::Moves),
    (Kind::Ekubo, "v1.0.0", "PositionUpdated", &[], &[One, PoolKey, UpdateParameters, Delta], Does::Moves),
    (Kind::Ekubo, "v1.0.0", "PositionFeesCollected", &[], &[PoolKey, PositionKey, Delta], Does::Moves),
    (Kind::Ekubo, "v1.0.0 to v4.0.2", "ProtocolFeesPaid", &[], &[PoolKey, PositionKey, Delta], Does::Moves),
    (Kind::Ekubo, "v1.0.6", "FeesAccumulated", &[], &[PoolKey, One, One], Does::Moves),
    (Kind::Ekubo, "v1.0.0", "ClassHashReplaced", &[], &[One], Does::Upgrades),
    (Kind::JediSwap, "d926e2e and 31-upgrade-to-cairo-10", "PairCreated", &[], &[One, One, One, One], Does::Creates),
    (Kind::JediSwap, "d926e2e and 31-upgrade-to-cairo-10", "Sync", &[], &[Two, Two], Does::Moves),
    (Kind::JediSwap, "d926e2e and 31-upgrade-to-cairo-10", "Swap", &[], &[One, Two, Two, Two, Two, One], Does::Moves),
    (Kind::JediSwap, "d926e2e and 31-upgrade-to-cairo-10", "Mint", &[], &[One, Two, Two], Does::Nothing),
    (Kind::JediSwap, "d926e2e and 31-upgrade-to-cairo-10", "Burn", &[], &[One, Two, Two, One], Does::Nothing),
    (Kind::TenKSwap, "b7afb64", "PairCreated", &[], &[One, One, One, One], Does::Creates),
    (Kind::TenKSwap, "b7afb64", "Sync", &[], &[One, One], Does::Moves),
    (Kind::TenKSwap, "b7afb64", "Swap", &[], &[One, Two, Two, Two, Two, One], Does::Moves),
    (Kind::JediSwapV2, "dbde04b", "PoolCreated", &[], &[One, One, One, One, One], Does::Creates),
    (Kind::JediSwapV2, "dbde04b", "Initialize", &[], &[Two, Two], Does::Moves),
    (Kind::JediSwapV2, "dbde04b", "Mint", &[], &[One, One, Two, Two, One, Two, Two], Does::Moves),
    (Kind::JediSwapV2, "dbde04b", "Burn", &[], &[One, Two, Two, One, Two, Two], Does::Moves),
    (Kind::JediSwapV2, "dbde04b", "Collect", &[], &[One, One, Two, Two, One, One], Does::Moves),
    (Kind::JediSwapV2, "dbde04b", "Swap", &[], &[One, One, Three, Three, Two, One, Two], Does::Moves),
    (Kind::JediSwapV2, "dbde04b", "CollectProtocol", &[], &[One, One, One, One], Does::Moves),
    (Kind::StarkDefi, "84e69d4 (2023-08-23)", "PairCreated", &[One, One], &[One, One], Does::Creates),
    (Kind::StarkDefi, "8486778 (2023-09-24)", "PairCreated", &[One, One], &[One, One, One], Does::Creates),
    (Kind::StarkDefi, "8486778 (2023-09-24)", "SetPairFee", &[One, One], &[Two], Does::Moves),
    (Kind::StarkDefi, "57b5506 (2023-10-22)", "SetPairFee", &[One, One], &[One], Does::Moves),
    (Kind::StarkDefi, "d271dc4", "Sync", &[], &[Two, Two], Does::Moves),
    (Kind::StarkDefi, "d271dc4", "Swap", &[One, One], &[Two, Two, Two, Two], Does::Moves),
];

impl Layout {
    /// An event of this layout, all of whose elements are zero, or which has
    /// `extra` elements more.
    fn told(&self, extra: usize) -> Result<PoolEvent, Untold> {
        let zeros = |fields: &[Field], extra| {
            let count: usize = fields.iter().map(|field| field.elements()).sum();
            vec![Felt::ZERO; count + extra]
        };
        let event = super::Event {
            transaction: 0,
            from: Address::new(Felt::ONE),
            keys: [vec![selector(self.event)], zeros(self.keys, 0)].concat(),
            data: zeros(self.data, extra),
        };
        pool_event(self.kind, &event)
    }
}

#[test]
fn every_layout_that_a_venue_ever_had_is_read() {
    for row in LAYOUTS {
        let layout = layout(*row);
        let does = match layout.told(0) {
            Ok(PoolEvent::Created(_)) => Does::Creates,
            Ok(PoolEvent::Moved { .. } | PoolEvent::Sold { .. }) => Does::Moves,
            Ok(PoolEvent::Upgraded) => Does::Upgrades,
            Err(Untold::Nothing) => Does::Nothing,
            Err(untold) => panic!(
                "{:?} since {}: {} is {untold:?}",
                layout.kind, layout.since, layout.event
            ),
        };
        assert_eq!(does, layout.does, "{} since {}", layout.event, layout.since);
    }
}

#[test]
fn a_layout_that_no_venue_had_is_not_read() {
    for row in LAYOUTS {
        let layout = layout(*row);
        // By two elements none of them differ.
        let read = matches!(layout.does, Does::Creates | Does::Moves);
        if read {
            assert_eq!(layout.told(3), Err(Untold::Malformed), "{}", layout.event);
        }
    }
}
