//! What follows from its question alone, and is found again rather than computed
//! again: what a user signed for somebody else to send is mostly simulated before it
//! is sent.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Answers that are remembered at most. One more, and all before it are forgotten.
const KEPT: usize = 4_096;

/// Answers by their questions.
#[derive(Debug)]
pub(super) struct Remembered<Q, A>(Mutex<HashMap<Q, A>>);

impl<Q, A> Default for Remembered<Q, A> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<Q: Eq + Hash, A: Copy> Remembered<Q, A> {
    /// The answer to a question, if there is one.
    pub(super) fn answer(&self, question: Q, find: impl FnOnce(&Q) -> Option<A>) -> Option<A> {
        let known = self.lock().get(&question).copied();
        if known.is_some() {
            return known;
        }
        // Others may find answers meanwhile.
        let found = find(&question)?;
        let mut answers = self.lock();
        if answers.len() >= KEPT {
            answers.clear();
        }
        answers.insert(question, found);
        Some(found)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Q, A>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_asked_once_and_what_has_no_answer_again() {
        let remembered = Remembered::default();
        let mut asked = 0;
        for _ in 0..2 {
            let answer = remembered.answer(1, |one| {
                asked += 1;
                Some(one + 1)
            });
            assert_eq!(answer, Some(2));
            assert_eq!(remembered.answer(2, |_| None), None);
        }
        assert_eq!(asked, 1);
        assert_eq!(remembered.answer(2, |_| Some(7)), Some(7));
    }

    #[test]
    fn no_more_is_remembered_than_may_be() {
        let remembered = Remembered::default();
        for number in 0..=2 * KEPT {
            assert_eq!(remembered.answer(number, |it| Some(*it)), Some(number));
            assert!(remembered.lock().len() <= KEPT);
        }
    }
}
