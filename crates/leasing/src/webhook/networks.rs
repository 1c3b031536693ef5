//! Which addresses may be sent to: those of the public internet, and what the
//! operator adds.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What may be sent to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Networks {
    /// The public internet.
    pub public: bool,
    /// Networks of one's own: RFC 1918, carriers' shared addresses, unique local
    /// ones of IPv6.
    pub private: bool,
    /// This very machine.
    pub loopback: bool,
}

/// Where an address leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    Public,
    Private,
    Loopback,
    /// Never to be sent to: links, groups, documentation, what is reserved.
    Nowhere,
}

impl Networks {
    /// The public internet and nothing else.
    pub const PUBLIC: Self = Self {
        public: true,
        private: false,
        loopback: false,
    };

    /// This very machine and nothing else.
    pub const LOOPBACK: Self = Self {
        public: false,
        private: false,
        loopback: true,
    };

    /// Whether an address may be sent to.
    pub fn allow(self, address: IpAddr) -> bool {
        match reach(address) {
            Reach::Public => self.public,
            Reach::Private => self.private,
            Reach::Loopback => self.loopback,
            Reach::Nowhere => false,
        }
    }
}

fn reach(address: IpAddr) -> Reach {
    match address {
        IpAddr::V4(address) => reach_v4(address),
        IpAddr::V6(address) => reach_v6(address),
    }
}

/// By the registry of special addresses (RFC 6890).
fn reach_v4(address: Ipv4Addr) -> Reach {
    match address.octets() {
        [127, ..] => Reach::Loopback,
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] | [100, 64..=127, ..] => Reach::Private,
        [0 | 224..=255, ..]
        | [169, 254, ..]
        | [192, 0, 0 | 2, _]
        | [192, 88, 99, _]
        | [198, 18 | 19, ..]
        | [198, 51, 100, _]
        | [203, 0, 113, _] => Reach::Nowhere,
        _ => Reach::Public,
    }
}

/// Global unicast alone, and forms that have an address of IPv4 in them by what
/// that one is.
fn reach_v6(address: Ipv6Addr) -> Reach {
    if address == Ipv6Addr::LOCALHOST {
        return Reach::Loopback;
    }
    match address.segments() {
        // Mapped, and through NAT64.
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        // 6to4.
        | [0x2002, high, low, ..] => reach_v4(embedded(high, low)),
        [0xfc00..=0xfdff, ..] => Reach::Private,
        // Protocols' own, Teredo among them, and documentation.
        [0x2001, 0..=0x01ff | 0xdb8, ..] | [0x3fff, 0..=0x0fff, ..] => Reach::Nowhere,
        [0x2000..=0x3fff, ..] => Reach::Public,
        _ => Reach::Nowhere,
    }
}

fn embedded(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUBLIC: &[&str] = &[
        "1.1.1.1",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.0",
        "169.253.255.255",
        "169.255.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "192.0.1.0",
        "192.167.255.255",
        "192.169.0.0",
        "198.17.255.255",
        "198.20.0.0",
        "223.255.255.255",
        "2606:4700:4700::1111",
        "2001:200::1",
        "3ffe:ffff::1",
        "::ffff:1.1.1.1",
        "64:ff9b::101:101",
        "2002:101:101::1",
    ];
    const PRIVATE: &[&str] = &[
        "10.0.0.0",
        "10.255.255.255",
        "100.64.0.0",
        "100.127.255.255",
        "172.16.0.0",
        "172.31.255.255",
        "192.168.0.0",
        "192.168.255.255",
        "fc00::1",
        "fdff:ffff::1",
        "::ffff:10.0.0.1",
        "64:ff9b::a00:1",
        "2002:c0a8:1::1",
    ];
    const LOOPBACK: &[&str] = &[
        "127.0.0.1",
        "127.255.255.255",
        "::1",
        "::ffff:127.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
    ];
    const NOWHERE: &[&str] = &[
        "0.0.0.0",
        "0.255.255.255",
        "169.254.0.0",
        "169.254.169.254",
        "192.0.0.1",
        "192.0.2.1",
        "192.88.99.1",
        "198.18.0.1",
        "198.19.255.255",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "239.255.255.255",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::2",
        "::7f00:1",
        "::ffff:0:7f00:1",
        "::ffff:169.254.169.254",
        "::ffff:0.0.0.0",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::a00:1",
        "100::1",
        "2001::1",
        "2001:0:4136:e378::1",
        "2001:2::1",
        "2001:10::1",
        "2001:db8::1",
        "2002:a9fe:a9fe::1",
        "3fff::1",
        "4000::1",
        "5f00::1",
        "fe80::1",
        "febf::1",
        "fec0::1",
        "ff02::1",
    ];

    #[test]
    fn only_the_public_internet_is_sent_to_unless_the_operator_says_so() {
        for setting in 0..8 {
            let [public, private, loopback] = [1, 2, 4].map(|bit| setting & bit != 0);
            let networks = Networks {
                public,
                private,
                loopback,
            };
            for (addresses, allowed) in [
                (PUBLIC, public),
                (PRIVATE, private),
                (LOOPBACK, loopback),
                (NOWHERE, false),
            ] {
                for address in addresses {
                    let parsed = address.parse().unwrap();
                    assert_eq!(networks.allow(parsed), allowed, "{address} {networks:?}");
                }
            }
        }
    }

    #[test]
    fn nothing_that_the_standard_library_calls_special_is_public() {
        for bits in (0..=u32::MAX).step_by(4093) {
            let address = Ipv4Addr::from_bits(bits);
            let special = address.is_private()
                || address.is_loopback()
                || address.is_link_local()
                || address.is_broadcast()
                || address.is_documentation()
                || address.is_multicast()
                || address.is_unspecified();
            let is_public = Networks::PUBLIC.allow(IpAddr::V4(address));
            assert!(!(special && is_public), "{address}");
        }
    }
}
