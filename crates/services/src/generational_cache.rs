//! An approximate LRU cache of two generations.
//!
//! What is new or asked for is in the young one. When that is full it becomes
//! the old one, and the former old one is forgotten. So memory is bounded,
//! nothing is ever scanned, and whatever is asked for between two turns stays;
//! an exact LRU would pay for its order with every look.

use std::{borrow::Borrow, collections::HashMap, fmt, hash::Hash, mem};

/// Values that were put in or asked for lately.
pub struct GenerationalCache<K, V> {
    young: HashMap<K, V>,
    old: HashMap<K, V>,
    young_weight: usize,
    /// The weight of one generation at most, or of one value that is heavier.
    room: usize,
    weigh: fn(&V) -> usize,
}

impl<K, V> GenerationalCache<K, V> {
    /// A cache whose generations have so much room each. What a value weighs
    /// must not change.
    pub fn new(room: usize, weigh: fn(&V) -> usize) -> Self {
        Self {
            young: HashMap::new(),
            old: HashMap::new(),
            young_weight: 0,
            room,
            weigh,
        }
    }

    /// A cache of so many values in each generation.
    pub fn counted(room: usize) -> Self {
        Self::new(room, |_| 1)
    }

    /// Makes the young ones old, and forgets what was old.
    pub fn turn(&mut self) {
        self.old = mem::take(&mut self.young);
        self.young_weight = 0;
    }

    /// What all values weigh together.
    pub fn weight(&self) -> usize {
        let old: usize = self.old.values().map(self.weigh).sum();
        self.young_weight + old
    }
}

impl<K: Hash + Eq, V> GenerationalCache<K, V> {
    /// A value, which is young from now on.
    pub fn get<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        if let Some((key, value)) = self.old.remove_entry(key) {
            self.put(key, value);
        }
        self.young.get_mut(key)
    }

    /// A value, which stays as old as it is.
    pub fn peek<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.young.get(key).or_else(|| self.old.get(key))
    }

    /// Puts a value in, in place of one of the same key; tells whether the young
    /// ones became old for it.
    pub fn put(&mut self, key: K, value: V) -> bool {
        self.old.remove(&key);
        if let Some(before) = self.young.remove(&key) {
            self.young_weight -= (self.weigh)(&before);
        }
        let weight = (self.weigh)(&value);
        let is_full = self.young_weight + weight > self.room;
        if is_full {
            self.turn();
        }
        self.young_weight += weight;
        self.young.insert(key, value);
        is_full
    }
}

impl<K, V> fmt::Debug for GenerationalCache<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GenerationalCache")
            .field("young", &self.young.len())
            .field("old", &self.old.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_value_of_a_key_is_found() {
        let mut cache = GenerationalCache::counted(2);
        cache.put("a", 1);
        cache.put("a", 2);
        assert_eq!(cache.get("a"), Some(&mut 2));
        cache.turn();
        cache.put("a", 3);
        assert_eq!(cache.get("a"), Some(&mut 3));
        assert_eq!(cache.weight(), 1);
        assert_eq!(cache.get("b"), None);
    }

    #[test]
    fn a_look_does_not_keep_what_is_old() {
        let mut cache = GenerationalCache::counted(10);
        cache.put("a", 1);
        cache.turn();
        assert_eq!(cache.peek("a"), Some(&1));
        cache.turn();
        assert_eq!(cache.peek("a"), None);
    }

    #[test]
    fn what_is_asked_for_stays_and_the_rest_is_forgotten() {
        let mut cache = GenerationalCache::counted(10);
        cache.put(0, ());
        for n in 1..1_000 {
            cache.put(n, ());
            assert!(cache.get(&0).is_some(), "{n}");
            assert!(cache.weight() <= 20, "{n}");
        }
        assert!(cache.get(&1).is_none());
    }

    #[test]
    fn heavy_values_leave_room_for_fewer() {
        let mut cache = GenerationalCache::new(100, |weight: &usize| *weight);
        for n in 0..50 {
            cache.put(n, 30);
            assert!(cache.weight() <= 180);
        }
        // One that is heavier than all is kept alone.
        cache.put(50, 1_000);
        assert!(cache.get(&50).is_some());
        cache.put(51, 1);
        cache.put(52, 100);
        assert_eq!(cache.weight(), 101);
    }
}
