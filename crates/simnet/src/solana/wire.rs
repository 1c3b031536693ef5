//! Transactions as bytes: read strictly, as the network does, and written again.
//!
//! Whatever the bytes are, reading ends with a transaction or with the reason
//! why they are none. Nothing here looks at accounts or signatures.

use primitives::{OrImpossible as _, PublicKey, Signature, SolanaHash};
use thiserror::Error;

/// Bytes of a whole transaction: what fits into one packet.
pub(crate) const MAX_BYTES: usize = 1_232;

/// Instructions of one transaction.
const MAX_INSTRUCTIONS: usize = 64;

/// Accounts that indexes of one byte can name.
const MAX_ACCOUNTS: usize = 256;

/// The bit that says that a message begins with its version.
const VERSIONED: u8 = 0x80;

/// Why bytes are no transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(crate) enum WireError {
    #[error("{0} bytes are more than {MAX_BYTES}")]
    TooLong(usize),
    #[error("the bytes end too early")]
    Short,
    #[error("bytes are left over")]
    Rest,
    #[error("a length is not written in its shortest form, or is above 65535")]
    Length,
    #[error("version {0} is not known")]
    Version(u8),
    /// Its parts do not fit together.
    #[error("Transaction failed to sanitize accounts offsets correctly")]
    Sanitize,
}

/// How many of the accounts sign, and which are only read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) required_signatures: u8,
    pub(crate) readonly_signed: u8,
    pub(crate) readonly_unsigned: u8,
}

/// The form of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    Legacy,
    V0,
}

/// A call of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Instruction {
    pub(crate) program: u8,
    pub(crate) accounts: Vec<u8>,
    pub(crate) data: Vec<u8>,
}

/// Accounts that a message takes from a table on the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lookup {
    pub(crate) table: PublicKey,
    pub(crate) writable: Vec<u8>,
    pub(crate) readonly: Vec<u8>,
}

/// What is signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) version: Version,
    pub(crate) header: Header,
    pub(crate) keys: Vec<PublicKey>,
    pub(crate) blockhash: SolanaHash,
    pub(crate) instructions: Vec<Instruction>,
    pub(crate) lookups: Vec<Lookup>,
}

/// A transaction whose parts fit together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Transaction {
    pub(crate) signatures: Vec<Signature>,
    pub(crate) message: Message,
    /// All of it.
    bytes: Vec<u8>,
    /// Where the message begins.
    message_at: usize,
}

impl Transaction {
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, WireError> {
        if bytes.len() > MAX_BYTES {
            return Err(WireError::TooLong(bytes.len()));
        }
        let mut input = Input(bytes);
        let signatures = input.list(|input| input.array().map(Signature::from_bytes))?;
        let message_at = bytes.len() - input.0.len();
        let message = input.message()?;
        input.end()?;
        let required = usize::from(message.header.required_signatures);
        if signatures.len() != required {
            return Err(WireError::Sanitize);
        }
        message.check()?;
        Ok(Self {
            signatures,
            message,
            bytes: bytes.to_vec(),
            message_at,
        })
    }

    /// Signed by `sign` for each of the accounts that have to.
    pub(crate) fn signed(message: Message, sign: impl Fn(&[u8]) -> Vec<Signature>) -> Self {
        let body = message.write();
        let signatures = sign(&body);
        let mut bytes = Vec::with_capacity(MAX_BYTES);
        write_length(signatures.len(), &mut bytes);
        for signature in &signatures {
            bytes.extend_from_slice(signature.as_bytes());
        }
        let message_at = bytes.len();
        bytes.extend_from_slice(&body);
        Self {
            signatures,
            message,
            bytes,
            message_at,
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes that are signed.
    pub(crate) fn message_bytes(&self) -> &[u8] {
        let message = self.bytes.get(self.message_at..);
        message
            .or_impossible("a transaction holds its message")
            .unwrap_or_default()
    }

    /// The first signature, by which the transaction is known.
    pub(crate) fn id(&self) -> Signature {
        let first = self.signatures.first().copied();
        first
            .or_impossible("its payer signs a transaction")
            .unwrap_or(Signature::from_bytes([0; 64]))
    }
}

impl Message {
    /// Reads a message that comes without signatures.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, WireError> {
        if bytes.len() > MAX_BYTES {
            return Err(WireError::TooLong(bytes.len()));
        }
        let mut input = Input(bytes);
        let message = input.message()?;
        input.end()?;
        message.check()?;
        Ok(message)
    }

    /// Whether the parts fit together: counts, indexes, a payer who signs and
    /// can be written.
    fn check(&self) -> Result<(), WireError> {
        let header = self.header;
        let keys = self.keys.len();
        let signers = usize::from(header.required_signatures);
        let looked_up: usize = self.lookups.iter().map(Lookup::len).sum();
        let all = keys + looked_up;
        // In a message of version 0, programs cannot come from a table.
        let program = |index: u8| index != 0 && usize::from(index) < keys;
        let fits = header.readonly_signed < header.required_signatures
            && signers + usize::from(header.readonly_unsigned) <= keys
            && all <= MAX_ACCOUNTS
            && self.lookups.iter().all(|lookup| lookup.len() > 0)
            && self.instructions.len() <= MAX_INSTRUCTIONS
            && self.instructions.iter().all(|instruction| {
                let mut accounts = instruction.accounts.iter();
                program(instruction.program) && accounts.all(|index| usize::from(*index) < all)
            });
        fits.then_some(()).ok_or(WireError::Sanitize)
    }

    pub(crate) fn write(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(MAX_BYTES);
        if self.version == Version::V0 {
            out.push(VERSIONED);
        }
        let header = self.header;
        out.extend([
            header.required_signatures,
            header.readonly_signed,
            header.readonly_unsigned,
        ]);
        write_length(self.keys.len(), &mut out);
        for key in &self.keys {
            out.extend_from_slice(key.as_bytes());
        }
        out.extend_from_slice(self.blockhash.as_bytes());
        write_length(self.instructions.len(), &mut out);
        for instruction in &self.instructions {
            out.push(instruction.program);
            write_bytes(&instruction.accounts, &mut out);
            write_bytes(&instruction.data, &mut out);
        }
        if self.version == Version::V0 {
            write_length(self.lookups.len(), &mut out);
            for lookup in &self.lookups {
                out.extend_from_slice(lookup.table.as_bytes());
                write_bytes(&lookup.writable, &mut out);
                write_bytes(&lookup.readonly, &mut out);
            }
        }
        out
    }

    pub(crate) fn key(&self, index: u8) -> Option<&PublicKey> {
        self.keys.get(usize::from(index))
    }

    /// Whether the account at this place signs.
    pub(crate) fn signs(&self, index: usize) -> bool {
        index < usize::from(self.header.required_signatures)
    }

    /// Whether the message asks to write the account at this place.
    pub(crate) fn writes(&self, index: usize) -> bool {
        let header = self.header;
        let signers = usize::from(header.required_signatures);
        let end = if self.signs(index) {
            signers.saturating_sub(header.readonly_signed.into())
        } else {
            let readonly = header.readonly_unsigned.into();
            self.keys.len().saturating_sub(readonly)
        };
        index < end
    }
}

impl Lookup {
    fn len(&self) -> usize {
        self.writable.len() + self.readonly.len()
    }
}

/// Bytes that are still to be read.
struct Input<'b>(&'b [u8]);

impl Input<'_> {
    fn byte(&mut self) -> Result<u8, WireError> {
        let (first, rest) = self.0.split_first().ok_or(WireError::Short)?;
        self.0 = rest;
        Ok(*first)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], WireError> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(WireError::Short)?;
        self.0 = rest;
        Ok(*taken)
    }

    /// Seven bits in a byte, the lowest first, in as few bytes as possible.
    fn length(&mut self) -> Result<usize, WireError> {
        let mut value = 0_u32;
        for shift in [0, 7, 14] {
            let byte = self.byte()?;
            if byte == 0 && shift > 0 {
                return Err(WireError::Length);
            }
            value |= u32::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                let value = u16::try_from(value).map_err(|_| WireError::Length)?;
                return Ok(value.into());
            }
        }
        Err(WireError::Length)
    }

    /// The bytes end sooner than a length that lies can do harm.
    fn list<T>(
        &mut self,
        read: impl Fn(&mut Self) -> Result<T, WireError>,
    ) -> Result<Vec<T>, WireError> {
        (0..self.length()?).map(|_| read(self)).collect()
    }

    fn bytes(&mut self) -> Result<Vec<u8>, WireError> {
        let length = self.length()?;
        let (taken, rest) = self.0.split_at_checked(length).ok_or(WireError::Short)?;
        self.0 = rest;
        Ok(taken.to_vec())
    }

    fn message(&mut self) -> Result<Message, WireError> {
        let first = self.byte()?;
        let (version, required_signatures) = match first {
            VERSIONED => (Version::V0, self.byte()?),
            later if later & VERSIONED != 0 => return Err(WireError::Version(later & !VERSIONED)),
            signatures => (Version::Legacy, signatures),
        };
        let header = Header {
            required_signatures,
            readonly_signed: self.byte()?,
            readonly_unsigned: self.byte()?,
        };
        let keys = self.list(|input| input.array().map(PublicKey::from_bytes))?;
        let blockhash = self.array().map(SolanaHash::from_bytes)?;
        let instructions = self.list(|input| {
            Ok(Instruction {
                program: input.byte()?,
                accounts: input.bytes()?,
                data: input.bytes()?,
            })
        })?;
        let lookups = match version {
            Version::Legacy => Vec::new(),
            Version::V0 => self.list(|input| {
                Ok(Lookup {
                    table: input.array().map(PublicKey::from_bytes)?,
                    writable: input.bytes()?,
                    readonly: input.bytes()?,
                })
            })?,
        };
        Ok(Message {
            version,
            header,
            keys,
            blockhash,
            instructions,
            lookups,
        })
    }

    fn end(&self) -> Result<(), WireError> {
        self.0.is_empty().then_some(()).ok_or(WireError::Rest)
    }
}

fn write_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    write_length(bytes.len(), out);
    out.extend_from_slice(bytes);
}

fn write_length(length: usize, out: &mut Vec<u8>) {
    let mut rest = length;
    while rest >= 0x80 {
        out.push(rest.to_le_bytes()[0] | 0x80);
        rest >>= 7;
    }
    out.push(rest.to_le_bytes()[0]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solana::testing::change;
    use proptest::prelude::*;

    fn length(bytes: &[u8]) -> Result<usize, WireError> {
        Input(bytes).length()
    }

    fn message() -> Message {
        Message {
            version: Version::Legacy,
            header: Header {
                required_signatures: 1,
                readonly_signed: 0,
                readonly_unsigned: 1,
            },
            keys: [1, 2, 3]
                .map(|byte| PublicKey::from_bytes([byte; 32]))
                .into(),
            blockhash: SolanaHash::from_bytes([9; 32]),
            instructions: vec![Instruction {
                program: 2,
                accounts: vec![0, 1],
                data: vec![7; 200],
            }],
            lookups: Vec::new(),
        }
    }

    fn changed(change: impl FnOnce(&mut Message)) -> Result<Message, WireError> {
        let mut message = message();
        change(&mut message);
        Message::read(&message.write())
    }

    #[test]
    fn lengths_have_one_form() {
        for (bytes, value) in [
            (&[0][..], 0),
            (&[0x7f], 127),
            (&[0x80, 1], 128),
            (&[0xff, 0x7f], 16_383),
            (&[0x80, 0x80, 1], 16_384),
            (&[0xff, 0xff, 3], 65_535),
        ] {
            assert_eq!(length(bytes), Ok(value));
            let mut written = Vec::new();
            write_length(value, &mut written);
            assert_eq!(written, bytes);
        }
        for bytes in [
            &[0x80, 0][..],
            &[0x81, 0],
            &[0x80, 0x80, 0],
            &[0x80, 0x80, 4],
            &[0xff, 0xff, 0xff, 0],
        ] {
            assert_eq!(length(bytes), Err(WireError::Length), "{bytes:?}");
        }
        assert_eq!(length(&[0x80]), Err(WireError::Short));
    }

    #[test]
    fn parts_that_do_not_fit_together_are_refused() {
        assert_eq!(changed(|_| {}), Ok(message()));
        let refused: [fn(&mut Message); 9] = [
            |message| message.header.required_signatures = 0,
            |message| message.header.readonly_signed = 1,
            |message| message.header.readonly_unsigned = 3,
            |message| message.header.required_signatures = 4,
            |message| message.instructions[0].program = 0,
            |message| message.instructions[0].program = 3,
            |message| message.instructions[0].accounts.push(3),
            |message| message.keys.clear(),
            |message| {
                message.version = Version::V0;
                message.lookups = vec![Lookup {
                    table: PublicKey::from_bytes([4; 32]),
                    writable: Vec::new(),
                    readonly: Vec::new(),
                }];
            },
        ];
        for change in refused {
            assert_eq!(changed(change), Err(WireError::Sanitize));
        }
        let many = changed(|message| {
            message.instructions[0].data.clear();
            message.instructions = vec![message.instructions[0].clone(); MAX_INSTRUCTIONS + 1];
        });
        assert_eq!(many, Err(WireError::Sanitize));
    }

    #[test]
    fn only_the_versions_that_exist_are_read() {
        let versioned = changed(|message| message.version = Version::V0);
        assert_eq!(versioned.map(|message| message.version), Ok(Version::V0));
        let mut bytes = message().write();
        bytes.insert(0, VERSIONED | 1);
        assert_eq!(Message::read(&bytes), Err(WireError::Version(1)));
    }

    #[test]
    fn a_transaction_is_all_of_its_bytes() {
        let sign = |_: &[u8]| vec![Signature::from_bytes([5; 64])];
        let transaction = Transaction::signed(message(), sign);
        let mut bytes = transaction.bytes().to_vec();
        assert_eq!(Transaction::read(&bytes).as_ref(), Ok(&transaction));
        assert_eq!(transaction.message_bytes(), message().write());
        bytes.push(0);
        assert_eq!(Transaction::read(&bytes), Err(WireError::Rest));
        bytes.truncate(bytes.len() - 2);
        assert_eq!(Transaction::read(&bytes), Err(WireError::Short));
        let long = vec![0; MAX_BYTES + 1];
        assert_eq!(Transaction::read(&long), Err(WireError::TooLong(1_233)));
        let two = Transaction::signed(message(), |_| vec![Signature::from_bytes([5; 64]); 2]);
        assert_eq!(Transaction::read(two.bytes()), Err(WireError::Sanitize));
    }

    #[test]
    fn the_header_says_who_signs_and_what_is_written() {
        let mut message = message();
        message.header = Header {
            required_signatures: 2,
            readonly_signed: 1,
            readonly_unsigned: 1,
        };
        message.keys.push(PublicKey::from_bytes([4; 32]));
        let places = 0..4;
        let of = |index| (message.signs(index), message.writes(index));
        let expected = [(true, true), (true, false), (false, true), (false, false)];
        assert_eq!(places.map(of).collect::<Vec<_>>(), expected);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(50_000))]

        #[test]
        fn no_bytes_make_reading_panic_and_what_is_read_is_written_back(
            bytes in prop::collection::vec(any::<u8>(), 0..400),
        ) {
            let _ = Transaction::read(&bytes);
            if let Ok(message) = Message::read(&bytes) {
                prop_assert_eq!(message.write(), bytes);
            }
        }

        #[test]
        fn a_changed_transaction_is_read_exactly_or_not_at_all(
            versioned: bool,
            changes in prop::collection::vec(change(), 1..4),
        ) {
            let mut message = message();
            if versioned {
                message.version = Version::V0;
                message.lookups = vec![Lookup {
                    table: PublicKey::from_bytes([4; 32]),
                    writable: vec![1],
                    readonly: vec![2, 3],
                }];
            }
            let transaction =
                Transaction::signed(message, |_| vec![Signature::from_bytes([5; 64])]);
            let mut bytes = transaction.bytes().to_vec();
            for change in changes {
                change.apply(&mut bytes);
            }
            if let Ok(read) = Transaction::read(&bytes) {
                prop_assert_eq!(read.message.write(), read.message_bytes());
                prop_assert_eq!(read.bytes(), bytes);
            }
        }
    }
}
