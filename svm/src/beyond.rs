//! What the simulated network does not have, or what it counts in its own way:
//! transactions about which the two need not agree.

use crate::draft::{COMPUTE_BUDGET, MEMO_V1, MEMO_V3, SYSTEM, address};
use primitives::PublicKey;
use solana_transaction::versioned::{TransactionVersion, VersionedTransaction};

/// The system program's instructions about seeds and nonces.
const SEEDS_AND_NONCES: [u32; 10] = [3, 4, 5, 6, 7, 9, 10, 11, 12, 13];

/// Instructions of one transaction.
const MAX_INSTRUCTIONS: usize = 64;

/// Compute units that are enough for any memo, here and there: what a memo
/// takes is this network's own, since no machine code is run.
const ENOUGH: u32 = 1_000_000;

/// The bytes of any account, and those of any programs: how large these are is
/// this network's own.
const ANY_ACCOUNT: u32 = 64;
const ANY_PROGRAMS: u32 = 1_000_000;

/// Why the two need not agree about a transaction, if so.
pub(crate) fn reason(transaction: &VersionedTransaction) -> Option<&'static str> {
    let message = &transaction.message;
    let keys: Vec<PublicKey> = message
        .static_account_keys()
        .iter()
        .map(|key| PublicKey::from_bytes(key.to_bytes()))
        .collect();
    if matches!(transaction.version(), TransactionVersion::Number(1..)) {
        return Some("a version that no public network takes yet");
    }
    if message.instructions().len() > MAX_INSTRUCTIONS {
        return Some("more instructions than validators take, which the machine does not count");
    }
    let calls = message.instructions().iter().filter_map(|call| {
        let program = keys.get(usize::from(call.program_id_index))?;
        Some((*program, call.data.as_slice()))
    });
    let calls: Vec<(PublicKey, &[u8])> = calls.collect();
    let is_known_here = |data: &&[u8]| {
        let number = data.first_chunk().map(|bytes| u32::from_le_bytes(*bytes));
        number.is_none_or(|number| !SEEDS_AND_NONCES.contains(&number))
    };
    let mut system = of(&calls, SYSTEM);
    if !system.all(|data| is_known_here(&data)) {
        return Some("seeds and nonces");
    }
    let has_memo = of(&calls, MEMO_V1).chain(of(&calls, MEMO_V3)).count() > 0;
    if has_memo && !of(&calls, COMPUTE_BUDGET).all(is_no_tight_limit) {
        return Some("a tight limit on memos");
    }
    if !of(&calls, COMPUTE_BUDGET).all(is_no_limit_on_programs) {
        return Some("a limit on bytes that is about the size of programs");
    }
    None
}

fn of<'d>(calls: &[(PublicKey, &'d [u8])], program: &str) -> impl Iterator<Item = &'d [u8]> {
    let program = address(program);
    calls
        .iter()
        .filter(move |(called, _)| *called == program)
        .map(|(_, data)| *data)
}

fn is_no_tight_limit(data: &[u8]) -> bool {
    match data {
        [2, a, b, c, d, ..] => u32::from_le_bytes([*a, *b, *c, *d]) >= ENOUGH,
        _ => true,
    }
}

fn is_no_limit_on_programs(data: &[u8]) -> bool {
    match data {
        [4, a, b, c, d, ..] => {
            let bytes = u32::from_le_bytes([*a, *b, *c, *d]);
            !(ANY_ACCOUNT..ANY_PROGRAMS).contains(&bytes)
        }
        _ => true,
    }
}
