//! What a check says.

use crate::console::say;

/// What became of one check.
#[derive(Debug)]
pub(super) struct Finding {
    pub(super) subject: &'static str,
    pub(super) verdict: Verdict,
    /// What was found, and on failure what to do.
    pub(super) detail: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Ok,
    Warn,
    Fail,
}

impl Finding {
    pub(super) fn ok(subject: &'static str, detail: impl Into<String>) -> Self {
        Self::new(subject, Verdict::Ok, detail)
    }

    pub(super) fn warn(subject: &'static str, detail: impl Into<String>) -> Self {
        Self::new(subject, Verdict::Warn, detail)
    }

    pub(super) fn fail(subject: &'static str, detail: impl Into<String>) -> Self {
        Self::new(subject, Verdict::Fail, detail)
    }

    fn new(subject: &'static str, verdict: Verdict, detail: impl Into<String>) -> Self {
        Self {
            subject,
            verdict,
            detail: detail.into(),
        }
    }

    pub(super) fn say(&self) {
        let verdict = match self.verdict {
            Verdict::Ok => "ok",
            Verdict::Warn => "warn",
            Verdict::Fail => "FAIL",
        };
        say(format_args!(
            "{verdict:<4}  {:<8}  {}",
            self.subject, self.detail
        ));
    }

    pub(super) fn is_failure(&self) -> bool {
        self.verdict == Verdict::Fail
    }
}
