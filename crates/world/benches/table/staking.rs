//! The staker over HTTP.

use crate::{
    Goal, Row,
    http::{Extras, Server, asking},
    median,
};
use trading::staking::WithdrawalNames;
use world::World;

const TURNS: usize = 7;

/// Requests of each connection in a turn.
const REQUESTS: usize = 400;

pub(crate) fn information() -> Row {
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_all().build().unwrap();
    runtime.block_on(measured())
}

async fn measured() -> Row {
    let world = World::with_history(1, 26).await;
    let mut station = world.station("bench").await;
    station.sync().await;
    let staking = world.staking(&station, WithdrawalNames::Documented);
    staking.refresh().await.unwrap();
    assert!(staking.staker().is_some());
    let hello = Server::hello();
    let extras = Extras {
        staking: Some(staking),
        ..Extras::default()
    };
    let stoa = Server::stoa_with(&world, &station, extras);
    let asked = [asking("/staking/v3")];
    let mut ratios = Vec::new();
    for _ in 0..TURNS {
        let without = hello.cost_of_hello().await;
        let with = stoa.cost(&asked, REQUESTS).await;
        ratios.push(without / with);
    }
    Row {
        what: "the staker and its pools",
        baseline: "bare hello, per CPU second of the server",
        ratio: median(ratios),
        goal: Goal::AtLeast(0.4),
    }
}
