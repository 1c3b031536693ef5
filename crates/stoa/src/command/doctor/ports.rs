//! The addresses to listen on.

use super::Finding;
use crate::{command::serve, config::Config};
use tokio::net::TcpListener;

const SUBJECT: &str = "port";

pub(super) async fn check(config: &Config) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (address, flag) in serve::addresses(config) {
        findings.push(match TcpListener::bind(address).await {
            Ok(_) => Finding::ok(SUBJECT, format!("{address} is free")),
            Err(error) => {
                let advice = serve::advice(&error, flag);
                Finding::fail(SUBJECT, format!("cannot listen on {address}: {advice}"))
            }
        });
    }
    findings
}
