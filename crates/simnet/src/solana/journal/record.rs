//! What a journal says, entry by entry: a tag, and what it is about.

use crate::journal::codec::{Input, Stored, store_list, stored_struct};
use crate::solana::account::Account;
use crate::solana::timeline::{Fork, Joint, Timeline};
use crate::solana::wire::Transaction;
use primitives::{Lamports, PublicKey};

pub(super) const TIMELINE: u8 = 0;
pub(super) const ACCOUNTS: u8 = 1;
pub(super) const FORGOTTEN: u8 = 2;
pub(super) const TRANSACTION: u8 = 3;
pub(super) const TAKEN_BACK: u8 = 4;
pub(super) const EPOCHS: u8 = 5;

pub(super) fn store_timeline(timeline: &Timeline, out: &mut Vec<u8>) {
    out.push(TIMELINE);
    timeline.store(out);
}

pub(super) fn store_transaction(slot: u64, transaction: &Transaction, out: &mut Vec<u8>) {
    out.push(TRANSACTION);
    slot.store(out);
    store_list(transaction.bytes(), out);
}

stored_struct!(Joint { slot, ms, slot_ms });
stored_struct!(Fork { slot, number });
stored_struct!(Account {
    lamports,
    owner,
    space,
    executable
});

impl Stored for Timeline {
    fn store(&self, out: &mut Vec<u8>) {
        Vec::from(self.joints.clone()).store(out);
        Vec::from(self.forks.clone()).store(out);
        self.ahead.store(out);
        self.paused.store(out);
    }

    fn load(input: &mut Input<'_>) -> Option<Self> {
        let joints: Vec<Joint> = Vec::load(input)?;
        if joints.is_empty() {
            return None;
        }
        Some(Self {
            joints: joints.into(),
            forks: Vec::load(input)?.into(),
            ahead: u64::load(input)?,
            paused: bool::load(input)?,
        })
    }
}

impl Stored for Lamports {
    fn store(&self, out: &mut Vec<u8>) {
        self.get().store(out);
    }

    fn load(input: &mut Input<'_>) -> Option<Self> {
        u64::load(input).map(Self::new)
    }
}

impl Stored for PublicKey {
    fn store(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.as_bytes());
    }

    fn load(input: &mut Input<'_>) -> Option<Self> {
        let mut bytes = [0; 32];
        for byte in &mut bytes {
            *byte = input.byte()?;
        }
        Some(Self::from_bytes(bytes))
    }
}
