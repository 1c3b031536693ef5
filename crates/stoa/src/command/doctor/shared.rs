//! What replicas share.

use super::Finding;
use crate::{config::Config, wiring};

const SUBJECT: &str = "redis";

pub(super) async fn check(config: &Config) -> Option<Finding> {
    let url = config.shared.redis.as_ref()?;
    Some(match wiring::redis(config).await {
        Ok(_) => Finding::ok(SUBJECT, format!("{url} answers")),
        Err(error) => Finding::fail(
            SUBJECT,
            format!("{error:#}; start it, or leave --redis out"),
        ),
    })
}
