//! Why the paymaster does not do what it was asked for.

use crate::{fault::Fault, sender::SendRefused};
use chain::RpcError;
use primitives::Impossible;
use store::{Reservation, StoreError};
use thiserror::Error;
use trading::paymaster::Refusal;

/// Why nothing was built or executed.
#[derive(Debug, Error)]
pub enum PaymasterError {
    /// The caller's doing, or a sponsor's.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Something that Stoa stands on failed.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl From<StoreError> for PaymasterError {
    fn from(error: StoreError) -> Self {
        Self::Fault(error.into())
    }
}

impl From<Impossible> for PaymasterError {
    fn from(met: Impossible) -> Self {
        Self::Fault(met.into())
    }
}

impl From<RpcError> for PaymasterError {
    /// A transaction that fails is the caller's, everything else the node's.
    fn from(error: RpcError) -> Self {
        match error.execution_failure() {
            Some(reason) => Refusal::Execution(reason).into(),
            None => Self::Fault(error.into()),
        }
    }
}

impl From<SendRefused> for PaymasterError {
    fn from(refused: SendRefused) -> Self {
        match refused {
            SendRefused::Fault(fault) => Self::Fault(fault),
            SendRefused::WouldFail(error) => error.into(),
            SendRefused::TooExpensive { .. } => {
                Refusal::Execution("it costs more than a relayer may pay".to_owned()).into()
            }
            SendRefused::NotReserved(why) => Refusal::NotSponsored(match why {
                Reservation::NoCredits => "no credits are left",
                Reservation::OverBudget => "the user's budget of today is used up",
                Reservation::Gone | Reservation::Made => "its key was disabled",
            })
            .into(),
            // The relayers cannot now; why is in the log.
            refused @ (SendRefused::NoAccount(_)
            | SendRefused::NotTaken(_)
            | SendRefused::Balance { .. }
            | SendRefused::InFlight(_)
            | SendRefused::TakenBack { .. }) => {
                let error = &refused as &dyn std::error::Error;
                tracing::warn!(error, "no relayer takes a transaction");
                Refusal::Unavailable.into()
            }
        }
    }
}
