//! Windows in this process's memory, bounded whatever the number of callers.

use super::window::{Decision, Policy, Window};
use primitives::Timestamp;
use std::{
    collections::HashMap,
    mem,
    sync::{Mutex, PoisonError},
};

/// Callers remembered in one generation.
const GENERATION_CALLERS: usize = 50_000;

/// Windows of callers, keyed by a short text.
///
/// Two generations: new and active callers are in the young one; when it is
/// full it becomes the old one, and the former old one is forgotten. Memory is
/// bounded and nothing is ever scanned; in exchange, under a flood of more
/// callers than fit, the idlest begin anew.
#[derive(Debug)]
pub(super) struct LocalWindows {
    generations: Mutex<Generations>,
    capacity: usize,
}

#[derive(Debug, Default)]
struct Generations {
    young: HashMap<String, Window>,
    old: HashMap<String, Window>,
}

impl Default for LocalWindows {
    fn default() -> Self {
        Self::with_capacity(GENERATION_CALLERS)
    }
}

impl LocalWindows {
    fn with_capacity(capacity: usize) -> Self {
        Self {
            generations: Mutex::default(),
            capacity,
        }
    }

    pub(super) fn take(&self, caller: &str, policy: Policy, now: Timestamp) -> Decision {
        let mut guard = self
            .generations
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let generations = &mut *guard;
        if let Some(window) = generations.young.get_mut(caller) {
            let (after, decision) = Window::take(Some(*window), policy, now);
            *window = after;
            return decision;
        }
        let before = generations.old.remove(caller);
        let (after, decision) = Window::take(before, policy, now);
        if generations.young.len() >= self.capacity {
            generations.old = mem::take(&mut generations.young);
        }
        generations.young.insert(caller.to_owned(), after);
        decision
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: Policy = Policy {
        limit: 2,
        window_s: 300,
    };

    #[test]
    fn memory_is_bounded_under_any_number_of_callers() {
        let windows = LocalWindows::with_capacity(10);
        for n in 0..1_000 {
            windows.take(&n.to_string(), POLICY, Timestamp::UNIX_EPOCH);
        }
        let generations = windows.generations.lock().unwrap();
        assert!(generations.young.len() <= 10);
        assert!(generations.old.len() <= 10);
    }

    #[test]
    fn an_active_caller_is_remembered_through_a_flood() {
        let windows = LocalWindows::with_capacity(10);
        let mut admitted = 0;
        for n in 0..100 {
            let decision = windows.take("busy", POLICY, Timestamp::UNIX_EPOCH);
            admitted += u32::from(decision.admitted);
            windows.take(&n.to_string(), POLICY, Timestamp::UNIX_EPOCH);
        }
        assert_eq!(admitted, POLICY.limit);
    }
}
