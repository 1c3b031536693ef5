//! The network's virtual machine, which is given bytes as a validator gets them.

use crate::{Holding, Verdict};
use litesvm::LiteSVM;
use primitives::{PublicKey, SolanaHash};
use solana_transaction::versioned::VersionedTransaction;

/// What fits into one packet.
const MAX_BYTES: usize = 1_232;

/// Transactions that are remembered, so that none is taken twice.
const REMEMBERED: usize = 100_000;

thread_local! {
    /// Loading its programs takes longer than anything that tests ask of it.
    static FRESH: LiteSVM = LiteSVM::new();
}

pub(crate) struct Machine(LiteSVM);

impl Machine {
    pub(crate) fn new() -> Self {
        let fresh = FRESH.with(LiteSVM::clone);
        Self(fresh.with_transaction_history(REMEMBERED))
    }

    pub(crate) fn set_blockhash(&mut self, hash: &SolanaHash) {
        self.0.set_latest_blockhash((*hash.as_bytes()).into());
    }

    /// Makes an account hold this much, whatever it was.
    pub(crate) fn set_lamports(&mut self, key: &PublicKey, lamports: u64) {
        let address = (*key.as_bytes()).into();
        let wallet = self.0.airdrop_pubkey();
        let account = self.0.get_account(&address);
        let mut account = account.or_else(|| self.0.get_account(&wallet)).unwrap();
        account.lamports = lamports;
        self.0.set_account(address, account).unwrap();
    }

    pub(crate) fn holding(&self, key: &PublicKey) -> Option<Holding> {
        let account = self.0.get_account(&(*key.as_bytes()).into())?;
        (account.lamports > 0).then(|| Holding {
            lamports: account.lamports,
            owner: PublicKey::from_bytes(account.owner.to_bytes()),
            space: account.data.len(),
        })
    }

    /// Reads a transaction as validators do: all bytes belong to it.
    pub(crate) fn read(bytes: &[u8]) -> Option<VersionedTransaction> {
        if bytes.len() > MAX_BYTES {
            return None;
        }
        wincode::deserialize_exact(bytes).ok()
    }

    pub(crate) fn execute(&mut self, transaction: VersionedTransaction) -> Verdict {
        let signature = transaction.signatures.first().copied();
        let is_known = |machine: &LiteSVM| {
            signature.is_some_and(|signature| machine.get_transaction(&signature).is_some())
        };
        let was_known = is_known(&self.0);
        let failed = match self.0.send_transaction(transaction) {
            Ok(done) => {
                return Verdict::Landed {
                    error: serde_json::Value::Null,
                    fee: done.fee,
                };
            }
            Err(failed) => failed,
        };
        let error = serde_json::to_value(&failed).unwrap()["err"].take();
        if !was_known && is_known(&self.0) {
            let fee = failed.meta.fee;
            return Verdict::Landed { error, fee };
        }
        if error == "SignatureFailure" {
            return Verdict::Unsigned;
        }
        Verdict::Refused(failed.err.to_string())
    }
}
