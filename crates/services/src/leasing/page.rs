//! A part of a list.

/// Some items of a list, and from where it goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T, K> {
    /// The items, in order.
    pub items: Vec<T>,
    /// What to ask for next; `None` at the end.
    pub next: Option<K>,
}

impl<T, K> Page<T, K> {
    /// A page from one item more than it may have, if there is one.
    pub(super) fn new(mut items: Vec<T>, limit: usize, key: impl Fn(&T) -> K) -> Self {
        let more = items.len() > limit;
        items.truncate(limit);
        let next = items.last().filter(|_| more).map(key);
        Self { items, next }
    }

    /// The page with its items in another form.
    pub(super) fn map<U>(self, form: impl FnMut(T) -> U) -> Page<U, K> {
        Page {
            items: self.items.into_iter().map(form).collect(),
            next: self.next,
        }
    }
}
