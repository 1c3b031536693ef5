//! What is told, and what becomes of it.

use crate::words::{UnknownWord, words};
use std::{collections::BTreeSet, fmt, str::FromStr};

words! {
    /// What is told of.
    WebhookEvent {
        /// A lease is paid, and its epochs are held.
        LeaseActivated = "lease.activated",
        /// The last epoch of a lease has begun.
        LeaseEnding = "lease.ending",
        /// The epochs of a lease are over.
        LeaseCompleted = "lease.completed",
        /// A lease was ended by the validator or by staff.
        LeaseRevoked = "lease.revoked",
        /// Money came that paid for nothing.
        PaymentOrphaned = "payment.orphaned",
        /// Nobody paid an extension in time.
        ExtensionLapsed = "extension.lapsed",
        /// Nothing happened: somebody tries their receiver.
        Test = "webhook.test",
    }
}

words! {
    /// Where a delivery stands.
    DeliveryStatus {
        /// It is still tried.
        Pending = "pending",
        /// The receiver took it.
        Delivered = "delivered",
        /// It is tried no more.
        Failed = "failed",
    }
}

words! {
    /// Why the last attempt at a delivery failed.
    DeliveryProblem {
        /// The receiver answered with another status than 2xx.
        Status = "status",
        /// It did not answer in time.
        Timeout = "timeout",
        /// It could not be reached: no such name, no connection, no TLS.
        Unreachable = "unreachable",
        /// Its address is none that may be sent to.
        AddressRefused = "address_refused",
        /// The endpoint was disabled before.
        EndpointDisabled = "endpoint_disabled",
    }
}

words! {
    /// Why nothing is sent to an endpoint.
    DisabledReason {
        /// Its user wants it so.
        Asked = "asked",
        /// It answered 410.
        Gone = "gone",
        /// It has failed for too long.
        Failing = "failing",
        /// Too much waits for it.
        Flooded = "flooded",
    }
}

impl WebhookEvent {
    /// The event that a row of the audit log with this action is.
    pub fn of_action(action: &str) -> Option<Self> {
        match action {
            "lease.activated" | "lease.late_payment_applied" => Some(Self::LeaseActivated),
            "lease.ending" => Some(Self::LeaseEnding),
            "lease.completed" => Some(Self::LeaseCompleted),
            "lease.revoked" => Some(Self::LeaseRevoked),
            "payment.stray" => Some(Self::PaymentOrphaned),
            "lease.extension_lapsed" => Some(Self::ExtensionLapsed),
            _ => None,
        }
    }

    /// Whether staff is told, whosever lease it is.
    pub const fn is_for_staff(self) -> bool {
        matches!(self, Self::PaymentOrphaned)
    }
}

/// The words of events that can be asked for: all but the last, a test.
const ASKED_FOR: &[&str] = match WebhookEvent::WORDS.split_last() {
    Some((_, asked_for)) => asked_for,
    None => &[],
};

/// The events that an endpoint is told of, at least one. A test needs no asking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookEvents(BTreeSet<WebhookEvent>);

impl WebhookEvents {
    /// The events of these words, each of which may be there twice.
    pub fn new<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<Self, UnknownWord> {
        let events = words.into_iter().map(str::parse);
        let events: Result<BTreeSet<WebhookEvent>, UnknownWord> = events.collect();
        let events = events.map_err(|_| UnknownWord { known: ASKED_FOR })?;
        if events.is_empty() || events.contains(&WebhookEvent::Test) {
            return Err(UnknownWord { known: ASKED_FOR });
        }
        Ok(Self(events))
    }

    /// Whether an event is among them.
    pub fn has(&self, event: WebhookEvent) -> bool {
        self.0.contains(&event)
    }

    /// Their words.
    pub fn words(&self) -> Vec<&'static str> {
        self.0.iter().map(|event| event.as_str()).collect()
    }
}

impl fmt::Display for WebhookEvents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words().join(","))
    }
}

impl FromStr for WebhookEvents {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        Self::new(text.split(','))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_as_they_are_written_and_a_test_is_none_of_them() {
        let words = ["payment.orphaned", "lease.ending", "lease.ending"];
        let events = WebhookEvents::new(words).unwrap();
        assert_eq!(events.to_string(), "lease.ending,payment.orphaned");
        assert_eq!(events.to_string().parse(), Ok(events.clone()));
        assert!(events.has(WebhookEvent::LeaseEnding));
        assert!(!events.has(WebhookEvent::LeaseRevoked));
        for wrong in ["", "webhook.test", "lease.ending,", "lease.booked"] {
            let refused = Err(UnknownWord { known: ASKED_FOR });
            assert_eq!(wrong.parse::<WebhookEvents>(), refused, "{wrong}");
            assert!(!ASKED_FOR.contains(&WebhookEvent::Test.as_str()));
        }
    }

    #[test]
    fn every_event_but_a_test_comes_from_the_audit_log() {
        let actions = [
            "lease.activated",
            "lease.ending",
            "lease.completed",
            "lease.revoked",
            "payment.stray",
            "lease.extension_lapsed",
        ];
        for (action, event) in actions.iter().zip(WebhookEvent::ALL) {
            assert_eq!(WebhookEvent::of_action(action), Some(event));
        }
        assert_eq!(WebhookEvent::of_action("lease.booked"), None);
        assert_eq!(WebhookEvent::of_action("webhook.test"), None);
    }
}
