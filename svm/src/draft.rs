//! Transactions written as bytes, good and bad ones alike: nothing is checked.

use ed25519_dalek::{Signer as _, SigningKey};
use primitives::{PublicKey, SolanaHash};
use std::cmp::Reverse;

/// The address of this text.
pub fn address(text: &str) -> PublicKey {
    text.parse().unwrap()
}

/// The system program.
pub const SYSTEM: &str = "11111111111111111111111111111111";
/// The program that is told what a transaction may use.
pub const COMPUTE_BUDGET: &str = "ComputeBudget111111111111111111111111111111";
/// The first memo program.
pub const MEMO_V1: &str = "Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo";
/// The third memo program.
pub const MEMO_V3: &str = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr";
/// The program that validators vote with.
pub const VOTE: &str = "Vote111111111111111111111111111111111111111";
/// Where it is named, programs that are called can be written.
pub const UPGRADEABLE_LOADER: &str = "BPFLoaderUpgradeab1e11111111111111111111111";

/// An account and what the message says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Role {
    /// The account.
    pub key: PublicKey,
    /// Whether it has to sign.
    pub signs: bool,
    /// Whether it may be written.
    pub writable: bool,
}

/// An instruction.
#[derive(Debug, Clone)]
pub struct Call {
    /// The program.
    pub program: PublicKey,
    /// What it is called with.
    pub accounts: Vec<Role>,
    /// Its data.
    pub data: Vec<u8>,
}

/// Accounts of a table on the chain.
#[derive(Debug, Clone)]
pub struct Lookup {
    /// The table.
    pub table: PublicKey,
    /// Places of accounts that are written.
    pub writable: Vec<u8>,
    /// Places of accounts that are read.
    pub readonly: Vec<u8>,
}

/// A transaction in the making.
#[derive(Debug, Clone)]
pub struct Draft {
    /// Whether the message begins with version 0.
    pub versioned: bool,
    /// Who pays the fee.
    pub payer: PublicKey,
    /// Accounts that no instruction names.
    pub beside: Vec<Role>,
    /// The instructions.
    pub calls: Vec<Call>,
    /// Accounts from tables, in version 0.
    pub lookups: Vec<Lookup>,
}

impl Draft {
    /// One that does nothing.
    pub fn by(payer: PublicKey) -> Self {
        Self {
            versioned: false,
            payer,
            beside: Vec::new(),
            calls: Vec::new(),
            lookups: Vec::new(),
        }
    }

    /// All accounts, each once, in the order that the network asks for.
    fn roles(&self) -> Vec<Role> {
        let payer = Role {
            key: self.payer,
            signs: true,
            writable: true,
        };
        let mut roles = vec![payer];
        let programs = self.calls.iter().map(|call| Role {
            key: call.program,
            signs: false,
            writable: false,
        });
        let named = self.calls.iter().flat_map(|call| call.accounts.clone());
        for role in named.chain(self.beside.clone()).chain(programs) {
            match roles.iter_mut().find(|known| known.key == role.key) {
                Some(known) => {
                    known.signs |= role.signs;
                    known.writable |= role.writable;
                }
                None => roles.push(role),
            }
        }
        // The sort keeps the payer first.
        roles.sort_by_key(|role| Reverse((role.signs, role.writable)));
        roles
    }

    /// The message's bytes.
    pub fn message(&self, blockhash: &SolanaHash) -> Vec<u8> {
        let roles = self.roles();
        let place = |key: &PublicKey| {
            let place = roles.iter().position(|role| role.key == *key);
            u8::try_from(place.unwrap()).unwrap()
        };
        let count = |is: fn(&Role) -> bool| {
            let count = roles.iter().filter(|role| is(role)).count();
            u8::try_from(count).unwrap()
        };
        let mut bytes = Vec::new();
        if self.versioned {
            bytes.push(0x80);
        }
        bytes.push(count(|role| role.signs));
        bytes.push(count(|role| role.signs && !role.writable));
        bytes.push(count(|role| !role.signs && !role.writable));
        length(roles.len(), &mut bytes);
        for role in &roles {
            bytes.extend(role.key.as_bytes());
        }
        bytes.extend(blockhash.as_bytes());
        length(self.calls.len(), &mut bytes);
        for call in &self.calls {
            bytes.push(place(&call.program));
            let accounts: Vec<u8> = call.accounts.iter().map(|role| place(&role.key)).collect();
            list(&accounts, &mut bytes);
            list(&call.data, &mut bytes);
        }
        if self.versioned {
            length(self.lookups.len(), &mut bytes);
            for lookup in &self.lookups {
                bytes.extend(lookup.table.as_bytes());
                list(&lookup.writable, &mut bytes);
                list(&lookup.readonly, &mut bytes);
            }
        }
        bytes
    }

    /// The transaction, signed by those of `people` who have to; the others'
    /// signatures are zeros.
    pub fn sign(&self, blockhash: &SolanaHash, people: &[SigningKey]) -> Vec<u8> {
        let message = self.message(blockhash);
        let signers = self.roles().into_iter().filter(|role| role.signs);
        let signers: Vec<PublicKey> = signers.map(|role| role.key).collect();
        signed(&message, &signers, people)
    }
}

fn signed(message: &[u8], signers: &[PublicKey], people: &[SigningKey]) -> Vec<u8> {
    let mut bytes = Vec::new();
    length(signers.len(), &mut bytes);
    for signer in signers {
        let key = people
            .iter()
            .find(|key| key.verifying_key().as_bytes() == signer.as_bytes());
        bytes.extend(key.map_or([0; 64], |key| key.sign(message).to_bytes()));
    }
    bytes.extend(message);
    bytes
}

/// A message that was changed by hand, signed by those of `people` whom its
/// header and its keys name, as far as these can be made out.
pub fn resigned(message: &[u8], people: &[SigningKey]) -> Vec<u8> {
    let versioned = message.first().is_some_and(|first| first & 0x80 != 0);
    let body = message.get(usize::from(versioned)..).unwrap_or_default();
    let count = body.first().copied().unwrap_or_default();
    // Keys come after three numbers and a length of one byte.
    let keys = body.get(4..).unwrap_or_default().chunks_exact(32);
    let signers: Vec<PublicKey> = keys
        .take(count.into())
        .map(|key| PublicKey::from_bytes(key.try_into().unwrap()))
        .collect();
    signed(message, &signers, people)
}

fn list(items: &[u8], bytes: &mut Vec<u8>) {
    length(items.len(), bytes);
    bytes.extend(items);
}

fn length(length: usize, bytes: &mut Vec<u8>) {
    let mut rest = u16::try_from(length).unwrap();
    while rest >= 0x80 {
        bytes.push(u8::try_from(rest & 0x7f).unwrap() | 0x80);
        rest >>= 7;
    }
    bytes.push(u8::try_from(rest).unwrap());
}

/// Data of the system program's instructions: the number, then the parts.
pub fn system(number: u32, parts: &[&[u8]]) -> Vec<u8> {
    [&number.to_le_bytes()[..], &parts.concat()].concat()
}
