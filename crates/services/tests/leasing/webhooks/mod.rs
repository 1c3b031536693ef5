//! Webhooks: what is told to whom, and that it arrives whatever happens.

mod receiver;
mod sending;
mod telling;

use leasing::Networks;
use primitives::Ulid;
use services::leasing::{
    DeliveryRow, Leasing, SystemLookup, User, WebhookRow, WebhookSender, WebhookWish,
};
use std::sync::Arc;
use store::Location;
use world::Market;

pub(super) const ALL: &str = "lease.activated,lease.ending,lease.completed,lease.revoked,\
                              payment.orphaned,extension.lapsed";

/// A market whose webhooks may lead to this machine.
async fn market(seed: u64, location: &Location) -> Market {
    let market = Market::at(seed, location).await;
    let networks = Networks {
        loopback: true,
        ..Networks::PUBLIC
    };
    market
        .configured(|options| options.webhooks.networks = networks)
        .await
}

/// The webhook of somebody.
async fn webhook(leasing: &Leasing, user: &User, url: &str, events: &str) -> WebhookRow {
    let wish = WebhookWish {
        url: url.to_owned(),
        events: events.parse().unwrap(),
        description: None,
    };
    leasing.webhooks.create(user, wish).await.unwrap()
}

fn sender(leasing: &Leasing) -> WebhookSender {
    let lookup: Arc<dyn services::leasing::Lookup> = Arc::new(SystemLookup);
    leasing.webhook_sender(&lookup).unwrap()
}

/// Makes deliveries of what happened. Returns how many.
async fn feed(leasing: &Leasing) -> usize {
    leasing.audit_chain().round().await.unwrap();
    leasing.webhook_feed().round().await.unwrap()
}

/// Sends what is due.
async fn send(leasing: &Leasing) {
    let mut sender = sender(leasing);
    while sender.round().await.unwrap() > 0 {
        sender.finish().await.unwrap();
    }
}

/// Tells of everything that happened.
async fn tell(leasing: &Leasing) {
    feed(leasing).await;
    send(leasing).await;
}

/// The deliveries of a webhook, the newest first.
async fn log(leasing: &Leasing, user: &User, webhook: Ulid) -> Vec<DeliveryRow> {
    let page = leasing
        .webhooks
        .deliveries(user, webhook, None, None, 50)
        .await;
    page.unwrap().items
}
