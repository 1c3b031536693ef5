use super::*;
use crate::verify_challenge;
use ed25519_dalek::{Signer as _, SigningKey};

const PLATFORM: PublicKey = PublicKey::from_bytes([9; 32]);

fn key() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

fn identity() -> PublicKey {
    PublicKey::from_bytes(key().verifying_key().to_bytes())
}

fn draft() -> Draft {
    Draft {
        identity_pubkey: Some(identity().to_string()),
        payout_wallet: Some(PublicKey::from_bytes([8; 32]).to_string()),
        name: Some("Nine Lives".to_owned()),
        tier: Some("standard".to_owned()),
        region: Some("eu-central-1".to_owned()),
        price_sol: Some("1.5".to_owned()),
        shared_enabled: Some(true),
        shared_price_sol: Some("0.2".to_owned()),
        max_concurrent_shared_leases: Some(4),
        tee_endpoint: Some("https://nine.example:443/sign".to_owned()),
        timestamp: Some(1_800_000_000),
        nonce: Some("abcdefgh-12345678".to_owned()),
        signature: Some(Signature::from_bytes([1; 64]).to_string()),
    }
}

fn check(draft: &Draft) -> Result<Registration, FieldError> {
    draft.check(&Regions::default(), PLATFORM)
}

/// The same draft with one thing changed.
fn with(change: impl FnOnce(&mut Draft)) -> Draft {
    let mut draft = draft();
    change(&mut draft);
    draft
}

fn field_of(draft: &Draft) -> Option<&'static str> {
    match check(draft) {
        Err(FieldError::Invalid { field, .. }) => Some(field),
        _ => None,
    }
}

#[test]
fn a_good_draft_becomes_a_registration() {
    let registration = check(&draft()).unwrap();
    assert_eq!(registration.identity, identity());
    assert_eq!(registration.terms.price.get(), 1_500_000_000);
    let shared = registration.terms.shared.unwrap();
    assert_eq!((shared.price.get(), shared.seats), (200_000_000, 4));
    assert_eq!(registration.terms.tier, Tier::Standard);
    assert_eq!(registration.name.as_deref(), Some("Nine Lives"));
}

#[test]
fn a_wrong_field_is_named() {
    let text = |text: &str| Some(text.to_owned());
    let long = "a".repeat(65);
    let far = format!("https://{}", "a".repeat(250));
    for (field, draft) in [
        (
            "identity_pubkey",
            with(|draft| draft.identity_pubkey = None),
        ),
        (
            "identity_pubkey",
            with(|draft| draft.identity_pubkey = text("0OIl")),
        ),
        ("payout_wallet", with(|draft| draft.payout_wallet = None)),
        (
            "payout_wallet",
            with(|draft| draft.payout_wallet = text("abc")),
        ),
        (
            "payout_wallet",
            with(|draft| draft.payout_wallet = Some(PLATFORM.to_string())),
        ),
        (
            "payout_wallet",
            with(|draft| draft.payout_wallet = text("11111111111111111111111111111111")),
        ),
        ("name", with(|draft| draft.name = text("  "))),
        ("name", with(|draft| draft.name = text("a\nb"))),
        ("name", with(|draft| draft.name = text(&long))),
        (
            "tee_endpoint",
            with(|draft| draft.tee_endpoint = text("http://a")),
        ),
        (
            "tee_endpoint",
            with(|draft| draft.tee_endpoint = text("https://")),
        ),
        (
            "tee_endpoint",
            with(|draft| draft.tee_endpoint = text("https://a b")),
        ),
        (
            "tee_endpoint",
            with(|draft| draft.tee_endpoint = text(&far)),
        ),
        ("price_sol", with(|draft| draft.price_sol = text("0"))),
        ("price_sol", with(|draft| draft.price_sol = text("1e3"))),
        ("timestamp", with(|draft| draft.timestamp = None)),
        ("nonce", with(|draft| draft.nonce = None)),
        ("nonce", with(|draft| draft.nonce = text("short"))),
        (
            "nonce",
            with(|draft| draft.nonce = text("sixteen letters!")),
        ),
        ("nonce", with(|draft| draft.nonce = text(&long))),
        ("signature", with(|draft| draft.signature = None)),
        ("signature", with(|draft| draft.signature = text("abc"))),
    ] {
        assert_eq!(field_of(&draft), Some(field), "{draft:?}");
    }
}

#[test]
fn problems_are_told_in_their_order() {
    let mut draft = Draft {
        shared_price_sol: Some("x".to_owned()),
        ..Draft::default()
    };
    let good = self::draft();
    let mut told = Vec::new();
    // Each step puts right what was told last.
    for _ in 0..20 {
        let Err(error) = check(&draft) else { break };
        told.push(error);
        match error {
            FieldError::Invalid { field, .. } => match field {
                "identity_pubkey" => draft.identity_pubkey = good.identity_pubkey.clone(),
                "payout_wallet" => draft.payout_wallet = good.payout_wallet.clone(),
                "timestamp" => draft.timestamp = good.timestamp,
                "nonce" => draft.nonce = good.nonce.clone(),
                "signature" => draft.signature = good.signature.clone(),
                other => panic!("{other}"),
            },
            FieldError::PriceRequired => draft.price_sol = good.price_sol.clone(),
            FieldError::Tier => draft.tier = good.tier.clone(),
            FieldError::Region => draft.region = good.region.clone(),
            FieldError::SharedIncomplete => draft.max_concurrent_shared_leases = Some(0),
            FieldError::SharedPrice => draft.shared_price_sol = good.shared_price_sol.clone(),
            FieldError::SharedSeats => draft.max_concurrent_shared_leases = Some(4),
        }
    }
    let after_fields: Vec<_> = told
        .into_iter()
        .filter(|error| !matches!(error, FieldError::Invalid { .. }))
        .collect();
    assert_eq!(
        after_fields,
        [
            FieldError::PriceRequired,
            FieldError::Tier,
            FieldError::Region,
            FieldError::SharedIncomplete,
            FieldError::SharedPrice,
            FieldError::SharedSeats,
        ]
    );
    assert!(check(&draft).is_ok());
}

#[test]
fn seats_are_offered_when_they_are_enabled_or_told_of() {
    let shared = |enabled, price: Option<&str>, seats| {
        let draft = with(|draft| {
            draft.shared_enabled = enabled;
            draft.shared_price_sol = price.map(str::to_owned);
            draft.max_concurrent_shared_leases = seats;
        });
        check(&draft).map(|registration| registration.terms.shared.is_some())
    };
    let incomplete = Err(FieldError::SharedIncomplete);
    assert_eq!(shared(None, None, None), Ok(false));
    assert_eq!(shared(None, Some("1"), Some(1)), Ok(true));
    assert_eq!(shared(None, Some("1"), None), incomplete);
    assert_eq!(shared(None, None, Some(1)), incomplete);
    assert_eq!(shared(Some(true), None, None), incomplete);
    assert_eq!(shared(Some(true), Some("1"), None), incomplete);
    assert_eq!(shared(Some(false), Some("1"), None), Ok(false));
    assert_eq!(
        shared(Some(true), Some("1"), Some(-1)),
        Err(FieldError::SharedSeats)
    );
    assert_eq!(
        shared(Some(true), Some("1"), Some(i64::MAX)),
        Err(FieldError::SharedSeats)
    );
}

const ACCOUNT: &str = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

fn account(text: &str) -> Ulid {
    text.parse().unwrap()
}

#[test]
fn a_challenge_is_one_line_that_binds_everything() {
    let registration = check(&draft()).unwrap();
    let text = registration.challenge("market.example", account(ACCOUNT));
    let (identity, wallet) = (registration.identity, registration.payout_wallet);
    // SHA-256, by Python's hashlib, of
    // {"name":"Nine Lives","tee_endpoint":"https://nine.example:443/sign","terms":
    // {"price_lamports":"1500000000","region":"eu-central-1","shared":
    // {"price_lamports":"200000000","seats":4},"tier":"standard"}} in one line.
    let digest = "5ec1cb040243350f888fe30655b35b92701167a57230ddcf2143ecb955033760";
    assert_eq!(
        text,
        format!(
            "lease-market:v2:register:market.example:{ACCOUNT}:{identity}:{wallet}:1800000000:\
             abcdefgh-12345678:{digest}"
        )
    );
    let signature = Signature::from_bytes(key().sign(text.as_bytes()).to_bytes());
    assert!(verify_challenge(identity, &text, signature).is_ok());
    let otherwise = |change: fn(&mut Registration)| {
        let mut other = registration.clone();
        change(&mut other);
        other.challenge("market.example", account(ACCOUNT))
    };
    let reclaim = Reclaim(PayoutChange {
        identity,
        payout_wallet: wallet,
        proof: registration.proof.clone(),
    });
    let others = [
        registration.challenge("other.example", account(ACCOUNT)),
        registration.challenge("market.example", account("01ARZ3NDEKTSV4RRFFQ69G5FAW")),
        otherwise(|other| other.payout_wallet = PLATFORM),
        otherwise(|other| other.terms.price = Lamports::new(1)),
        otherwise(|other| other.name = None),
        otherwise(|other| other.name = Some("Ten Lives".to_owned())),
        otherwise(|other| other.endpoint = None),
        otherwise(|other| other.endpoint = Some("https://ten.example".to_owned())),
        otherwise(|other| other.proof.timestamp += 1),
        otherwise(|other| other.proof.nonce.push('0')),
        reclaim.0.challenge("market.example"),
        reclaim.challenge("market.example", account(ACCOUNT)),
    ];
    for other in others {
        assert!(
            verify_challenge(identity, &other, signature).is_err(),
            "{other}"
        );
    }
}

#[test]
fn a_name_is_a_text_of_json_in_what_is_signed() {
    let named = with(|draft| draft.name = Some(r#" a "quoted\ name é "#.to_owned()));
    let registration = check(&named).unwrap();
    let challenge = RegisterChallenge {
        domain: "market.example",
        account: account(ACCOUNT),
        identity: registration.identity,
        payout_wallet: registration.payout_wallet,
        name: registration.name.as_deref(),
        endpoint: None,
        terms: &registration.terms,
        timestamp: 0,
        nonce: "",
    };
    let expected = r#"{"name":"a \"quoted\\ name é","tee_endpoint":null,"terms":{"#;
    assert!(
        challenge.listing().starts_with(expected),
        "{}",
        challenge.listing()
    );
}

#[test]
fn a_proof_is_timely_for_five_minutes_before_and_after() {
    let proof = check(&draft()).unwrap().proof;
    let at = |offset: i64| Timestamp::from_second(1_800_000_000 + offset).unwrap();
    assert!(proof.is_timely(at(300)) && proof.is_timely(at(-300)));
    assert!(!proof.is_timely(at(301)) && !proof.is_timely(at(-301)));
    let never = Proof {
        timestamp: i64::MAX,
        ..proof
    };
    assert!(!never.is_timely(at(0)));
}

fn terms(shared: bool) -> ValidatorTerms {
    let mut terms = check(&draft()).unwrap().terms;
    if !shared {
        terms.shared = None;
    }
    terms
}

fn amend(old: &ValidatorTerms, amendment: &Amendment) -> Result<ValidatorTerms, FieldError> {
    amendment.check(&Regions::default())?.terms(old)
}

#[test]
fn an_amendment_changes_only_what_it_names() {
    let old = terms(true);
    let price = Amendment {
        price_sol: Some("2".to_owned()),
        ..Amendment::default()
    };
    let new = amend(&old, &price).unwrap();
    assert_eq!(new.price.get(), 2_000_000_000);
    assert_eq!(
        ValidatorTerms {
            price: old.price,
            ..new
        },
        old
    );
    assert!(Amendment::default().is_empty());
    assert!(!price.is_empty());
}

#[test]
fn half_an_offer_of_seats_is_refused() {
    let seats = |enabled, price: Option<&str>, seats| Amendment {
        shared_enabled: enabled,
        shared_price_sol: price.map(str::to_owned),
        max_concurrent_shared_leases: seats,
        ..Amendment::default()
    };
    let (without, with) = (terms(false), terms(true));
    let incomplete = Err(FieldError::SharedIncomplete);
    assert_eq!(amend(&without, &seats(None, Some("1"), None)), incomplete);
    assert_eq!(amend(&without, &seats(None, None, Some(2))), incomplete);
    assert_eq!(amend(&without, &seats(Some(true), None, None)), incomplete);
    assert!(amend(&without, &seats(None, Some("1"), Some(2))).is_ok());
    let changed = amend(&with, &seats(None, None, Some(2))).unwrap();
    assert_eq!(changed.shared.map(|shared| shared.seats), Some(2));
    let gone = amend(&with, &seats(Some(false), None, None)).unwrap();
    assert_eq!(gone.shared, None);
}

#[test]
fn an_amendment_may_clear_a_name_and_not_stop_a_validator() {
    let cleared = Amendment {
        name: Change::Clear,
        ..Amendment::default()
    };
    let amended = cleared.check(&Regions::default()).unwrap();
    assert_eq!(amended.name.applied(Some("old".to_owned())), None);
    assert_eq!(Change::Keep.applied(Some(1)), Some(1));
    let stopped = Amendment {
        status: Some("stopped".to_owned()),
        ..Amendment::default()
    };
    let refused = stopped.check(&Regions::default()).unwrap_err();
    assert!(matches!(
        refused,
        FieldError::Invalid {
            field: "status",
            ..
        }
    ));
}

#[test]
fn only_a_stop_is_lifted_and_to_a_pause() {
    let lifted = ListingStatus::ALL.map(ListingStatus::lifted);
    assert_eq!(lifted, [None, None, Some(ListingStatus::Paused)]);
}
