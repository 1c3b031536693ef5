//! Faults on request: which answers are to be spoiled, and how.
//!
//! Pure bookkeeping. What a fault does to an answer is the business of those who
//! make and send answers.

use primitives::OrImpossible as _;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;
use thiserror::Error;

/// Faults that wait for their answers at the same time.
pub(crate) const MAX_ARMED: usize = 64;

/// Answers that one fault spoils.
pub(crate) const MAX_COUNT: u32 = 1_000_000;

/// The longest time that an answer is held back.
pub(crate) const MAX_DELAY: Duration = Duration::from_mins(5);

/// How long an answer is held back unless told otherwise.
pub(crate) const USUAL_DELAY: Duration = Duration::from_secs(1);

/// The name of the simulated aggregator, which has no methods.
pub(crate) const AGGREGATOR: &str = "aggregator";

/// The name that stands for every method but the control methods.
pub(crate) const ANY_METHOD: &str = "*";

const CONTROL_PREFIX: &str = "sim_";

/// Whether a method steers the simulation.
pub(crate) fn is_control(method: &str) -> bool {
    method.starts_with(CONTROL_PREFIX)
}

const HEAD_METHODS: [&str; 6] = [
    "starknet_blockNumber",
    "starknet_blockHashAndNumber",
    "getSlot",
    "getBlockHeight",
    "getEpochInfo",
    "getLatestBlockhash",
];
const BLOCK_METHODS: [&str; 3] = [
    "starknet_getBlockWithTxHashes",
    "starknet_getBlockWithTxs",
    "starknet_getBlockWithReceipts",
];
const EVENT_METHODS: [&str; 3] = [
    "starknet_getEvents",
    "starknet_getBlockWithReceipts",
    "starknet_getTransactionReceipt",
];

const TRANSACTION_METHODS: [&str; 2] = ["getTransaction", "getSignatureStatuses"];
const HISTORY_METHODS: [&str; 1] = ["getSignaturesForAddress"];

/// What can go wrong with an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// It comes late.
    Delay(Duration),
    /// The connection is closed without it.
    Dropped,
    /// Status 503 comes in its place.
    Http5xx,
    /// Status 429 with `Retry-After` comes in its place.
    Http429,
    /// It is no JSON.
    Malformed,
    /// It is shorter than announced.
    Truncated,
    /// It is padded to tens of megabytes.
    Oversized,
    /// It names another request.
    WrongId,
    /// The head is one that was left behind.
    StaleHead,
    /// A block has a parent that does not exist.
    WrongParent,
    /// A block that exists is not found.
    MissingBlock,
    /// No transaction emitted anything.
    EmptyEvents,
    /// A transaction that exists is not found.
    MissingTransaction,
    /// An address has no transactions.
    EmptyHistory,
}

impl FaultKind {
    /// Every kind, as requests name it.
    const NAMED: [(&'static str, Self); 14] = [
        ("delay", Self::Delay(USUAL_DELAY)),
        ("dropped", Self::Dropped),
        ("http_5xx", Self::Http5xx),
        ("http_429", Self::Http429),
        ("malformed", Self::Malformed),
        ("truncated", Self::Truncated),
        ("oversized", Self::Oversized),
        ("wrong_id", Self::WrongId),
        ("stale_head", Self::StaleHead),
        ("wrong_parent", Self::WrongParent),
        ("missing_block", Self::MissingBlock),
        ("empty_events", Self::EmptyEvents),
        ("missing_transaction", Self::MissingTransaction),
        ("empty_history", Self::EmptyHistory),
    ];

    /// The methods whose answers it can spoil; `None` means all.
    fn methods(self) -> Option<&'static [&'static str]> {
        match self {
            Self::StaleHead => Some(&HEAD_METHODS),
            Self::WrongParent | Self::MissingBlock => Some(&BLOCK_METHODS),
            Self::EmptyEvents => Some(&EVENT_METHODS),
            Self::MissingTransaction => Some(&TRANSACTION_METHODS),
            Self::EmptyHistory => Some(&HISTORY_METHODS),
            _ => None,
        }
    }

    fn spoils(self, method: &str) -> bool {
        !is_control(method)
            && (self, method) != (Self::WrongId, AGGREGATOR)
            && self
                .methods()
                .is_none_or(|methods| methods.contains(&method))
    }
}

/// A name that is none of a fault.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown kind {name:?}, expected none, {}", names())]
pub struct UnknownFault {
    name: String,
}

fn names() -> String {
    FaultKind::NAMED.map(|(name, _)| name).join(", ")
}

impl FromStr for FaultKind {
    type Err = UnknownFault;

    fn from_str(name: &str) -> Result<Self, UnknownFault> {
        Self::NAMED
            .into_iter()
            .find_map(|(known, kind)| (known == name).then_some(kind))
            .ok_or_else(|| UnknownFault { name: name.into() })
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let same = std::mem::discriminant(self);
        let name = Self::NAMED
            .iter()
            .find(|(_, kind)| std::mem::discriminant(kind) == same)
            .map(|(name, _)| *name);
        let name = name.or_impossible("every kind has a name");
        f.write_str(name.unwrap_or("unnamed"))
    }
}

/// Why a fault was refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FaultError {
    /// The kind means nothing for the method's answers, or the method steers the
    /// simulation.
    #[error("{kind} cannot spoil answers to {method}")]
    Method {
        /// The kind that was asked for.
        kind: FaultKind,
        /// The method that was asked for.
        method: String,
    },
    /// So many answers are not waited for.
    #[error("count must be at most {MAX_COUNT}")]
    Count,
    /// So long is no answer held back.
    #[error("delay must be at most {} ms", MAX_DELAY.as_millis())]
    Delay,
    /// Enough faults are waiting for their answers.
    #[error("{MAX_ARMED} faults are armed already")]
    TooMany,
}

#[derive(Debug)]
struct Armed {
    method: String,
    kind: FaultKind,
    left: u32,
}

impl Armed {
    fn spoils(&self, method: &str) -> bool {
        let is_meant = match self.method.as_str() {
            ANY_METHOD => method != AGGREGATOR,
            named => named == method,
        };
        is_meant && self.kind.spoils(method)
    }
}

/// The faults that are still to come.
#[derive(Debug, Default)]
pub(crate) struct Faults(Vec<Armed>);

impl Faults {
    /// Spoils the next `count` answers to `method`, after those that earlier
    /// faults take.
    pub(crate) fn arm(
        &mut self,
        method: &str,
        kind: FaultKind,
        count: u32,
    ) -> Result<(), FaultError> {
        if method != ANY_METHOD && !kind.spoils(method) {
            return Err(FaultError::Method {
                kind,
                method: method.to_owned(),
            });
        }
        if count > MAX_COUNT {
            return Err(FaultError::Count);
        }
        if matches!(kind, FaultKind::Delay(delay) if delay > MAX_DELAY) {
            return Err(FaultError::Delay);
        }
        if self.0.len() >= MAX_ARMED {
            return Err(FaultError::TooMany);
        }
        if count > 0 {
            self.0.push(Armed {
                method: method.to_owned(),
                kind,
                left: count,
            });
        }
        Ok(())
    }

    /// Forgets the faults that were armed for `method`; all, if it stands for any.
    pub(crate) fn clear(&mut self, method: &str) {
        self.0
            .retain(|armed| method != ANY_METHOD && armed.method != method);
    }

    /// The fault of the next answer to `method`.
    pub(crate) fn take(&mut self, method: &str) -> Option<FaultKind> {
        let index = self.0.iter().position(|armed| armed.spoils(method))?;
        let armed = self.0.get_mut(index)?;
        let kind = armed.kind;
        armed.left = armed.left.saturating_sub(1);
        if armed.left == 0 {
            self.0.remove(index);
        }
        Some(kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALL: &str = "starknet_call";
    const HEAD: &str = "starknet_blockNumber";

    #[test]
    fn a_fault_spoils_as_many_answers_as_it_is_told_and_no_other() {
        let mut faults = Faults::default();
        faults.arm(CALL, FaultKind::Dropped, 2).unwrap();
        assert_eq!(faults.take(HEAD), None);
        assert_eq!(faults.take(CALL), Some(FaultKind::Dropped));
        assert_eq!(faults.take(CALL), Some(FaultKind::Dropped));
        assert_eq!(faults.take(CALL), None);
    }

    #[test]
    fn faults_come_in_the_order_in_which_they_were_armed() {
        let mut faults = Faults::default();
        faults.arm(ANY_METHOD, FaultKind::Http429, 1).unwrap();
        faults.arm(CALL, FaultKind::Malformed, 1).unwrap();
        assert_eq!(faults.take(CALL), Some(FaultKind::Http429));
        assert_eq!(faults.take(CALL), Some(FaultKind::Malformed));
    }

    #[test]
    fn a_fault_of_any_method_waits_for_an_answer_that_it_can_spoil() {
        let mut faults = Faults::default();
        faults.arm(ANY_METHOD, FaultKind::StaleHead, 1).unwrap();
        assert_eq!(faults.take(CALL), None);
        assert_eq!(faults.take("sim_mine"), None);
        assert_eq!(faults.take(HEAD), Some(FaultKind::StaleHead));
    }

    #[test]
    fn what_cannot_be_spoiled_is_refused() {
        let mut faults = Faults::default();
        for (method, kind) in [
            (CALL, FaultKind::EmptyEvents),
            (HEAD, FaultKind::WrongParent),
            ("sim_mine", FaultKind::Dropped),
        ] {
            let method_error = FaultError::Method {
                kind,
                method: method.to_owned(),
            };
            assert_eq!(faults.arm(method, kind, 1), Err(method_error));
        }
        let late = FaultKind::Delay(MAX_DELAY + Duration::from_millis(1));
        assert_eq!(faults.arm(CALL, late, 1), Err(FaultError::Delay));
        let many = faults.arm(CALL, FaultKind::Dropped, MAX_COUNT + 1);
        assert_eq!(many, Err(FaultError::Count));
        assert_eq!(faults.take(CALL), None);
    }

    #[test]
    fn armed_faults_are_limited_and_can_be_cleared() {
        let mut faults = Faults::default();
        for _ in 1..MAX_ARMED {
            faults.arm(CALL, FaultKind::Dropped, 1).unwrap();
        }
        faults.arm(HEAD, FaultKind::WrongId, 1).unwrap();
        let full = faults.arm(CALL, FaultKind::Dropped, 1);
        assert_eq!(full, Err(FaultError::TooMany));
        faults.clear(CALL);
        assert_eq!(faults.take(CALL), None);
        assert_eq!(faults.take(HEAD), Some(FaultKind::WrongId));
        faults.arm(CALL, FaultKind::Dropped, 1).unwrap();
        faults.clear(ANY_METHOD);
        assert_eq!(faults.take(CALL), None);
    }

    #[test]
    fn every_kind_has_one_name() {
        for (name, kind) in FaultKind::NAMED {
            assert_eq!(name.parse(), Ok(kind));
            assert_eq!(kind.to_string(), name);
        }
        let unknown = "rust".parse::<FaultKind>().unwrap_err().to_string();
        assert!(unknown.contains("http_5xx, http_429"), "{unknown}");
    }
}
