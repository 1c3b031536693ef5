//! Drafts at random: mostly what people do, with amounts and programs at the
//! edges of what is allowed.

use crate::people::{FEE, MINIMUM, People};
use primitives::PublicKey;
use rand::{Rng, RngExt as _};
use svm::{
    COMPUTE_BUDGET, Call, Draft, MEMO_V1, MEMO_V3, Pair, Role, SYSTEM, UPGRADEABLE_LOADER, VOTE,
    address, system,
};

const CREATE_ACCOUNT: u32 = 0;
const ASSIGN: u32 = 1;
const TRANSFER: u32 = 2;
const ALLOCATE: u32 = 8;

pub(crate) fn draft(rng: &mut impl Rng, people: &People, pair: &Pair) -> Draft {
    let payer = people.somebody(rng);
    let mut draft = Draft::by(payer);
    draft.versioned = rng.random_bool(0.4);
    for _ in 0..rng.random_range(0..6) {
        let call = call(rng, people, pair, payer);
        draft.calls.push(call);
    }
    if rng.random_bool(0.1) {
        let key = match rng.random_range(0..3) {
            0 => address(UPGRADEABLE_LOADER),
            1 => PublicKey::from_bytes(rng.random()),
            _ => people.somebody(rng),
        };
        draft.beside.push(role(rng, key, 0.2, 0.3));
    }
    draft
}

fn role(rng: &mut impl Rng, key: PublicKey, signs: f64, writable: f64) -> Role {
    Role {
        key,
        signs: rng.random_bool(signs),
        writable: rng.random_bool(writable),
    }
}

fn call(rng: &mut impl Rng, people: &People, pair: &Pair, payer: PublicKey) -> Call {
    match rng.random_range(0..100) {
        0..45 => transfer(rng, people, pair, payer),
        45..53 => new_account(rng, people, pair, payer),
        53..60 => owned(rng, people),
        60..80 => memo(rng, people),
        80..92 => budget(rng),
        _ => oddity(rng, people),
    }
}

fn amount(rng: &mut impl Rng, held: u64) -> u64 {
    let around =
        |value: u64, rng: &mut dyn FnMut() -> u64| value.saturating_add(rng()).saturating_sub(2);
    let mut few = || rng.random_range(0..5);
    let edges = [
        held,
        held.saturating_sub(FEE),
        held.saturating_sub(2 * FEE),
        held.saturating_sub(MINIMUM),
        held.saturating_sub(MINIMUM + FEE),
        held.saturating_sub(MINIMUM + 2 * FEE),
        MINIMUM,
        held / 2,
        0,
    ]
    .map(|value| around(value, &mut few));
    match rng.random_range(0..12) {
        edge @ 0..9 => edges[edge],
        9 => rng.random(),
        _ => rng.random_range(0..=held),
    }
}

/// From the payer mostly; sometimes with accounts beside, sometimes with too few.
fn transfer(rng: &mut impl Rng, people: &People, pair: &Pair, payer: PublicKey) -> Call {
    let from = if rng.random_bool(0.7) {
        payer
    } else {
        people.somebody(rng)
    };
    let to = match rng.random_range(0..20) {
        0 => from,
        1 => address(SYSTEM),
        2 => address(MEMO_V3),
        3 => PublicKey::from_bytes(rng.random()),
        _ => people.somebody(rng),
    };
    let lamports = amount(rng, pair.lamports(from));
    let mut accounts = vec![role(rng, from, 0.95, 0.97), role(rng, to, 0.05, 0.95)];
    if rng.random_bool(0.2) {
        let beside = PublicKey::from_bytes(rng.random());
        accounts.push(role(rng, beside, 0.0, 0.1));
    }
    if rng.random_bool(0.03) {
        accounts.truncate(rng.random_range(0..2));
    }
    let mut data = system(TRANSFER, &[&lamports.to_le_bytes()]);
    match rng.random_range(0..30) {
        0 => data.truncate(rng.random_range(0..12)),
        1 => data.push(rng.random()),
        _ => {}
    }
    Call {
        program: address(SYSTEM),
        accounts,
        data,
    }
}

fn owner(rng: &mut impl Rng, people: &People) -> PublicKey {
    match rng.random_range(0..3) {
        0 => address(SYSTEM),
        1 => address(MEMO_V3),
        _ => people.somebody(rng),
    }
}

fn space(rng: &mut impl Rng) -> u64 {
    match rng.random_range(0..6) {
        0..2 => 0,
        2 => 80,
        3 => rng.random_range(0..2_000),
        4 => 10 * 1_024 * 1_024 + rng.random_range(0..2),
        _ => rng.random(),
    }
}

fn new_account(rng: &mut impl Rng, people: &People, pair: &Pair, payer: PublicKey) -> Call {
    let to = people.newcomer(rng);
    let space = space(rng);
    let minimum = space.saturating_add(128).saturating_mul(6_960);
    let lamports = match rng.random_range(0..3) {
        0 => minimum,
        1 => minimum.saturating_sub(1),
        _ => amount(rng, pair.lamports(payer)),
    };
    let owner = owner(rng, people);
    let numbers = [lamports, space].map(u64::to_le_bytes);
    let parts = [&numbers[0][..], &numbers[1], owner.as_bytes()];
    Call {
        program: address(SYSTEM),
        accounts: vec![role(rng, payer, 1.0, 1.0), role(rng, to, 0.9, 0.95)],
        data: system(CREATE_ACCOUNT, &parts),
    }
}

fn owned(rng: &mut impl Rng, people: &People) -> Call {
    let key = people.newcomer(rng);
    let data = if rng.random_bool(0.5) {
        system(ASSIGN, &[owner(rng, people).as_bytes()])
    } else {
        system(ALLOCATE, &[&space(rng).to_le_bytes()])
    };
    let mut accounts = vec![role(rng, key, 0.8, 0.9)];
    if rng.random_bool(0.05) {
        accounts.clear();
    }
    Call {
        program: address(SYSTEM),
        accounts,
        data,
    }
}

fn memo(rng: &mut impl Rng, people: &People) -> Call {
    let texts = ["", "LEASE-01", "grüße \u{1f980}\n\"quoted\"\0", "a"];
    let mut data = texts[rng.random_range(0..texts.len())].as_bytes().to_vec();
    if rng.random_bool(0.1) {
        data.push(rng.random());
    }
    let mut accounts = Vec::new();
    for _ in 0..rng.random_range(0..3) {
        let key = people.somebody(rng);
        accounts.push(role(rng, key, 0.8, 0.3));
    }
    let programs = [MEMO_V1, MEMO_V3, MEMO_V3];
    Call {
        program: address(programs[rng.random_range(0..3)]),
        accounts,
        data,
    }
}

/// The kind, then a number of four or eight bytes; sometimes too little, too
/// much or nothing that is known.
fn budget(rng: &mut impl Rng) -> Call {
    let kind: u8 = rng.random_range(0..6);
    let numbers = [
        0,
        1,
        149,
        150,
        450,
        32_768,
        33_792,
        33_793,
        262_144,
        263_168,
        1_000_000,
        1_400_000,
        1_400_001,
        67_108_865,
        u64::from(u32::MAX),
        u64::MAX,
    ];
    let number = match rng.random_range(0..4) {
        0 => rng.random(),
        _ => numbers[rng.random_range(0..numbers.len())],
    };
    let bytes = number.to_le_bytes();
    let length = if kind == 3 { 8 } else { 4 };
    let mut data = [&[kind][..], &bytes[..length]].concat();
    match rng.random_range(0..12) {
        0 => data.truncate(rng.random_range(0..length + 1)),
        1 => data.push(rng.random()),
        _ => {}
    }
    Call {
        program: address(COMPUTE_BUDGET),
        accounts: Vec::new(),
        data,
    }
}

/// Programs that are none, and data that mean nothing to those that are.
fn oddity(rng: &mut impl Rng, people: &People) -> Call {
    let mut data: Vec<u8> = (0..rng.random_range(0..20)).map(|_| rng.random()).collect();
    let program = match rng.random_range(0..5) {
        0 => PublicKey::from_bytes(rng.random()),
        1 => people.somebody(rng),
        2 => {
            // Of the vote program's instructions, only what is none.
            data.splice(0..0, [255; 4]);
            address(VOTE)
        }
        _ => address(SYSTEM),
    };
    let key = people.somebody(rng);
    Call {
        program,
        accounts: vec![role(rng, key, 0.5, 0.5)],
        data,
    }
}
