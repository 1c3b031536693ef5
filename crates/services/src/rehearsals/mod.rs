//! Trying tokens out: what a token says of itself and what it does are two
//! things. Some keep a part of every transfer, others can be bought and never
//! sold.
//!
//! A rehearsal is a transaction that nobody sends: an account that sent one in
//! the newest block is imagined to buy the token for some STRK, which it pays
//! its fees with, and to sell all of it again, through the exchange contract and
//! for exactly what the pools' maths say. The node simulates it on the state of
//! that block. If it reverts, although the same account can trade the tokens on
//! the way there, the token is to blame; [`Conduct`] says when that is enough.
//!
//! Nothing here holds up the following of blocks: it is a task of its own, with
//! at most so many rehearsals in a round, and what it learns goes to the store,
//! where the indexer and every replica find it.

mod paths;
mod stage;

use crate::{
    fault::Fault,
    fee_token::STRK,
    indexer::Progress,
    rounds::Rounds,
    snapshot::{Snapshot, Snapshots},
    swap::ExchangeTerms,
};
use chain::{ExchangeQuestion, StarknetClient};
use market::{Conduct, Rehearsed, price::AnchorList};
use paths::{Path, Paths};
use primitives::{Address, BlockRef};
use stage::{Stage, Trial};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};
use store::Store;
use tokio_util::sync::CancellationToken;
use trading::{Bps, FeeTerms};

/// Time between two looks for a new block, and the longest pause after failures.
const INTERVAL: Duration = Duration::from_secs(1);
const MAX_PAUSE: Duration = Duration::from_mins(5);

/// Tokens that a node is asked to rehearse at once, and how often it is at one block.
const BATCH: usize = 16;
const MAX_BATCHES: usize = 4;

/// Blocks that the snapshot may be behind the node: what a token did long ago
/// is not what it does.
const MAX_LAG: u64 = 10;

/// Tries tokens out, and remembers how they did.
#[derive(Debug)]
pub struct Rehearsals {
    nodes: Vec<StarknetClient>,
    store: Store,
    snapshots: Snapshots,
    progress: Progress,
    terms: ExchangeTerms,
    /// Tokens that are beyond doubt.
    anchors: BTreeSet<Address>,
    conduct: Conduct,
    /// The block of the last round.
    last: Option<BlockRef>,
}

impl Rehearsals {
    /// Goes on with what the store knows. The nodes are in the order of
    /// preference.
    pub async fn open(
        nodes: Vec<StarknetClient>,
        store: Store,
        snapshots: Snapshots,
        progress: Progress,
        terms: ExchangeTerms,
        anchors: &AnchorList,
    ) -> Result<Self, Fault> {
        let anchors: BTreeSet<Address> = anchors.iter().chain([STRK]).collect();
        let shunned = store.chain().shunned().await?;
        Ok(Self {
            conduct: Conduct::new(shunned.difference(&anchors).copied()),
            nodes,
            store,
            snapshots,
            progress,
            terms,
            anchors,
            last: None,
        })
    }

    /// Works until told to stop.
    pub async fn run(mut self, stop: CancellationToken) {
        let mut rounds = Rounds::default();
        while let Some(round) = stop.run_until_cancelled(self.round()).await {
            if let Some(error) = rounds.ended(round) {
                tracing::warn!(error, "tokens cannot be tried out");
            }
            let pause = tokio::time::sleep(rounds.pause(INTERVAL, MAX_PAUSE));
            if stop.run_until_cancelled(pause).await.is_none() {
                return;
            }
        }
    }

    /// Rehearses the tokens that are due at the newest block. Returns how that
    /// ended.
    pub async fn round(&mut self) -> Result<Vec<(Address, Rehearsed)>, Fault> {
        let Some(snapshot) = self.snapshots.load().filter(|it| self.is_new(it)) else {
            return Ok(Vec::new());
        };
        let mut all = Vec::new();
        for _ in 0..MAX_BATCHES {
            let outcomes = self.batch(&snapshot).await?;
            if outcomes.is_empty() {
                break;
            }
            self.note(snapshot.head, &outcomes).await?;
            all.extend(outcomes);
        }
        self.last = Some(snapshot.head);
        Ok(all)
    }

    /// Rehearses some of the tokens that are due, with the first node that answers.
    async fn batch(&self, snapshot: &Snapshot) -> Result<Vec<(Address, Rehearsed)>, Fault> {
        let is_stone =
            |token: Address| self.anchors.contains(&token) || self.conduct.is_proven(token);
        let paths = Paths::new(&snapshot.pools, STRK, is_stone);
        let tokens: BTreeSet<Address> = paths.tokens().difference(&self.anchors).copied().collect();
        let due = self.conduct.due(snapshot.head.number, &tokens, BATCH);
        if due.is_empty() {
            return Ok(Vec::new());
        }
        let mut last = Fault::NoNode;
        for node in &self.nodes {
            match self.rehearse(node, snapshot, &paths, &due).await {
                Ok(outcomes) => return Ok(outcomes),
                Err(fault) => last = fault,
            }
        }
        Err(last)
    }

    /// Whether a snapshot is of a block that was not looked at yet, and of now.
    fn is_new(&self, snapshot: &Snapshot) -> bool {
        let head = self.progress.view().node_head;
        let is_of_now =
            head.is_some_and(|head| head.number <= snapshot.head.number.saturating_add(MAX_LAG));
        is_of_now && self.last != Some(snapshot.head)
    }

    /// Learns from outcomes, and keeps what that changes.
    async fn note(&mut self, at: BlockRef, outcomes: &[(Address, Rehearsed)]) -> Result<(), Fault> {
        let mut conduct = self.conduct.clone();
        let (mut shunned, mut back) = (Vec::new(), Vec::new());
        for (token, outcome) in outcomes.iter().copied() {
            if conduct.note(token, at.number, outcome) {
                let is_good = outcome == Rehearsed::Passed;
                if is_good { &mut back } else { &mut shunned }.push(token);
            }
        }
        if !shunned.is_empty() || !back.is_empty() {
            self.store.chain().shun(&shunned, &back).await?;
        }
        self.conduct = conduct;
        for token in shunned {
            tracing::info!(%token, block = at.number, "a token does not do what it says: no route passes it");
        }
        for token in back {
            tracing::info!(%token, block = at.number, "a token does what it says again: routes may pass it");
        }
        Ok(())
    }

    /// Tries tokens out at the block of a snapshot. What cannot be tried out is
    /// unclear, unless nothing could be: then there are no outcomes.
    async fn rehearse(
        &self,
        node: &StarknetClient,
        snapshot: &Snapshot,
        paths: &Paths,
        tokens: &[Address],
    ) -> Result<Vec<(Address, Rehearsed)>, Fault> {
        let paths_to: Vec<(Address, Vec<Path>)> = tokens
            .iter()
            .map(|token| (*token, self.in_turn(*token, paths)))
            .collect();
        let stage = Stage {
            node,
            snapshot,
            fees: self.fees(node, snapshot.head, &paths_to).await?,
            exchange: self.terms.exchange(),
        };
        let Some(player) = stage.player(paths, &self.anchors).await? else {
            return Ok(Vec::new());
        };
        let trials = paths_to.into_iter().filter_map(|(token, paths)| {
            let path = paths.into_iter().find(|path| stage.can_play(path))?;
            Some(Trial { token, path })
        });
        let trials: Vec<Trial> = trials.collect();
        let unclear = tokens.iter().map(|token| (*token, Rehearsed::Unclear));
        let mut ends: BTreeMap<Address, Rehearsed> = unclear.collect();
        ends.extend(stage.play(player, &trials).await?);
        Ok(ends.into_iter().collect())
    }

    /// Paths to a token, beginning with another one each time: where a pool is to
    /// blame, the token is not.
    fn in_turn(&self, token: Address, paths: &Paths) -> Vec<Path> {
        let mut paths = paths.to(token);
        let turn = self.conduct.rehearsals(token).checked_rem(paths.len());
        paths.rotate_left(turn.unwrap_or_default());
        paths
    }

    /// What the exchange takes at a block, or the configured rates where it does
    /// not tell.
    async fn fees(
        &self,
        node: &StarknetClient,
        at: BlockRef,
        paths: &[(Address, Vec<Path>)],
    ) -> Result<FeeTerms, Fault> {
        let stones = paths
            .iter()
            .flat_map(|(_, paths)| paths)
            .map(|path| path.stone);
        let ends = paths.iter().map(|(token, _)| *token).chain(stones);
        let tokens: BTreeSet<Address> = ends.chain(self.anchors.iter().copied()).collect();
        let tokens: Vec<Address> = tokens.into_iter().collect();
        let question = ExchangeQuestion {
            exchange: self.terms.exchange(),
            tokens: &tokens,
            integrators: &[],
        };
        let answer = node.exchange_terms(question, at).await?;
        let mut fees = self.terms.configured().fees.clone();
        let bps = |read: Option<u64>| Bps::new(u32::try_from(read?).ok()?);
        fees.one = bps(answer.one).unwrap_or(fees.one);
        fees.many = bps(answer.many).unwrap_or(fees.many);
        let weight = |read: Option<u64>| u32::try_from(read?).ok();
        let weights = tokens.into_iter().zip(answer.weights);
        fees.weights
            .extend(weights.filter_map(|(token, read)| Some((token, weight(read)?))));
        Ok(fees)
    }
}
