//! Field elements by small numbers: tokens, contracts and classes are named
//! often and are few.

use super::shelf::Shelf;
use primitives::{Felt, OrImpossible as _};
use std::collections::HashMap;
use std::sync::Arc;

/// The number of a field element in a book.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Name(u32);

/// All field elements that a book names.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    felts: Shelf<Felt>,
    numbers: Arc<HashMap<Felt, Name>>,
}

impl Names {
    /// The number of `felt`, given now if it has none.
    pub(super) fn give(&mut self, felt: Felt) -> Name {
        let next =
            u32::try_from(self.felts.len()).or_impossible("a book has fewer than 2^32 names");
        let next = Name(next.unwrap_or(u32::MAX));
        if let Some(name) = self.numbers.get(&felt) {
            return *name;
        }
        Arc::make_mut(&mut self.numbers).insert(felt, next);
        self.felts.push(felt);
        next
    }

    pub(super) fn get(&self, felt: Felt) -> Option<Name> {
        self.numbers.get(&felt).copied()
    }

    pub(super) fn len(&self) -> usize {
        self.felts.len()
    }

    /// Takes back all but the first `len` names.
    pub(super) fn truncate(&mut self, len: usize) {
        if len < self.felts.len() {
            let numbers = Arc::make_mut(&mut self.numbers);
            for felt in (len..self.felts.len()).filter_map(|number| self.felts.get(number)) {
                numbers.remove(felt);
            }
        }
        self.felts.truncate(len);
    }

    /// The field elements by number.
    pub(super) const fn felts(&self) -> &Shelf<Felt> {
        &self.felts
    }
}

impl Name {
    /// The field element, in a list by number.
    pub(super) fn of(self, felts: &Shelf<Felt>) -> Felt {
        let found = usize::try_from(self.0).ok().and_then(|at| felts.get(at));
        let felt = found.or_impossible("a name is one of its own list");
        felt.copied().unwrap_or_default()
    }
}
