//! Relaying what a user signed.

use super::{
    Paymaster,
    build::{check_deployment, contract_call},
    error::PaymasterError,
    sponsors::Sponsor,
};
use crate::{
    fee_token::STRK,
    sender::{Payer, SenderPool},
    snapshot::Snapshot,
};
use chain::{ContractCall, Finality, TransactionStatus};
use primitives::{Address, Felt, U256, selector, starknet_keccak};
use serde_json::Value;
use std::sync::Arc;
use store::{NewReservation, SendRow, SendState};
use trading::paymaster::{
    Deployment, FeeMode, OutsideExecution, PoolFee, Refusal, SelectedCall, deployment_call,
    forwarded, forwarded_privately, forwarded_sponsored, outside_call, paid_to_forwarder,
    private_fee, scaled,
};

/// A transaction as clients send it back, to be relayed.
#[derive(Debug, Clone)]
pub struct ExecuteRequest {
    /// The account that has to be deployed first, if there is one.
    pub deployment: Option<Deployment>,
    /// What its user signed, if anything.
    pub signed: Option<SignedExecution>,
    /// The call by which a private pool does what was proven, if there is one.
    pub actions: Option<SelectedCall>,
    /// Who pays; a document is recognised only with the mode that it was built for.
    pub mode: FeeMode,
}

/// A document as a wallet signed it; whether it was built here is still to be seen.
#[derive(Debug, Clone)]
pub struct SignedExecution {
    /// The account that signed, and that makes the calls.
    pub user: Address,
    /// The document, as it was built.
    pub typed_data: Value,
    /// The signature, in the form of the account.
    pub signature: Vec<Felt>,
}

/// How to find what was sent, now or when the same was executed before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Executed {
    /// By which the chain knows it.
    pub hash: Felt,
    /// By which this service knows it: the hash of what was signed, if something was.
    pub tracking_id: Felt,
}

/// What became of something that was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tracked {
    /// That of the attempt that a block has, otherwise of the newest one.
    pub hash: Felt,
    /// Of all its attempts together: one that a block has is enough.
    pub status: TrackedStatus,
}

/// How far something is that was sent, once or as several attempts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrackedStatus {
    /// No block has it yet, and one still may.
    Active,
    /// A block has it, reverted or not; the block in the making does not count.
    Accepted,
    /// No block will have it, since its nonce went to something else; it may be tried again.
    Dropped,
}

/// What a relayer does for a sponsor.
struct SponsoredCalls {
    calls: Vec<ContractCall>,
    /// What it pays a private pool with them, in the sponsor's place.
    pool_fee: u128,
}

/// What was signed, after it was looked at.
struct Recognised<'r> {
    user: Address,
    execution: OutsideExecution,
    hash: Felt,
    signature: &'r [Felt],
    tip: u64,
}

impl Paymaster {
    /// Sends what was built and signed, once, however often it is asked for.
    pub async fn execute(
        &self,
        request: &ExecuteRequest,
        key: Option<&str>,
    ) -> Result<Executed, PaymasterError> {
        let relayers = self.0.relayers.as_ref().ok_or(Refusal::Unavailable)?;
        let snapshot = self.fresh()?;
        let sponsor = self.sponsor(request.mode, key).await?;
        if let Some(deployment) = &request.deployment {
            check_deployment(deployment)?;
        }
        self.check_actions(request, sponsor.as_deref())?;
        let recognised = match &request.signed {
            Some(signed) => Some(self.recognise(signed, request.mode)?),
            None => None,
        };
        let tracking_id = tracking_id(recognised.as_ref(), request)?;
        let purpose = purpose(tracking_id);
        // What was sent before is not looked at again.
        if let Some(row) = relayers.find(&purpose).await? {
            return Ok(Executed {
                hash: row.hash,
                tracking_id,
            });
        }
        if let Some(recognised) = &recognised {
            self.judge(&recognised.execution.calls, sponsor.as_deref())?;
            check_bounds(&recognised.execution, &snapshot)?;
        }
        let row = match (&sponsor, &recognised) {
            (Some(sponsor), _) => {
                let signed = recognised.as_ref();
                let wanted = match &request.actions {
                    Some(actions) => {
                        let private = self.private_calls(request.mode, actions, signed, sponsor);
                        private.await?
                    }
                    None => self.sponsored_calls(request, signed, sponsor),
                };
                self.sponsored(relayers, &purpose, request, &wanted, signed, sponsor)
                    .await?
            }
            (None, Some(recognised)) => {
                self.paid(relayers, &purpose, request, recognised, &snapshot)
                    .await?
            }
            // Nobody pays for it.
            (None, None) => return Err(Refusal::InvalidSignature.into()),
        };
        Ok(Executed {
            hash: row.hash,
            tracking_id,
        })
    }

    /// What became of something that was sent.
    pub async fn track(&self, tracking_id: Felt) -> Result<Tracked, PaymasterError> {
        let chain_id = self.0.options.chain_id;
        let ledger = self.0.store.ledger();
        let rows = ledger.attempts(chain_id, &purpose(tracking_id)).await?;
        let is_lost = |row: &SendRow| matches!(row.state, SendState::Lost { .. });
        let speaks = |row: &&SendRow| !is_lost(row) && !row.superseded;
        let row = rows.iter().find(speaks).or_else(|| rows.first());
        let row = row.ok_or(Refusal::InvalidId)?;
        let (hash, status) = match row.state {
            SendState::Landed(_) | SendState::Reverted { .. } => {
                (row.hash, TrackedStatus::Accepted)
            }
            SendState::Lost { .. } => (row.hash, TrackedStatus::Dropped),
            SendState::Open => {
                let open = rows.iter().filter(|it| it.state == SendState::Open);
                match self.accepted(open.map(|it| it.hash)).await? {
                    Some(hash) => (hash, TrackedStatus::Accepted),
                    None => (row.hash, TrackedStatus::Active),
                }
            }
        };
        Ok(Tracked { hash, status })
    }

    /// Which of several attempts a block has, if one has.
    async fn accepted(
        &self,
        hashes: impl Iterator<Item = Felt>,
    ) -> Result<Option<Felt>, PaymasterError> {
        for hash in hashes {
            let asked =
                |node: chain::StarknetClient| async move { node.transaction_status(hash).await };
            if let Some(TransactionStatus::Executed(executed)) = self.0.nodes.ask(asked).await??
                && executed.finality > Finality::PreConfirmed
            {
                return Ok(Some(hash));
            }
        }
        Ok(None)
    }

    /// What was signed, if it is what this service built.
    fn recognise<'r>(
        &self,
        signed: &'r SignedExecution,
        mode: FeeMode,
    ) -> Result<Recognised<'r>, Refusal> {
        let (chain, user) = (&self.0.options.chain_name, signed.user);
        let read = OutsideExecution::parse(&signed.typed_data, chain, user);
        let not_ours = || {
            let words = "the typed data is not what was built here for this user and fee mode";
            Refusal::Execution(words.to_owned())
        };
        let (execution, hash) = read.ok_or_else(not_ours)?;
        let built = self.0.key.open(&execution, user, mode);
        Ok(Recognised {
            user,
            hash,
            signature: &signed.signature,
            tip: built.ok_or_else(not_ours)?.tip,
            execution,
        })
    }

    /// The user pays: as much as it costs now, and no more than was signed.
    async fn paid(
        &self,
        relayers: &SenderPool,
        purpose: &str,
        request: &ExecuteRequest,
        recognised: &Recognised<'_>,
        snapshot: &Arc<Snapshot>,
    ) -> Result<SendRow, PaymasterError> {
        let FeeMode::Default(token) = request.mode else {
            return Err(Refusal::InvalidKey.into());
        };
        let forwarder = self.0.options.forwarder;
        let execution = &recognised.execution;
        let most = paid_to_forwarder(&execution.calls, token, forwarder);
        let most = most.ok_or(Refusal::MaxAmountTooLow)?;
        let calls = |amount: U256| {
            let Recognised {
                user, signature, ..
            } = recognised;
            let paid = forwarded(forwarder, *user, execution, signature, (token, amount));
            self.relayed_calls(request.deployment.as_ref(), Some(&paid))
        };
        // With something to give back, as there will be.
        let survey = relayers.survey(&calls(U256::ONE), recognised.tip).await;
        let survey = match survey {
            Ok(survey) => survey,
            Err(refused) => return Err(self.explain(refused.into(), recognised, snapshot).await),
        };
        let margin = self.0.options.margin.saturating_add(1_000);
        let strk = scaled(survey.fee(), margin).ok_or(Refusal::MaxAmountTooLow)?;
        let price = self.price(token, strk, snapshot).await?;
        let amount = price.tokens(strk).ok_or(Refusal::MaxAmountTooLow)?;
        if amount > most {
            return Err(Refusal::MaxAmountTooLow.into());
        }
        let calls = calls(amount);
        let sent = relayers.submit_surveyed(purpose, &calls, &survey, Payer::User(strk));
        Ok(sent.await?)
    }

    /// Whether private actions are of a pool that is relayed for, and somebody is
    /// named who pays for them.
    fn check_actions(
        &self,
        request: &ExecuteRequest,
        sponsor: Option<&Sponsor>,
    ) -> Result<(), Refusal> {
        let Some(actions) = &request.actions else {
            return match request.mode {
                FeeMode::SponsoredPrivate(_) => Err(Refusal::SponsoredPrivateRequiresPrivacy),
                FeeMode::Sponsored(Some(_)) => Err(Refusal::PoolFeeRequiresPrivacy),
                FeeMode::Default(_) | FeeMode::Sponsored(None) => Ok(()),
            };
        };
        let not = |words: &str| Err(Refusal::Execution(words.to_owned()));
        if !self.0.options.pools.contains(&actions.to) {
            return not("privacy pool address is not whitelisted");
        }
        if actions.selector != selector("apply_actions") {
            return not("the call of the pool is not apply_actions");
        }
        match request.mode {
            FeeMode::SponsoredPrivate(_) | FeeMode::Sponsored(Some(PoolFee::User(_))) => Ok(()),
            FeeMode::Sponsored(None) => Err(Refusal::PoolFeeRequired),
            FeeMode::Sponsored(Some(PoolFee::Sponsor))
                if sponsor.is_some_and(|sponsor| sponsor.pools.contains(&actions.to)) =>
            {
                Ok(())
            }
            FeeMode::Sponsored(Some(PoolFee::Sponsor)) => Err(Refusal::PoolFeeSponsoringNotAllowed),
            FeeMode::Default(_) => not("private transactions are relayed for sponsors alone"),
        }
    }

    /// What a relayer calls in one transaction, the deployment first.
    fn relayed_calls(
        &self,
        deployment: Option<&Deployment>,
        paid: Option<&SelectedCall>,
    ) -> Vec<ContractCall> {
        let factory = self.0.options.factory;
        let deployment = deployment.map(|it| deployment_call(it, factory));
        let calls = deployment.iter().chain(paid);
        calls.map(contract_call).collect()
    }

    /// The calls of a relayer for what a user signed.
    fn sponsored_calls(
        &self,
        request: &ExecuteRequest,
        recognised: Option<&Recognised<'_>>,
        sponsor: &Sponsor,
    ) -> SponsoredCalls {
        let forwarder = self.0.options.forwarder;
        let paid = recognised.map(|it| {
            let metadata = sponsor.metadata();
            forwarded_sponsored(forwarder, it.user, &it.execution, it.signature, metadata)
        });
        SponsoredCalls {
            calls: self.relayed_calls(request.deployment.as_ref(), paid.as_ref()),
            pool_fee: 0,
        }
    }

    /// The calls of a relayer for private actions, which have to pay the forwarder
    /// what their pool takes, unless the sponsor does.
    async fn private_calls(
        &self,
        mode: FeeMode,
        actions: &SelectedCall,
        recognised: Option<&Recognised<'_>>,
        sponsor: &Sponsor,
    ) -> Result<SponsoredCalls, PaymasterError> {
        let snapshot = self.fresh()?;
        let token = mode.token().unwrap_or(STRK);
        let pool_fee = self.0.pools.fee(actions.to, snapshot.head).await?;
        let pool_fee = pool_fee.unwrap_or(self.0.options.pool_fee);
        let is_sponsored = mode == FeeMode::Sponsored(Some(PoolFee::Sponsor));
        let due = if is_sponsored {
            U256::ZERO
        } else {
            let price = self.price(token, pool_fee, &snapshot).await?;
            let (most, margin) = (self.0.options.most, self.0.options.margin);
            let fee = private_fee(0, pool_fee, most, margin, price);
            fee.ok_or(Refusal::TokenNotSupported)?.pool_in_token
        };
        let calls = forwarded_privately(
            self.0.options.forwarder,
            (pool_fee, STRK),
            actions,
            recognised.map(|it| outside_call(it.user, &it.execution, it.signature)),
            (token, due),
            sponsor.metadata(),
        );
        Ok(SponsoredCalls {
            calls: calls.iter().map(contract_call).collect(),
            pool_fee: if is_sponsored { pool_fee } else { 0 },
        })
    }

    /// A sponsor pays: what it may cost is reserved with what is sent.
    async fn sponsored(
        &self,
        relayers: &SenderPool,
        purpose: &str,
        request: &ExecuteRequest,
        SponsoredCalls { calls, pool_fee }: &SponsoredCalls,
        recognised: Option<&Recognised<'_>>,
        sponsor: &Sponsor,
    ) -> Result<SendRow, PaymasterError> {
        let tip = recognised.map_or(0, |it| it.tip);
        let survey = match relayers.survey(calls, tip).await {
            Ok(survey) => survey,
            Err(refused) => match recognised {
                Some(it) => {
                    let snapshot = self.fresh()?;
                    return Err(self.explain(refused.into(), it, &snapshot).await);
                }
                None => return Err(refused.into()),
            },
        };
        let deployed = request.deployment.as_ref().map(|it| it.address);
        // Who acts in a pool is nobody's business.
        let pool = request.actions.as_ref().map(|it| it.to);
        let user = recognised.map(|it| it.user).or(deployed).or(pool);
        let reservation = NewReservation {
            sponsor: sponsor.row.id.clone(),
            user: user.ok_or(Refusal::InvalidAddress)?,
            pool_fee: *pool_fee,
        };
        let payer = Payer::Sponsor(&reservation);
        let sent = relayers.submit_surveyed(purpose, calls, &survey, payer);
        Ok(sent.await?)
    }

    /// Why a transaction would fail: the account says whether that is the
    /// signature.
    async fn explain(
        &self,
        error: PaymasterError,
        recognised: &Recognised<'_>,
        snapshot: &Snapshot,
    ) -> PaymasterError {
        let PaymasterError::Refused(Refusal::Execution(reason)) = &error else {
            return error;
        };
        let (user, hash) = (recognised.user, recognised.hash);
        let (signature, at) = (recognised.signature, snapshot.head);
        let asked = |node: chain::StarknetClient| async move {
            let facts = node.account_facts(user, at).await?;
            let valid = node.is_valid_signature(user, hash, signature, at).await?;
            Ok((facts.is_some(), valid))
        };
        let is_signature = match self.0.nodes.ask(asked).await {
            Ok(Ok((true, valid))) => !valid,
            // An account that is not there yet says so while it fails.
            _ => reason.to_lowercase().contains("signature"),
        };
        if is_signature {
            Refusal::InvalidSignature.into()
        } else {
            error
        }
    }
}

/// Whether it may be executed at the newest block.
fn check_bounds(execution: &OutsideExecution, snapshot: &Snapshot) -> Result<(), Refusal> {
    let now = u64::try_from(snapshot.head_time.as_second()).unwrap_or(0);
    if execution.bounds.hold(now) {
        Ok(())
    } else {
        Err(Refusal::InvalidTimeBounds)
    }
}

/// What was signed names itself; a deployment alone goes by its address, and actions
/// alone by themselves.
fn tracking_id(
    recognised: Option<&Recognised<'_>>,
    request: &ExecuteRequest,
) -> Result<Felt, Refusal> {
    let of_address = |it: &Deployment| starknet_keccak(&it.address.to_bytes());
    let of_actions = |it: &SelectedCall| {
        let felts = [it.to.felt()]
            .into_iter()
            .chain(it.calldata.iter().copied());
        let bytes: Vec<u8> = felts.flat_map(|felt| felt.to_bytes_be()).collect();
        starknet_keccak(&bytes)
    };
    let id = recognised.map(|it| it.hash);
    let id = id.or_else(|| request.deployment.as_ref().map(of_address));
    let id = id.or_else(|| request.actions.as_ref().map(of_actions));
    id.ok_or(Refusal::InvalidSignature)
}

/// By what the ledger knows that something was sent already for a tracking id.
fn purpose(tracking_id: Felt) -> String {
    format!("paymaster {tracking_id:#x}")
}
