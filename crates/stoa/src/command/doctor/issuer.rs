//! The issuer whose tokens are sessions, if there is one.

use super::Finding;
use crate::{config::Config, wiring};

const ISSUER: &str = "issuer";

pub(super) async fn check(config: &Config) -> Option<Finding> {
    let name = config.oidc.issuer.as_ref()?;
    if !config.leasing.enabled {
        let detail = format!("{name} signs nobody in: no market is wanted");
        return Some(Finding::warn(ISSUER, detail));
    }
    let probed = async {
        let issuer = wiring::issuer(config)?;
        let issuer = issuer.ok_or_else(|| anyhow::anyhow!("oidc.audience is not set"))?;
        Ok::<_, anyhow::Error>(issuer.probe().await?)
    };
    Some(match probed.await {
        Ok(keys) if keys.count == 0 => {
            let detail = format!("{name} has no key that sessions can be verified with");
            Finding::fail(ISSUER, detail)
        }
        Ok(keys) => Finding::ok(ISSUER, format!("{name}, {} keys", keys.count)),
        Err(error) => Finding::fail(ISSUER, format!("{name}: {error:#}; see oidc.issuer")),
    })
}
