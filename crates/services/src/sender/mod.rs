//! Sends transactions from accounts of this service.
//!
//! The one part that spends money. Nothing leaves before its row is in the
//! ledger; nonces are handed out there under the account's lock, so that any
//! number of processes can send from one account; what is asked for the same
//! purpose is sent once; and it refuses rather than spends more than it may.
//! [`Sender::follow`] finds out what became of it, sends again for more what waits
//! for too long, and closes gaps that dropped transactions leave.

mod admission;
mod follow;
mod kept;
mod options;
mod payer;
mod pool;
mod refused;
mod replace;
mod rise;
mod settle;
mod sighting;
mod survey;

pub use options::SenderOptions;
pub use payer::Payer;
pub use pool::{PoolSurvey, SenderPool};
pub use refused::SendRefused;
pub use sighting::Sighting;
pub use survey::Survey;

use crate::fault::Fault;
use admission::{AccountView, max_fee, next_nonce};
use chain::{Broadcast, ContractCall, FeeEstimate, SendError, StarkSigner, StarknetClient};
use primitives::transaction_hash::{ResourceBounds, Terms};
use primitives::{BlockRef, Clock, OrImpossible as _, U256};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use store::{
    Fence, Reservation, SendRow, SendState, SendingAccount, Store, StoreError, leasing::LedgerTx,
};

/// Sends from one account.
#[derive(Debug)]
pub struct Sender {
    store: Store,
    /// The same for what becomes of what was sent.
    following: Store,
    nodes: Vec<StarknetClient>,
    /// The node that answered last.
    preferred: AtomicUsize,
    account: SendingAccount,
    signer: StarkSigner,
    clock: Arc<dyn Clock>,
    options: SenderOptions,
    /// What the account had at the block that was looked at last.
    seen: Mutex<Option<AccountView>>,
}

impl Sender {
    /// A sender from an account that the signer's key owns, through any of
    /// several nodes.
    pub fn new(
        store: Store,
        nodes: Vec<StarknetClient>,
        account: SendingAccount,
        signer: StarkSigner,
        clock: Arc<dyn Clock>,
        options: SenderOptions,
    ) -> Self {
        Self {
            following: store.clone(),
            store,
            nodes,
            preferred: AtomicUsize::new(0),
            account,
            signer,
            clock,
            options,
            seen: Mutex::default(),
        }
    }

    /// Follows and replaces what was sent only while a duty is held. Any process may
    /// send: nonces and purposes are given out once under the account's lock. But
    /// what was paused for long must not replace what it remembers.
    #[must_use]
    pub fn followed_on(mut self, fence: &Fence) -> Self {
        self.following = self.store.with_fenced_ledger(fence);
        self
    }

    /// Whose transactions these are.
    pub fn account(&self) -> SendingAccount {
        self.account
    }

    /// Has the account make calls for a purpose. If something was sent for it
    /// before, that is the answer, and nothing else is sent.
    pub async fn submit(
        &self,
        purpose: &str,
        calls: &[ContractCall],
    ) -> Result<SendRow, SendRefused> {
        if let Some(row) = self.sent_for(purpose).await? {
            return Ok(row);
        }
        let survey = self.survey(calls, 0).await?;
        self.submit_surveyed(purpose, calls, &survey, Payer::Service)
            .await
    }

    /// Looks at the account, and what calls would cost it with a tip.
    pub async fn survey(&self, calls: &[ContractCall], tip: u64) -> Result<Survey, SendRefused> {
        self.ask(|node| self.survey_with(node, calls, tip)).await
    }

    /// The same as [`Self::submit`] after a look, for calls that cost the same, and
    /// that somebody may pay for; a sponsor's credits are reserved in the very
    /// transaction that writes what is sent.
    pub async fn submit_surveyed(
        &self,
        purpose: &str,
        calls: &[ContractCall],
        survey: &Survey,
        payer: Payer<'_>,
    ) -> Result<SendRow, SendRefused> {
        let Some((row, broadcast)) = self.write(purpose, calls, survey, payer).await? else {
            let sent = self.sent_for(purpose).await?;
            return Ok(sent.or_impossible("a purpose that exists is found")?);
        };
        if let Err(error) = self.give(&broadcast, row.hash).await {
            // Its row is there: following finds it, and gives it again.
            tracing::warn!(
                purpose,
                hash = format!("{:#x}", row.hash),
                error = &error as &dyn std::error::Error,
                "a transaction was not sent"
            );
        }
        Ok(row)
    }

    async fn sent_for(&self, purpose: &str) -> Result<Option<SendRow>, SendRefused> {
        let chain_id = self.account.chain_id;
        Ok(self.store.ledger().find_send(chain_id, purpose).await?)
    }

    /// Asks one node after the other until one answers.
    async fn ask<T, F>(
        &self,
        question: impl Fn(StarknetClient) -> F + Send,
    ) -> Result<T, SendRefused>
    where
        F: Future<Output = Result<T, SendRefused>> + Send,
    {
        let first = self.preferred.load(Ordering::Relaxed);
        let order = (0..self.nodes.len()).map(|step| (first + step) % self.nodes.len());
        let mut failed = SendRefused::Fault(Fault::NoNode);
        for index in order {
            let Some(node) = self.nodes.get(index) else {
                continue;
            };
            match question(node.clone()).await {
                Err(SendRefused::Fault(fault)) if fault.is_of_a_node() => {
                    failed = SendRefused::Fault(fault);
                }
                answer => {
                    self.preferred.store(index, Ordering::Relaxed);
                    return answer;
                }
            }
        }
        Err(failed)
    }

    /// What the account has, and bounds for its calls.
    async fn survey_with(
        &self,
        node: StarknetClient,
        calls: &[ContractCall],
        tip: u64,
    ) -> Result<Survey, SendRefused> {
        let view = self.view(&node).await?;
        let estimate = self.estimate(&node, calls, (view.nonce, tip), view.head);
        let estimate = estimate.await?;
        Ok(Survey {
            view,
            bounds: self.bounds(&estimate, tip)?,
            estimate,
            tip,
        })
    }

    /// What the account has at the newest block, which is asked once for each.
    async fn view(&self, node: &StarknetClient) -> Result<AccountView, SendRefused> {
        let head = node.head().await?;
        let seen = *self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(view) = seen.filter(|view| view.head == head) {
            return Ok(view);
        }
        let (nonce, balance) = tokio::try_join!(self.nonce(node, head), self.balance(node, head))?;
        let view = AccountView {
            head,
            nonce,
            balance,
        };
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(view);
        Ok(view)
    }

    /// Gives out a nonce and writes the transaction that has it; `None` if
    /// another process had the same purpose.
    async fn write(
        &self,
        purpose: &str,
        calls: &[ContractCall],
        survey: &Survey,
        payer: Payer<'_>,
    ) -> Result<Option<(SendRow, Broadcast)>, SendRefused> {
        let mut tx = self.store.ledger().begin().await?;
        tx.lock_sender(self.account).await?;
        let taken = tx.taken_nonces(self.account, survey.view.nonce).await?;
        let most = max_fee(&survey.bounds, survey.tip);
        let most = most.or_impossible("bounds are below what was allowed")?;
        let signed = next_nonce(&taken, &survey.view, most, &self.options).and_then(|nonce| {
            let address = self.account.address;
            let mut broadcast = Broadcast::calls(address, calls, nonce, survey.bounds);
            broadcast.terms.tip = survey.tip;
            self.signed(broadcast, survey.view.head.number)
        });
        let (mut row, broadcast) = match signed {
            Ok(signed) => signed,
            Err(refused) => {
                tx.rollback().await?;
                return Err(refused);
            }
        };
        row.purpose = Some(purpose.to_owned());
        row.paid = payer.paid();
        match self.insert(&mut tx, &row, payer).await {
            Ok(Reservation::Made) => {
                tx.commit().await?;
                Ok(Some((row, broadcast)))
            }
            Ok(other) => {
                tx.rollback().await?;
                Err(SendRefused::NotReserved(other))
            }
            Err(error) => {
                tx.rollback().await?;
                match error {
                    StoreError::Exists { .. } => Ok(None),
                    error => Err(error.into()),
                }
            }
        }
    }

    /// Writes a row, and reserves what it may cost where somebody else pays.
    async fn insert(
        &self,
        tx: &mut LedgerTx,
        row: &SendRow,
        payer: Payer<'_>,
    ) -> Result<Reservation, StoreError> {
        tx.insert_send(row).await?;
        let Payer::Sponsor(wanted) = payer else {
            return Ok(Reservation::Made);
        };
        let chain_id = self.account.chain_id;
        tx.reserve(wanted, chain_id, row.hash, row.max_fee, row.created_at)
            .await
    }

    /// How many transactions the chain has of the account.
    async fn nonce(&self, node: &StarknetClient, at: BlockRef) -> Result<u64, SendRefused> {
        let address = self.account.address;
        let nonces = node.nonces(&[address], at).await?;
        let nonce = nonces.first().copied().flatten();
        nonce.ok_or(SendRefused::NoAccount(address))
    }

    /// What the account can pay fees with. Who does not say has nothing.
    async fn balance(&self, node: &StarknetClient, at: BlockRef) -> Result<U256, SendRefused> {
        let owner = self.account.address;
        let balance = node.balance(self.options.fee_token, owner, at).await?;
        Ok(balance.unwrap_or(U256::ZERO))
    }

    /// What the node expects calls to cost.
    async fn estimate(
        &self,
        node: &StarknetClient,
        calls: &[ContractCall],
        (nonce, tip): (u64, u64),
        at: BlockRef,
    ) -> Result<FeeEstimate, SendRefused> {
        let address = self.account.address;
        let mut imagined = Broadcast::calls(address, calls, nonce, ResourceBounds::default());
        imagined.terms.tip = tip;
        match node.estimate_fee(&imagined, at).await {
            Err(error) if error.is_execution_failure() => Err(SendRefused::WouldFail(error)),
            estimate => Ok(estimate?),
        }
    }

    /// Bounds with room above what the node expects.
    fn bounds(&self, estimate: &FeeEstimate, tip: u64) -> Result<ResourceBounds, SendRefused> {
        let bounds = estimate.bounds(self.options.room_percent);
        let allowed = self.options.max_fee;
        match bounds.and_then(|bounds| Some((bounds, max_fee(&bounds, tip)?))) {
            Some((bounds, max_fee)) if max_fee <= allowed => Ok(bounds),
            other => Err(SendRefused::TooExpensive {
                max_fee: other.map(|(_, max_fee)| max_fee),
                allowed,
            }),
        }
    }

    /// The transaction with its signature, and its row of a height.
    fn signed(
        &self,
        mut broadcast: Broadcast,
        head: u64,
    ) -> Result<(SendRow, Broadcast), SendRefused> {
        let hash = broadcast.sign(&self.signer, self.account.chain_id);
        let hash = hash.or_impossible("a hash can be signed")?;
        let Terms {
            nonce, tip, bounds, ..
        } = &broadcast.terms;
        let row = SendRow {
            account: self.account,
            nonce: *nonce,
            attempt: 0,
            purpose: None,
            superseded: false,
            head,
            hash,
            broadcast: kept::to_bytes(&broadcast)?,
            max_fee: max_fee(bounds, *tip).or_impossible("bounds are below what was allowed")?,
            paid: None,
            created_at: self.clock.now(),
            state: SendState::Open,
        };
        Ok((row, broadcast))
    }

    /// Gives a transaction to a node; to the next one if nothing is known of it
    /// after that. It is the same transaction, and lands once.
    async fn give(&self, broadcast: &Broadcast, hash: primitives::Felt) -> Result<(), SendRefused> {
        let given = |node: StarknetClient| async move {
            match node.send(broadcast, hash).await {
                Ok(()) => Ok(()),
                Err(SendError::Unknown(error)) => Err(error.into()),
                Err(SendError::Refused(error)) => Err(SendRefused::NotTaken(error)),
            }
        };
        self.ask(given).await
    }
}
