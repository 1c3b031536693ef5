//! What the swaps of a block say of the classes of their contracts.
//!
//! Every swap is replayed, whatever is known of its class already: that costs no
//! more than a quote, and a class that starts to compute otherwise is off in that
//! very block. Contracts of pairs are asked as well before their class counts as
//! proven, and before settings that changed without a word speak against it.

use super::{
    Indexer,
    pools::{Followed, count},
};
use crate::fault::Fault;
use amm::book::{Change, Judgement, PoolId, Testimony, Verdict};
use chain::{PoolAnswer, StarknetClient};
use primitives::{Address, BlockRef};
use std::collections::{BTreeMap, BTreeSet};

/// The pairs that are asked in a block; swaps of further ones say nothing.
const MAX_ASKED: usize = 16;

impl Indexer {
    /// Nobody can tell which code made the swaps of a contract that got other code
    /// in the same block.
    pub(super) fn leave_out_recoded(&self, followed: &mut Followed, recoded: &BTreeSet<Address>) {
        let pools = self.state.book.pools();
        followed.heard.retain(|testimony| {
            let view = pools.get(testimony.pool);
            view.is_some_and(|view| !recoded.contains(&view.contract()))
        });
    }

    /// Says how many pools can be traded with, so that nobody wonders about empty
    /// answers.
    pub(super) fn tell_of_pools(&self) {
        let standing = self.state.standing();
        let (pools, tradable) = (standing.pools(), standing.tradable());
        if tradable == 0 && pools > 0 {
            tracing::warn!(%standing, "no pool can be traded with: no quote will be given");
        } else {
            tracing::info!(%standing, "caught up");
        }
    }

    /// Takes up what swaps say of their classes, as far as contracts confirm it.
    pub(super) async fn judge(
        &mut self,
        node: &StarknetClient,
        at: BlockRef,
        followed: &mut Followed,
    ) -> Result<(), Fault> {
        let heard = std::mem::take(&mut followed.heard);
        if heard.is_empty() {
            return Ok(());
        }
        for testimony in self.confirmed(node, at, followed, heard).await? {
            self.take_testimony(at, testimony, followed);
        }
        Ok(())
    }

    /// What of it holds when the contracts of pairs are asked at the block: they
    /// must hold what the pools hold. Settings that nobody told of are taken over,
    /// and a swap by those says nothing against the rule.
    async fn confirmed(
        &mut self,
        node: &StarknetClient,
        at: BlockRef,
        followed: &mut Followed,
        heard: Vec<Testimony>,
    ) -> Result<Vec<Testimony>, Fault> {
        let asked = self.to_ask(&heard);
        if asked.is_empty() {
            return Ok(heard);
        }
        let (ids, questions): (Vec<_>, Vec<_>) = self.questions(&asked).into_iter().unzip();
        let answers = node.pool_states(&questions, at).await?;
        let answers: BTreeMap<PoolId, PoolAnswer> = ids.into_iter().zip(answers).collect();
        let pools = self.state.book.pools();
        let proven = pools.proven_by(&heard);
        let mut stale = BTreeMap::new();
        let mut confirmed = Vec::with_capacity(heard.len());
        for testimony in heard {
            let Some(view) = pools.get(testimony.pool) else {
                continue;
            };
            let kind = view.venue.kind;
            let answer = answers.get(&testimony.pool);
            let other_facts = answer
                .and_then(|answer| answer.facts)
                .filter(|facts| kind.has_facts() && view.pool.facts() != Some(facts));
            let holds = match testimony.judgement {
                _ if other_facts.is_some() => false,
                Judgement::Differs => !kind.has_facts() || answer.is_some(),
                Judgement::Agrees(_) => {
                    let class = (view.pool.venue(), testimony.class);
                    let is_needed = kind.is_of_pairs() && proven.contains(&class);
                    answer.map_or(!is_needed, |answer| {
                        answer.reserves == Some(view.pool.holdings())
                    })
                }
            };
            stale.extend(other_facts.map(|facts| (testimony.pool, facts)));
            confirmed.extend(holds.then_some(testimony));
        }
        for (pool, facts) in stale {
            self.change(followed, Change::Asked { pool, facts });
        }
        Ok(confirmed)
    }

    /// The pairs to be asked: first those whose swaps differed, then those whose
    /// swaps would prove their class.
    fn to_ask(&self, heard: &[Testimony]) -> Vec<PoolId> {
        let pools = self.state.book.pools();
        let proven = pools.proven_by(heard);
        let differs = |it: &&Testimony| it.judgement == Judgement::Differs;
        let matters = |it: &Testimony| {
            let view = pools.get(it.pool);
            view.is_some_and(|view| {
                let kind = view.venue.kind;
                let completes = proven.contains(&(view.pool.venue(), it.class));
                kind.is_of_pairs() && (completes || differs(&it) && kind.has_facts())
            })
        };
        let (differing, agreeing): (Vec<&Testimony>, Vec<_>) = heard.iter().partition(differs);
        let mut asked = Vec::new();
        for testimony in differing.into_iter().chain(agreeing) {
            let pool = testimony.pool;
            if asked.len() < MAX_ASKED && !asked.contains(&pool) && matters(testimony) {
                asked.push(pool);
            }
        }
        asked
    }

    fn take_testimony(&mut self, at: BlockRef, testimony: Testimony, followed: &mut Followed) {
        let Testimony {
            pool,
            class,
            maths,
            judgement,
        } = testimony;
        let Some(view) = self.state.book.pools().get(pool) else {
            return;
        };
        let (id, venue) = (view.pool.venue(), view.venue.clone());
        let contract = view.contract();
        let before = self.state.book.pools().verdict(id, class);
        let change = Change::Judged {
            venue: venue.contract,
            class,
            maths,
            judgement,
        };
        self.change(followed, change);
        let verdict = self.state.book.pools().verdict(id, class);
        if verdict == before {
            return;
        }
        if judgement == Judgement::Differs {
            count("stoa_class_mismatches_total", &venue.name);
        }
        let (block, pin) = (at.number, venue.pin(class));
        let (venue, class, rule) = (venue.name, class.to_hex_string(), maths.word());
        match verdict {
            Verdict::Learned(maths) => {
                let rule = maths.word();
                tracing::info!(venue, class, rule, block, "a class is proven by its swaps");
            }
            Verdict::Refuted => tracing::error!(
                venue,
                class,
                rule,
                block,
                %contract,
                pool = pool.index(),
                ?pin,
                "a swap was not what the rule of its class says: nothing is traded with pools of \
                 this class any more, unless the list of venues names it"
            ),
            Verdict::Undecided => tracing::warn!(
                venue,
                class,
                rule,
                block,
                "a swap was not what the rule of its class says: another rule is to be proven"
            ),
        }
    }
}
