//! Programs and what they do: the system program, memos, the compute budget,
//! and the guards that wallets put around transactions.

mod memo;
mod system;

use super::account::Account;
use super::failure::InstructionError;
use primitives::PublicKey;

/// The program of this text.
const fn program(text: &str) -> PublicKey {
    PublicKey::from_bytes(bs58::decode(text.as_bytes()).into_array_const_unwrap())
}

pub(crate) const SYSTEM: PublicKey = PublicKey::from_bytes([0; 32]);
pub(crate) const COMPUTE_BUDGET: PublicKey = program("ComputeBudget111111111111111111111111111111");
pub(crate) const MEMO_V1: PublicKey = program("Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo");
pub(crate) const MEMO_V3: PublicKey = program("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr");
/// Wallets add instructions of this program, which check what came of the
/// others. Here they always agree.
pub(crate) const LIGHTHOUSE: PublicKey = program("L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95");
pub(crate) const VOTE: PublicKey = program("Vote111111111111111111111111111111111111111");
pub(crate) const NATIVE_LOADER: PublicKey = program("NativeLoader1111111111111111111111111111111");
pub(crate) const LOADER: PublicKey = program("BPFLoader2111111111111111111111111111111111");

pub(crate) const UPGRADEABLE_LOADER: PublicKey =
    program("BPFLoaderUpgradeab1e11111111111111111111111");
const ED25519: PublicKey = program("Ed25519SigVerify111111111111111111111111111");
const SECP256K1: PublicKey = program("KeccakSecp256k11111111111111111111111111111");

/// Accounts that nobody may write, whatever a message says.
const RESERVED: [PublicKey; 13] = [
    SYSTEM,
    COMPUTE_BUDGET,
    VOTE,
    NATIVE_LOADER,
    LOADER,
    UPGRADEABLE_LOADER,
    program("Stake11111111111111111111111111111111111111"),
    program("Config1111111111111111111111111111111111111"),
    program("AddressLookupTab1e1111111111111111111111111"),
    ED25519,
    SECP256K1,
    program("SysvarC1ock11111111111111111111111111111111"),
    program("SysvarRent111111111111111111111111111111111"),
];

pub(crate) fn is_reserved(key: &PublicKey) -> bool {
    RESERVED.contains(key)
}

/// Whether a program is part of the network itself and no machine code.
pub(crate) fn is_builtin(key: &PublicKey) -> bool {
    [SYSTEM, COMPUTE_BUDGET, VOTE].contains(key)
}

/// Whether few compute units are enough for a program unless a limit is set.
pub(crate) fn is_cheap(key: &PublicKey) -> bool {
    [
        SYSTEM,
        COMPUTE_BUDGET,
        LOADER,
        UPGRADEABLE_LOADER,
        ED25519,
        SECP256K1,
    ]
    .contains(key)
}

pub(crate) fn is_memo(key: &PublicKey) -> bool {
    [MEMO_V1, MEMO_V3].contains(key)
}

/// An account as an instruction has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Loaded {
    pub(crate) key: PublicKey,
    pub(crate) account: Account,
    pub(crate) signs: bool,
    pub(crate) writable: bool,
}

/// An instruction on its way.
#[derive(Debug)]
pub(crate) struct Call<'c> {
    /// All accounts of the transaction.
    pub(crate) loaded: &'c mut [Loaded],
    /// Those of the instruction, by their places.
    pub(crate) accounts: &'c [u8],
    pub(crate) data: &'c [u8],
    pub(crate) logs: &'c mut Vec<String>,
}

impl Call<'_> {
    fn account(&mut self, place: usize) -> Result<&mut Loaded, InstructionError> {
        let index = self.accounts.get(place);
        let index = index.ok_or(InstructionError::MissingAccount)?;
        let loaded = self.loaded.get_mut(usize::from(*index));
        loaded.ok_or(InstructionError::MissingAccount)
    }

    fn log(&mut self, line: String) {
        self.logs.push(line);
    }
}

/// Compute units that an instruction takes. Those of memos are this network's
/// own: no machine code is run.
pub(crate) fn units(program: &PublicKey, data: &[u8]) -> u64 {
    let bytes = u64::try_from(data.len()).unwrap_or(u64::MAX);
    match *program {
        MEMO_V1 | MEMO_V3 => 2_000_u64.saturating_add(bytes.saturating_mul(100)),
        VOTE => 2_100,
        _ => 150,
    }
}

/// Runs an instruction. What it changes before it fails is the caller's to undo.
pub(crate) fn run(program: &PublicKey, call: &mut Call<'_>) -> Result<(), InstructionError> {
    match *program {
        SYSTEM => system::run(call),
        MEMO_V1 => memo::note(call),
        MEMO_V3 => memo::note_signed(call),
        // The compute budget was read before; guards agree.
        COMPUTE_BUDGET | LIGHTHOUSE => Ok(()),
        _ => refuse(call),
    }
}

/// Votes are not cast by transactions here: nothing that they say is understood.
fn refuse(call: &mut Call<'_>) -> Result<(), InstructionError> {
    if call.account(0)?.account.owner != VOTE {
        return Err(InstructionError::InvalidAccountOwner);
    }
    Err(InstructionError::InvalidInstructionData)
}
