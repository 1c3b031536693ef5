//! Looks at everything the service stands on and says what to do. Changes
//! nothing that lasts.

mod files;
mod folder;
mod market;
mod node;
mod ports;
mod shared;
mod store;

use crate::{config::Config, console::say, wiring};
use std::process::ExitCode;

/// What became of one check.
#[derive(Debug)]
struct Finding {
    subject: &'static str,
    verdict: Verdict,
    /// What was found, and on failure what to do.
    detail: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Ok,
    Warn,
    Fail,
}

impl Finding {
    fn ok(subject: &'static str, detail: impl Into<String>) -> Self {
        Self::new(subject, Verdict::Ok, detail)
    }

    fn warn(subject: &'static str, detail: impl Into<String>) -> Self {
        Self::new(subject, Verdict::Warn, detail)
    }

    fn fail(subject: &'static str, detail: impl Into<String>) -> Self {
        Self::new(subject, Verdict::Fail, detail)
    }

    fn new(subject: &'static str, verdict: Verdict, detail: impl Into<String>) -> Self {
        Self {
            subject,
            verdict,
            detail: detail.into(),
        }
    }

    fn say(&self) {
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
}

/// Checks everything; the status is 1 if anything failed.
pub(super) async fn doctor(config: &Config) -> anyhow::Result<ExitCode> {
    let mut findings = Vec::new();
    findings.push(folder::check(&wiring::folder(config)));
    findings.extend(folder::check_privacy(&wiring::folder(config)));
    findings.push(files::check());
    let (of_node, network) = node::check(config).await;
    findings.push(store::check(config, network).await);
    findings.extend(of_node);
    findings.extend(market::check(config).await);
    findings.extend(ports::check(config).await);
    findings.extend(shared::check(config).await);
    for finding in &findings {
        finding.say();
    }
    let failed = |finding: &Finding| finding.verdict == Verdict::Fail;
    Ok(if findings.iter().any(failed) {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}
