//! Which calls a sponsor pays for.

use super::selected_call::SelectedCall;
use primitives::{Address, Felt};

/// A contract, or one function of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CallRule {
    /// Calls of other contracts never fit.
    pub contract: Address,
    /// The function; all of them without one.
    pub selector: Option<Felt>,
}

impl CallRule {
    /// Whether it is about a call.
    #[must_use]
    pub fn fits(&self, call: &SelectedCall) -> bool {
        self.contract == call.to && self.selector.is_none_or(|it| it == call.selector)
    }
}

/// What a sponsor, or the operator, says of calls.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rules {
    /// If there are any, every call must fit one.
    pub allowed: Vec<CallRule>,
    /// No call may fit one.
    pub denied: Vec<CallRule>,
}

/// What rules make of calls, by the first that decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// No rule denies one of them, and each is on the list, if there is one.
    Allowed,
    /// This call is denied by a rule.
    Denied {
        /// Its place among the calls, from zero; the first that is denied.
        call: usize,
        /// The first of the denying rules that it fits.
        by: CallRule,
    },
    /// No rule allows this call.
    Unlisted {
        /// Its place among the calls, from zero; the first that is not listed.
        call: usize,
    },
}

impl Rules {
    /// Looks at every call; what is denied comes before what is not allowed.
    #[must_use]
    pub fn judge(&self, calls: &[SelectedCall]) -> Verdict {
        let fitting = |rules: &[CallRule], call: &SelectedCall| {
            rules.iter().find(|rule| rule.fits(call)).copied()
        };
        for (place, call) in calls.iter().enumerate() {
            if let Some(by) = fitting(&self.denied, call) {
                return Verdict::Denied { call: place, by };
            }
        }
        let unlisted = calls
            .iter()
            .position(|call| fitting(&self.allowed, call).is_none());
        match unlisted {
            Some(call) if !self.allowed.is_empty() => Verdict::Unlisted { call },
            _ => Verdict::Allowed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(contract: u64, selector: Option<u64>) -> CallRule {
        CallRule {
            contract: Address::new(Felt::from(contract)),
            selector: selector.map(Felt::from),
        }
    }

    fn call(to: u64, selector: u64) -> SelectedCall {
        SelectedCall {
            to: Address::new(Felt::from(to)),
            selector: Felt::from(selector),
            calldata: Vec::new(),
        }
    }

    #[test]
    fn without_rules_everything_is_allowed() {
        assert_eq!(Rules::default().judge(&[call(1, 1)]), Verdict::Allowed);
    }

    #[test]
    fn every_call_must_be_listed_where_some_are() {
        let rules = Rules {
            allowed: vec![rule(1, Some(7)), rule(2, None)],
            denied: Vec::new(),
        };
        assert_eq!(rules.judge(&[call(1, 7), call(2, 9)]), Verdict::Allowed);
        let unlisted = rules.judge(&[call(2, 1), call(1, 8)]);
        assert_eq!(unlisted, Verdict::Unlisted { call: 1 });
        assert_eq!(rules.judge(&[]), Verdict::Allowed);
    }

    #[test]
    fn what_is_denied_is_denied_although_it_is_allowed() {
        let by = rule(2, Some(3));
        let rules = Rules {
            allowed: vec![rule(2, None)],
            denied: vec![by],
        };
        let calls = [call(9, 9), call(2, 3)];
        assert_eq!(rules.judge(&calls), Verdict::Denied { call: 1, by });
    }
}
