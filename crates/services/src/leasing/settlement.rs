//! Settlement: finalised payments are found and applied, each exactly once.

use super::Leasing;
use crate::fault::Fault;

/// What a round did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Settled {
    /// Leases that became active.
    pub activated: u32,
    /// Payments that were recorded for a refund.
    pub strays: u32,
}

/// Looks for payments.
#[derive(Debug)]
pub struct Settlement {
    leasing: Leasing,
}

impl Settlement {
    /// A settlement of a market's payments.
    pub fn new(leasing: Leasing) -> Self {
        Self { leasing }
    }

    /// Looks once: at what happened to the platform's wallet since the last
    /// round, the oldest first.
    pub async fn round(&mut self) -> Result<Settled, Fault> {
        let _ = &self.leasing;
        Err(Fault::NoSolanaNode)
    }
}
