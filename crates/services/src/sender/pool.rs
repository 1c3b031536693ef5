//! Several accounts that send for the same purposes.

use super::{Payer, SendRefused, Sender, Sighting, Survey};
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

/// What calls would cost one of the accounts.
#[derive(Debug)]
pub struct PoolSurvey {
    sender: usize,
    survey: Survey,
}

impl PoolSurvey {
    /// What the node expects them to cost, in the smallest unit of STRK.
    pub fn fee(&self) -> u128 {
        self.survey.fee()
    }
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

    /// Looks at what calls would cost, for the account whose turn it is, or the
    /// next one that can be asked about.
    pub async fn survey(
        &self,
        calls: &[ContractCall],
        tip: u64,
    ) -> Result<PoolSurvey, SendRefused> {
        let turn = self.turns.fetch_add(1, Ordering::Relaxed);
        let mut refused = SendRefused::Fault(Fault::NoNode);
        let count = self.senders.len();
        let order = self.senders.iter().enumerate().cycle();
        for (place, sender) in order.skip(turn.checked_rem(count).unwrap_or(0)).take(count) {
            match sender.survey(calls, tip).await {
                Ok(survey) => {
                    return Ok(PoolSurvey {
                        sender: place,
                        survey,
                    });
                }
                Err(error) if error.is_of_an_account() => refused = error,
                Err(error) => return Err(error),
            }
        }
        Err(refused)
    }

    /// Submits calls that were surveyed, from that account, or from another if it
    /// has too much under way, for whoever pays.
    pub async fn submit_surveyed(
        &self,
        purpose: &str,
        calls: &[ContractCall],
        PoolSurvey { sender, survey }: &PoolSurvey,
        payer: Payer<'_>,
    ) -> Result<SendRow, SendRefused> {
        let mut refused = SendRefused::Fault(Fault::NoNode);
        if let Some(first) = self.senders.get(*sender) {
            match first.submit_surveyed(purpose, calls, survey, payer).await {
                Err(error) if error.is_of_an_account() => refused = error,
                answer => return answer,
            }
        }
        let others = self.senders.iter().enumerate();
        for (_, other) in others.filter(|(place, _)| place != sender) {
            let survey = other.survey(calls, survey.tip).await?;
            match other.submit_surveyed(purpose, calls, &survey, payer).await {
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

    /// Follows every account, and tells how far what they have sent is; one's trouble
    /// does not keep the others.
    pub async fn follow(&self) -> (Vec<Sighting>, Result<(), SendRefused>) {
        let (mut sightings, mut first) = (Vec::new(), Ok(()));
        for sender in &self.senders {
            match sender.follow().await {
                Ok(seen) => sightings.extend(seen),
                Err(error) => first = first.and(Err(error)),
            }
        }
        (sightings, first)
    }
}
