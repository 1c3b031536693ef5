//! Lamports from the faucet, by an ordinary transaction.

use super::chain::{Chain, Commitment};
use super::programs::{COMPUTE_BUDGET, SYSTEM};
use super::wire::{Header, Instruction, Message, Transaction, Version};
use primitives::{Lamports, PublicKey, SolanaHash};

/// Lamports in one request.
pub(crate) const MAX_AIRDROP: u64 = 100_000 * Lamports::PER_SOL.get();

/// Compute units that an airdrop asks for at least.
const UNITS: u64 = 10_000;

/// How many airdrops in a row differ from each other.
const VARIANTS: u64 = 1_000_000;

pub(crate) fn transaction(
    chain: &Chain,
    to: PublicKey,
    lamports: Lamports,
    blockhash: Option<SolanaHash>,
) -> Transaction {
    let faucet = &chain.world.faucet;
    let newest = || chain.blockhash(chain.head(Commitment::Processed));
    // Two airdrops alike would be one transaction: a limit that costs nothing
    // tells them apart.
    let variant = chain.history().count_until(u64::MAX) % VARIANTS;
    let units = u32::try_from(UNITS + variant).unwrap_or(u32::MAX);
    let message = Message {
        version: Version::Legacy,
        header: Header {
            required_signatures: 1,
            readonly_signed: 0,
            readonly_unsigned: 2,
        },
        keys: vec![faucet.public_key(), to, COMPUTE_BUDGET, SYSTEM],
        blockhash: blockhash.unwrap_or_else(newest),
        instructions: vec![
            Instruction {
                program: 2,
                accounts: Vec::new(),
                data: [&[2][..], &units.to_le_bytes()].concat(),
            },
            Instruction {
                program: 3,
                accounts: vec![0, 1],
                data: [&2_u32.to_le_bytes()[..], &lamports.get().to_le_bytes()].concat(),
            },
        ],
        lookups: Vec::new(),
    };
    Transaction::signed(message, |bytes| vec![faucet.sign(bytes)])
}
