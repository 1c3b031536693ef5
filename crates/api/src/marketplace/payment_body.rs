//! A payment on the wire: of a booking, or of an extension.

use super::MarketplaceState;
use leasing::{Payment, format_sol};
use primitives::{Lamports, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

/// A payment that is to be made.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Payment)]
pub(super) struct PaymentBody {
    /// A Solana Pay transaction request: open it with a wallet, or show it as a
    /// QR code.
    #[schema(example = "solana:https://lease.example/v1/chain-pay/01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    solana_pay_url: String,
    /// What is to be paid.
    #[schema(value_type = u64, example = 3_000_000_000_u64)]
    amount_lamports: Lamports,
    /// The same in SOL, exactly.
    #[schema(example = "3")]
    amount_sol: String,
    /// What of it the validator gets.
    #[schema(value_type = u64, example = 2_850_000_000_u64)]
    payout_lamports: Lamports,
    /// What of it the platform gets.
    #[schema(value_type = u64, example = 150_000_000)]
    fee_lamports: Lamports,
    /// Names the payment, in the link and on the chain.
    #[schema(example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    memo: String,
    /// Until when a wallet can ask for the transaction.
    #[schema(format = DateTime, example = "2026-01-31T12:15:00Z")]
    expires_at: String,
}

impl MarketplaceState {
    pub(super) fn payment_body(&self, payment: &Payment, pay_until: Timestamp) -> PaymentBody {
        PaymentBody {
            solana_pay_url: self.pay_url(payment.memo()),
            amount_lamports: payment.total(),
            amount_sol: format_sol(payment.total()),
            payout_lamports: payment.payout().amount,
            fee_lamports: payment.platform().amount,
            memo: payment.memo().to_string(),
            expires_at: pay_until.to_string(),
        }
    }
}
