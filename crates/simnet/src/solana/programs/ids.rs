//! Addresses of programs, and what is known of a program by its address alone.

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
