//! A chain with exchanges, and what people may want there.

use crate::dice::Dice;
use amm::book::VenueId;
use primitives::{Address, Felt};
use routing::VenueSet;
use services::Snapshot;
use simnet::{History, StarknetConfig};
use std::time::Duration;
use trading::{Bps, Fixed, Integrator, Wanted};
use world::{Station, World};

pub(crate) async fn market() -> (World, Station) {
    let folder = tempfile::tempdir().unwrap();
    let config = StarknetConfig {
        seed: 11,
        block_time: None,
        history: History::blocks(24, Duration::from_secs(2)),
        pools: 320,
        ..StarknetConfig::default()
    };
    let world = World::in_folder(&folder.keep(), config).await;
    let mut station = world.station("store").await;
    station.sync().await;
    (world, station)
}

/// The tokens of pools that routes pass; those with many pools come often.
pub(crate) fn tokens(snapshot: &Snapshot) -> Vec<Address> {
    let routed = snapshot.pools.iter().filter(|view| view.router().is_some());
    let tokens = routed.flat_map(|view| view.tokens());
    tokens
        .filter(|token| snapshot.tokens.by_address(*token).is_some())
        .collect()
}

pub(crate) fn wish(dice: &Dice, tokens: &[Address], venues: u8) -> Wanted {
    let sell = *dice.one_of(tokens);
    let buy = loop {
        let token = *dice.one_of(tokens);
        if token != sell {
            break token;
        }
    };
    let amount = if dice.below(2) == 0 {
        Fixed::Sell(dice.amount(24))
    } else {
        Fixed::Buy(dice.amount(22))
    };
    let fee = Bps::new(u32::try_from(dice.below(501)).unwrap()).unwrap();
    let recipient = Address::new(Felt::from(0xfee_u32));
    let integrator = Integrator::new(fee, recipient, "somebody".to_owned()).unwrap();
    let excluded = VenueId::at(u8::try_from(dice.below(venues.into())).unwrap()).unwrap();
    Wanted {
        sell,
        buy,
        amount,
        taker: None,
        integrator: (dice.below(4) == 0).then_some(integrator),
        direct: dice.below(8) == 0,
        avoid: if dice.below(6) == 0 {
            VenueSet::NONE.with(excluded)
        } else {
            VenueSet::NONE
        },
        size: 1 + dice.below(3),
        max_swaps: 12,
    }
}
