//! Tarjan's algorithm (SIAM Journal on Computing 1, 1972).

use std::collections::{BTreeMap, BTreeSet};

/// Arrows between files, each with the names that it stands for.
pub(super) type Arrows = BTreeMap<(String, String), BTreeSet<String>>;

/// The strongly connected components.
pub(super) fn components(arrows: &Arrows) -> Vec<BTreeSet<&str>> {
    let mut search = Search {
        targets: BTreeMap::new(),
        visits: BTreeMap::new(),
        open: Vec::new(),
        found: Vec::new(),
    };
    for (from, to) in arrows.keys() {
        search.targets.entry(from).or_default().push(to);
    }
    for (from, _) in arrows.keys() {
        if !search.visits.contains_key(from.as_str()) {
            search.visit(from);
        }
    }
    search.found
}

struct Search<'a> {
    targets: BTreeMap<&'a str, Vec<&'a str>>,
    /// In which order nodes were met, and the first one that each reaches.
    visits: BTreeMap<&'a str, usize>,
    open: Vec<&'a str>,
    found: Vec<BTreeSet<&'a str>>,
}

impl<'a> Search<'a> {
    /// The first node still open that can be reached from this one.
    fn visit(&mut self, node: &'a str) -> usize {
        let order = self.visits.len();
        self.visits.insert(node, order);
        self.open.push(node);
        let mut lowest = order;
        for target in self.targets.get(node).cloned().unwrap_or_default() {
            let reached = match self.visits.get(target) {
                None => self.visit(target),
                Some(met) if self.open.contains(&target) => *met,
                Some(_) => continue,
            };
            lowest = lowest.min(reached);
        }
        if lowest == order {
            let begin = self.open.iter().position(|open| *open == node);
            let component = self.open.split_off(begin.unwrap_or_default());
            self.found.push(component.into_iter().collect());
        }
        lowest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_that_reach_each_other_are_one_component() {
        let arrows = ["ab", "bc", "ca", "cd", "de", "ed", "ef", "gg"];
        let arrows: Arrows = arrows
            .iter()
            .map(|arrow| {
                let (from, to) = arrow.split_at(1);
                ((from.to_owned(), to.to_owned()), BTreeSet::new())
            })
            .collect();
        let found: BTreeSet<String> = components(&arrows)
            .into_iter()
            .map(|nodes| nodes.into_iter().collect())
            .collect();
        let expected = ["abc", "de", "f", "g"].map(str::to_owned);
        assert_eq!(found, BTreeSet::from(expected));
    }
}
