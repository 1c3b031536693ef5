//! What a validator offers, and for how much.

use crate::{lease::Mode, words::words};
use primitives::Lamports;
use std::{collections::BTreeSet, fmt, str::FromStr};
use thiserror::Error;

words! {
    /// The class of an offer. What it means is the operator's to say.
    Tier {
        /// The plain one.
        Economy = "economy",
        /// The usual one.
        Standard = "standard",
        /// The best one.
        Performance = "performance",
    }
}

/// Where a validator stands: one of the configured regions.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Region(String);

impl Region {
    /// Its code.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// A text cannot be the code of a region.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0:?} is not the code of a region: 1 to 32 small letters, digits and -")]
pub struct NotRegion(pub String);

impl FromStr for Region {
    type Err = NotRegion;

    fn from_str(text: &str) -> Result<Self, NotRegion> {
        let letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if (1..=32).contains(&text.len()) && text.bytes().all(letter) {
            Ok(Self(text.to_owned()))
        } else {
            Err(NotRegion(text.to_owned()))
        }
    }
}

/// The regions that a market knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regions(BTreeSet<Region>);

/// Those of the cloud whose enclaves validators use.
const USUAL: [&str; 17] = [
    "af-south-1",
    "ap-east-1",
    "ap-northeast-1",
    "ap-northeast-2",
    "ap-south-1",
    "ap-southeast-1",
    "ap-southeast-2",
    "ca-central-1",
    "eu-central-1",
    "eu-north-1",
    "eu-west-1",
    "eu-west-2",
    "eu-west-3",
    "sa-east-1",
    "us-east-1",
    "us-east-2",
    "us-west-2",
];

impl Default for Regions {
    fn default() -> Self {
        Self(USUAL.iter().filter_map(|code| code.parse().ok()).collect())
    }
}

impl FromIterator<Region> for Regions {
    fn from_iter<I: IntoIterator<Item = Region>>(regions: I) -> Self {
        Self(regions.into_iter().collect())
    }
}

impl Regions {
    /// The region of a code, if the market knows it.
    pub fn find(&self, code: &str) -> Option<Region> {
        self.iter().find(|region| region.as_str() == code).cloned()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Region> {
        self.0.iter()
    }
}

/// Seats of a validator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shared {
    /// Of one seat for one epoch.
    pub price: Lamports,
    /// How many there are, at least one.
    pub seats: u32,
}

/// What a validator offers: the commercial part, which registering signs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidatorTerms {
    /// Of all of it for one epoch.
    pub price: Lamports,
    /// Seats, if there are any.
    pub shared: Option<Shared>,
    /// Its class.
    pub tier: Tier,
    /// Where it stands.
    pub region: Region,
}

impl ValidatorTerms {
    /// The price of one epoch in a mode, if it is offered.
    pub fn price_of(&self, mode: Mode) -> Option<Lamports> {
        match mode {
            Mode::Exclusive => Some(self.price),
            Mode::Shared => self.shared.map(|shared| shared.price),
        }
    }

    /// How many seats there are; none if it does not share.
    pub fn seats(&self) -> u32 {
        self.shared.map_or(0, |shared| shared.seats)
    }

    /// The terms as JSON of one form (RFC 8785). Lamports are texts: as numbers, some readers would round them.
    pub fn canonical(&self) -> String {
        let shared = self.shared.map_or_else(
            || "null".to_owned(),
            |Shared { price, seats }| format!(r#"{{"price_lamports":"{price}","seats":{seats}}}"#),
        );
        format!(
            r#"{{"price_lamports":"{}","region":"{}","shared":{shared},"tier":"{}"}}"#,
            self.price, self.region, self.tier
        )
    }
}

/// A text is not a price.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "must be a decimal number of SOL above 0, with at most 9 digits after the point and no exponent"
)]
pub struct NotPrice;

const SOL_DIGITS: usize = 9;

/// Reads a price in SOL, exactly. It is at most 9223372036.854775807 SOL.
pub fn parse_sol(text: &str) -> Result<Lamports, NotPrice> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || whole.len() > 20 || fraction.len() > SOL_DIGITS {
        return Err(NotPrice);
    }
    let lamports: u64 = format!("{whole}{fraction:0<SOL_DIGITS$}")
        .parse()
        .map_err(|_| NotPrice)?;
    if lamports == 0 || i64::try_from(lamports).is_err() {
        return Err(NotPrice);
    }
    Ok(Lamports::new(lamports))
}

/// An amount in SOL, exactly: at least one digit after no point, at most nine
/// after one.
pub fn format_sol(amount: Lamports) -> String {
    let per_sol = Lamports::PER_SOL.get();
    let (whole, rest) = (amount.get() / per_sol, amount.get() % per_sol);
    if rest == 0 {
        return whole.to_string();
    }
    let text = format!("{whole}.{rest:09}");
    text.trim_end_matches('0').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn prices_are_exact() {
        for (text, lamports) in [
            ("1", 1_000_000_000),
            ("1.5", 1_500_000_000),
            ("0.000000001", 1),
            ("007.10", 7_100_000_000),
            ("9223372036.854775807", i64::MAX.unsigned_abs()),
        ] {
            assert_eq!(parse_sol(text), Ok(Lamports::new(lamports)), "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_prices() {
        for text in [
            "",
            "0",
            "0.0",
            "-1",
            "+1",
            "1e3",
            "1E3",
            ".5",
            "1.",
            "1.0000000000",
            "1,5",
            " 1",
            "0x1",
            "NaN",
            "1.5.5",
            "9223372036.854775808",
            "99999999999999999999999",
            "१",
        ] {
            assert_eq!(parse_sol(text), Err(NotPrice), "{text}");
        }
    }

    #[test]
    fn the_canonical_form_has_sorted_keys_and_no_spaces() {
        let mut terms = ValidatorTerms {
            price: Lamports::new(1_500_000_000),
            shared: None,
            tier: Tier::Standard,
            region: "eu-central-1".parse().unwrap(),
        };
        let plain = r#"{"price_lamports":"1500000000","region":"eu-central-1","shared":null,"tier":"standard"}"#;
        assert_eq!(terms.canonical(), plain);
        terms.shared = Some(Shared {
            price: Lamports::new(5),
            seats: 4,
        });
        assert!(
            terms
                .canonical()
                .contains(r#""shared":{"price_lamports":"5","seats":4},"#)
        );
    }

    #[test]
    fn all_usual_regions_are_known() {
        let regions = Regions::default();
        assert_eq!(regions.iter().count(), USUAL.len());
        assert!(regions.find("eu-central-1").is_some());
        assert!(regions.find("moon").is_none());
        assert!("EU".parse::<Region>().is_err());
    }

    proptest! {
        #[test]
        fn amounts_round_trip_as_sol(lamports in 1..=i64::MAX.unsigned_abs()) {
            let amount = Lamports::new(lamports);
            prop_assert_eq!(parse_sol(&format_sol(amount)), Ok(amount));
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in ".{0,40}") {
            let _ = parse_sol(&text);
        }
    }
}
