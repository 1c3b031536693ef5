//! Building what a user signs.

use super::{Paymaster, accounts::newest, error::PaymasterError, sponsors::Sponsor};
use crate::{fee_token::STRK, snapshot::Snapshot};
use chain::{Broadcast, BroadcastAction, ContractCall, FeeEstimate};
use primitives::transaction_hash::{DeployAccount, ResourceBounds, Terms};
use primitives::{Address, OrImpossible as _, U256, contract_address};
use std::sync::Arc;
use trading::paymaster::{
    Deployment, Fee, FeeMode, GasTokenPrice, OutsideExecution, OutsideVersion, PoolFee, PrivateFee,
    Refusal, SelectedCall, TimeBounds, Tip, Transaction, fee_transfer, private_fee, usual_fee,
};

/// An account with more elements that tell its signers has several.
const SIGNER_FELTS: usize = 4;

/// A transaction to be built, and the terms on which it is to be relayed.
#[derive(Debug, Clone)]
pub struct BuildRequest {
    /// What is to be done, without anything that pays for it.
    pub transaction: Transaction,
    /// Who pays; a sponsor is known by the key that comes beside the request.
    pub mode: FeeMode,
    /// Becomes an amount when it is built, and stays that when it is executed.
    pub tip: Tip,
    /// When it may be executed; an hour from now on without.
    pub bounds: Option<TimeBounds>,
}

/// What a private transaction has to pay the forwarder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeeAction {
    /// So much, out of the pool.
    Withdraw {
        /// The forwarder.
        recipient: Address,
        /// The token of the fee mode.
        token: Address,
        /// In its smallest unit: the pool's fee, and the most for gas where the user pays.
        amount: U256,
    },
    /// Nothing, since the sponsor pays what the pool takes.
    None,
}

/// What clients get to have signed and to send back; nothing of it is remembered here.
#[derive(Debug, Clone)]
pub struct BuiltTransaction {
    /// What is to be done: a deployment that its user pays for is also an
    /// invocation.
    pub transaction: Transaction,
    /// What it is expected to cost, and the most that is asked for.
    pub fee: Fee,
    /// What the user signs, if anything.
    pub execution: Option<OutsideExecution>,
    /// What a private transaction has to pay the forwarder; `None` for all others.
    pub fee_action: Option<FeeAction>,
}

/// Where a user's calls are made from.
enum Origin<'t> {
    Account(Address),
    Deployment(&'t Deployment),
}

impl Origin<'_> {
    fn user(&self) -> Address {
        match self {
            Self::Account(address) => *address,
            Self::Deployment(deployment) => deployment.address,
        }
    }
}

impl Paymaster {
    /// Builds a transaction; the first thing that is against it is told.
    pub async fn build(
        &self,
        request: &BuildRequest,
        key: Option<&str>,
    ) -> Result<BuiltTransaction, PaymasterError> {
        if self.0.relayers.is_none() && !self.0.options.build_only {
            return Err(Refusal::Unavailable.into());
        }
        let snapshot = self.fresh()?;
        let sponsor = self.sponsor(request.mode, key).await?;
        self.judge(request.transaction.calls(), sponsor.as_deref())?;
        let token = request.mode.token().unwrap_or(STRK);
        self.price(token, 0, &snapshot).await?;
        self.check_privacy(request, sponsor.as_deref())?;
        let now = u64::try_from(snapshot.head_time.as_second()).unwrap_or(0);
        let bounds = request.bounds.unwrap_or_else(|| TimeBounds::usual(now));
        if !bounds.hold(now) {
            return Err(Refusal::InvalidTimeBounds.into());
        }
        let tip = self.tip(request.tip, &snapshot).await?;
        match request.transaction.clone() {
            Transaction::Deploy(deployment) if request.mode.is_sponsored() => {
                self.build_deployment(deployment, tip, &snapshot).await
            }
            Transaction::Deploy(deployment) => {
                let transaction = Transaction::DeployAndInvoke {
                    deployment,
                    calls: Vec::new(),
                };
                let usual = self.build_usual(transaction, request.mode, tip, bounds, &snapshot);
                usual.await
            }
            Transaction::Invoke { calls, .. } | Transaction::DeployAndInvoke { calls, .. }
                if calls.is_empty() =>
            {
                Err(Refusal::Execution("there are no calls".to_owned()).into())
            }
            transaction @ (Transaction::Invoke { .. } | Transaction::DeployAndInvoke { .. }) => {
                self.build_usual(transaction, request.mode, tip, bounds, &snapshot)
                    .await
            }
            transaction @ (Transaction::ApplyAction { .. }
            | Transaction::InvokeAndApplyAction { .. }) => {
                self.build_private(transaction, request.mode, tip, bounds, &snapshot)
                    .await
            }
        }
    }

    /// What a token is worth to somebody who pays so much STRK with it.
    pub(super) async fn price(
        &self,
        token: Address,
        strk: u128,
        snapshot: &Arc<Snapshot>,
    ) -> Result<GasTokenPrice, Refusal> {
        let price = self.0.prices.of(token, strk, snapshot).await?;
        price.ok_or(Refusal::TokenNotSupported)
    }

    /// Whether who pays fits what is to be done.
    fn check_privacy(
        &self,
        request: &BuildRequest,
        sponsor: Option<&Sponsor>,
    ) -> Result<(), Refusal> {
        let Some(pool) = request.transaction.pool() else {
            return match request.mode {
                FeeMode::SponsoredPrivate(_) => Err(Refusal::SponsoredPrivateRequiresPrivacy),
                FeeMode::Sponsored(Some(_)) => Err(Refusal::PoolFeeRequiresPrivacy),
                FeeMode::Default(_) | FeeMode::Sponsored(None) => Ok(()),
            };
        };
        if !self.0.options.pools.contains(&pool) {
            let words = "privacy pool address is not whitelisted";
            return Err(Refusal::Execution(words.to_owned()));
        }
        match request.mode {
            FeeMode::Sponsored(None) => Err(Refusal::PoolFeeRequired),
            FeeMode::Sponsored(Some(PoolFee::Sponsor))
                if !sponsor.is_some_and(|sponsor| sponsor.pools.contains(&pool)) =>
            {
                Err(Refusal::PoolFeeSponsoringNotAllowed)
            }
            _ => Ok(()),
        }
    }

    async fn tip(&self, tip: Tip, snapshot: &Snapshot) -> Result<u64, PaymasterError> {
        Ok(match tip {
            Tip::Custom(amount) => amount,
            tip => tip.amount(self.0.tips.median(snapshot.head).await?),
        })
    }

    /// A deployment that a sponsor pays for: nobody signs it.
    async fn build_deployment(
        &self,
        deployment: Deployment,
        tip: u64,
        snapshot: &Arc<Snapshot>,
    ) -> Result<BuiltTransaction, PaymasterError> {
        check_deployment(&deployment)?;
        let at = snapshot.head;
        let version = self.0.accounts.version_of_class(deployment.class_hash, at);
        version.await?;
        let deploying = deploying(&deployment, tip);
        let estimates = self.estimate(&[&deploying], snapshot).await?;
        let fee = usual_fee(
            self.relayed(&estimates, 0, tip)?,
            self.0.options.most,
            GasTokenPrice::STRK,
        );
        Ok(BuiltTransaction {
            transaction: Transaction::Deploy(deployment),
            fee: fee.ok_or_else(too_much)?,
            execution: None,
            fee_action: None,
        })
    }

    /// Calls of a user, with the one that pays for them unless a sponsor does.
    async fn build_usual(
        &self,
        transaction: Transaction,
        mode: FeeMode,
        tip: u64,
        bounds: TimeBounds,
        snapshot: &Arc<Snapshot>,
    ) -> Result<BuiltTransaction, PaymasterError> {
        let origin = match &transaction {
            Transaction::DeployAndInvoke { deployment, .. } => Origin::Deployment(deployment),
            Transaction::Invoke { user, .. } => Origin::Account(*user),
            _ => return Err(Refusal::Execution("not a usual transaction".to_owned()).into()),
        };
        let mut calls = transaction.calls().to_vec();
        let forwarder = self.0.options.forwarder;
        if let FeeMode::Default(token) = mode {
            calls.push(fee_transfer(token, forwarder, U256::ONE));
        }
        let (version, estimated) = self.cost(&origin, &calls, tip, snapshot).await?;
        let token = mode.token().unwrap_or(STRK);
        let price = self.price(token, estimated, snapshot).await?;
        let fee = usual_fee(estimated, self.0.options.most, price).ok_or_else(too_much)?;
        if let FeeMode::Default(token) = mode {
            calls.pop();
            calls.push(fee_transfer(token, forwarder, fee.max_in_token));
        }
        let user = origin.user();
        let execution = self.sealed(version, user, calls, mode, tip, bounds);
        Ok(BuiltTransaction {
            transaction,
            fee,
            execution: Some(execution),
            fee_action: None,
        })
    }

    /// Actions in a pool, and the calls that a user makes beside them.
    async fn build_private(
        &self,
        transaction: Transaction,
        mode: FeeMode,
        tip: u64,
        bounds: TimeBounds,
        snapshot: &Arc<Snapshot>,
    ) -> Result<BuiltTransaction, PaymasterError> {
        let pool = transaction.pool().or_impossible("it is a private one")?;
        let at = snapshot.head;
        let pool_fee = self.0.pools.fee(pool, at).await?;
        let pool_fee = pool_fee.unwrap_or(self.0.options.pool_fee);
        let gas_price = self.0.pools.gas_price(at).await?;
        let overhead = u128::from(self.0.options.private_gas);
        let overhead = overhead.checked_mul(gas_price.saturating_add(tip.into()));
        let mut gas = overhead.ok_or_else(too_much)?;
        let execution = match &transaction {
            Transaction::InvokeAndApplyAction { user, calls, .. } => {
                let facts = self.0.accounts.facts(*user, at).await?;
                let version = newest(facts.outside).ok_or_else(no_outside_execution)?;
                let cost = self
                    .cost(&Origin::Account(*user), calls, tip, snapshot)
                    .await;
                // What fails by itself may do well beside the actions.
                match cost {
                    Ok((_, cost)) => gas = gas.saturating_add(cost),
                    Err(PaymasterError::Refused(Refusal::Execution(_))) => {}
                    Err(error) => return Err(error),
                }
                Some(self.sealed(version, *user, calls.clone(), mode, tip, bounds))
            }
            _ => None,
        };
        let token = mode.token().unwrap_or(STRK);
        let price = self
            .price(token, gas.saturating_add(pool_fee), snapshot)
            .await?;
        let (most, margin) = (self.0.options.most, self.0.options.margin);
        let PrivateFee { fee, pool_in_token } =
            private_fee(gas, pool_fee, most, margin, price).ok_or_else(too_much)?;
        let withdraw = |amount| FeeAction::Withdraw {
            recipient: self.0.options.forwarder,
            token,
            amount,
        };
        let fee_action = match mode {
            FeeMode::Default(_) => withdraw(fee.max_in_token),
            FeeMode::Sponsored(Some(PoolFee::Sponsor)) => FeeAction::None,
            FeeMode::Sponsored(_) | FeeMode::SponsoredPrivate(_) => withdraw(pool_in_token),
        };
        Ok(BuiltTransaction {
            transaction,
            fee,
            execution,
            fee_action: Some(fee_action),
        })
    }

    /// Which version of outside execution the user's account has, and what its
    /// calls are expected to cost.
    async fn cost(
        &self,
        origin: &Origin<'_>,
        calls: &[SelectedCall],
        tip: u64,
        snapshot: &Snapshot,
    ) -> Result<(OutsideVersion, u128), PaymasterError> {
        let at = snapshot.head;
        let calls: Vec<ContractCall> = calls.iter().map(contract_call).collect();
        let invoking = |nonce| {
            let user = origin.user();
            let mut invoke = Broadcast::calls(user, &calls, nonce, ResourceBounds::default());
            invoke.terms.tip = tip;
            invoke
        };
        match origin {
            Origin::Account(user) => {
                let facts = self.0.accounts.facts(*user, at).await?;
                let version = newest(facts.outside).ok_or_else(no_outside_execution)?;
                let estimates = self.estimate(&[&invoking(facts.nonce)], snapshot).await?;
                Ok((version, self.relayed(&estimates, facts.signers, tip)?))
            }
            Origin::Deployment(deployment) => {
                check_deployment(deployment)?;
                let version = self.0.accounts.version_of_class(deployment.class_hash, at);
                let version = version.await?;
                let (deploying, invoking) = (deploying(deployment, tip), invoking(1));
                let estimates = self.estimate(&[&deploying, &invoking], snapshot).await?;
                Ok((version, self.relayed(&estimates, 0, tip)?))
            }
        }
    }

    async fn estimate(
        &self,
        broadcasts: &[&Broadcast],
        snapshot: &Snapshot,
    ) -> Result<Vec<FeeEstimate>, PaymasterError> {
        let at = snapshot.head;
        let asked =
            |node: chain::StarknetClient| async move { node.estimate_fees(broadcasts, at).await };
        Ok(self.0.nodes.ask(asked).await??)
    }

    /// What transactions cost together when somebody else sends them.
    fn relayed(
        &self,
        estimates: &[FeeEstimate],
        signers: usize,
        tip: u64,
    ) -> Result<u128, Refusal> {
        let options = &self.0.options;
        let last = estimates.last().ok_or_else(too_much)?;
        let several = signers > SIGNER_FELTS;
        let l2 = options.relay_gas + u64::from(several) * options.signers_gas;
        let l2_price = last.l2_gas_price.checked_add(tip.into());
        let l2 = l2_price.and_then(|price| price.checked_mul(l2.into()));
        let data = last
            .l1_data_gas_price
            .checked_mul(options.relay_data_gas.into());
        let overhead = l2.zip(data).and_then(|(l2, data)| l2.checked_add(data));
        let all = estimates.iter().try_fold(0_u128, |sum, estimate| {
            sum.checked_add(estimate.overall_fee)
        });
        let all = all
            .zip(overhead)
            .and_then(|(all, more)| all.checked_add(more));
        all.ok_or_else(too_much)
    }

    fn sealed(
        &self,
        version: OutsideVersion,
        user: Address,
        calls: Vec<SelectedCall>,
        mode: FeeMode,
        tip: u64,
        bounds: TimeBounds,
    ) -> OutsideExecution {
        let mut execution = OutsideExecution {
            version,
            caller: self.0.options.forwarder,
            nonce: primitives::Felt::ZERO,
            bounds,
            calls,
        };
        let random = self.0.entropy.bytes();
        self.0.key.seal(&mut execution, user, mode, tip, random);
        execution
    }
}

pub(super) fn contract_call(call: &SelectedCall) -> ContractCall {
    ContractCall {
        to: call.to,
        selector: call.selector,
        calldata: call.calldata.clone(),
    }
}

/// Whether a deployment leads to its address.
pub(super) fn check_deployment(deployment: &Deployment) -> Result<(), Refusal> {
    let Deployment {
        address,
        class_hash,
        salt,
        calldata,
        ..
    } = deployment;
    if contract_address(*class_hash, *salt, calldata) == *address {
        Ok(())
    } else {
        Err(Refusal::InvalidDeploymentData)
    }
}

/// The account deploying itself, which is as much work as deploying it for it.
fn deploying(deployment: &Deployment, tip: u64) -> Broadcast {
    Broadcast {
        action: BroadcastAction::DeployAccount {
            deployment: DeployAccount {
                class_hash: deployment.class_hash,
                salt: deployment.salt,
                constructor_calldata: deployment.calldata.clone(),
            },
            address: deployment.address,
        },
        terms: Terms {
            tip,
            ..Terms::default()
        },
        signature: Vec::new(),
    }
}

fn too_much() -> Refusal {
    Refusal::Execution("it costs more than can be said".to_owned())
}

fn no_outside_execution() -> Refusal {
    Refusal::Execution("the account has no outside execution (SNIP-9)".to_owned())
}
