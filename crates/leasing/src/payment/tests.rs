//! Payments: their bytes, beside those of the usual library, and their rules.

use super::*;
use proptest::prelude::*;

/// The most bytes that a transaction may have.
const MAX_BYTES: usize = 1_232;

/// The messages that `@solana/web3.js` 1.98.4 makes of the same instructions,
/// written by `Transaction.serialize`. It sorts keys by their texts; these keys
/// and this memo were chosen to be in that order in ours too.
const WITH_FEE: &str = concat!(
    "01000306",
    "0101010101010101010101010101010101010101010101010101010101010101",
    "0202020202020202020202020202020202020202020202020202020202020202",
    "0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "054a535a992921064d24e87160da387c7c35b5ddbc92bb81e41fa8404105448d",
    "0bde06381485642beecb0819de3a906fb05fc62afed403a2464ed93d66a2454f",
    "0707070707070707070707070707070707070707070707070707070707070707",
    "0304000a4c454153452d31353339030200010c02000000002f68590000000003030002050c0200000040787d0100000000",
);
const WITHOUT_FEE: &str = concat!(
    "01000406",
    "0101010101010101010101010101010101010101010101010101010101010101",
    "0202020202020202020202020202020202020202020202020202020202020202",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "054a535a992921064d24e87160da387c7c35b5ddbc92bb81e41fa8404105448d",
    "0bde06381485642beecb0819de3a906fb05fc62afed403a2464ed93d66a2454f",
    "0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d",
    "0707070707070707070707070707070707070707070707070707070707070707",
    "0203000a4c454153452d313533390204000104050c02000000002f685900000000",
);

fn key(byte: u8) -> PublicKey {
    PublicKey::from_bytes([byte; 32])
}

fn leg(byte: u8, amount: u64) -> Leg {
    Leg {
        wallet: key(byte),
        amount: Lamports::new(amount),
    }
}

fn memo(text: &str) -> Memo {
    text.parse().unwrap()
}

fn payment(share: u64, fee: u64) -> Payment {
    Payment::new(memo("LEASE-1539"), leg(2, share), leg(13, fee)).unwrap()
}

fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

#[test]
fn the_bytes_are_those_of_the_usual_library() {
    for (fee, expected) in [(25_000_000, WITH_FEE), (0, WITHOUT_FEE)] {
        let transaction = payment(1_500_000_000, fee)
            .transaction(key(1), SolanaHash::from_bytes([7; 32]))
            .unwrap();
        let (signatures, message) = transaction.split_at(65);
        assert_eq!(signatures[0], 1);
        assert_eq!(signatures[1..], [0; 64]);
        assert_eq!(hex(message), expected);
    }
}

#[test]
fn the_largest_payment_fits_into_a_transaction() {
    let memo = memo(&"m".repeat(Memo::MAX_LENGTH));
    for fee in [0, 1] {
        let payment = Payment::new(memo.clone(), leg(2, 1), leg(13, fee)).unwrap();
        let transaction = payment.transaction(key(1), SolanaHash::from_bytes([7; 32]));
        assert!(transaction.unwrap().len() <= MAX_BYTES);
    }
}

#[test]
fn a_payment_that_no_transaction_can_make_is_refused() {
    let of = |payout, platform| Payment::new(memo("LEASE-1539"), payout, platform);
    let reference = Leg {
        wallet: memo("LEASE-1539").reference(),
        amount: Lamports::new(1),
    };
    let program = Leg {
        wallet: MEMO_PROGRAM,
        amount: Lamports::new(1),
    };
    assert_eq!(of(leg(2, 0), leg(13, 1)), Err(PaymentError::NothingToPay));
    assert_eq!(of(leg(2, 1), leg(2, 1)), Err(PaymentError::SameWallet));
    assert_eq!(of(leg(2, u64::MAX), leg(13, 1)), Err(PaymentError::TooMuch));
    for (payout, platform, wallet) in [
        (leg(0, 1), leg(13, 1), SYSTEM_PROGRAM),
        (leg(2, 1), leg(0, 0), SYSTEM_PROGRAM),
        (program, leg(13, 1), MEMO_PROGRAM),
        (reference, leg(13, 1), reference.wallet),
    ] {
        assert_eq!(of(payout, platform), Err(PaymentError::NoWallet { wallet }));
    }
}

#[test]
fn whoever_is_paid_cannot_be_the_payer() {
    for fee in [0, 1] {
        let payment = payment(1, fee);
        let paid_by = |payer| payment.transaction(payer, SolanaHash::from_bytes([7; 32]));
        assert_eq!(paid_by(key(2)), Err(PayerError::IsPayout));
        assert_eq!(paid_by(key(13)), Err(PayerError::IsPlatform));
        for payer in [SYSTEM_PROGRAM, MEMO_PROGRAM, payment.memo().reference()] {
            assert_eq!(paid_by(payer), Err(PayerError::NoWallet));
        }
        assert!(paid_by(key(1)).is_ok());
    }
}

#[test]
fn a_wallet_that_nobody_funded_needs_the_rent_minimum() {
    let minimum = Lamports::new(890_880);
    let rent = |share, fee, payout, platform| {
        payment(share, fee).check_rent(Lamports::new(payout), Lamports::new(platform), minimum)
    };
    let below = |byte, missing| {
        Err(BelowRent {
            wallet: key(byte),
            missing: Lamports::new(missing),
        })
    };
    assert_eq!(rent(890_880, 890_880, 0, 0), Ok(()));
    assert_eq!(rent(890_879, 890_880, 0, 0), below(2, 1));
    assert_eq!(rent(890_880, 1, 0, 0), below(13, 890_879));
    assert_eq!(rent(890_880, 1, 0, 890_879), Ok(()));
    // A wallet that receives nothing may stay empty.
    assert_eq!(rent(890_880, 0, 0, 0), Ok(()));
    assert_eq!(rent(u64::MAX, 0, 1, 0), Ok(()));
}

/// A message taken apart again, by the rules of the format.
#[derive(Debug, PartialEq, Eq)]
struct Read {
    writable: Vec<PublicKey>,
    readonly: Vec<PublicKey>,
    blockhash: SolanaHash,
    /// Program, accounts, data.
    instructions: Vec<(PublicKey, Vec<PublicKey>, Vec<u8>)>,
}

fn read(transaction: &[u8]) -> Read {
    let mut rest = transaction;
    let mut take = |count: usize| {
        let (taken, later) = rest.split_at(count);
        rest = later;
        taken.to_vec()
    };
    assert_eq!(take(1), [1]);
    assert_eq!(take(64), [0; 64]);
    let header = take(3);
    assert_eq!(header[..2], [1, 0]);
    let keys: Vec<_> = (0..take(1)[0])
        .map(|_| PublicKey::try_from(&take(32)[..]).unwrap())
        .collect();
    let blockhash = SolanaHash::try_from(&take(32)[..]).unwrap();
    let instructions = (0..take(1)[0]).map(|_| {
        let program = keys[usize::from(take(1)[0])];
        let accounts = usize::from(take(1)[0]);
        let accounts = take(accounts);
        let accounts = accounts.into_iter().map(|index| keys[usize::from(index)]);
        let data = usize::from(take(1)[0]);
        (program, accounts.collect(), take(data))
    });
    let instructions = instructions.collect();
    assert!(rest.is_empty(), "{} bytes too many", rest.len());
    let (writable, readonly) = keys.split_at(keys.len() - usize::from(header[2]));
    Read {
        writable: writable.to_vec(),
        readonly: readonly.to_vec(),
        blockhash,
        instructions,
    }
}

fn transfer(amount: Lamports) -> Vec<u8> {
    let mut data = vec![2, 0, 0, 0];
    data.extend(amount.get().to_le_bytes());
    data
}

proptest! {
    #[test]
    fn a_transaction_says_what_the_payment_does(
        memo in "[A-Za-z0-9_-]{1,64}", payer in any::<[u8; 32]>(), payout in any::<[u8; 32]>(),
        platform in any::<[u8; 32]>(), blockhash in any::<[u8; 32]>(),
        share in 1..u64::MAX / 2, fee in prop_oneof![Just(0), 0..u64::MAX / 2],
    ) {
        let [payer, payout, platform] = [payer, payout, platform].map(PublicKey::from_bytes);
        let memo: Memo = memo.parse().unwrap();
        let (share, fee) = (Lamports::new(share), Lamports::new(fee));
        let payment = Payment::new(
            memo.clone(),
            Leg { wallet: payout, amount: share },
            Leg { wallet: platform, amount: fee },
        ).unwrap();
        prop_assert_eq!(payment.total(), share.checked_add(fee).unwrap());

        let blockhash = SolanaHash::from_bytes(blockhash);
        let found = read(&payment.transaction(payer, blockhash).unwrap());
        let reference = memo.reference();
        let memo = (MEMO_PROGRAM, vec![], memo.as_str().as_bytes().to_vec());
        let expected = if fee == Lamports::ZERO {
            Read {
                writable: vec![payer, payout],
                readonly: vec![SYSTEM_PROGRAM, MEMO_PROGRAM, reference, platform],
                blockhash,
                instructions: vec![
                    memo,
                    (SYSTEM_PROGRAM, vec![payer, payout, reference, platform], transfer(share)),
                ],
            }
        } else {
            Read {
                writable: vec![payer, payout, platform],
                readonly: vec![SYSTEM_PROGRAM, MEMO_PROGRAM, reference],
                blockhash,
                instructions: vec![
                    memo,
                    (SYSTEM_PROGRAM, vec![payer, payout], transfer(share)),
                    (SYSTEM_PROGRAM, vec![payer, platform, reference], transfer(fee)),
                ],
            }
        };
        prop_assert_eq!(found, expected);
    }
}
