//! Who pays for what is sent.

use store::NewReservation;

/// Who pays for a transaction in the end.
#[derive(Debug, Clone, Copy)]
pub enum Payer<'r> {
    /// The account that sends it.
    Service,
    /// Its user, within the transaction: so much, in the smallest unit of STRK.
    User(u128),
    /// A sponsor, from its credits.
    Sponsor(&'r NewReservation),
}

impl Payer<'_> {
    pub(super) fn paid(self) -> Option<u128> {
        match self {
            Self::User(paid) => Some(paid),
            Self::Service | Self::Sponsor(_) => None,
        }
    }
}
