//! What quotes say of gas against what the node estimates.

use crate::{
    dice::Dice,
    execution::build,
    market::{market, tokens, wish},
};
use primitives::{SeededEntropy, U256};
use services::Snapshot;
use std::sync::Arc;
use trading::{Gas, GasModel, Quote, Work};

/// Wishes for quotes that estimates are made of.
const WISHES: usize = 300;

/// How far apart the model and the node may be, of all swaps together and of
/// the worst of twenty.
const TOGETHER: f64 = 0.02;
const WORST_OF_TWENTY: f64 = 0.10;

fn work(quote: &Quote, snapshot: &Snapshot) -> Work {
    let legs: Vec<_> = quote.hops.iter().map(|hop| hop.leg).collect();
    Work::of(&legs, &snapshot.pools)
}

#[expect(clippy::cast_precision_loss, reason = "gas is far below 2^53")]
fn l2(gas: Gas) -> f64 {
    gas.l2 as f64
}

#[tokio::test]
async fn the_gas_of_quotes_is_what_the_node_estimates() {
    let (world, station) = market().await;
    let (swaps, trader) = (world.swaps(&station), world.trader());
    let snapshot = station.snapshots.load().unwrap();
    let venues = u8::try_from(snapshot.pools.registry().venues().len()).unwrap();
    let (dice, all) = (Dice(SeededEntropy::new(8)), tokens(&snapshot));
    let mut samples: Vec<(Work, Gas)> = Vec::new();
    for _ in 0..WISHES {
        let wanted = wish(&dice, &all, venues);
        let offers = swaps.quote(wanted, Arc::clone(&snapshot)).await.unwrap();
        for offer in offers {
            let built = build(&swaps, &offer, trader.address).await.unwrap();
            let (quote, at) = (&offer.quote, snapshot.head);
            let funds = quote.sell_amount * U256::from(2);
            let gas = trader.estimate(at, quote.sell, funds, &built.calls).await;
            samples.push((work(quote, &snapshot), gas));
        }
    }
    let fitted = GasModel::fit(&samples);
    let model = GasModel::simulated();
    let mut errors: Vec<f64> = Vec::new();
    let (mut expected, mut estimated) = (0.0, 0.0);
    for (work, gas) in &samples {
        let said = l2(model.of(work));
        errors.push((said / l2(*gas) - 1.0).abs());
        expected += said;
        estimated += l2(*gas);
    }
    errors.sort_by(f64::total_cmp);
    let worst = errors[errors.len() * 19 / 20];
    let apart: f64 = expected / estimated - 1.0;
    assert!(
        apart.abs() <= TOGETHER && worst <= WORST_OF_TWENTY,
        "{apart} together, {worst} the worst of twenty; a fit gives {fitted:#?}"
    );
}
