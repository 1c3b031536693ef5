//! Types of values that mean something only here.

use super::{
    leaf::{Item, Leaf},
    secret::{MASK, Scheme},
};
use api::{AddressRange, Dialect, NetworkSegment};
use leasing::{Region, TokenSecret};
use primitives::{Address, Felt, PublicKey, SolanaHash, felt_from_hex, felt_to_hex, short_string};
use services::leasing::SecureUrl;
use std::fmt;
use store::Location;
use toml::Value;
use tracing_subscriber::EnvFilter;
use url::Url;

/// Reads one of a few words.
fn choice<T: Copy>(text: &str, choices: &[(&str, T)]) -> Result<T, Option<String>> {
    choices
        .iter()
        .find(|(name, _)| *name == text)
        .map(|(_, value)| *value)
        .ok_or(None)
}

macro_rules! words {
    ($(#[$meta:meta])* $Type:ident, $expected:literal, { $($(#[$doc:meta])* $Variant:ident = $word:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum $Type {
            $($(#[$doc])* $Variant),*
        }

        impl Leaf for $Type {
            const EXPECTED: &'static str = $expected;

            fn from_text(text: &str) -> Result<Self, Option<String>> {
                choice(text, &[$(($word, Self::$Variant)),*])
            }

            fn shown(&self) -> Option<Value> {
                Some(match self { $(Self::$Variant => $word),* }.into())
            }
        }
    };
}

words! {
    /// Form of the log.
    LogFormat, "text, json or auto", {
        /// For people.
        Text = "text",
        /// For machines.
        Json = "json",
        /// Text on a terminal, JSON otherwise.
        Auto = "auto",
    }
}

words! {
    /// What a process does.
    Role, "api, indexer or jobs", {
        /// Answers requests.
        Api = "api",
        /// Follows the chain and writes what it sees.
        Indexer = "indexer",
        /// Settles payments of leases and ends what is over.
        Jobs = "jobs",
    }
}

words! {
    /// Who brings the store to the program's version.
    Migration, "auto or never", {
        /// Whatever opens the store to write.
        Auto = "auto",
        /// `stoa migrate` alone.
        Never = "never",
    }
}

words! {
    /// Whose key an aggregator is shown.
    Plan, "demo or pro", {
        /// A free account's.
        Demo = "demo",
        /// A paid account's.
        Pro = "pro",
    }
}

words! {
    /// How pools name withdrawals.
    StakingNames, "documented or chain", {
        /// As the documentation of the API shows them.
        Documented = "documented",
        /// As the public network's pools do.
        Chain = "chain",
    }
}

impl Item for Role {
    const EXPECTED_LIST: &'static str = "a list of roles, which are api, indexer and jobs";
}

/// A number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bytes(pub(crate) usize);

const BYTE_UNITS: [(&str, usize); 4] = [("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1), ("", 1)];

impl Leaf for Bytes {
    const EXPECTED: &'static str = "a size such as 512KiB or 1MiB";

    fn from_text(text: &str) -> Result<Self, Option<String>> {
        BYTE_UNITS
            .iter()
            .find_map(|(unit, factor)| {
                let count: usize = text.strip_suffix(unit)?.trim_end().parse().ok()?;
                count.checked_mul(*factor)
            })
            .map(Self)
            .ok_or(None)
    }

    /// A bare number is one of bytes.
    fn from_toml(value: &Value) -> Result<Self, Option<String>> {
        match value {
            Value::String(text) => Self::from_text(text),
            Value::Integer(bytes) => usize::try_from(*bytes).map(Self).map_err(|_| None),
            _ => Err(None),
        }
    }

    fn shown(&self) -> Option<Value> {
        let Self(bytes) = *self;
        let (unit, factor) = BYTE_UNITS
            .into_iter()
            .find(|(_, factor)| bytes.is_multiple_of(*factor))
            .unwrap_or(("B", 1));
        Some(format!("{}{unit}", bytes / factor).into())
    }
}

/// Libraries that repeat what they are given, keys and passwords included: one
/// the address of a WebSocket, at the level trace, the other parameters of a
/// PostgreSQL address that it does not know. Where a filter names one of these
/// parts, this is what holds.
const DISCREET: [&str; 5] = [
    "tungstenite=info",
    "tungstenite::handshake::client=info",
    "tokio_tungstenite=info",
    "sqlx_postgres::options=error",
    "sqlx_postgres::options::parse=error",
];

/// A filter of log lines, known to be well-formed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LogFilter(String);

/// The crates of ours that log.
const OURS: [&str; 5] = ["api", "chain", "services", "simnet", "stoa"];

impl LogFilter {
    /// Nothing but warnings and errors.
    pub(crate) fn quiet() -> Self {
        Self("warn".to_owned())
    }

    /// The filter itself, whatever is asked for without what would tell secrets.
    pub(crate) fn filter(&self) -> EnvFilter {
        let filter = match self.0.as_str() {
            level @ ("debug" | "trace") => {
                let ours = OURS.map(|part| format!(",{part}={level}"));
                EnvFilter::new(format!("info{}", ours.concat()))
            }
            other => EnvFilter::new(other),
        };
        let quiet = DISCREET.iter().filter_map(|it| it.parse().ok());
        quiet.fold(filter, EnvFilter::add_directive)
    }
}

impl Leaf for LogFilter {
    const EXPECTED: &'static str = "a log filter such as info or warn,services=debug";

    fn from_text(text: &str) -> Result<Self, Option<String>> {
        EnvFilter::try_new(text).map_err(|error| Some(error.to_string()))?;
        Ok(Self(text.to_owned()))
    }

    fn shown(&self) -> Option<Value> {
        Some(self.0.clone().into())
    }
}

/// Which chain a node follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChainId(pub(crate) Felt);

impl Leaf for ChainId {
    const EXPECTED: &'static str = "a chain id such as SN_MAIN or 0x534e5f4d41494e";

    fn from_text(text: &str) -> Result<Self, Option<String>> {
        if text.starts_with("0x") {
            return felt_from_hex(text)
                .map(Self)
                .map_err(|error| Some(format!("it {error}")));
        }
        let is_name = (1..=31).contains(&text.len()) && text.bytes().all(|c| c.is_ascii_graphic());
        is_name.then(|| Self(short_string(text))).ok_or(None)
    }

    fn shown(&self) -> Option<Value> {
        Some(self.to_string().into())
    }
}

/// A private key of the Stark curve. It is never shown.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct StarkKey(pub(crate) Felt);

impl fmt::Debug for StarkKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

impl Leaf for StarkKey {
    const EXPECTED: &'static str = "a private key such as 0x1234, not 0";
    const SECRET: bool = true;

    fn from_text(text: &str) -> Result<Self, Option<String>> {
        // What is wrong with a secret is not told by repeating it.
        let key = felt_from_hex(text).map_err(|_| None)?;
        (key != Felt::ZERO).then_some(Self(key)).ok_or(None)
    }

    fn shown(&self) -> Option<Value> {
        Some(MASK.into())
    }
}

/// Private keys of the Stark curve, separated by commas. They are never shown.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct StarkKeys(pub(crate) Vec<Felt>);

impl fmt::Debug for StarkKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

impl Leaf for StarkKeys {
    const EXPECTED: &'static str = "private keys such as 0x1234,0x5678, none of them 0";
    const SECRET: bool = true;

    fn from_text(text: &str) -> Result<Self, Option<String>> {
        let keys = text.split(',').map(|key| StarkKey::from_text(key.trim()));
        let keys: Result<Vec<_>, _> = keys.map(|key| key.map(|StarkKey(key)| key)).collect();
        keys.map(Self)
    }

    fn shown(&self) -> Option<Value> {
        Some(MASK.into())
    }
}

/// A private key of lease tokens. It is never shown.
#[derive(Clone)]
pub(crate) struct TokenPem(pub(crate) TokenSecret);

impl fmt::Debug for TokenPem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

impl Leaf for TokenPem {
    const EXPECTED: &'static str = "a PKCS#8 file of the curve P-256, such as file:/path/key.pem";
    const SECRET: bool = true;

    fn from_text(text: &str) -> Result<Self, Option<String>> {
        // What is wrong with a secret is not told by repeating it.
        TokenSecret::from_pem(text).map(Self).map_err(|_| None)
    }

    fn shown(&self) -> Option<Value> {
        Some(MASK.into())
    }
}

impl Leaf for Address {
    const EXPECTED: &'static str = "the address of a contract such as 0x1234";

    fn from_text(text: &str) -> Result<Self, Option<String>> {
        text.parse().map_err(|error| Some(format!("it {error}")))
    }

    fn shown(&self) -> Option<Value> {
        Some(self.to_string().into())
    }
}

impl fmt::Display for ChainId {
    /// The name that the number spells, if it does.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0.to_bytes_be();
        let name: String = bytes
            .iter()
            .skip_while(|byte| **byte == 0)
            .map(|byte| char::from(*byte))
            .collect();
        if !name.is_empty() && name.chars().all(|c| c.is_ascii_graphic()) {
            f.write_str(&name)
        } else {
            f.write_str(&felt_to_hex(self.0))
        }
    }
}

/// Types of other crates that read and show themselves.
macro_rules! self_spoken {
    ($Type:ty, $expected:literal, secret: $secret:literal) => {
        impl Leaf for $Type {
            const EXPECTED: &'static str = $expected;
            const SECRET: bool = $secret;

            fn from_text(text: &str) -> Result<Self, Option<String>> {
                text.parse()
                    .map_err(|error: <Self as std::str::FromStr>::Err| Some(error.to_string()))
            }

            fn shown(&self) -> Option<Value> {
                Some(self.to_string().into())
            }
        }
    };
}

self_spoken!(NetworkSegment, "a name for the network", secret: false);
self_spoken!(Dialect, "plain or avnu", secret: false);
self_spoken!(AddressRange, "a network such as 10.0.0.0/8", secret: false);
self_spoken!(Location, "a store", secret: true);
self_spoken!(Region, "the code of a region such as eu-central-1", secret: false);
self_spoken!(PublicKey, "a public key in base58", secret: false);
self_spoken!(SolanaHash, "a hash in base58", secret: false);

impl Item for Address {
    const EXPECTED_LIST: &'static str = "a list of addresses of contracts such as 0x1234";
}

impl Item for AddressRange {
    const EXPECTED_LIST: &'static str = "a list of networks such as 10.0.0.0/8";
}

self_spoken!(SecureUrl, "an address such as https://id.example", secret: false);

/// A name or a value of a claim: something printable, compared letter by letter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ClaimText(pub(crate) String);

impl Leaf for ClaimText {
    const EXPECTED: &'static str = "a printable text of 1 to 256 ASCII characters";

    fn from_text(text: &str) -> Result<Self, Option<String>> {
        let is_printable = |byte: u8| byte == b' ' || byte.is_ascii_graphic();
        let fits = (1..=256).contains(&text.len()) && text.bytes().all(is_printable);
        fits.then(|| Self(text.to_owned())).ok_or(None)
    }

    fn shown(&self) -> Option<Value> {
        Some(self.0.clone().into())
    }
}

/// Where people reach the service: nothing behind the path, which may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PublicUrl(pub(crate) Url);

impl Leaf for PublicUrl {
    const EXPECTED: &'static str = "an address such as https://leases.example";

    fn from_text(text: &str) -> Result<Self, Option<String>> {
        let url: Url = text.parse().map_err(|_| None)?;
        let plain = url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none();
        let reached = matches!(url.scheme(), "http" | "https") && url.has_host();
        (plain && reached).then_some(Self(url)).ok_or(None)
    }

    fn shown(&self) -> Option<Value> {
        Some(self.0.as_str().trim_end_matches('/').into())
    }
}

impl Item for Region {
    const EXPECTED_LIST: &'static str = "a list of regions such as eu-central-1";
}

/// Addresses of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Http;

impl Scheme for Http {
    const EXPECTED: &'static str =
        "an address that begins with http:// or https://, or several separated by commas";
    const SCHEMES: &'static [&'static str] = &["http", "https"];
    const PATH_IS_SECRET: bool = true;
}

/// Addresses of aggregators of market data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Aggregator;

impl Scheme for Aggregator {
    const EXPECTED: &'static str = "an address that begins with http:// or https://";
    const SCHEMES: &'static [&'static str] = &["http", "https"];
    const PATH_IS_SECRET: bool = true;
}

/// Addresses at which nodes announce blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WebSocket;

impl Scheme for WebSocket {
    const EXPECTED: &'static str = "an address that begins with ws:// or wss://";
    const SCHEMES: &'static [&'static str] = &["ws", "wss"];
    const PATH_IS_SECRET: bool = true;
}

/// Addresses of Redis servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Redis;

impl Scheme for Redis {
    const EXPECTED: &'static str = "an address that begins with redis://";
    const SCHEMES: &'static [&'static str] = &["redis"];
    const PATH_IS_SECRET: bool = false;
}
