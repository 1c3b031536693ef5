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
    /// A user.
    User(Party),
    /// The holder of this lease's key, who stands for its trader.
    Key(Ulid),
}

impl Roles {
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
