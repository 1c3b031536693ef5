//! The parts that read beside the work: what requests are answered from, and
//! where the chain is not enough.

use super::tasks::{Tasks, ending};
use crate::{
    config::{Config, Role},
    wiring::Readers,
};

/// Starts those that there are.
pub(super) fn spawn(config: &Config, readers: Readers, tasks: &mut Tasks) {
    let Readers {
        ledger,
        global,
        terms,
        gas,
        rehearsals,
        orders,
        staking,
    } = readers;
    if let Some(ledger) = ledger {
        tasks.spawn("probe of the ledger", |stop| ending(ledger.run(stop)));
    }
    if let Some(poller) = global {
        tasks.spawn("poller of global market data", |stop| {
            ending(poller.run(stop))
        });
    }
    if let Some(terms) = terms.filter(|_| config.process.roles.contains(&Role::Api)) {
        tasks.spawn("reader of the exchange's terms", |stop| {
            ending(terms.run(stop))
        });
    }
    if let Some(gas) = gas.filter(|_| config.process.roles.contains(&Role::Api)) {
        tasks.spawn("reader of what trades cost", |stop| ending(gas.run(stop)));
    }
    if let Some(rehearsals) = rehearsals {
        tasks.spawn("rehearsals of tokens", |stop| ending(rehearsals.run(stop)));
    }
    if let Some(staking) = staking.filter(|_| config.process.roles.contains(&Role::Api)) {
        tasks.spawn("reader of the staker", |stop| ending(staking.run(stop)));
    }
    if let Some(orders) = orders {
        tasks.spawn("reader of recurring orders", |stop| {
            ending(orders.run(stop))
        });
    }
}
