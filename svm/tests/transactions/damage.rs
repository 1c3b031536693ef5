//! What goes wrong with a transaction between its author and the node.

use crate::people::People;
use primitives::{PublicKey, SolanaHash};
use rand::{Rng, RngExt as _};
use svm::{Draft, Lookup, resigned};

const SIGNATURE: usize = 64;
const KEY: usize = 32;

#[derive(Debug, Clone, Copy)]
pub(crate) enum Damage {
    None,
    /// The one before once more.
    Again,
    ForeignBlockhash,
    ExpiredBlockhash,
    /// A signature with one bit changed, of zeros, or of another message.
    Signature,
    /// More or fewer signatures than the header says.
    SignatureCount,
    /// One key twice.
    KeyTwice,
    /// A header that counts otherwise.
    Header,
    /// An instruction that names a place where nothing is, or the payer as its
    /// program.
    Index,
    Tables,
    EmptyTables,
    Version,
    Truncated,
    Longer,
    TooLong,
    /// A length in two bytes that fits into one.
    LongLength,
    Byte,
    /// A byte of the message, changed before it was signed.
    SignedByte,
    /// Many instructions.
    Many,
}

const ALL: [Damage; 19] = [
    Damage::None,
    Damage::Again,
    Damage::ForeignBlockhash,
    Damage::ExpiredBlockhash,
    Damage::Signature,
    Damage::SignatureCount,
    Damage::KeyTwice,
    Damage::Header,
    Damage::Index,
    Damage::Tables,
    Damage::EmptyTables,
    Damage::Version,
    Damage::Truncated,
    Damage::Longer,
    Damage::TooLong,
    Damage::LongLength,
    Damage::Byte,
    Damage::SignedByte,
    Damage::Many,
];

impl Damage {
    pub(crate) fn any<R: Rng>(rng: &mut R) -> Self {
        ALL[rng.random_range(0..ALL.len())]
    }

    /// The bytes of a draft with the damage done.
    pub(crate) fn apply(
        self,
        rng: &mut impl Rng,
        draft: &Draft,
        people: &People,
        [now, expired]: &[SolanaHash; 2],
        last: &[u8],
    ) -> Vec<u8> {
        let mut draft = draft.clone();
        let people = &people.0;
        match self {
            Self::Again => return last.to_vec(),
            Self::ForeignBlockhash => {
                return draft.sign(&SolanaHash::from_bytes(rng.random()), people);
            }
            Self::ExpiredBlockhash => return draft.sign(expired, people),
            Self::Tables | Self::EmptyTables => tables(self, rng, &mut draft),
            Self::Many => {
                let calls: Vec<_> = draft.calls.iter().take(2).cloned().collect();
                let times = rng.random_range(1..70);
                draft.calls = calls.into_iter().cycle().take(times).collect();
            }
            _ => {}
        }
        let mut message = draft.message(now);
        let versioned = usize::from(draft.versioned);
        match self {
            Self::KeyTwice => key_twice(rng, &mut message, versioned),
            Self::Header => message[versioned + rng.random_range(0..3)] = rng.random_range(0..8),
            Self::Index => index(rng, &draft, &mut message, versioned),
            Self::Version if draft.versioned => message[0] = 0x80 | rng.random_range(1..128),
            Self::LongLength => {
                let at = versioned + 3;
                let length = message[at];
                message.splice(at..=at, [length | 0x80, 0]);
            }
            Self::SignedByte => change(rng, &mut message),
            _ => {}
        }
        let mut bytes = resigned(&message, people);
        let signatures = bytes[0];
        match self {
            Self::Signature => signature(rng, &mut bytes),
            Self::SignatureCount if signatures > 0 && rng.random_bool(0.5) => {
                bytes[0] -= 1;
                bytes.drain(1..=SIGNATURE);
            }
            Self::SignatureCount => {
                bytes[0] += 1;
                bytes.splice(1..1, [7; SIGNATURE]);
            }
            Self::Truncated => bytes.truncate(rng.random_range(0..bytes.len())),
            Self::Longer => bytes.extend((0..rng.random_range(1..9)).map(|_| rng.random::<u8>())),
            Self::TooLong => bytes.resize(rng.random_range(1_233..1_300), 0),
            Self::Byte => change(rng, &mut bytes),
            _ => {}
        }
        bytes
    }
}

fn change(rng: &mut impl Rng, bytes: &mut [u8]) {
    let at = rng.random_range(0..bytes.len());
    bytes[at] = if rng.random_bool(0.5) {
        bytes[at] ^ (1 << rng.random_range(0..8))
    } else {
        rng.random()
    };
}

fn signature(rng: &mut impl Rng, bytes: &mut [u8]) {
    match rng.random_range(0..3) {
        0 => bytes[1 + rng.random_range(0..SIGNATURE)] ^= 1 << rng.random_range(0..8),
        1 => bytes[1..=SIGNATURE].fill(0),
        _ => {
            let last = bytes.len() - 1;
            bytes[last] ^= 1;
        }
    }
}

/// A key in the place of another one. Who signs stays as it was where it can.
fn key_twice(rng: &mut impl Rng, message: &mut [u8], versioned: usize) {
    let keys = usize::from(message[versioned + 3]);
    let place = |index: usize| versioned + 4 + index * KEY;
    let (from, to) = (rng.random_range(0..keys), rng.random_range(0..keys));
    let key: Vec<u8> = message[place(from)..place(from + 1)].to_vec();
    message[place(to)..place(to + 1)].copy_from_slice(&key);
}

/// The first instruction's program, or the first of its accounts.
fn index(rng: &mut impl Rng, draft: &Draft, message: &mut [u8], versioned: usize) {
    let Some(call) = draft.calls.first() else {
        return;
    };
    let keys = message[versioned + 3];
    let program = versioned + 4 + usize::from(keys) * KEY + KEY + 1;
    let bad = [0, keys, keys + 1, 255][rng.random_range(0..4)];
    let at = if call.accounts.is_empty() || rng.random_bool(0.5) {
        program
    } else {
        program + 2
    };
    message[at] = bad;
}

fn tables(damage: Damage, rng: &mut impl Rng, draft: &mut Draft) {
    draft.versioned = true;
    let is_empty = matches!(damage, Damage::EmptyTables);
    for _ in 0..rng.random_range(1..3) {
        let mut places = |most: u8| -> Vec<u8> {
            let count = if is_empty {
                0
            } else {
                rng.random_range(0..=most)
            };
            (0..count).map(|_| rng.random()).collect()
        };
        let (writable, readonly) = (places(3), places(3));
        draft.lookups.push(Lookup {
            table: PublicKey::from_bytes(rng.random()),
            writable,
            readonly,
        });
    }
}
