//! One attempt: a request that goes to an address which was looked up and
//! checked for this very request, follows no redirect, and reads no body.

use super::lookup::Lookup;
use leasing::{DeliveryProblem, Networks, WebhookTarget};
use reqwest::{
    Client,
    dns::{Addrs, Name, Resolve, Resolving},
    header::CONTENT_TYPE,
    redirect::Policy,
};
use std::{error::Error, fmt, iter, net::SocketAddr, sync::Arc, time::Duration};
use thiserror::Error;

/// Addresses of one name that are tried.
const MAX_ADDRESSES: usize = 8;

const USER_AGENT: &str = "Stoa-Webhooks";

/// What is sent in an attempt.
pub(super) struct Parcel<'a> {
    pub(super) url: &'a str,
    pub(super) id: String,
    /// Seconds.
    pub(super) timestamp: String,
    pub(super) signature: String,
    pub(super) body: String,
}

/// Sends.
#[derive(Debug)]
pub(super) struct Carrier {
    networks: Networks,
    secure: Client,
    /// Without TLS, to this very machine.
    plain: Client,
}

impl Carrier {
    pub(super) fn new(
        lookup: &Arc<dyn Lookup>,
        networks: Networks,
        patience: Duration,
    ) -> Result<Self, reqwest::Error> {
        let client = |networks| {
            let checked = Checked {
                lookup: Arc::clone(lookup),
                networks,
            };
            // A connection that is kept could be one to where the name led before.
            Client::builder()
                .timeout(patience)
                .no_proxy()
                .redirect(Policy::none())
                .pool_max_idle_per_host(0)
                .user_agent(USER_AGENT)
                .dns_resolver(Arc::new(checked))
        };
        Ok(Self {
            networks,
            secure: client(networks).https_only(true).build()?,
            plain: client(Networks::LOOPBACK).build()?,
        })
    }

    /// The status of the answer, or why there is none.
    pub(super) async fn send(&self, parcel: Parcel<'_>) -> Result<u16, DeliveryProblem> {
        let target = WebhookTarget::new(parcel.url, self.networks);
        let target = target.map_err(|_| DeliveryProblem::AddressRefused)?;
        let client = match target.url().scheme() {
            "https" => &self.secure,
            _ => &self.plain,
        };
        let request = client
            .post(target.url().clone())
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", parcel.id)
            .header("webhook-timestamp", parcel.timestamp)
            .header("webhook-signature", parcel.signature)
            .body(parcel.body);
        let answer = request.send().await;
        answer
            .map(|answer| answer.status().as_u16())
            .map_err(|error| problem(&error))
    }
}

fn problem(error: &reqwest::Error) -> DeliveryProblem {
    let causes = iter::successors(error.source(), |cause| (*cause).source());
    let mut causes = causes.filter_map(|cause| cause.downcast_ref::<NotAllowed>());
    if causes.next().is_some() {
        DeliveryProblem::AddressRefused
    } else if error.is_timeout() {
        DeliveryProblem::Timeout
    } else {
        DeliveryProblem::Unreachable
    }
}

/// A name leads where nothing may be sent.
#[derive(Debug, Error)]
#[error("the name leads to an address that may not be sent to")]
struct NotAllowed;

/// Addresses of names that may be sent to. The connection is made to one of
/// these: nobody asks for the name again.
struct Checked {
    lookup: Arc<dyn Lookup>,
    networks: Networks,
}

impl fmt::Debug for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Checked")
    }
}

impl Resolve for Checked {
    fn resolve(&self, name: Name) -> Resolving {
        let found = self.lookup.addresses(name.as_str());
        let networks = self.networks;
        Box::pin(async move {
            let found = found.await?;
            // One that may not be sent to is reason enough: whoever names it means it.
            if !found.iter().all(|address| networks.allow(*address)) {
                return Err(Box::from(NotAllowed));
            }
            let found = found.into_iter().take(MAX_ADDRESSES);
            Ok(Box::new(found.map(|address| SocketAddr::new(address, 0))) as Addrs)
        })
    }
}
