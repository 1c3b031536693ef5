//! What holds for the classes of all exchanges.

use super::test_chain::TestChain;
use super::{ekubo, exchange, jediswap_v2, pairs, paymaster, recurring, staking};
use primitives::felt_to_hex;
use serde_json::Value;
use std::collections::HashSet;

/// Types that clients know by themselves, or that every class describes.
fn is_basic(name: &str) -> bool {
    name.starts_with("core::") || name == "()"
}

/// The names in a type: `Array::<A>` has two, and `(A, B)` both.
fn names(of: &str) -> impl Iterator<Item = &str> {
    let parts = of.split(['<', '>', '(', ')', ',', ' ']);
    parts
        .map(|part| part.trim_end_matches("::").trim_start_matches('@'))
        .filter(|part| !part.is_empty())
}

#[test]
fn classes_describe_every_type_they_use() {
    let chain = TestChain::new(|contracts| {
        for venue in pairs::VENUES {
            venue.install(contracts);
        }
        pairs::my_swap::install(contracts);
        ekubo::install(contracts, ekubo::Rounding::Older);
        jediswap_v2::install(contracts);
        exchange::install(contracts);
        recurring::install(contracts);
        staking::install(contracts);
        paymaster::install(contracts);
    });
    let classes: Vec<_> = chain.state().contracts.classes().collect();
    // Three tokens of two kinds, three contracts of each venue of pairs.
    assert_eq!(classes.len(), 2 + 3 * 5 + 1 + 4 + 3 + 2 + 2 + 3 + 3);
    let hashes: HashSet<_> = classes.iter().map(|class| class.hash).collect();
    assert_eq!(hashes.len(), classes.len());
    for class in classes {
        let abi = class.definition["abi"].as_str().unwrap();
        let abi: Vec<Value> = serde_json::from_str(abi).unwrap();
        let described: HashSet<&str> = abi
            .iter()
            .filter_map(|entry| entry["name"].as_str())
            .collect();
        let lists = ["inputs", "outputs", "members", "variants"];
        let used = abi
            .iter()
            .flat_map(|entry| lists.iter().filter_map(|list| entry[*list].as_array()))
            .flatten()
            .filter_map(|member| member["type"].as_str());
        for name in used.flat_map(names) {
            let known = is_basic(name) || described.contains(name);
            assert!(known, "{name} in {}", felt_to_hex(class.hash));
        }
    }
}
