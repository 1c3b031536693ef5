//! The sweeper: bookings that nobody paid in time are over.

use super::Leasing;
use crate::fault::Fault;

/// Frees what nobody paid for, and forgets what is too old to matter.
#[derive(Debug)]
pub struct Sweeper {
    leasing: Leasing,
}

impl Sweeper {
    /// A sweeper of a market.
    pub fn new(leasing: Leasing) -> Self {
        Self { leasing }
    }

    /// Sweeps once. Returns how many bookings expired.
    pub async fn round(&mut self) -> Result<u32, Fault> {
        let _ = &self.leasing;
        Err(Fault::NoSolanaNode)
    }
}
