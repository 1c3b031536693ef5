//! What is remembered of callers in this process's memory, bounded whatever
//! their number.

use super::window::Decision;
use crate::generational_cache::GenerationalCache;
use std::sync::{Mutex, PoisonError};

/// Callers remembered in one generation.
const GENERATION_CALLERS: usize = 50_000;

/// Windows or buckets of callers, keyed by a short text. Under a flood of more
/// callers than are remembered, the idlest begin anew.
#[derive(Debug)]
pub(super) struct Local<T>(Mutex<GenerationalCache<String, T>>);

impl<T: Copy> Default for Local<T> {
    fn default() -> Self {
        Self::with_capacity(GENERATION_CALLERS)
    }
}

impl<T: Copy> Local<T> {
    fn with_capacity(capacity: usize) -> Self {
        Self(Mutex::new(GenerationalCache::counted(capacity)))
    }

    /// Counts one request by a rule, which is given what is remembered.
    pub(super) fn count(
        &self,
        caller: &str,
        rule: impl FnOnce(Option<T>) -> (T, Decision),
    ) -> Decision {
        let mut callers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(state) = callers.get(caller) {
            let (after, decision) = rule(Some(*state));
            *state = after;
            return decision;
        }
        let (after, decision) = rule(None);
        callers.put(caller.to_owned(), after);
        decision
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::window::{Policy, Window},
        *,
    };
    use primitives::Timestamp;

    const POLICY: Policy = Policy {
        limit: 2,
        window_s: 300,
    };

    fn take(windows: &Local<Window>, caller: &str) -> Decision {
        let now = Timestamp::UNIX_EPOCH;
        windows.count(caller, |before| Window::take(before, POLICY, now))
    }

    #[test]
    fn memory_is_bounded_under_any_number_of_callers() {
        let windows = Local::with_capacity(10);
        for n in 0..1_000 {
            take(&windows, &n.to_string());
        }
        assert!(windows.0.lock().unwrap().weight() <= 20);
    }

    #[test]
    fn an_active_caller_is_remembered_through_a_flood() {
        let windows = Local::with_capacity(10);
        let mut admitted = 0;
        for n in 0..100 {
            let decision = take(&windows, "busy");
            admitted += u32::from(decision.admitted);
            take(&windows, &n.to_string());
        }
        assert_eq!(admitted, POLICY.limit);
    }
}
