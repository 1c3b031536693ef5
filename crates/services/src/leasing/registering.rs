//! Registering a validator, and changing where its share goes: both are signed
//! with its identity's key.

use super::{
    audit::Subject,
    secret,
    solana::ClusterVotes,
    validator_view::{ValidatorView, ValidatorWarning},
    validators::Validators,
};
use crate::{fault::Fault, refused::Refused};
use chain::SolanaClient;
use leasing::{
    BelowRent, Bill, Draft, FieldError, Leg, ListingStatus, Memo, Payment, PayoutDraft, Proof,
    RatingSum, verify_challenge,
};
use primitives::{Lamports, OrImpossible as _, PublicKey, SignedDuration, Ulid};
use serde_json::json;
use store::{
    StoreError,
    leasing::{Actor, LedgerTx, Performance, StakeRow, User, ValidatorRow},
};

/// How long a nonce is remembered: no challenge that has it can be timely then.
const NONCE_LIFETIME: SignedDuration = SignedDuration::from_mins(15);

/// Why a validator was not registered, in the order of the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegisterError {
    /// Neither a user nor an onboarding token.
    NoOwner,
    /// The user is no validator.
    Forbidden,
    /// One is missing, or not as it must be.
    Field(FieldError),
    /// The challenge is not of the last or next five minutes.
    TimestampSkew,
    /// The identity did not sign the challenge.
    Signature,
    /// The nonce was used.
    NonceReplay,
    /// The onboarding token is unknown, expired or used.
    OnboardingToken,
    /// The identity is registered.
    AlreadyRegistered,
    /// No vote account has this identity.
    NotAChainValidator,
}

/// Why a payout wallet was not changed, in the order of the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PayoutError {
    /// One is missing, or not as it must be.
    Field(FieldError),
    /// The challenge is not of the last or next five minutes.
    TimestampSkew,
    /// The identity did not sign the challenge.
    Signature,
    /// The nonce was used.
    NonceReplay,
    /// No such identity is registered.
    NotFound,
    /// The user did not register it.
    Forbidden,
}

impl Validators {
    /// Registers a validator, for a user or for whoever opened the onboarding
    /// session. Nonce, token and validator are written together or not at all.
    pub async fn register(
        &self,
        user: Option<&User>,
        draft: &Draft,
        onboard_token: Option<&str>,
    ) -> Result<ValidatorView, Refused<RegisterError>> {
        let context = &*self.0;
        let reject = |error| Err(Refused::Rejected(error));
        match (user, onboard_token) {
            (None, None) => return reject(RegisterError::NoOwner),
            (Some(user), None) if !user.roles.validator => {
                return reject(RegisterError::Forbidden);
            }
            _ => {}
        }
        let options = &context.options;
        let registration = draft
            .check(&options.regions, options.platform_wallet)
            .map_err(|error| Refused::Rejected(RegisterError::Field(error)))?;
        let (identity, proof) = (registration.identity, &registration.proof);
        let token = onboard_token.map(secret::digest);
        // Whose it is to be is part of what was signed.
        let Some(owner) = self.owner(user, token.as_ref()).await? else {
            return reject(if proof.is_timely(context.now()) {
                RegisterError::OnboardingToken
            } else {
                RegisterError::TimestampSkew
            });
        };
        let text = registration.challenge(&options.domain, owner.account);
        match self.check_proof(identity, proof, &text).await? {
            Proven::Yes => {}
            Proven::Skewed => return reject(RegisterError::TimestampSkew),
            Proven::Not => return reject(RegisterError::Signature),
            Proven::Replayed => return reject(RegisterError::NonceReplay),
        }
        if !owner.is_usable {
            return reject(RegisterError::OnboardingToken);
        }
        let owner = owner.account;
        if context
            .store
            .ledger()
            .validator_of(identity)
            .await?
            .is_some()
        {
            return reject(RegisterError::AlreadyRegistered);
        }
        let told = context.votes.told().await?;
        let Some(stake) = stake_row(&told, identity) else {
            return reject(RegisterError::NotAChainValidator);
        };
        let row = ValidatorRow {
            id: context.new_id(),
            owner,
            identity,
            payout_wallet: registration.payout_wallet,
            name: registration.name.clone(),
            endpoint: registration.endpoint.clone(),
            terms: registration.terms.clone(),
            status: ListingStatus::Listed,
            stake,
            rating: RatingSum::default(),
            performance: Performance::default(),
            created_at: context.now(),
        };
        let warnings = self.warnings(&row).await?;
        let mut tx = context.store.ledger().begin().await?;
        if !self.use_nonce(&mut tx, identity, proof).await? {
            return reject(RegisterError::NonceReplay);
        }
        match tx.insert_validator(&row).await {
            Err(StoreError::Exists { .. }) => return reject(RegisterError::AlreadyRegistered),
            inserted => inserted?,
        }
        if let Some(token) = &token
            && !tx.use_onboarding(token, row.id, context.now()).await?
        {
            return reject(RegisterError::OnboardingToken);
        }
        let detail = json!({
            "identity": row.identity,
            "payout_wallet": row.payout_wallet,
            "terms": row.terms.canonical(),
        });
        let what = Subject::new("validator", &row.id);
        context
            .audit(
                &mut tx,
                Actor::User(owner),
                "validator.registered",
                what,
                &detail,
            )
            .await?;
        tx.commit().await?;
        context.pages.forget();
        let mut view = self.detailed(row).await?;
        view.warnings = warnings;
        Ok(view)
    }

    /// Changes where the share of a validator goes. Payments that were asked
    /// for keep the wallet that they name.
    pub async fn change_payout_wallet(
        &self,
        user: &User,
        draft: &PayoutDraft,
    ) -> Result<ValidatorView, Refused<PayoutError>> {
        let context = &*self.0;
        let reject = |error| Err(Refused::Rejected(error));
        let change = draft
            .check(context.options.platform_wallet)
            .map_err(|error| Refused::Rejected(PayoutError::Field(error)))?;
        let text = change.challenge(&context.options.domain);
        match self
            .check_proof(change.identity, &change.proof, &text)
            .await?
        {
            Proven::Yes => {}
            Proven::Skewed => return reject(PayoutError::TimestampSkew),
            Proven::Not => return reject(PayoutError::Signature),
            Proven::Replayed => return reject(PayoutError::NonceReplay),
        }
        let Some(found) = context.store.ledger().validator_of(change.identity).await? else {
            return reject(PayoutError::NotFound);
        };
        if found.owner != user.id {
            return reject(PayoutError::Forbidden);
        }
        let mut tx = context.store.ledger().begin().await?;
        if !self
            .use_nonce(&mut tx, change.identity, &change.proof)
            .await?
        {
            return reject(PayoutError::NonceReplay);
        }
        let Some(mut row) = tx.lock_validator(found.id).await? else {
            return reject(PayoutError::NotFound);
        };
        let detail = json!({"from": row.payout_wallet, "to": change.payout_wallet});
        row.payout_wallet = change.payout_wallet;
        tx.update_validator(&row).await?;
        let what = Subject::new("validator", &row.id);
        let actor = Actor::User(user.id);
        context
            .audit(&mut tx, actor, "validator.payout_wallet", what, &detail)
            .await?;
        tx.commit().await?;
        context.pages.forget();
        // The wallet is changed; a node that is silent costs a warning alone.
        let warnings = self.warnings(&row).await.unwrap_or_default();
        let mut view = self.detailed(row).await?;
        view.warnings = warnings;
        Ok(view)
    }
}

/// Whose a validator is to be.
struct Owner {
    account: Ulid,
    /// Whether the onboarding session, if it is one, can still be used.
    is_usable: bool,
}

/// What a proof is worth.
pub(super) enum Proven {
    Yes,
    Skewed,
    Not,
    Replayed,
}

/// What the cluster says of an identity, if it is one of a validator.
pub(super) fn stake_row(told: &ClusterVotes, identity: PublicKey) -> Option<StakeRow> {
    let stake = told.votes.stake_of(identity)?;
    let accounts = told.votes.current.iter().chain(&told.votes.delinquent);
    let own = accounts.filter(|account| account.identity == identity);
    Some(StakeRow {
        vote_account: own
            .max_by_key(|account| account.activated_stake)
            .map(|account| account.key),
        stake: stake.stake,
        epoch: told.epoch,
        delinquent: stake.delinquent,
    })
}

impl Validators {
    pub(super) async fn check_proof(
        &self,
        identity: PublicKey,
        proof: &Proof,
        text: &str,
    ) -> Result<Proven, Fault> {
        if !proof.is_timely(self.0.now()) {
            return Ok(Proven::Skewed);
        }
        if verify_challenge(identity, text, proof.signature).is_err() {
            return Ok(Proven::Not);
        }
        let used = self
            .0
            .store
            .ledger()
            .is_nonce_used(identity, &proof.nonce)
            .await?;
        Ok(if used { Proven::Replayed } else { Proven::Yes })
    }

    pub(super) async fn use_nonce(
        &self,
        tx: &mut LedgerTx,
        identity: PublicKey,
        proof: &Proof,
    ) -> Result<bool, Fault> {
        let until = self.0.in_future(NONCE_LIFETIME);
        Ok(tx.use_nonce(identity, &proof.nonce, until).await?)
    }

    /// Whose validator it becomes: of whoever opened the onboarding session,
    /// or else of the user. `None` if there is no such session.
    async fn owner(
        &self,
        user: Option<&User>,
        token: Option<&[u8; 32]>,
    ) -> Result<Option<Owner>, Fault> {
        let Some(token) = token else {
            return Ok(user.map(|user| Owner {
                account: user.id,
                is_usable: true,
            }));
        };
        let session = self.0.store.ledger().onboarding(token).await?;
        Ok(session.map(|session| Owner {
            account: session.user,
            is_usable: session.validator.is_none() && self.0.now() < session.expires_at,
        }))
    }

    /// What an owner should know of the payout wallet.
    pub(super) async fn warnings(
        &self,
        row: &ValidatorRow,
    ) -> Result<Vec<ValidatorWarning>, Fault> {
        let client = self.0.nodes.client()?;
        let Ok(bill) = Bill::new(row.terms.price, 1, self.0.options.fee) else {
            return Ok(Vec::new());
        };
        let memo = "RENT"
            .parse::<Memo>()
            .or_impossible("a memo may be a word")?;
        let payment = Payment::new(
            memo,
            Leg {
                wallet: row.payout_wallet,
                amount: bill.share,
            },
            Leg {
                wallet: self.0.options.platform_wallet,
                amount: Lamports::ZERO,
            },
        )?;
        let below = check_rent(&client, &payment).await?;
        Ok(below
            .into_iter()
            .map(ValidatorWarning::PayoutBelowRent)
            .collect())
    }
}

/// Which wallet of a payment the chain would not let receive its part.
pub(super) async fn check_rent(
    client: &SolanaClient,
    payment: &Payment,
) -> Result<Option<BelowRent>, Fault> {
    let (payout, platform, minimum) = futures_util::try_join!(
        client.balance(payment.payout().wallet),
        client.balance(payment.platform().wallet),
        client.rent_minimum(0),
    )
    .map_err(Fault::Solana)?;
    Ok(payment.check_rent(payout, platform, minimum).err())
}
