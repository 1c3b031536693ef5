//! Asks an aggregator again and again, and keeps the feed.

use super::{
    Answers, GlobalFeed,
    options::GlobalOptions,
    shared::Share,
    source::{GlobalSetupError, MAX_IDS, Source, SourceError},
};
use crate::{duty::Duty, fault::chain_text};
use market::Listings;
use primitives::{Clock, SignedDuration, Timestamp};
use std::{sync::Arc, time::Duration};
use store::Store;
use tokio_util::sync::CancellationToken;

/// Questions of one poll.
const MAX_QUESTIONS: usize = 4;

/// No aggregator has a longer name for a token.
const MAX_ID_BYTES: usize = 128;

/// The longest pause after failures, or that an aggregator may ask for, unless
/// the usual one is longer.
const MAX_PAUSE: Duration = Duration::from_mins(10);

/// How often a process looks whether it is its turn.
const LOOK: Duration = Duration::from_secs(1);

/// Keeps a feed up to date.
#[derive(Debug)]
pub struct GlobalPoller {
    source: Source,
    feed: GlobalFeed,
    clock: Arc<dyn Clock>,
    /// The tokens by question.
    questions: Vec<Vec<String>>,
    interval: Duration,
    max_age: SignedDuration,
    /// Where other processes find it, and whose turn it is to ask.
    share: Option<Share>,
    failures: u32,
    /// What was last logged to be wrong.
    problem: Option<String>,
}

impl GlobalPoller {
    /// A poller for the tokens of a list that have a name at the aggregator.
    pub fn new(
        options: &GlobalOptions,
        listings: &Listings,
        feed: GlobalFeed,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, GlobalSetupError> {
        Ok(Self {
            source: Source::new(options)?,
            feed,
            clock,
            questions: questions(listings),
            interval: options.interval,
            max_age: SignedDuration::try_from(options.max_age).unwrap_or(SignedDuration::MAX),
            share: None,
            failures: 0,
            problem: None,
        })
    }

    /// Asks only while the duty is held, and writes to the store what it was told,
    /// where all processes find it. The feed is then what is about to be told.
    #[must_use]
    pub fn sharing(mut self, duty: Duty, fenced: Store) -> Self {
        let store = fenced;
        self.share = Some(Share { duty, store });
        self
    }

    /// Polls until told to stop.
    pub async fn run(self, stop: CancellationToken) {
        if self.questions.is_empty() {
            return stop.cancelled().await;
        }
        match self.share.as_ref().map(|share| share.duty.clone()) {
            Some(duty) => duty.during(Box::pin(self.work(stop))).await,
            None => self.work(stop).await,
        }
    }

    async fn work(mut self, stop: CancellationToken) {
        while let Some(pause) = stop.run_until_cancelled(self.round()).await {
            let slept = stop.run_until_cancelled(tokio::time::sleep(pause));
            if slept.await.is_none() {
                return;
            }
        }
    }

    /// Polls once, if it is our turn, and says how long to wait for the next time.
    pub async fn round(&mut self) -> Duration {
        if self.share.as_ref().is_some_and(|it| !it.duty.is_held()) {
            return LOOK.min(self.interval);
        }
        let before = self.feed.newest();
        let failure = self.poll().await.err();
        self.tell_others(&before).await;
        let known = u32::try_from(self.feed.known(self.clock.now())).unwrap_or(u32::MAX);
        metrics::gauge!("stoa_global_tokens").set(known);
        let outcome = if failure.is_some() { "failed" } else { "ok" };
        metrics::counter!("stoa_global_polls_total", "outcome" => outcome).increment(1);
        self.note(failure.as_ref());
        let Some(failure) = failure else {
            self.failures = 0;
            return self.interval;
        };
        let factor = 2_u32.saturating_pow(self.failures);
        self.failures = self.failures.saturating_add(1);
        let backoff = self.interval.saturating_mul(factor);
        let asked = failure.retry_after().unwrap_or_default();
        backoff.max(asked).min(MAX_PAUSE).max(self.interval)
    }

    /// Asks every question, unless the aggregator has had enough of them; a
    /// failure is the first one.
    async fn poll(&self) -> Result<(), SourceError> {
        let mut outcome = Ok(());
        for ids in &self.questions {
            let asked_at = self.clock.now();
            match self.source.ask(ids).await {
                Ok(answer) => {
                    let until = asked_at.checked_add(self.max_age);
                    let until = until.unwrap_or(Timestamp::MAX);
                    self.feed.learn(ids, &answer.markets, until);
                    let skipped = u64::try_from(answer.skipped).unwrap_or(u64::MAX);
                    metrics::counter!("stoa_global_items_skipped_total").increment(skipped);
                }
                Err(failure) => {
                    let enough = failure.is_too_many();
                    outcome = outcome.and(Err(failure));
                    if enough {
                        break;
                    }
                }
            }
        }
        outcome
    }

    /// Writes what is new to where other processes find it. What cannot be written is
    /// written with the next poll.
    async fn tell_others(&self, before: &Arc<Answers>) {
        let answers = self.feed.newest();
        let is_new = !answers.is_empty() && !Arc::ptr_eq(before, &answers);
        let Some(share) = self.share.as_ref().filter(|_| is_new) else {
            return;
        };
        let said = share.say(&answers, self.clock.now()).await;
        if let Err(fault) = said
            && share.duty.is_held()
        {
            let error = fault.chain_text();
            tracing::warn!(error, "global market data cannot be shared");
        }
    }

    /// Logs what has changed: a new problem, or that there is none any more.
    fn note(&mut self, failure: Option<&SourceError>) {
        let problem = failure.map(|failure| chain_text(failure));
        if problem == self.problem {
            return;
        }
        let aggregator = &self.source;
        if let Some(error) = &problem {
            tracing::warn!(?aggregator, error, "no global market data");
        } else {
            tracing::info!(?aggregator, "global market data again");
        }
        self.problem = problem;
    }
}

/// The tokens to ask for, in as many questions as are needed. What is beyond
/// the limits is told once.
fn questions(listings: &Listings) -> Vec<Vec<String>> {
    let all = listings.aggregator_ids();
    let can_be_asked = |id: &&str| (1..=MAX_ID_BYTES).contains(&id.len()) && !id.contains(',');
    let ids: Vec<String> = all
        .iter()
        .copied()
        .filter(can_be_asked)
        .take(MAX_IDS * MAX_QUESTIONS)
        .map(str::to_owned)
        .collect();
    let left_out = all.len() - ids.len();
    if left_out > 0 {
        tracing::warn!(
            left_out,
            "listed tokens that the aggregator is not asked for"
        );
    }
    ids.chunks(MAX_IDS).map(<[String]>::to_vec).collect()
}
