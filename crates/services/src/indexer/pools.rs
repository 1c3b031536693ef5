//! What a block does to pools: its events, and what contracts say when asked.
//!
//! Everything that is asked is asked at the block in hand, and when it is asked
//! depends on the chain alone, so that everybody who follows the chain comes to
//! the same changes.

use crate::{
    fault::Fault,
    indexer::{Indexer, gauge::lossy},
};
use amm::book::{
    Change, Facts, Flaw, Movement, Off, PoolEvent, PoolId, PoolView, Shape, Speaker, Testimony,
    Verdict, Witness,
};
use chain::{
    Block, PoolAnswer, PoolQuestion, StarknetClient, Untold, VaultReading, asked, named_pool,
    pool_event,
};
use market::{BlockEffects, figures::Trade};
use primitives::{Address, BlockRef, Felt};
use std::collections::BTreeSet;

/// All pools are kept every so many blocks.
const CHECKPOINT_EVERY: u64 = 1_024;

/// Some pools are compared with their contracts every so many blocks: rarely,
/// since asking holds up the blocks behind.
const CHECK_EVERY: u64 = 1_024;

/// How many at a time; the next ones follow the time after, so that all have their turn.
const CHECKED: usize = 64;

/// What `stoa_pools` calls the state of pools that are traded with.
const ON: &str = "on";

/// Whether all pools are kept after the block of this height.
pub(super) const fn is_checkpoint(number: u64) -> bool {
    number.is_multiple_of(CHECKPOINT_EVERY) && number > 0
}

/// What a block does to pools.
#[derive(Debug, Default)]
pub(super) struct Followed {
    /// In the order in which the book took them up.
    pub(super) changes: Vec<Change>,
    /// The trades among them, in the order of events.
    pub(super) trades: Vec<Trade>,
    /// The pools that it is about.
    pub(super) touched: BTreeSet<PoolId>,
    /// What its swaps say of classes.
    pub(super) heard: Vec<Testimony>,
}

/// What has to be asked before a block is done.
#[derive(Debug, Default)]
pub(super) struct Questions {
    /// Contracts whose class is not known, or may be another one from this block on.
    classes: BTreeSet<Address>,
    /// New pools of kinds that have settings which no event tells.
    pools: BTreeSet<PoolId>,
}

impl Indexer {
    /// What the block changes; the book has taken it up.
    pub(super) async fn pool_changes(
        &mut self,
        node: &StarknetClient,
        block: &Block,
        vaults: &[(Address, Option<VaultReading>)],
    ) -> Result<Followed, Fault> {
        self.state.book.begin(block.at.number);
        let mut followed = Followed::default();
        if self.known.venues.venues().is_empty() {
            return Ok(followed);
        }
        let mut questions = Questions::default();
        if let Some(before) = self.before_first(block) {
            self.take_over(node, before, &mut followed, &mut questions)
                .await?;
        }
        self.follow(block, &mut followed, &mut questions);
        self.look_at_recoded(block, &mut questions);
        self.note_unknown(block);
        self.follow_vaults(block, vaults, &mut followed, &mut questions);
        self.leave_out_recoded(&mut followed, &questions.classes);
        self.answer(node, block.at, &mut followed, questions)
            .await?;
        self.judge(node, block.at, &mut followed).await?;
        if block.at.number.is_multiple_of(CHECK_EVERY) {
            self.check(node, block.at, &mut followed).await?;
        }
        Ok(followed)
    }

    /// Shows the pools again, if `effects` may have switched any on or off.
    pub(super) fn gauge_changed_pools(&self, effects: &[BlockEffects]) {
        let mut changes = effects.iter().flat_map(|effects| &effects.pools);
        if changes.any(|change| !matches!(change, Change::Moved { .. })) {
            self.gauge_pools();
        }
    }

    /// Shows how many pools there are, and how many are off and why; and what is
    /// known of their classes.
    pub(super) fn gauge_pools(&self) {
        if !self.serves {
            return;
        }
        for venue in &self.state.standing().venues {
            let gauge = |state: &'static str, count: usize| {
                metrics::gauge!("stoa_pools", "venue" => venue.name.clone(), "state" => state)
                    .set(lossy(count as u64));
            };
            gauge(ON, venue.on);
            for word in Off::WORDS {
                gauge(word, venue.off.get(word).copied().unwrap_or(0));
            }
            for word in Verdict::WORDS {
                let classes = venue.classes.iter();
                let count = classes.filter(|known| known.verdict.word() == word).count();
                let name = venue.name.clone();
                metrics::gauge!("stoa_classes", "venue" => name, "verdict" => word)
                    .set(lossy(count as u64));
            }
        }
    }

    pub(super) fn change(&mut self, followed: &mut Followed, change: Change) {
        self.state.book.apply(&change);
        followed.touched.extend(match &change {
            Change::Created { .. } => self.state.book.pools().newest().map(|view| view.id),
            Change::Moved { pool, .. }
            | Change::Asked { pool, .. }
            | Change::Flawed { pool, .. } => Some(*pool),
            Change::Class { .. } | Change::Judged { .. } => None,
        });
        followed.changes.push(change);
    }

    fn follow(&mut self, block: &Block, followed: &mut Followed, questions: &mut Questions) {
        let mut witness = Witness::default();
        for event in &block.venue_events {
            let Some(speaker) = self.state.book.speaker(event.from) else {
                continue;
            };
            let Some(venue) = self.known.venues.venue(speaker.venue()) else {
                continue;
            };
            if block.at.number < venue.start_block {
                continue;
            }
            let is_estimated = self.first > venue.start_block;
            match pool_event(venue.kind, event) {
                Ok(PoolEvent::Upgraded) => {
                    if self.has_pools(event.from) {
                        questions.classes.insert(event.from);
                    }
                }
                Ok(told) => match self.state.book.change(speaker, &told) {
                    Some(change) => {
                        let asked = asked(venue.kind, event);
                        let missing = self.state.book.shortfall(&change);
                        if let Some(missing) = missing.filter(|_| is_estimated) {
                            self.change(followed, missing);
                        }
                        followed.trades.extend(trade(event.transaction, &change));
                        let pools = self.state.book.pools();
                        let heard = witness.hear(pools, event.transaction, &change, asked);
                        followed.heard.extend(heard);
                        self.take_up(change, followed, questions);
                    }
                    None => count("stoa_pool_events_ignored_total", &venue.name),
                },
                Err(Untold::Nothing) => {}
                Err(Untold::Unknown) => count("stoa_venue_events_unknown_total", &venue.name),
                Err(Untold::Malformed) => {
                    count("stoa_venue_events_malformed_total", &venue.name);
                    let named = named_pool(venue.kind, event);
                    let (venue, contract) = (venue.name.clone(), event.from);
                    let place = (venue.as_str(), contract, block.at.number);
                    self.give_up(self.state.book.subject(speaker, named), place, followed);
                }
            }
        }
    }

    /// Applies a change, and notes what has to be asked because of it.
    pub(super) fn take_up(
        &mut self,
        change: Change,
        followed: &mut Followed,
        questions: &mut Questions,
    ) {
        let is_new = matches!(change, Change::Created { .. });
        self.change(followed, change);
        if !is_new {
            return;
        }
        if let Some(view) = self.state.book.pools().newest() {
            if view.venue.kind.has_facts() {
                questions.pools.insert(view.id);
            }
            if view.class().is_none() {
                questions.classes.insert(view.contract());
            }
        }
    }

    /// Nobody can tell what a malformed event did: the pool that it is about is
    /// not followed any more. Strangers decide how often that happens, and a pool
    /// that no event names must not stop others.
    fn give_up(
        &mut self,
        subject: Option<PoolId>,
        (venue, contract, block): (&str, Address, u64),
        followed: &mut Followed,
    ) {
        let pools = self.state.book.pools();
        let pool = subject.filter(|pool| pools.get(*pool).is_some_and(|it| !it.pool.is_flawed()));
        if subject.is_none() {
            count("stoa_venue_events_unplaced_total", venue);
        }
        if let Some(unsaid) = self.malformed.due(self.clock.now()) {
            let effect = match subject {
                Some(_) => "its pool is not followed any more",
                None => "it names no pool that is known",
            };
            tracing::warn!(venue, %contract, block, unsaid, effect, "a malformed event");
        }
        if let Some(pool) = pool {
            let flaw = Flaw::Malformed;
            self.change(followed, Change::Flawed { pool, flaw });
        }
    }

    /// Contracts that have other code from this block on are asked for it, whether
    /// they say so or not.
    fn look_at_recoded(&self, block: &Block, questions: &mut Questions) {
        let foreseen = self.outlook.recoded(block.at.number);
        for contract in block.recoded.iter().chain(foreseen) {
            if self.has_pools(*contract) {
                questions.classes.insert(*contract);
            }
        }
    }

    /// Whether a contract is a pool, or has all pools of its venue.
    fn has_pools(&self, contract: Address) -> bool {
        match self.state.book.speaker(contract) {
            Some(Speaker::Pool(..)) => true,
            Some(Speaker::Venue(venue)) => {
                let venue = self.known.venues.venue(venue);
                venue.is_some_and(|venue| venue.kind.is_singleton())
            }
            None => false,
        }
    }

    /// Counts what watched contracts say that no decoder knows. Vaults are read
    /// whatever they say.
    fn note_unknown(&self, block: &Block) {
        for (contract, _) in &block.other_events {
            if let Some(speaker) = self.state.book.speaker(*contract)
                && let Some(venue) = self.known.venues.venue(speaker.venue())
                && !venue.kind.is_vault()
            {
                count("stoa_venue_events_unknown_total", &venue.name);
            }
        }
    }

    async fn answer(
        &mut self,
        node: &StarknetClient,
        at: BlockRef,
        followed: &mut Followed,
        questions: Questions,
    ) -> Result<(), Fault> {
        if !questions.classes.is_empty() {
            let contracts: Vec<Address> = questions.classes.into_iter().collect();
            let classes = node.classes(&contracts, at).await?;
            let mut new = Vec::new();
            for (contract, class) in contracts.into_iter().zip(classes) {
                let before = self.state.book.pools().class(contract);
                if let Some(class) = class.filter(|class| before != Some(*class)) {
                    self.change(followed, Change::Class { contract, class });
                    self.tell_of_class(contract, class, before.is_some());
                    if before.is_none() {
                        new.push((contract, class));
                    }
                }
            }
            self.look_out_for(node, at, &new).await?;
        }
        let pools: Vec<PoolId> = questions.pools.into_iter().collect();
        for (pool, facts) in self.facts(node, at, &pools).await? {
            self.change(followed, Change::Asked { pool, facts });
        }
        Ok(())
    }

    /// Says that a contract has other code, which may compute differently.
    fn tell_of_class(&self, contract: Address, class: Felt, is_other: bool) {
        let speaker = self.state.book.speaker(contract);
        let Some(id) = speaker.map(Speaker::venue).filter(|_| is_other) else {
            return;
        };
        let Some(venue) = self.known.venues.venue(id) else {
            return;
        };
        count("stoa_class_changes_total", &venue.name);
        let verdict = self.state.book.pools().verdict(id, class).word();
        let pin = venue.pin(class);
        let class = class.to_hex_string();
        tracing::warn!(venue = venue.name, %contract, class, ?pin, verdict, "a contract has other code");
    }

    /// What the contracts of pools say, where they answer.
    async fn facts(
        &self,
        node: &StarknetClient,
        at: BlockRef,
        pools: &[PoolId],
    ) -> Result<Vec<(PoolId, Facts)>, Fault> {
        let questions = self.questions(pools);
        if questions.is_empty() {
            return Ok(Vec::new());
        }
        let (ids, questions): (Vec<_>, Vec<_>) = questions.into_iter().unzip();
        let answers = node.pool_facts(&questions, at).await?;
        let told = ids.into_iter().zip(answers);
        Ok(told
            .filter_map(|(pool, facts)| facts.map(|facts| (pool, facts)))
            .collect())
    }

    pub(super) fn questions(&self, pools: &[PoolId]) -> Vec<(PoolId, PoolQuestion)> {
        let views = pools
            .iter()
            .filter_map(|pool| self.state.book.pools().get(*pool));
        views.map(|view| (view.id, question(&view))).collect()
    }

    /// Compares some pools with their contracts, others each time, and takes
    /// over what the contracts say.
    async fn check(
        &mut self,
        node: &StarknetClient,
        at: BlockRef,
        followed: &mut Followed,
    ) -> Result<(), Fault> {
        let sample = self.sample(at.number / CHECK_EVERY);
        if sample.is_empty() {
            return Ok(());
        }
        let (pools, questions): (Vec<_>, Vec<_>) = self.questions(&sample).into_iter().unzip();
        let answers = node.pool_states(&questions, at).await?;
        for (pool, PoolAnswer { reserves, facts }) in pools.into_iter().zip(answers) {
            let Some(tracked) = self.state.book.pools().get(pool) else {
                continue;
            };
            let has_other_facts =
                tracked.venue.kind.has_facts() && tracked.pool.facts() != facts.as_ref();
            if let Some(held) = reserves.filter(|held| *held != tracked.pool.holdings()) {
                count("stoa_pool_drift_total", &tracked.venue.name);
                tracing::warn!(
                    venue = tracked.venue.name,
                    contract = %tracked.contract(),
                    block = at.number,
                    "a pool was not what its contract says, and is repaired"
                );
                let movement = Movement::Reserves(held);
                self.change(followed, Change::Moved { pool, movement });
            }
            if let Some(facts) = facts.filter(|_| has_other_facts) {
                self.change(followed, Change::Asked { pool, facts });
            }
        }
        Ok(())
    }

    /// The pairs whose turn it is, [`CHECKED`] after those of the turn before.
    fn sample(&self, turn: u64) -> Vec<PoolId> {
        let pools = self.state.book.pools();
        let checkable: Vec<PoolId> = pools
            .iter()
            .filter(|view| view.venue.kind.is_of_pairs() && !view.pool.is_flawed())
            .map(|view| view.id)
            .collect();
        let count = checkable.len().min(CHECKED);
        let start = usize::try_from(turn).unwrap_or(0).wrapping_mul(CHECKED);
        (0..count)
            .filter_map(|offset| checkable.get(start.wrapping_add(offset) % checkable.len()))
            .copied()
            .collect()
    }

    /// The block before, if this is the first one that is indexed of a chain that
    /// began before it.
    fn before_first(&self, block: &Block) -> Option<BlockRef> {
        let is_first = self.state.tip.is_none() && block.at.number == self.first;
        let number = block.at.number.checked_sub(1).filter(|_| is_first)?;
        let hash = block.parent_hash;
        Some(BlockRef { number, hash })
    }
}

fn trade(transaction: u32, change: &Change) -> Option<Trade> {
    let Change::Moved { pool, movement } = change else {
        return None;
    };
    Trade::of(transaction, *pool, movement)
}

fn question(view: &PoolView<'_>) -> PoolQuestion {
    PoolQuestion {
        kind: view.venue.kind,
        factory: view.venue.contract,
        contract: view.contract(),
        tokens: view.tokens(),
        stable: view.pool.shape() == Shape::Stable,
    }
}

pub(super) fn count(metric: &'static str, venue: &str) {
    metrics::counter!(metric, "venue" => venue.to_owned()).increment(1);
}
