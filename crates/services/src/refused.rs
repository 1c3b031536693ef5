//! Why nothing was done: the caller's doing, or ours. The two never mix.

use crate::fault::Fault;
use store::StoreError;

/// Why nothing was done.
#[derive(Debug)]
pub enum Refused<E> {
    /// The caller's doing.
    Rejected(E),
    /// Ours.
    Fault(Fault),
}

impl<E> Refused<E> {
    /// The same, with the caller's part in another form.
    pub fn map<T>(self, form: impl FnOnce(E) -> T) -> Refused<T> {
        match self {
            Self::Rejected(reason) => Refused::Rejected(form(reason)),
            Self::Fault(fault) => Refused::Fault(fault),
        }
    }
}

impl<E> From<Fault> for Refused<E> {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl<E> From<StoreError> for Refused<E> {
    fn from(error: StoreError) -> Self {
        Self::Fault(error.into())
    }
}
