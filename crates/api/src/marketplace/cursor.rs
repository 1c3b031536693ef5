//! Where a list goes on: a text that only we can make, and only for the list
//! and the filters that it was made for.
//!
//! A cursor is base64url of a version, a position and the first half of an
//! HMAC-SHA-256 over both and the list's scope. The scope is not in it: under
//! other filters the code does not fit.

use super::{catalog::Slug, problem::Problem};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit as _, Mac as _};
use primitives::Ulid;
use services::leasing::BrowseKey;
use sha2::Sha256;
use std::fmt;

const VERSION: u8 = 1;
const CODE_BYTES: usize = 16;

/// Longer texts are not even looked at.
const MAX_CHARS: usize = 256;

/// A place in the order of a list.
pub(super) trait Position: Sized {
    fn write(&self) -> String;
    fn read(text: &str) -> Option<Self>;
}

impl Position for Ulid {
    fn write(&self) -> String {
        self.to_string()
    }

    fn read(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

impl Position for BrowseKey {
    fn write(&self) -> String {
        format!("{}:{}", self.value, self.id)
    }

    fn read(text: &str) -> Option<Self> {
        let (value, id) = text.split_once(':')?;
        Some(Self {
            value: value.parse().ok()?,
            id: id.parse().ok()?,
        })
    }
}

/// Makes and reads cursors.
#[derive(Clone)]
pub(super) struct Cursors {
    key: [u8; 32],
}

impl fmt::Debug for Cursors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cursors")
    }
}

impl Cursors {
    pub(super) fn new(key: [u8; 32]) -> Self {
        Self { key }
    }

    /// The text of a position in the list of this scope.
    pub(super) fn seal(&self, scope: &str, position: &impl Position) -> String {
        let mut bytes = vec![VERSION];
        bytes.extend(position.write().into_bytes());
        let code = self
            .mac(scope, &bytes)
            .map(|mac| mac.finalize().into_bytes());
        bytes.extend(code.iter().flatten().take(CODE_BYTES));
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The position that [`Self::seal`] made a text of.
    pub(super) fn open<P: Position>(&self, scope: &str, text: &str) -> Result<P, Problem> {
        let foreign = || Problem::plain(Slug::InvalidCursor);
        self.position(scope, text).ok_or_else(foreign)
    }

    fn position<P: Position>(&self, scope: &str, text: &str) -> Option<P> {
        if text.len() > MAX_CHARS {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (told, code) = bytes.split_at_checked(bytes.len().checked_sub(CODE_BYTES)?)?;
        self.mac(scope, told)?.verify_truncated_left(code).ok()?;
        let (version, position) = told.split_first()?;
        (*version == VERSION).then_some(())?;
        P::read(std::str::from_utf8(position).ok()?)
    }

    /// The length of the scope comes first: nothing can move between it and
    /// what follows.
    fn mac(&self, scope: &str, told: &[u8]) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.key).ok()?;
        mac.update(&scope.len().to_be_bytes());
        mac.update(scope.as_bytes());
        mac.update(told);
        Some(mac)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use primitives::Timestamp;
    use proptest::prelude::*;

    fn key(value: i64) -> BrowseKey {
        BrowseKey {
            value,
            id: Ulid::new(Timestamp::UNIX_EPOCH, [7; 10]),
        }
    }

    #[test]
    fn a_cursor_leads_back_to_its_position() {
        let cursors = Cursors::new([1; 32]);
        for value in [0, 5, -1, i64::MAX, i64::MIN] {
            let text = cursors.seal("list", &key(value));
            assert_eq!(
                cursors.open::<BrowseKey>("list", &text).unwrap(),
                key(value)
            );
        }
    }

    #[test]
    fn a_cursor_is_for_one_list_and_one_key() {
        let cursors = Cursors::new([1; 32]);
        let text = cursors.seal("list", &key(5));
        assert!(cursors.open::<BrowseKey>("lis", &text).is_err());
        assert!(cursors.open::<BrowseKey>("list2", &text).is_err());
        assert!(
            Cursors::new([2; 32])
                .open::<BrowseKey>("list", &text)
                .is_err()
        );
        assert!(cursors.open::<Ulid>("list", &text).is_err());
    }

    #[test]
    fn no_changed_cursor_is_accepted() {
        let cursors = Cursors::new([1; 32]);
        let bytes = URL_SAFE_NO_PAD
            .decode(cursors.seal("list", &key(5)))
            .unwrap();
        for place in 0..bytes.len() {
            for bit in 0..8 {
                let mut changed = bytes.clone();
                changed[place] ^= 1 << bit;
                let text = URL_SAFE_NO_PAD.encode(changed);
                assert!(cursors.open::<BrowseKey>("list", &text).is_err());
            }
            let cut = URL_SAFE_NO_PAD.encode(&bytes[..place]);
            assert!(cursors.open::<BrowseKey>("list", &cut).is_err());
        }
    }

    proptest! {
        #[test]
        fn no_text_is_a_cursor(text in ".{0,300}") {
            prop_assert!(Cursors::new([1; 32]).open::<BrowseKey>("list", &text).is_err());
        }
    }
}
