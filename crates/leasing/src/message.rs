//! The bytes of an unsigned transaction in Solana's legacy form, which every
//! wallet can read.

use primitives::{Lamports, PublicKey, Signature, SolanaHash};

/// The system program, which moves lamports.
pub(crate) const SYSTEM_PROGRAM: PublicKey = PublicKey::from_bytes([0; 32]);

/// The system program's word for a transfer.
const TRANSFER: u32 = 2;

/// The payer's place among the accounts.
const PAYER: u8 = 0;

/// What a payer, who alone signs, is asked to have done.
pub(crate) struct Message {
    /// All accounts: the payer, those that change, those that only stand there.
    pub(crate) keys: Vec<PublicKey>,
    /// How many the last are.
    pub(crate) readonly: u8,
    pub(crate) blockhash: SolanaHash,
    pub(crate) instructions: Vec<Instruction>,
}

/// One instruction. Accounts are named by their places in the message.
pub(crate) struct Instruction {
    program: u8,
    accounts: Vec<u8>,
    data: Vec<u8>,
}

impl Instruction {
    /// A memo that nobody has to sign.
    pub(crate) fn memo(program: u8, text: &str) -> Self {
        Self {
            program,
            accounts: vec![],
            data: text.as_bytes().to_vec(),
        }
    }

    /// A transfer from the payer, with further accounts beside it that have no
    /// part in it.
    pub(crate) fn transfer(program: u8, to: u8, amount: Lamports, beside: &[u8]) -> Self {
        let mut data = TRANSFER.to_le_bytes().to_vec();
        data.extend(amount.get().to_le_bytes());
        Self {
            program,
            accounts: [&[PAYER, to], beside].concat(),
            data,
        }
    }
}

impl Message {
    /// The transaction with a zero in place of the payer's signature.
    pub(crate) fn unsigned_transaction(&self) -> Vec<u8> {
        let mut bytes = vec![1];
        bytes.extend([0; Signature::LENGTH]);
        // One signature, no signer that only stands there.
        bytes.extend([1, 0, self.readonly]);
        push_length(&mut bytes, self.keys.len());
        for key in &self.keys {
            bytes.extend(key.as_bytes());
        }
        bytes.extend(self.blockhash.as_bytes());
        push_length(&mut bytes, self.instructions.len());
        for instruction in &self.instructions {
            bytes.push(instruction.program);
            push_length(&mut bytes, instruction.accounts.len());
            bytes.extend(&instruction.accounts);
            push_length(&mut bytes, instruction.data.len());
            bytes.extend(&instruction.data);
        }
        bytes
    }
}

/// A length in compact form: seven bits in each byte, the low ones first.
fn push_length(bytes: &mut Vec<u8>, length: usize) {
    let mut rest = length;
    while rest > 0x7f {
        let [low, ..] = rest.to_le_bytes();
        bytes.push(low | 0x80);
        rest >>= 7;
    }
    let [low, ..] = rest.to_le_bytes();
    bytes.push(low);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_take_a_byte_for_seven_bits() {
        for (length, compact) in [
            (0, &[0][..]),
            (0x7f, &[0x7f]),
            (0x80, &[0x80, 0x01]),
            (0xff, &[0xff, 0x01]),
            (0x3fff, &[0xff, 0x7f]),
            (0x4000, &[0x80, 0x80, 0x01]),
        ] {
            let mut bytes = vec![];
            push_length(&mut bytes, length);
            assert_eq!(bytes, compact, "{length}");
        }
    }
}
