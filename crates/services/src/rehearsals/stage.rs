//! Rehearsals of one block: who plays, and how it ends.

use super::paths::{Path, Paths};
use crate::{fault::Fault, snapshot::Snapshot};
use chain::{ContractCall, Imagined, Simulated, StarknetClient};
use market::Rehearsed;
use primitives::{Address, U256};
use std::collections::{BTreeMap, BTreeSet};
use trading::{Call, FeeTerms, Step, rehearsal};

/// Senders of a block among whom accounts are chosen, and how many of them are
/// tried until one can trade.
const SENDERS: usize = 64;
const ACCOUNTS: usize = 8;

/// Of a stranger's words not more is logged.
const MAX_REASON_CHARS: usize = 500;

/// What is sold: one STRK.
const AMOUNT: u64 = 1_000_000_000_000_000_000;

/// An account with the number of transactions that it sent.
pub(super) type Player = (Address, u64);

/// A token with the path on which it is tried out.
#[derive(Debug)]
pub(super) struct Trial {
    pub(super) token: Address,
    pub(super) path: Path,
}

/// A block, as a node knows it.
#[derive(Debug)]
pub(super) struct Stage<'a> {
    pub(super) node: &'a StarknetClient,
    pub(super) snapshot: &'a Snapshot,
    pub(super) fees: FeeTerms,
    pub(super) exchange: Address,
}

impl Stage<'_> {
    /// An account that sent a transaction in this block and can trade: it has
    /// enough STRK, and is of a make that can be asked to. None if nobody could
    /// be found.
    pub(super) async fn player(
        &self,
        paths: &Paths,
        anchors: &BTreeSet<Address>,
    ) -> Result<Option<Player>, Fault> {
        let head = self.snapshot.head;
        let direct = anchors.iter().flat_map(|anchor| paths.to(*anchor));
        let direct = direct.filter(|path| path.steps.len() == 1 && self.can_play(path));
        let mut direct: Vec<Path> = direct.collect();
        let mut senders = self.node.senders(head, SENDERS).await?;
        // Others at each block: to its owner any token is kind, and one pool may
        // be unlike its maths.
        rotate(&mut direct, head.number);
        rotate(&mut senders, head.number);
        senders.truncate(ACCOUNTS);
        let Some(path) = direct.first() else {
            return Ok(None);
        };
        let nonces = self.node.nonces(&senders, head).await?;
        let senders = senders.into_iter().zip(nonces);
        let players = senders.filter_map(|(sender, nonce)| Some((sender, nonce?)));
        let plays = players.filter_map(|it| Some((it, self.imagine(it, &path.steps)?)));
        let (players, plays): (Vec<Player>, Vec<Imagined>) = plays.unzip();
        let outcomes = self.node.simulate(&plays, head).await?;
        let mut played = players.into_iter().zip(outcomes);
        let fit = played.find(|(_, outcome)| *outcome == Simulated::Succeeded);
        Ok(fit.map(|(player, _)| player))
    }

    /// Whether pools can make the trades of a path.
    pub(super) fn can_play(&self, path: &Path) -> bool {
        self.calls(&path.steps, self.exchange).is_some()
    }

    /// How trials end. One that reverts says something of its token only if the
    /// same player gets there and back up to the token before.
    pub(super) async fn play(
        &self,
        player: Player,
        trials: &[Trial],
    ) -> Result<Vec<(Address, Rehearsed)>, Fault> {
        let whole = trials.iter().map(|trial| &trial.path.steps[..]);
        let before = whole.clone().map(before).filter(|path| !path.is_empty());
        let paths: BTreeSet<&[Step]> = whole.chain(before).collect();
        let plays = paths.into_iter();
        let plays = plays.filter_map(|path| Some((path, self.imagine(player, path)?)));
        let (paths, plays): (Vec<&[Step]>, Vec<Imagined>) = plays.unzip();
        let outcomes = self.node.simulate(&plays, self.snapshot.head).await?;
        let outcomes: BTreeMap<&[Step], Simulated> = paths.into_iter().zip(outcomes).collect();
        let ends = trials
            .iter()
            .map(|trial| (trial.token, end(trial, &outcomes)));
        Ok(ends.collect())
    }

    fn imagine(&self, (account, nonce): Player, path: &[Step]) -> Option<Imagined> {
        let calls = self.calls(path, account)?.into_iter();
        let calls = calls.map(|call| ContractCall::new(call.to, call.entrypoint, call.calldata));
        Some(Imagined {
            account,
            nonce,
            calls: calls.collect(),
        })
    }

    fn calls(&self, path: &[Step], account: Address) -> Option<Vec<Call>> {
        let (amount, pools) = (U256::from(AMOUNT), &self.snapshot.pools);
        rehearsal(path, amount, pools, &self.fees, [account, self.exchange])
    }
}

fn end(trial: &Trial, outcomes: &BTreeMap<&[Step], Simulated>) -> Rehearsed {
    let path = &trial.path.steps[..];
    let works =
        |path: &[Step]| path.is_empty() || outcomes.get(path) == Some(&Simulated::Succeeded);
    match outcomes.get(path) {
        Some(Simulated::Succeeded) => Rehearsed::Passed,
        Some(Simulated::Reverted(reason)) if works(before(path)) => {
            let reason: String = reason.chars().take(MAX_REASON_CHARS).collect();
            tracing::debug!(token = %trial.token, reason, "a rehearsal failed");
            Rehearsed::Failed
        }
        _ => Rehearsed::Unclear,
    }
}

/// Lets another item be the first with each turn.
fn rotate<T>(items: &mut [T], turn: u64) {
    let turn = usize::try_from(turn).unwrap_or_default();
    items.rotate_left(turn.checked_rem(items.len()).unwrap_or_default());
}

/// A path without its last swap.
fn before(path: &[Step]) -> &[Step] {
    path.split_last().map_or(&[], |(_, before)| before)
}
