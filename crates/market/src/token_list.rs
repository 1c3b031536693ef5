//! The list that requests are answered from: immutable, in one order that
//! paging can rely on, indexed for lookup.

use crate::{
    directory::Directory,
    listing::Listings,
    query::{Needle, TokenPage, TokenQuery},
    token::Token,
};
use primitives::Address;
use std::{
    cmp::{Ordering, Reverse},
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
};

/// All tokens that can be listed, by falling volume, equal ones by address.
#[derive(Debug, Clone, Default)]
pub struct TokenList {
    tokens: Vec<Arc<Token>>,
    by_address: HashMap<Address, usize>,
    by_symbol: HashMap<String, usize>,
}

impl TokenList {
    /// The list of a directory's readable tokens. A share of a pool is one of
    /// them only if the listings name it.
    pub fn new(
        directory: &Directory,
        listings: &Listings,
        is_share: impl Fn(Address) -> bool,
    ) -> Self {
        let shown = directory
            .readable()
            .filter(|(address, _)| listings.shows(*address, &is_share));
        let tokens = shown.map(|(address, metadata)| {
            Arc::new(Token::new(address, metadata, listings.get(address)))
        });
        Self::of(tokens.collect())
    }

    /// The same tokens with other volumes; none if no volume is another one.
    #[must_use]
    pub fn with_volumes(&self, volume_usd: impl Fn(Address) -> f64) -> Option<Self> {
        let mut is_changed = false;
        let tokens = self.tokens.iter().map(|token| {
            let daily_volume_usd = volume_usd(token.address);
            if daily_volume_usd.total_cmp(&token.daily_volume_usd).is_eq() {
                return Arc::clone(token);
            }
            is_changed = true;
            Arc::new(Token {
                daily_volume_usd,
                ..(**token).clone()
            })
        });
        let tokens = tokens.collect();
        is_changed.then(|| Self::of(tokens))
    }

    fn of(mut tokens: Vec<Arc<Token>>) -> Self {
        tokens.sort_by(|a, b| {
            b.daily_volume_usd
                .total_cmp(&a.daily_volume_usd)
                .then(a.address.cmp(&b.address))
        });
        let by_address = (0..)
            .zip(&tokens)
            .map(|(place, token)| (token.address, place));
        Self {
            by_address: by_address.collect(),
            by_symbol: index_symbols(&tokens),
            tokens,
        }
    }

    /// Every token, in the list's order.
    pub fn tokens(&self) -> &[Arc<Token>] {
        &self.tokens
    }

    /// The token at an address, with its place in the list.
    pub fn by_address(&self, address: Address) -> Option<(usize, &Arc<Token>)> {
        self.at(*self.by_address.get(&address)?)
    }

    /// The token that a symbol most likely means, regardless of case: a
    /// verified one first, then the one with the largest volume.
    pub fn by_symbol(&self, symbol: &str) -> Option<(usize, &Arc<Token>)> {
        self.at(*self.by_symbol.get(&symbol.to_lowercase())?)
    }

    /// One page of the tokens that match.
    pub fn page(&self, query: &TokenQuery) -> TokenPage {
        if query.takes_all_in_order() {
            // The common page costs its own length, not the list's.
            return cut(self.tokens.iter().enumerate(), self.tokens.len(), query);
        }
        let mut matches = self.matching(query);
        if !query.sort.is_empty() {
            // Stable: equals keep the list's order.
            matches.sort_by(|(_, a), (_, b)| {
                let mut orders = query.sort.iter().map(|key| key.compare(a, b));
                orders
                    .find(|order| order.is_ne())
                    .unwrap_or(Ordering::Equal)
            });
        }
        let total = matches.len();
        cut(matches.into_iter(), total, query)
    }

    /// Matching tokens with their places in the list: in its order or, for a
    /// search that is not to be sorted otherwise, the best matches first.
    fn matching(&self, query: &TokenQuery) -> Vec<(usize, &Arc<Token>)> {
        let tagged = self.tokens.iter().enumerate().filter(|(_, token)| {
            query.tags.is_empty() || query.tags.iter().any(|tag| token.has_tag(*tag))
        });
        let Some(search) = query.search_text() else {
            return tagged.collect();
        };
        let needle = Needle::new(search);
        let mut ranked: Vec<(u8, (usize, &Arc<Token>))> = tagged
            .filter_map(|(place, token)| Some((needle.rank(token)?, (place, token))))
            .collect();
        if query.sort.is_empty() {
            // Stable. Of equally good matches with equal volume, a verified one
            // comes before its look-alikes.
            ranked.sort_by(|(rank, (_, token)), (other_rank, (_, other))| {
                rank.cmp(other_rank)
                    .then(other.daily_volume_usd.total_cmp(&token.daily_volume_usd))
                    .then(other.is_verified().cmp(&token.is_verified()))
            });
        }
        ranked.into_iter().map(|(_, found)| found).collect()
    }

    fn at(&self, place: usize) -> Option<(usize, &Arc<Token>)> {
        Some((place, self.tokens.get(place)?))
    }
}

/// The part of `matches` that is the page asked for.
fn cut<'a>(
    matches: impl Iterator<Item = (usize, &'a Arc<Token>)>,
    total: usize,
    query: &TokenQuery,
) -> TokenPage {
    let size = query.size.get();
    let skipped = query.page.saturating_mul(size);
    TokenPage {
        content: matches
            .skip(usize::try_from(skipped).unwrap_or(usize::MAX))
            .take(usize::try_from(size).unwrap_or(usize::MAX))
            .map(|(place, token)| (place, Arc::clone(token)))
            .collect(),
        number: query.page,
        size: query.size,
        total_elements: total as u64,
    }
}

/// The place of the token that each symbol most likely means.
fn index_symbols(tokens: &[Arc<Token>]) -> HashMap<String, usize> {
    let mut by_symbol: HashMap<String, (Reverse<bool>, usize)> = HashMap::new();
    for (place, token) in tokens.iter().enumerate() {
        let standing = (Reverse(token.is_verified()), place);
        match by_symbol.entry(token.symbol_key.clone()) {
            Entry::Vacant(free) => {
                free.insert(standing);
            }
            Entry::Occupied(mut taken) if standing < *taken.get() => {
                taken.insert(standing);
            }
            Entry::Occupied(_) => {}
        }
    }
    by_symbol
        .into_iter()
        .map(|(symbol, (_, place))| (symbol, place))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Direction::{Ascending, Descending};
    use crate::tag::Tag;
    use crate::{BlockEffects, Direction, SortKey, SortProperty, TokenReading};
    use primitives::{BlockRef, Felt, Timestamp};
    use proptest::prelude::*;
    use std::num::NonZeroU64;

    const LISTED: &str = r#"{"tokens": [
        {"chainId": 1, "address": "0x30", "tags": ["Verified"]},
        {"chainId": 1, "address": "0x40", "tags": ["Community"]},
        {"chainId": 1, "address": "0x50", "tags": ["Unruggable"]}
    ]}"#;

    fn list(tokens: &[(u64, &str, &str)]) -> TokenList {
        list_without(tokens, |_| false)
    }

    fn list_without(tokens: &[(u64, &str, &str)], is_share: impl Fn(Address) -> bool) -> TokenList {
        let readings = tokens
            .iter()
            .map(|(address, name, symbol)| {
                let reading = crate::admit(name, symbol, Felt::from(*address % 19));
                assert!(matches!(reading, TokenReading::Readable(_)));
                (Address::new(Felt::from(*address)), reading)
            })
            .collect();
        let mut directory = Directory::default();
        let genesis = BlockRef {
            number: 0,
            hash: Felt::ZERO,
        };
        directory.apply(&BlockEffects {
            readings,
            ..BlockEffects::quiet(genesis, Felt::ZERO, Timestamp::UNIX_EPOCH)
        });
        let listings = Listings::parse(LISTED, Felt::ONE).unwrap();
        TokenList::new(&directory, &listings, is_share)
    }

    fn sample() -> TokenList {
        list(&[
            (0x10, "Bridged Ether", "ETHB"),
            (0x20, "Staked Ether", "wstETH"),
            (0x30, "Ether", "ETH"),
            (0x40, "Ether Look-alike", "eth"),
            (0x50, "Plain Coin", "PLAIN"),
        ])
    }

    fn query() -> TokenQuery {
        TokenQuery {
            search: None,
            tags: vec![],
            sort: vec![],
            page: 0,
            size: NonZeroU64::new(20).unwrap(),
        }
    }

    fn addresses(page: &TokenPage) -> Vec<String> {
        page.content
            .iter()
            .map(|(_, token)| token.address.to_string())
            .collect()
    }

    fn found(search: &str) -> Vec<String> {
        addresses(&sample().page(&TokenQuery {
            search: Some(search.to_owned()),
            ..query()
        }))
    }

    #[test]
    fn exact_symbols_come_first_then_prefixes_then_parts() {
        assert_eq!(found("eth"), ["0x30", "0x40", "0x10", "0x20"]);
        assert_eq!(found("ETHER"), ["0x30", "0x40", "0x10", "0x20"]);
        assert_eq!(found("coin"), ["0x50"]);
        assert!(found("nothing like it").is_empty());
    }

    #[test]
    fn a_verified_token_comes_before_its_look_alikes() {
        let list = list(&[
            (0x1, "Ether", "ETH"),
            (0x30, "Ether", "ETH"),
            (0x40, "Ether", "ETH"),
        ]);
        let search = Some("eth".to_owned());
        let page = list.page(&TokenQuery { search, ..query() });
        assert_eq!(addresses(&page), ["0x30", "0x1", "0x40"]);
    }

    #[test]
    fn an_address_is_found_padded_or_not_and_by_its_beginning() {
        for text in ["0x30", "0x0030", "0X0000000030", " 0x30 "] {
            assert_eq!(found(text), ["0x30"], "{text}");
        }
        assert_eq!(found("0x3"), ["0x30"]);
        assert!(found("0x").is_empty());
        assert!(found("0x000").is_empty());
    }

    #[test]
    fn a_part_of_an_address_is_found_after_names_if_it_is_long_enough() {
        let list = list(&[
            (0x49_d365_70d4, "Ether", "ETH"),
            (0x1_d365_7000, "Other", "OTH"),
            (0x77, "D365 Coin", "DCO"),
        ]);
        let found = |search: &str| {
            let search = Some(search.to_owned());
            addresses(&list.page(&TokenQuery { search, ..query() }))
        };
        let ether = "0x49d36570d4";
        for text in ["49d36570d4", "049D36570d4", "49d3", "6570d4", "70D4"] {
            assert_eq!(found(text), [ether], "{text}");
        }
        assert_eq!(found("d365"), ["0x77", "0x1d3657000", ether]);
        assert_eq!(found("7000"), ["0x1d3657000"]);
        assert!(found("0xd365").is_empty(), "addresses begin after 0x");
        assert!(found("70d").is_empty(), "too short to tell anything");
        assert!(found("0000").is_empty());
    }

    #[test]
    fn shares_of_pools_are_left_out_unless_somebody_lists_them() {
        let tokens = [
            (0x10, "Coin", "COIN"),
            (0x20, "LP", "LP"),
            (0x30, "LP", "LP"),
        ];
        let shares = [0x20, 0x30].map(|address: u64| Address::new(Felt::from(address)));
        let list = list_without(&tokens, |token| shares.contains(&token));
        assert_eq!(addresses(&list.page(&query())), ["0x10", "0x30"]);
    }

    #[test]
    fn a_blank_search_finds_everything() {
        assert_eq!(found("  ").len(), 5);
    }

    #[test]
    fn several_tags_mean_any_of_them() {
        let tagged = |tags: &[Tag]| {
            addresses(&sample().page(&TokenQuery {
                tags: tags.to_vec(),
                ..query()
            }))
        };
        assert_eq!(tagged(&[Tag::Verified]), ["0x30"]);
        assert_eq!(tagged(&[Tag::Verified, Tag::Unruggable]), ["0x30", "0x50"]);
        assert_eq!(tagged(&[Tag::Unknown]), ["0x10", "0x20"]);
        assert!(tagged(&[Tag::Platform]).is_empty());
    }

    #[test]
    fn a_symbol_means_the_verified_token_whatever_its_case() {
        let list = list(&[
            (0x1, "A", "eth"),
            (0x30, "Ether", "ETH"),
            (0x99, "Z", "zed"),
        ]);
        let address = |symbol| {
            list.by_symbol(symbol)
                .map(|(_, token)| token.address.to_string())
        };
        assert_eq!(address("eTh").as_deref(), Some("0x30"));
        assert_eq!(address("ZED").as_deref(), Some("0x99"));
        assert_eq!(address("none"), None);
    }

    #[test]
    fn later_sort_keys_decide_between_equals_of_earlier_ones() {
        let by = |keys: &[(SortProperty, Direction)]| {
            let sort = keys.iter().map(|(property, direction)| SortKey {
                property: *property,
                direction: *direction,
            });
            addresses(&sample().page(&TokenQuery {
                sort: sort.collect(),
                ..query()
            }))
        };
        assert_eq!(
            by(&[(SortProperty::Symbol, Ascending)]),
            ["0x30", "0x40", "0x10", "0x50", "0x20"]
        );
        assert_eq!(
            by(&[
                (SortProperty::Symbol, Ascending),
                (SortProperty::Name, Descending)
            ]),
            ["0x40", "0x30", "0x10", "0x50", "0x20"]
        );
        assert_eq!(
            by(&[(SortProperty::Address, Descending)]),
            ["0x50", "0x40", "0x30", "0x20", "0x10"]
        );
        assert_eq!(
            by(&[(SortProperty::Decimals, Ascending)]),
            ["0x50", "0x40", "0x30", "0x20", "0x10"]
        );
        assert_eq!(
            by(&[(SortProperty::Volume, Descending)]),
            ["0x10", "0x20", "0x30", "0x40", "0x50"]
        );
    }

    proptest! {
        #[test]
        fn pages_together_are_the_whole_answer_without_repeats(
            symbols in proptest::collection::vec("[ab]{1,3}", 0..40),
            search in proptest::option::of("[ab]{0,2}"),
            sorted in any::<bool>(),
            size in 1_u64..9,
        ) {
            let tokens: Vec<_> = symbols.iter().enumerate()
                .map(|(n, symbol)| (n as u64 + 1, symbol.as_str(), symbol.as_str())).collect();
            let list = list(&tokens);
            let sort = SortKey { property: SortProperty::Name, direction: Direction::Descending };
            let query = TokenQuery {
                search,
                sort: if sorted { vec![sort] } else { vec![] },
                size: NonZeroU64::new(1_000).unwrap(),
                ..query()
            };
            let whole = list.page(&query);
            let size = NonZeroU64::new(size).unwrap();
            let mut paged = Vec::new();
            for page in 0..=whole.total_elements.div_ceil(size.get()) {
                let page = list.page(&TokenQuery { page, size, ..query.clone() });
                prop_assert_eq!(page.total_elements, whole.total_elements);
                paged.extend(addresses(&page));
            }
            prop_assert_eq!(paged, addresses(&whole));
            let past = list.page(&TokenQuery { page: u64::MAX, size, ..query });
            prop_assert!(past.content.is_empty());
        }
    }
}
