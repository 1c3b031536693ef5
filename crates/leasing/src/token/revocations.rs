//! The feed of revocations, as a gateway keeps it: the answers of `GET
//! /v1/revocations`, page by page.

use primitives::Ulid;
use serde::Deserialize;
use std::collections::BTreeSet;

/// Leases that were revoked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Revocations(BTreeSet<Ulid>);

#[derive(Deserialize)]
struct RevocationPage {
    data: Vec<Revocation>,
    #[serde(default)]
    meta: Meta,
}

#[derive(Deserialize)]
struct Revocation {
    lease_id: Ulid,
}

#[derive(Default, Deserialize)]
struct Meta {
    next_cursor: Option<String>,
}

impl Revocations {
    /// Adds a page of the feed. Where it goes on is told, if it does.
    pub fn add(&mut self, page: &[u8]) -> Result<Option<String>, serde_json::Error> {
        let page: RevocationPage = serde_json::from_slice(page)?;
        self.0.extend(page.data.into_iter().map(|row| row.lease_id));
        Ok(page.meta.next_cursor)
    }

    /// Whether a lease was revoked.
    pub fn has(&self, lease: Ulid) -> bool {
        self.0.contains(&lease)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_added_until_the_last() {
        let mut feed = Revocations::default();
        let (first, second) = ("01ARZ3NDEKTSV4RRFFQ69G5FAV", "01ARZ3NDEKTSV4RRFFQ69G5FAW");
        let page = |id: &str, meta: &str| format!(r#"{{"data": [{{"lease_id": "{id}"}}]{meta}}}"#);
        let more = r#", "meta": {"next_cursor": "x", "limit": 1}"#;
        let next = feed.add(page(first, more).as_bytes()).unwrap();
        assert_eq!(next.as_deref(), Some("x"));
        assert_eq!(feed.add(page(second, "").as_bytes()).unwrap(), None);
        assert!(feed.has(first.parse().unwrap()) && feed.has(second.parse().unwrap()));
        assert!(!feed.has("01ARZ3NDEKTSV4RRFFQ69G5FAX".parse().unwrap()));
        for wrong in ["", "[]", "{}", r#"{"data": [{"lease_id": "x"}]}"#] {
            assert!(feed.add(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }
}
