//! A persistent vector: chunks that copies share until one of them is written to
//! (copy-on-write).

use std::sync::Arc;

/// Items that are copied together when one of them changes.
const BOARD: usize = 32;

/// A list in boards that copies of it share until one of them changes. An item
/// is one step away from the list of boards: in a long list every step is one
/// into cold memory.
#[derive(Debug, Clone)]
pub(super) struct Shelf<T> {
    boards: Vec<Arc<[T]>>,
    len: usize,
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self {
            boards: Vec::new(),
            len: 0,
        }
    }
}

impl<T: Clone> Shelf<T> {
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    pub(super) fn get(&self, index: usize) -> Option<&T> {
        self.boards.get(index / BOARD)?.get(index % BOARD)
    }

    pub(super) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        Arc::make_mut(self.boards.get_mut(index / BOARD)?).get_mut(index % BOARD)
    }

    pub(super) fn push(&mut self, item: T) {
        match self.boards.last_mut() {
            Some(last) if last.len() < BOARD => {
                *last = last.iter().cloned().chain([item]).collect();
            }
            _ => self.boards.push(Arc::new([item])),
        }
        self.len += 1;
    }

    /// Drops all but the first `len` items.
    pub(super) fn truncate(&mut self, len: usize) {
        if len >= self.len {
            return;
        }
        self.boards.truncate(len.div_ceil(BOARD));
        if let Some(last) = self.boards.last_mut() {
            let rest = len - (len - 1) / BOARD * BOARD;
            *last = last.iter().take(rest).cloned().collect();
        }
        self.len = len;
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.boards.iter().flat_map(|board| board.iter())
    }
}

impl<T: Clone> FromIterator<T> for Shelf<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut shelf = Self::default();
        items.into_iter().for_each(|item| shelf.push(item));
        shelf
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Debug, Clone)]
    enum Act {
        Push(u16),
        Set(usize, u16),
        Truncate(usize),
        Copy,
    }

    fn acts() -> impl Strategy<Value = Vec<Act>> {
        let act = prop_oneof![
            6 => any::<u16>().prop_map(Act::Push),
            2 => (0_usize..100, any::<u16>()).prop_map(|(at, value)| Act::Set(at, value)),
            1 => (0_usize..100).prop_map(Act::Truncate),
            1 => Just(Act::Copy),
        ];
        prop::collection::vec(act, 0..150)
    }

    proptest! {
        #[test]
        fn a_shelf_is_a_list_and_its_copies_do_not_change(acts in acts()) {
            let (mut shelf, mut list) = (Shelf::default(), Vec::new());
            let mut copies = Vec::new();
            for act in acts {
                match act {
                    Act::Push(value) => {
                        shelf.push(value);
                        list.push(value);
                    }
                    Act::Set(at, value) => {
                        let (slot, item) = (shelf.get_mut(at), list.get_mut(at));
                        prop_assert_eq!(slot.is_some(), item.is_some());
                        if let (Some(slot), Some(item)) = (slot, item) {
                            (*slot, *item) = (value, value);
                        }
                    }
                    Act::Truncate(len) => {
                        shelf.truncate(len);
                        list.truncate(len);
                    }
                    Act::Copy => copies.push((shelf.clone(), list.clone())),
                }
                prop_assert_eq!(shelf.len(), list.len());
            }
            copies.push((shelf, list));
            for (shelf, list) in copies {
                prop_assert_eq!(shelf.iter().copied().collect::<Vec<_>>(), list);
            }
        }
    }
}
