//! Whatever is read from a short text: numbers, addresses, keys, names, durations,
//! places of stores and endpoints. What is read and can be written is read again as
//! the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::{fmt, str::FromStr};

fuzz_target!(|text: &str| {
    starknet(text);
    solana(text);
    market(text);
    operator(text);
});

/// What is written of a value is read as that value.
fn returns<T: FromStr + fmt::Display + fmt::Debug + PartialEq>(text: &str) {
    if let Ok(value) = text.parse::<T>() {
        let written = value.to_string();
        let again = written.parse::<T>().ok();
        assert_eq!(
            again.as_ref(),
            Some(&value),
            "{text:?} is written {written:?}"
        );
    }
}

fn starknet(text: &str) {
    returns::<primitives::Address>(text);
    if let Ok(felt) = primitives::felt_from_hex(text) {
        let written = primitives::felt_to_hex(felt);
        assert_eq!(primitives::felt_from_hex(&written), Ok(felt));
    }
    let _ = primitives::bytes_from_hex::<32>(text);
    let _ = primitives::starknet_keccak(text.as_bytes());
    returns::<trading::recurring::Frequency>(text);
    if let Ok(slippage) = text.parse::<trading::Slippage>() {
        let (least, most) = (primitives::U256::ONE, primitives::U256::MAX);
        for quoted in [least, most] {
            assert!(slippage.least(quoted) <= quoted && quoted <= slippage.most(quoted));
        }
    }
    let _ = text.parse::<market::Tag>();
}

fn solana(text: &str) {
    returns::<primitives::PublicKey>(text);
    returns::<primitives::Signature>(text);
    returns::<primitives::SolanaHash>(text);
    returns::<primitives::Ulid>(text);
    returns::<leasing::Memo>(text);
    for memo in leasing::Memo::mentioned(text) {
        assert_eq!(memo.as_str().parse(), Ok(memo));
    }
    if let Ok(price) = leasing::parse_sol(text) {
        assert_eq!(leasing::parse_sol(&leasing::format_sol(price)), Ok(price));
    }
}

fn market(text: &str) {
    returns::<leasing::AuditHash>(text);
    returns::<leasing::Region>(text);
    returns::<leasing::WebhookEvents>(text);
    for networks in [leasing::Networks::PUBLIC, leasing::Networks::LOOPBACK] {
        if let Ok(target) = leasing::WebhookTarget::new(text, networks) {
            let again = leasing::WebhookTarget::new(target.url().as_str(), networks);
            assert_eq!(again, Ok(target));
        }
    }
    let _ = leasing::TokenSecret::from_pem(text);
}

fn operator(text: &str) {
    returns::<api::AddressRange>(text);
    returns::<api::NetworkSegment>(text);
    returns::<api::Dialect>(text);
    returns::<services::leasing::SecureUrl>(text);
    if let Ok(location) = text.parse::<store::Location>() {
        let _ = (location.to_string(), format!("{location:?}"));
    }
}
