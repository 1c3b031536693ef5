//! Who is asking, as far as the network tells.
//!
//! The peer's address counts, unless the peer is a proxy that the operator
//! trusts: then the last hop in `X-Forwarded-For` that is not such a proxy.
//! What stands left of it was written by the caller and proves nothing.

use axum::{
    extract::ConnectInfo,
    http::{Extensions, HeaderMap, HeaderName},
};
use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    str::FromStr,
};
use thiserror::Error;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// A block of addresses, such as `10.0.0.0/8`, or one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddressRange {
    first: IpAddr,
    bits: u8,
}

/// Why a text is no block of addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum AddressRangeError {
    /// What stands before the slash is no address.
    #[error("must be an address such as 10.0.0.1 or a block such as 10.0.0.0/8 or fd00::/8")]
    Address,
    /// What stands after the slash is not a number of bits that the address has.
    #[error("must have 0 to {max} bits after the slash")]
    Bits {
        /// The address's length in bits.
        max: u8,
    },
}

impl FromStr for AddressRange {
    type Err = AddressRangeError;

    fn from_str(text: &str) -> Result<Self, AddressRangeError> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let first: IpAddr = address.parse().map_err(|_| AddressRangeError::Address)?;
        let max = if first.is_ipv4() { 32 } else { 128 };
        let bits = match bits {
            None => max,
            Some(bits) => bits
                .parse()
                .ok()
                .filter(|bits| *bits <= max)
                .ok_or(AddressRangeError::Bits { max })?,
        };
        // A block of mapped addresses is a block of IPv4 addresses.
        Ok(match (first.to_canonical(), bits.checked_sub(96)) {
            (first @ IpAddr::V4(_), Some(bits)) if max == 128 => Self { first, bits },
            _ => Self { first, bits },
        })
    }
}

impl fmt::Display for AddressRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.first, self.bits)
    }
}

impl AddressRange {
    pub(crate) fn contains(self, address: IpAddr) -> bool {
        match (self.first, address) {
            (IpAddr::V4(first), IpAddr::V4(address)) => {
                let shift = 32 - u32::from(self.bits);
                let differing = first.to_bits() ^ address.to_bits();
                differing.checked_shr(shift).unwrap_or(0) == 0
            }
            (IpAddr::V6(first), IpAddr::V6(address)) => {
                let shift = 128 - u32::from(self.bits);
                let differing = first.to_bits() ^ address.to_bits();
                differing.checked_shr(shift).unwrap_or(0) == 0
            }
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }
}

/// Whom requests are counted for: an IPv4 address, or the network of an IPv6
/// one, since a household has 2^64 of those.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClientAddress(IpAddr);

impl ClientAddress {
    pub(crate) fn of(
        extensions: &Extensions,
        headers: &HeaderMap,
        trusted: &[AddressRange],
    ) -> Self {
        let peer = extensions
            .get::<ConnectInfo<SocketAddr>>()
            .map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0.ip());
        Self(client(peer, headers, trusted))
    }

    /// What its requests are counted as.
    pub(crate) fn key(self) -> String {
        let IpAddr::V4(address) = self.0 else {
            return format!("ip:{self}");
        };
        // Formatting takes far longer, and every request is counted.
        let mut digits = itoa::Buffer::new();
        let mut key = String::with_capacity("ip:255.255.255.255".len());
        key.push_str("ip:");
        for (place, octet) in address.octets().into_iter().enumerate() {
            if place > 0 {
                key.push('.');
            }
            key.push_str(digits.format(octet));
        }
        key
    }
}

impl fmt::Display for ClientAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            IpAddr::V4(address) => write!(f, "{address}"),
            IpAddr::V6(address) => {
                let network = Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64));
                write!(f, "{network}/64")
            }
        }
    }
}

fn client(peer: IpAddr, headers: &HeaderMap, trusted: &[AddressRange]) -> IpAddr {
    let mut client = peer.to_canonical();
    let lines = headers.get_all(&X_FORWARDED_FOR).iter().rev();
    let mut hops = lines.flat_map(|line| line.to_str().unwrap_or("").rsplit(','));
    while trusted.iter().any(|range| range.contains(client)) {
        // An unreadable hop: the proxy that vouches for it is all we know.
        let Some(hop) = hops.next().and_then(hop) else {
            break;
        };
        client = hop;
    }
    client
}

/// An address, with or without a port.
fn hop(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let bare = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    let address = bare.unwrap_or(text).parse::<IpAddr>();
    let with_port = || text.parse::<SocketAddr>().map(|address| address.ip());
    address
        .or_else(|_| with_port())
        .ok()
        .map(|ip| ip.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;
    use proptest::prelude::*;

    fn of(peer: &str, forwarded: &[&str], trusted: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for line in forwarded {
            let line = HeaderValue::from_bytes(line.as_bytes()).unwrap();
            headers.append(&X_FORWARDED_FOR, line);
        }
        let trusted: Vec<AddressRange> = trusted.iter().map(|t| t.parse().unwrap()).collect();
        ClientAddress(client(peer.parse().unwrap(), &headers, &trusted)).to_string()
    }

    #[test]
    fn forwarded_headers_of_strangers_prove_nothing() {
        assert_eq!(of("9.9.9.9", &["1.2.3.4"], &[]), "9.9.9.9");
        assert_eq!(of("9.9.9.9", &["1.2.3.4"], &["10.0.0.0/8"]), "9.9.9.9");
    }

    #[test]
    fn behind_trusted_proxies_the_last_untrusted_hop_counts() {
        let trusted = ["10.0.0.0/8", "fd00::/8"];
        assert_eq!(of("10.0.0.1", &["6.6.6.6, 1.2.3.4"], &trusted), "1.2.3.4");
        assert_eq!(
            of("10.0.0.1", &["6.6.6.6, 1.2.3.4, 10.9.9.9"], &trusted),
            "1.2.3.4"
        );
        assert_eq!(
            of("fd00::1", &["6.6.6.6", "1.2.3.4", "10.9.9.9"], &trusted),
            "1.2.3.4"
        );
        assert_eq!(of("10.0.0.1", &["10.2.2.2,10.3.3.3"], &trusted), "10.2.2.2");
    }

    #[test]
    fn an_unreadable_hop_leaves_the_proxy_that_sent_it() {
        for line in ["", "unknown", "1.2.3.4, ???", "1.2.3.4,", "é"] {
            assert_eq!(of("10.0.0.1", &[line], &["10.0.0.1"]), "10.0.0.1", "{line}");
        }
        assert_eq!(of("10.0.0.1", &[], &["10.0.0.1"]), "10.0.0.1");
    }

    #[test]
    fn hops_may_carry_ports() {
        for (hop, expected) in [
            ("1.2.3.4:55", "1.2.3.4"),
            ("[2001:db8::1]:55", "2001:db8::/64"),
            ("[2001:db8::1]", "2001:db8::/64"),
        ] {
            assert_eq!(of("10.0.0.1", &[hop], &["10.0.0.1"]), expected);
        }
    }

    #[test]
    fn ipv6_is_counted_by_network_and_mapped_ipv4_as_ipv4() {
        assert_eq!(of("2001:db8:1:2:3:4:5:6", &[], &[]), "2001:db8:1:2::/64");
        assert_eq!(of("::ffff:1.2.3.4", &[], &[]), "1.2.3.4");
        assert_eq!(
            of("::ffff:10.0.0.1", &["1.2.3.4"], &["10.0.0.0/8"]),
            "1.2.3.4"
        );
        assert_eq!(
            of("10.0.0.1", &["::ffff:1.2.3.4"], &["::ffff:10.0.0.0/104"]),
            "1.2.3.4"
        );
    }

    #[test]
    fn malformed_ranges_are_told_what_is_wrong() {
        let error = |text: &str| text.parse::<AddressRange>().unwrap_err();
        for text in ["", "10.0.0", "host", "10.0.0.0:80", "/8"] {
            assert_eq!(error(text), AddressRangeError::Address, "{text}");
        }
        for text in ["10.0.0.0/33", "10.0.0.0/", "10.0.0.0/x", "10.0.0.0/-1"] {
            assert_eq!(error(text), AddressRangeError::Bits { max: 32 }, "{text}");
        }
        assert_eq!(error("::/129"), AddressRangeError::Bits { max: 128 });
    }

    proptest! {
        #[test]
        fn a_range_has_exactly_the_addresses_with_its_first_bits(
            first: u32, other: u32, bits in 0_u8..=32,
        ) {
            let range: AddressRange = format!("{}/{bits}", Ipv4Addr::from_bits(first)).parse().unwrap();
            let same = (0..u32::from(bits)).all(|bit| (first ^ other) >> (31 - bit) & 1 == 0);
            prop_assert_eq!(range.contains(IpAddr::V4(Ipv4Addr::from_bits(other))), same);
        }

        #[test]
        fn addresses_are_counted_as_they_are_written(address in any::<u32>(), wide in any::<u128>()) {
            for address in [Ipv4Addr::from_bits(address).into(), Ipv6Addr::from_bits(wide).into()] {
                let address = ClientAddress(address);
                prop_assert_eq!(address.key(), format!("ip:{address}"));
            }
        }

        #[test]
        fn no_header_makes_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            if let Ok(value) = HeaderValue::from_bytes(&bytes) {
                let headers = HeaderMap::from_iter([(X_FORWARDED_FOR, value)]);
                client(IpAddr::V4(Ipv4Addr::LOCALHOST), &headers, &["127.0.0.0/8".parse().unwrap()]);
            }
        }
    }
}
