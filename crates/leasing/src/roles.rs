//! Who acts, and what they may do.

use primitives::Ulid;

/// What a user may do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Roles {
    /// Book leases.
    pub trader: bool,
    /// Register validators.
    pub validator: bool,
    /// See and end what is others'.
    pub staff: bool,
}

/// A user, as far as what they may do depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Party {
    /// The user's public id.
    pub user: Ulid,
    /// What they may do.
    pub roles: Roles,
}

/// Who asks about a lease: a user, or whoever has the key of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asker {
    /// Somebody who is signed in, with the roles that they have by the request.
    User(Party),
    /// The holder of this lease's key, who stands for its trader.
    Key(Ulid),
}

impl Roles {
    /// The roles of these words; `None` if one of them is none.
    pub fn of_words<'a>(words: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        let mut roles = Self::default();
        for word in words {
            match word {
                "trader" => roles.trader = true,
                "validator" => roles.validator = true,
                "staff" => roles.staff = true,
                _ => return None,
            }
        }
        Some(roles)
    }

    /// The words of those that are held.
    pub fn words(self) -> impl Iterator<Item = &'static str> {
        let all = [
            (self.trader, "trader"),
            (self.validator, "validator"),
            (self.staff, "staff"),
        ];
        all.into_iter()
            .filter_map(|(held, word)| held.then_some(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_the_words_that_they_are_made_of() {
        for words in [&[][..], &["staff"], &["trader", "validator", "staff"]] {
            let roles = Roles::of_words(words.iter().copied()).unwrap();
            assert_eq!(roles.words().collect::<Vec<_>>(), words);
        }
        assert_eq!(Roles::of_words(["trader", "king"]), None);
    }
}
