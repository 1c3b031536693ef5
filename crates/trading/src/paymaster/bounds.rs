//! When a transaction may be executed.

/// How long a transaction may be executed where nothing else was asked for.
const USUAL_S: u64 = 3_600;

/// From when until when, in seconds since 1970, both excluded by accounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeBounds {
    /// Not before it has passed.
    pub execute_after: u64,
    /// Not from then on.
    pub execute_before: u64,
}

impl TimeBounds {
    /// Those of who asks for none: from long ago until an hour after `now`.
    #[must_use]
    pub fn usual(now: u64) -> Self {
        Self {
            execute_after: 1,
            execute_before: now.saturating_add(USUAL_S),
        }
    }

    /// Whether it can be executed at `now`.
    #[must_use]
    pub fn hold(self, now: u64) -> bool {
        self.execute_after < self.execute_before
            && self.execute_after <= now
            && now < self.execute_before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_hold_between_their_ends() {
        let bounds = |execute_after, execute_before| TimeBounds {
            execute_after,
            execute_before,
        };
        assert!(TimeBounds::usual(100).hold(100));
        assert!(TimeBounds::usual(100).hold(3_699));
        assert!(!TimeBounds::usual(100).hold(3_700));
        assert!(bounds(100, 101).hold(100));
        assert!(!bounds(100, 101).hold(101));
        assert!(!bounds(101, 102).hold(100));
        assert!(!bounds(100, 100).hold(100));
        assert!(!bounds(102, 90).hold(100));
        assert!(TimeBounds::usual(u64::MAX - 1).hold(u64::MAX - 1));
    }
}
