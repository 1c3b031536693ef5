//! Several accounts that send for the same purposes.

use super::{SendRefused, Sender};
use crate::fault::Fault;
use chain::ContractCall;
use std::sync::atomic::{AtomicUsize, Ordering};
use store::SendRow;

/// Takes one account after the other (round robin), and passes over those that
/// have too much under way or too little to pay with.
#[derive(Debug)]
pub struct SenderPool {
    senders: Vec<Sender>,
    turns: AtomicUsize,
}

impl SenderPool {
    /// A pool of accounts of one chain.
    pub fn new(senders: Vec<Sender>) -> Self {
        Self {
            senders,
            turns: AtomicUsize::new(0),
        }
    }

    /// Has one of the accounts make calls for a purpose, as [`Sender::submit`]
    /// does: once, whichever account it is.
    pub async fn submit(
        &self,
        purpose: &str,
        calls: &[ContractCall],
    ) -> Result<SendRow, SendRefused> {
        let turn = self.turns.fetch_add(1, Ordering::Relaxed);
        let mut refused = SendRefused::Fault(Fault::NoNode);
        let count = self.senders.len();
        let order = self.senders.iter().cycle();
        for sender in order.skip(turn.checked_rem(count).unwrap_or(0)).take(count) {
            match sender.submit(purpose, calls).await {
                Err(error) if error.is_of_an_account() => refused = error,
                answer => return answer,
            }
        }
        Err(refused)
    }

    /// What was sent for a purpose, from whichever account.
    pub async fn find(&self, purpose: &str) -> Result<Option<SendRow>, SendRefused> {
        match self.senders.first() {
            Some(sender) => sender.sent_for(purpose).await,
            None => Ok(None),
        }
    }

    /// Follows every account; one's trouble does not keep the others.
    pub async fn follow(&self) -> Result<(), SendRefused> {
        let mut first = Ok(());
        for sender in &self.senders {
            let followed = sender.follow().await;
            first = first.and(followed);
        }
        first
    }
}
