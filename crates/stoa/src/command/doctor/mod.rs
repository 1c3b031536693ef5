//! Looks at everything the service stands on and says what to do. Changes
//! nothing that lasts.

mod files;
mod finding;
mod folder;
mod issuer;
mod market;
mod node;
mod pools;
mod ports;
mod replicas;
mod shared;
mod store;

use crate::{config::Config, wiring};
use finding::Finding;
use std::process::ExitCode;
use url::Url;

/// Checks everything, or whether replicas say the same; the status is 1 if anything
/// failed.
pub(super) async fn doctor(config: &Config, replicas: &[Url]) -> anyhow::Result<ExitCode> {
    let findings = if replicas.is_empty() {
        ground(config).await
    } else {
        replicas::check(config, replicas).await
    };
    for finding in &findings {
        finding.say();
    }
    Ok(if findings.iter().any(Finding::is_failure) {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// What a service stands on.
async fn ground(config: &Config) -> Vec<Finding> {
    let mut findings = Vec::new();
    findings.push(folder::check(&wiring::folder(config)));
    findings.extend(folder::check_privacy(&wiring::folder(config)));
    findings.push(files::check());
    let (of_node, network) = node::check(config).await;
    findings.push(store::check(config, network).await);
    findings.extend(of_node);
    findings.extend(pools::check(config, network).await);
    findings.extend(market::check(config).await);
    findings.extend(issuer::check(config).await);
    findings.extend(ports::check(config).await);
    findings.extend(shared::check(config).await);
    findings
}
