//! Answers to bodies that many send: prices change with a block, and wallets
//! ask for the same tokens again and again.

use super::view::View;
use crate::http::{content::KeptBody, json::JsonText};
use arc_swap::ArcSwapOption;
use bytes::Bytes;
use services::Snapshot;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Answers that are kept, and the longest body whose answer is.
const MAX_KEPT: usize = 256;
const MAX_BODY_BYTES: usize = 4_096;

/// Seconds after which an answer is written again although there was no block:
/// the aggregator's figures change without blocks.
const KEPT_S: i64 = 10;

/// The answers of the newest snapshot.
#[derive(Default)]
pub(super) struct KeptAnswers(ArcSwapOption<OfSnapshot>);

struct OfSnapshot {
    snapshot: Arc<Snapshot>,
    /// The process's time, in seconds since 1970.
    second: i64,
    /// Bodies and their answers, by the checksums of the bodies.
    answers: Mutex<HashMap<u32, (Bytes, KeptBody)>>,
}

impl KeptAnswers {
    /// The answer to a body, if it was given at the same block just now.
    pub(super) fn find(
        &self,
        snapshot: &Arc<Snapshot>,
        second: i64,
        body: &JsonText,
    ) -> Option<KeptBody> {
        let newest = self.0.load();
        let newest = newest.as_ref()?;
        if !newest.is_of(snapshot, second) {
            return None;
        }
        let answers = newest.lock();
        let (asked, answer) = answers.get(&crc32fast::hash(body.bytes()))?;
        (asked == body.bytes()).then(|| answer.clone())
    }

    /// Keeps an answer for those who ask the same.
    pub(super) fn keep(&self, view: &View, body: &JsonText, answer: &KeptBody) {
        if body.bytes().len() > MAX_BODY_BYTES {
            return;
        }
        let kept = self.of(view);
        let mut answers = kept.lock();
        if answers.len() < MAX_KEPT {
            let key = crc32fast::hash(body.bytes());
            answers.insert(key, (body.bytes().clone(), answer.clone()));
        }
    }

    fn of(&self, view: &View) -> Arc<OfSnapshot> {
        let second = view.clock.as_second();
        let newest = self.0.load();
        let fits = |it: &&Arc<OfSnapshot>| it.is_of(&view.snapshot, second);
        if let Some(kept) = newest.as_ref().filter(fits) {
            return Arc::clone(kept);
        }
        let kept = Arc::new(OfSnapshot {
            snapshot: Arc::clone(&view.snapshot),
            second,
            answers: Mutex::default(),
        });
        self.0.store(Some(Arc::clone(&kept)));
        kept
    }
}

impl OfSnapshot {
    fn is_of(&self, snapshot: &Arc<Snapshot>, second: i64) -> bool {
        let is_fresh = (self.second..self.second + KEPT_S).contains(&second);
        is_fresh && Arc::ptr_eq(&self.snapshot, snapshot)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u32, (Bytes, KeptBody)>> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
