//! Payments as people make them: not always as they were asked to.

use leasing::{Leg, Payment};
use primitives::{Lamports, Signature};
use simnet::SolanaKeypair;
use world::{Market, market::sign};

/// Pays what a memo stands for, without asking the market for a transaction:
/// with the right amounts, or with `less` for the validator.
pub(crate) async fn pay_anyhow(
    market: &Market,
    memo: &str,
    payer: &SolanaKeypair,
    less: u64,
) -> Signature {
    let memo = memo.parse().unwrap();
    let named = market.store.ledger().payment_of(&memo).await;
    let asked = named.unwrap().unwrap().payment;
    let payout = Leg {
        amount: asked
            .payout()
            .amount
            .checked_sub(Lamports::new(less))
            .unwrap(),
        ..asked.payout()
    };
    let payment = Payment::new(asked.memo().clone(), payout, asked.platform()).unwrap();
    let unsigned = payment.transaction(payer.public_key(), market.blockhash().await);
    let signature = market.send(&sign(unsigned.unwrap(), payer)).await;
    market.renew_blockhash();
    signature
}

/// A transaction of the market with another memo, or with none.
pub(crate) fn with_memo(mut transaction: Vec<u8>, memo: Option<&str>) -> Vec<u8> {
    // Its signature, the header, its keys and the blockhash stand before.
    let keys = usize::from(transaction[68]);
    let count = 69 + keys * 32 + 32;
    let (program, length) = (count + 1, count + 3);
    let end = length + 1 + usize::from(transaction[length]);
    let instruction = if let Some(memo) = memo {
        let mut instruction = vec![transaction[program], 0, u8::try_from(memo.len()).unwrap()];
        instruction.extend(memo.as_bytes());
        instruction
    } else {
        transaction[count] -= 1;
        Vec::new()
    };
    transaction.splice(program..end, instruction);
    transaction
}
