//! The two side by side.

use crate::draft::{COMPUTE_BUDGET, MEMO_V1, MEMO_V3, SYSTEM, UPGRADEABLE_LOADER, VOTE, address};
use crate::{Holding, Verdict, beyond, machine::Machine, node::Node};
use primitives::{PublicKey, SolanaHash};
use serde_json::json;
use solana_transaction::versioned::VersionedTransaction;
use std::collections::{BTreeSet, HashSet};

/// Slots after which no blockhash from before is taken.
const EXPIRED: u64 = 600;

/// Failures before the first instruction. The network takes the fee for them;
/// the machine does not have them in its history and takes none.
const LOADING: [&str; 3] = [
    "ProgramAccountNotFound",
    "InvalidProgramForExecution",
    "MaxLoadedAccountsDataSizeExceeded",
];

/// Programs are accounts too, which each of the two has made in its own way.
const PROGRAMS: [&str; 6] = [
    SYSTEM,
    COMPUTE_BUDGET,
    MEMO_V1,
    MEMO_V3,
    VOTE,
    UPGRADEABLE_LOADER,
];

/// The simulated node and the network's machine, with the same accounts.
pub struct Pair {
    node: Node,
    machine: Machine,
    blockhash: SolanaHash,
    watched: BTreeSet<PublicKey>,
    /// Transactions that failed to load: the machine has forgotten them.
    forgotten: HashSet<Vec<u8>>,
}

impl Pair {
    /// Two chains without anybody on them.
    pub fn new(seed: u64) -> Self {
        let node = Node::new(seed);
        let mut pair = Self {
            blockhash: node.blockhash(),
            node,
            machine: Machine::new(),
            watched: BTreeSet::new(),
            forgotten: HashSet::new(),
        };
        pair.renew();
        pair
    }

    /// Gives an account lamports, on both.
    pub fn fund(&mut self, key: PublicKey, lamports: u64) {
        self.node.fund(key, lamports);
        self.machine.set_lamports(&key, self.lamports(key));
        self.watched.insert(key);
    }

    /// What an account holds.
    pub fn lamports(&self, key: PublicKey) -> u64 {
        self.node.holding(key).map_or(0, |held| held.lamports)
    }

    /// The blockhash that both take.
    pub fn blockhash(&self) -> SolanaHash {
        self.blockhash
    }

    /// Lets the blockhash expire; the next one is valid. Compares all accounts
    /// that were ever named.
    pub fn renew(&mut self) {
        self.compare(self.watched.iter());
        self.forgotten.clear();
        self.node.pass(EXPIRED);
        self.blockhash = self.node.blockhash();
        self.machine.set_blockhash(&self.blockhash);
    }

    /// Gives both the same bytes. Ends the test if they make different things of
    /// it; `None` if they may, for a reason that is written down.
    pub fn execute(&mut self, bytes: &[u8]) -> Option<Verdict> {
        let read = Machine::read(bytes);
        if read.as_ref().and_then(beyond::reason).is_some() {
            return None;
        }
        let keys = read.as_ref().map_or(&[][..], |transaction| {
            transaction.message.static_account_keys()
        });
        let keys: Vec<PublicKey> = keys
            .iter()
            .map(|key| PublicKey::from_bytes(key.to_bytes()))
            .collect();
        let payer = keys.first().copied();
        let bad_memos = read.as_ref().map(bad_memos).unwrap_or_default();
        let ours = self.node.execute(bytes);
        let theirs = match read {
            None => Verdict::Unreadable,
            Some(_) if self.forgotten.contains(bytes) => {
                Verdict::Refused("This transaction has already been processed".to_owned())
            }
            Some(transaction) => self.machine.execute(transaction),
        };
        if let Some(fee) = fee_of_loading(&ours, &theirs) {
            let payer = payer.unwrap();
            let held = self.machine.holding(&payer).unwrap().lamports;
            self.machine.set_lamports(&payer, held - fee);
            self.forgotten.insert(bytes.to_vec());
        } else if !is_checked_later(&ours, &theirs) && !is_newer(&ours, &theirs, &bad_memos) {
            assert_eq!(ours, theirs, "of {bytes:02x?}");
        }
        self.compare(keys.iter());
        self.watched.extend(keys);
        Some(ours)
    }

    fn compare<'k>(&self, keys: impl Iterator<Item = &'k PublicKey>) {
        let programs = PROGRAMS.map(address);
        for key in keys.filter(|key| !programs.contains(key)) {
            let ours: Option<Holding> = self.node.holding(*key);
            assert_eq!(ours, self.machine.holding(key), "{key}");
        }
    }
}

/// The fee of a transaction that failed to load, which is all that it did.
fn fee_of_loading(ours: &Verdict, theirs: &Verdict) -> Option<u64> {
    let (Verdict::Landed { error, fee }, Verdict::Refused(reason)) = (ours, theirs) else {
        return None;
    };
    let error = error.as_str().filter(|error| LOADING.contains(error))?;
    // To the machine, a program that is not there is one that cannot be called.
    let is_same = match reason.as_str() {
        "This program may not be used for executing instructions" => {
            error != "MaxLoadedAccountsDataSizeExceeded"
        }
        "Transaction exceeded max loaded accounts data size cap" => {
            error == "MaxLoadedAccountsDataSizeExceeded"
        }
        _ => false,
    };
    is_same.then_some(*fee)
}

/// Validators look at signatures before they look at accounts, the machine the
/// other way round: who has both wrong may be told either.
fn is_checked_later(ours: &Verdict, theirs: &Verdict) -> bool {
    let twice = Verdict::Refused("Account loaded twice".to_owned());
    *ours == Verdict::Unsigned && *theirs == twice
}

/// The places of memos of the third version that are no text.
fn bad_memos(transaction: &VersionedTransaction) -> Vec<usize> {
    let message = &transaction.message;
    let program = address(MEMO_V3);
    let calls = message.instructions().iter().enumerate();
    calls
        .filter(|(_, call)| {
            let key = message
                .static_account_keys()
                .get(usize::from(call.program_id_index));
            let is_memo = key.is_some_and(|key| key.to_bytes() == *program.as_bytes());
            is_memo && std::str::from_utf8(&call.data).is_err()
        })
        .map(|(place, _)| place)
        .collect()
}

/// Under the name of the third memo program the machine has the fourth, which
/// ends otherwise where there is no text.
fn is_newer(ours: &Verdict, theirs: &Verdict, bad_memos: &[usize]) -> bool {
    let ended = |place: &usize, how: &str| json!({"InstructionError": [place, how]});
    let (
        Verdict::Landed { error, fee },
        Verdict::Landed {
            error: other,
            fee: same,
        },
    ) = (ours, theirs)
    else {
        return false;
    };
    fee == same
        && bad_memos.iter().any(|place| {
            *error == ended(place, "InvalidInstructionData")
                && *other == ended(place, "ProgramFailedToComplete")
        })
}
