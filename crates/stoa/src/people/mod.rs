//! Simulated people, who make the market of a simulated network a living one:
//! validators who register, reprice, report usage and reply, traders who book,
//! pay or let bookings lapse, mint, extend and rate, savers who buy again and
//! again, guests whose fees others pay. They know no more than anybody: the API
//! and the nodes' JSON-RPC.
//!
//! They are slow on purpose. Whoever tries the market out shares an address
//! with them, and limits are counted by address.

#![expect(
    clippy::indexing_slicing,
    reason = "a member that a JSON value does not have reads as null"
)]

mod client;
mod dice;
mod gateway;
mod guest;
mod person;
mod saver;
mod stark_wallet;
mod trader;
mod validator;

use client::Node;
pub(crate) use client::{ApiClient, Node as WalletNode, http};
use dice::Dice;
pub(crate) use guest::Guest;
use person::Person;
use primitives::{Clock, Entropy};
pub(crate) use saver::{Saver, built_call};
use simnet::SimulatedValidator;
pub(crate) use stark_wallet::StarkWallet;
use std::{sync::Arc, time::Duration};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use trader::Trader;
use url::Url;
use validator::Owner;

/// How many validators offer something, and how many people trade.
const OWNERS: u64 = 8;
const TRADERS: u64 = 3;

/// Somebody does something this often.
const PAUSE: Duration = Duration::from_secs(5);

/// The people, before they begin.
pub(crate) struct People {
    market: ApiClient,
    node: Node,
    owners: Vec<Owner>,
    traders: Vec<Trader>,
    dice: Dice,
}

impl People {
    /// People of the market at `market`, paid through the node at `node`; the
    /// first of `validators` are theirs.
    pub(crate) fn new(
        market: Url,
        node: Url,
        domain: &str,
        seed: u64,
        validators: Vec<SimulatedValidator>,
        clock: &Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
    ) -> anyhow::Result<Self> {
        let http = client::http_of_people()?;
        let owners = (0..OWNERS).zip(validators).map(|(number, validator)| {
            let person = Person::new(seed, "owner", number);
            Owner::new(
                person,
                validator.identity,
                domain.to_owned(),
                Arc::clone(clock),
            )
        });
        Ok(Self {
            market: ApiClient::new(http.clone(), market),
            node: Node::new(http, node),
            owners: owners.collect(),
            traders: (0..TRADERS)
                .map(|number| Trader::new(Person::new(seed, "trader", number)))
                .collect(),
            dice: Dice::new(entropy),
        })
    }

    /// One of them does something now and then, until told to stop. What fails
    /// is tried another time.
    pub(crate) async fn run(mut self, stop: CancellationToken) {
        let mut turn = 0_usize;
        while stop.run_until_cancelled(sleep(PAUSE)).await.is_some() {
            let deed = self.act(turn);
            match stop.run_until_cancelled(deed).await {
                None => return,
                Some(Ok(())) => {}
                Some(Err(error)) => tracing::debug!(%error, "a simulated person failed"),
            }
            turn = turn.wrapping_add(1);
        }
    }

    /// Owners and traders take turns. First everybody comes to the market.
    async fn act(&mut self, turn: usize) -> anyhow::Result<()> {
        let (market, node, dice) = (&self.market, &self.node, &self.dice);
        let place = turn / 2;
        if turn.is_multiple_of(2) {
            let count = self.owners.len().max(1);
            match self.owners.get_mut(place % count) {
                Some(owner) => owner.act(market, dice).await,
                None => Ok(()),
            }
        } else {
            let count = self.traders.len().max(1);
            match self.traders.get_mut(place % count) {
                Some(trader) => trader.act(market, node, dice).await,
                None => Ok(()),
            }
        }
    }
}
