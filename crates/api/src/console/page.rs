//! The one page, with what it should know before it asks for anything.

use super::files::{self, INDEX};
use crate::{http::served_file::ServedFile, network::NetworkSegment};
use bytes::Bytes;

/// Where the page has the words of its settings.
const PLACE: &str = "__SETTINGS__";

/// What differs from one service to another.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// The path segment that names the network.
    pub(crate) network: NetworkSegment,
    /// Whether there is a lease market.
    pub(crate) has_leases: bool,
    /// Whether figures can be read at this address.
    pub(crate) has_figures: bool,
    /// Whether the networks are simulated ones that can be steered.
    pub(crate) is_simulated: bool,
}

impl Settings {
    /// Words that need no escaping.
    fn words(&self) -> String {
        let mut words = format!("network:{}", self.network);
        for (word, holds) in [
            ("leases", self.has_leases),
            ("figures", self.has_figures),
            ("simulated", self.is_simulated),
        ] {
            if holds {
                words.push(' ');
                words.push_str(word);
            }
        }
        words
    }

    /// The page of a service with these settings.
    pub(super) fn page(&self) -> Option<ServedFile> {
        let index = files::find(INDEX)?;
        let text = std::str::from_utf8(index.body.text()).ok()?;
        let text = text.replace(PLACE, &self.words());
        Some(ServedFile::new(Bytes::from(text), index.kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_knows_what_kind_of_service_it_is_of() {
        for (has_leases, is_simulated, words) in [
            (false, false, "\"network:starknet\""),
            (true, false, "\"network:starknet leases\""),
            (true, true, "\"network:starknet leases simulated\""),
        ] {
            let settings = Settings {
                network: NetworkSegment::default(),
                has_leases,
                has_figures: false,
                is_simulated,
            };
            let page = settings.page().unwrap();
            let text = std::str::from_utf8(page.body.text()).unwrap();
            assert!(text.contains(words) && !text.contains(PLACE), "{words}");
        }
    }
}
