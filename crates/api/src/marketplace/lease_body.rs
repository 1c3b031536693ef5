//! A lease and its payment on the wire.

use super::{
    MarketplaceState, extensions::ExtensionBody, link::Warning, payment_body::PaymentBody,
    refunds::RefundBody,
};
use leasing::{ExtensionStage, Lease, Stray, format_sol};
use primitives::Lamports;
use serde::Serialize;
use services::leasing::{Booked, BookingWarning, LeaseDetail};
use utoipa::ToSchema;

/// A lease as its parties see it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Lease)]
pub(super) struct LeaseBody {
    /// A ULID.
    #[schema(example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    public_id: String,
    /// The validator's `public_id`.
    #[schema(example = "01KA0XHZ2S8Q6N4C1W7E5R3T9Y")]
    validator_id: String,
    /// The `public_id` of the user who booked it.
    #[schema(example = "01KA0XH1M5D3P7K9F2J4G6B8V0")]
    trader_id: String,
    /// `exclusive` or `shared`.
    #[schema(example = "exclusive")]
    mode: &'static str,
    /// `pending_payment`, `active`, `revoked`, `completed`, or `expired` if it
    /// was never paid.
    #[schema(example = "active")]
    state: &'static str,
    /// The first epoch.
    #[schema(example = 801)]
    epoch_start: i32,
    /// The epoch after the last; a paid extension moves it.
    #[schema(example = 803)]
    epoch_end: i32,
    /// How many there are.
    #[schema(example = 2)]
    epoch_count: i32,
    /// The price of one epoch when it was booked. Those of an extension have its
    /// own.
    #[schema(value_type = u64, example = 1_500_000_000)]
    price_lamports: Lamports,
    /// What all of them cost, those of paid extensions included.
    #[schema(value_type = u64, example = 3_000_000_000_u64)]
    total_lamports: Lamports,
    /// The same in SOL, exactly.
    #[schema(example = "3")]
    total_sol: String,
    /// What is to be paid; null unless the payment is pending.
    #[schema(required)]
    payment: Option<PaymentBody>,
    /// The transaction that paid for it.
    #[schema(required)]
    settled_signature: Option<String>,
    /// Who paid.
    #[schema(required)]
    payer: Option<String>,
    /// When it was booked.
    #[schema(format = DateTime, example = "2026-01-31T12:00:00Z")]
    created_at: String,
    /// When its payment settled.
    #[schema(required, format = DateTime, example = "2026-01-31T12:03:00Z")]
    activated_at: Option<String>,
    /// When it ended.
    #[schema(required, format = DateTime, example = "2026-02-03T12:00:00Z")]
    ended_at: Option<String>,
    /// Why it ended: `unpaid`, `cancelled`, `completed`, `revoked`.
    #[schema(required, example = "completed")]
    end_reason: Option<&'static str>,
}

/// A lease with everything about it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LeaseDetail)]
pub(super) struct LeaseDetailBody {
    #[serde(flatten)]
    lease: LeaseBody,
    /// Money that came for it and was not taken, in the order of the chain.
    strays: Vec<StrayBody>,
    /// The extension that waits for its payment.
    #[schema(required)]
    pending_extension: Option<ExtensionBody>,
    /// All extensions that were asked for, the newest first, 100 at most.
    extensions: Vec<ExtensionBody>,
    /// What is owed, or was, to whoever paid for it.
    refunds: Vec<RefundBody>,
    /// Whether its key was shown.
    credentials_shown: bool,
    /// Rises with every new key; 0 before the first.
    #[schema(example = 1)]
    key_version: u64,
    /// Signatures that the validator's gateway reported for it.
    #[schema(example = 12_000)]
    signs_total: u64,
}

/// Money that came for a lease and was not taken: somebody is to get it back.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Stray)]
struct StrayBody {
    /// The transaction.
    signature: String,
    /// Why it was not taken: `short`, `orphaned`, `doubled`, `unclear` if it
    /// names several payments or is paid by a wallet that it pays, `unnamed` if
    /// it has the payment's reference and not its memo.
    #[schema(example = "short")]
    reason: &'static str,
    /// Who paid.
    #[schema(example = "4Nd1mYvKQ2Xv3LwqjPz6yYw1g9oM4n8J7d2c5b6a3XyZ")]
    payer: String,
    /// What the validator's payout wallet gained. A transaction that names
    /// several payments is shown with each of them, with the same gains.
    #[schema(value_type = u64, example = 2_850_000_000_u64)]
    payout_lamports: Lamports,
    /// What the platform's wallet gained.
    #[schema(value_type = u64, example = 150_000_000)]
    platform_lamports: Lamports,
    /// Where it landed.
    #[schema(example = 345_600_123)]
    slot: u64,
    /// When it was seen.
    #[schema(format = DateTime, example = "2026-01-31T12:30:00Z")]
    seen_at: String,
}

impl From<&Stray> for StrayBody {
    fn from(stray: &Stray) -> Self {
        Self {
            signature: stray.signature.to_string(),
            reason: stray.reason.as_str(),
            payer: stray.payer.to_string(),
            payout_lamports: stray.payout_gain,
            platform_lamports: stray.platform_gain,
            slot: stray.slot,
            seen_at: stray.seen_at.to_string(),
        }
    }
}

/// A lease that was just booked.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BookedLease)]
pub(super) struct BookedBody {
    /// The lease's `public_id`.
    #[schema(example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    lease_id: String,
    /// `pending_payment`.
    #[schema(example = "pending_payment")]
    state: &'static str,
    /// `exclusive` or `shared`.
    #[schema(example = "exclusive")]
    mode: &'static str,
    /// The first epoch.
    #[schema(example = 801)]
    epoch_start: i32,
    /// The epoch after the last.
    #[schema(example = 803)]
    epoch_end: i32,
    /// What is to be paid.
    payment: PaymentBody,
    /// What the trader should know.
    warnings: Vec<Warning>,
}

impl MarketplaceState {
    pub(super) fn lease_body(&self, lease: &Lease) -> LeaseBody {
        let (settled, end) = (lease.stage.settled_by(), lease.stage.end());
        LeaseBody {
            public_id: lease.id.to_string(),
            validator_id: lease.validator.to_string(),
            trader_id: lease.trader.to_string(),
            mode: lease.mode.as_str(),
            state: lease.state().as_str(),
            epoch_start: lease.window.start(),
            epoch_end: lease.window.end(),
            epoch_count: lease.window.count(),
            price_lamports: lease.price,
            total_lamports: lease.total,
            total_sol: format_sol(lease.total),
            payment: lease
                .due()
                .map(|due| self.payment_body(due, lease.pay_until)),
            settled_signature: settled.map(|receipt| receipt.signature.to_string()),
            payer: settled.map(|receipt| receipt.payer.to_string()),
            created_at: lease.created_at.to_string(),
            activated_at: settled.map(|receipt| receipt.at.to_string()),
            ended_at: end.map(|(_, at)| at.to_string()),
            end_reason: end.map(|(reason, _)| reason.as_str()),
        }
    }

    pub(super) fn lease_detail(&self, detail: &LeaseDetail) -> LeaseDetailBody {
        let extensions = || detail.extensions.iter();
        let open = extensions().find(|it| it.stage == ExtensionStage::Open);
        let refunds = detail.refunds.iter();
        LeaseDetailBody {
            lease: self.lease_body(&detail.lease),
            strays: detail.strays.iter().map(StrayBody::from).collect(),
            pending_extension: open.map(|it| self.extension_body(it)),
            extensions: extensions().map(|it| self.extension_body(it)).collect(),
            refunds: refunds.map(|refund| self.refund_body(refund)).collect(),
            credentials_shown: detail.key_version > 0,
            key_version: detail.key_version,
            signs_total: detail.usage.signs,
        }
    }

    pub(super) fn booked_body(&self, booked: &Booked) -> BookedBody {
        let lease = &booked.lease;
        let warnings = booked.warnings.iter().map(Warning::from);
        BookedBody {
            lease_id: lease.id.to_string(),
            state: lease.state().as_str(),
            mode: lease.mode.as_str(),
            epoch_start: lease.window.start(),
            epoch_end: lease.window.end(),
            payment: self.payment_body(&lease.payment, lease.pay_until),
            warnings: warnings.chain(self.link_warning()).collect(),
        }
    }
}

impl From<&BookingWarning> for Warning {
    fn from(warning: &BookingWarning) -> Self {
        let (code, message) = match warning {
            BookingWarning::Begun => ("epochs-begun", "some of the epochs are over, or have begun"),
            BookingWarning::Over => (
                "epochs-over",
                "all of the epochs are over: once paid, the lease is completed at once",
            ),
        };
        Self {
            code,
            message: message.to_owned(),
        }
    }
}
