//! Which swaps are of no use without another.

use super::problem::{BOUGHT, SOLD};

/// No swap.
const NONE: usize = usize::MAX;

/// Which swaps give each token, and which sell it.
#[derive(Debug, Default)]
pub(super) struct Bonds {
    given: Swaps,
    sold: Swaps,
    is_cut: Vec<bool>,
}

/// Swaps by the token at one of their ends.
#[derive(Debug, Default)]
struct Swaps {
    counts: Vec<u16>,
    /// The first swap of each token, and after each swap the next one.
    first: Vec<usize>,
    next: Vec<usize>,
}

impl Swaps {
    /// Finds those of each of so many places, from the place of each.
    fn find(&mut self, places: usize, of_each: impl DoubleEndedIterator<Item = usize>) {
        self.counts.clear();
        self.counts.resize(places, 0);
        self.first.clear();
        self.first.resize(places, NONE);
        self.next.clear();
        self.next.extend(of_each);
        for (swap, next) in self.next.iter_mut().enumerate().rev() {
            let place = *next;
            if let (Some(count), Some(first)) =
                (self.counts.get_mut(place), self.first.get_mut(place))
            {
                *count += 1;
                *next = std::mem::replace(first, swap);
            }
        }
    }

    /// Those of a place, in the order of their numbers.
    fn of(&self, place: usize) -> impl Iterator<Item = usize> {
        let known = |swap: &usize| *swap != NONE;
        let first = self.first.get(place).copied().filter(known);
        std::iter::successors(first, move |swap| {
            self.next.get(*swap).copied().filter(known)
        })
    }

    fn is_one(&self, place: usize) -> bool {
        self.counts.get(place) == Some(&1)
    }

    /// Takes one off a place; says whether none is left.
    fn lose(&mut self, place: usize) -> bool {
        let count = self.counts.get_mut(place).map(|count| {
            *count = count.saturating_sub(1);
            *count
        });
        count == Some(0)
    }

    fn regain(&mut self, place: usize) {
        if let Some(count) = self.counts.get_mut(place) {
            *count += 1;
        }
    }
}

impl Bonds {
    /// Takes up swaps between these places.
    pub(super) fn find(&mut self, ends: &[[usize; 2]]) {
        let places = ends.iter().flatten().max().map_or(0, |place| place + 1);
        self.sold.find(places, ends.iter().map(|[from, _]| *from));
        self.given.find(places, ends.iter().map(|[_, to]| *to));
        self.is_cut.clear();
        self.is_cut.resize(ends.len(), false);
    }

    /// Whether a swap between these places is the only one that sells a token or
    /// gives one.
    fn needs(&self, [from, to]: &[usize; 2]) -> bool {
        (*from != SOLD && self.sold.is_one(*from)) || (*to != BOUGHT && self.given.is_one(*to))
    }

    /// Adds a swap, by its number, and all that neither get nor give anything
    /// without it.
    pub(super) fn cut(&mut self, ends: &[[usize; 2]], seed: usize, cut: &mut Vec<usize>) {
        let begin = cut.len();
        if !ends.get(seed).is_some_and(|ends| self.needs(ends)) {
            cut.push(seed);
            return;
        }
        let Self {
            given,
            sold,
            is_cut,
        } = self;
        let mut add = |swap: usize, cut: &mut Vec<usize>| {
            if let Some(is_cut) = is_cut.get_mut(swap).filter(|is_cut| !**is_cut) {
                *is_cut = true;
                cut.push(swap);
            }
        };
        add(seed, cut);
        let mut at = begin;
        while let Some([from, to]) = cut.get(at).and_then(|swap| ends.get(*swap)) {
            at += 1;
            if sold.lose(*from) && *from != SOLD {
                given.of(*from).for_each(|swap| add(swap, cut));
            }
            if given.lose(*to) && *to != BOUGHT {
                sold.of(*to).for_each(|swap| add(swap, cut));
            }
        }
        for swap in cut.get(begin..).unwrap_or_default() {
            if let (Some([from, to]), Some(is_cut)) = (ends.get(*swap), is_cut.get_mut(*swap)) {
                sold.regain(*from);
                given.regain(*to);
                *is_cut = false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(ends: &[[usize; 2]], seed: usize) -> Vec<usize> {
        let (mut bonds, mut cut) = (Bonds::default(), Vec::new());
        bonds.find(ends);
        bonds.cut(ends, seed, &mut cut);
        cut.sort_unstable();
        cut
    }

    #[test]
    fn a_swap_beside_another_goes_alone() {
        assert_eq!(cut(&[[0, 2], [0, 2], [2, 1]], 0), [0]);
        assert_eq!(cut(&[[0, 1], [0, 2], [2, 1]], 0), [0]);
    }

    #[test]
    fn a_chain_goes_as_a_whole() {
        let ends = [[0, 1], [0, 2], [2, 3], [3, 1], [3, 1]];
        assert_eq!(cut(&ends, 1), [1, 2, 3, 4]);
        assert_eq!(cut(&ends, 2), [1, 2, 3, 4]);
        assert_eq!(cut(&ends, 3), [3]);
    }

    #[test]
    fn what_is_left_keeps_its_ways() {
        // Two ways meet at 3; the one through 2 goes.
        let ends = [[0, 2], [2, 3], [0, 3], [3, 1]];
        assert_eq!(cut(&ends, 0), [0, 1]);
        assert_eq!(cut(&ends, 3), [0, 1, 2, 3]);
    }
}
