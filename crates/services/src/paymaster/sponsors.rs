//! Sponsors: made by the operator, known by a key that is shown once.

use crate::{
    fault::Fault,
    generational_cache::GenerationalCache,
    keys::{DEMO_SPONSOR_KEY, digest, looks_like_a_key, new_secret},
};
use primitives::{Address, Clock, Entropy, Felt, SignedDuration, Timestamp, bytes_to_hex};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::{Activity, RuleKind, SponsorRow, SponsorRule, Store, StoreError};
use subtle::ConstantTimeEq as _;
use trading::paymaster::{CallRule, Rules};

/// What the simulated network's own sponsor begins with: a million STRK.
const DEMO_CREDITS: u128 = 1_000_000_000_000_000_000_000_000;

/// What an operator says of a new sponsor.
#[derive(Debug, Clone)]
pub struct NewSponsor {
    /// For people: it is known here by an id that is made for it.
    pub name: String,
    /// What it begins with, in the smallest unit of STRK.
    pub credits: u128,
    /// The most for one user in a day (UTC), in STRK's smallest unit; `None` for no limit.
    pub user_daily: Option<u128>,
    /// Which calls it pays for; without any rules, all.
    pub rules: Rules,
    /// Private pools whose fees it pays.
    pub pools: Vec<Address>,
}

/// A sponsor, with all that it says of calls and of pools.
#[derive(Debug, Clone)]
pub struct Sponsor {
    /// As it was last read: credits may have changed, and count when they are reserved.
    pub row: SponsorRow,
    /// Which calls it pays for.
    pub rules: Rules,
    /// Private pools whose fees it pays.
    pub pools: Vec<Address>,
}

impl Sponsor {
    /// The sponsor as an element, which the forwarder tells.
    pub fn metadata(&self) -> Felt {
        Felt::from_bytes_be_slice(self.row.id.as_bytes())
    }
}

/// What a sponsor paid, and has left.
#[derive(Debug, Clone)]
pub struct SponsorReport {
    /// The name that the operator gave it.
    pub name: String,
    /// What it paid, and has left.
    pub activity: Activity,
}

/// Why a sponsor was not changed.
#[derive(Debug, thiserror::Error)]
pub enum SponsorError {
    /// No sponsor has this id, or its key was disabled before.
    #[error("there is no such sponsor with a valid key")]
    Unknown,
    /// There would be more credits than can be.
    #[error("that is more than a sponsor can have")]
    TooMuch,
    /// Something that Stoa stands on failed.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl From<StoreError> for SponsorError {
    fn from(error: StoreError) -> Self {
        Self::Fault(error.into())
    }
}

/// How long a sponsor is remembered by its key: a key that was rotated or disabled
/// works no longer than this.
const REMEMBERED: SignedDuration = SignedDuration::from_secs(10);

/// Sponsors that are remembered, in each of the cache's two generations.
const KEPT: usize = 1_024;

/// Sponsors by the digests of their keys, and until when they are remembered.
type Remembered = GenerationalCache<[u8; 32], (Arc<Sponsor>, Timestamp)>;

/// Makes, lists, changes and recognises sponsors. Clones share everything.
#[derive(Debug, Clone)]
pub struct Sponsors(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    store: Store,
    remembered: Mutex<Remembered>,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
}

impl Sponsors {
    /// Those in the ledger of `store`, where other processes may change them, too.
    pub fn new(store: Store, clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> Self {
        Self(Arc::new(Parts {
            store,
            remembered: Mutex::new(GenerationalCache::counted(KEPT)),
            clock,
            entropy,
        }))
    }

    /// Makes a sponsor; also tells its key, which cannot be read again.
    pub async fn create(&self, new: &NewSponsor) -> Result<(SponsorRow, String), Fault> {
        let id = format!("spn_{}", bytes_to_hex(&self.0.entropy.bytes::<8>()));
        let secret = new_secret(&*self.0.entropy);
        let row = self.insert(id, new, &secret).await?;
        Ok((row, secret))
    }

    /// Makes sure that the simulated network's own sponsor is there.
    pub async fn ensure_demo(&self) -> Result<(), Fault> {
        let digest = digest(DEMO_SPONSOR_KEY);
        if self.0.store.ledger().find_sponsor(&digest).await?.is_some() {
            return Ok(());
        }
        let new = NewSponsor {
            name: "Demo".to_owned(),
            credits: DEMO_CREDITS,
            user_daily: None,
            rules: Rules::default(),
            pools: Vec::new(),
        };
        let made = self.insert("spn_demo".to_owned(), &new, DEMO_SPONSOR_KEY);
        match made.await {
            // Another process was first.
            Err(Fault::Store(StoreError::Exists { .. })) => Ok(()),
            made => made.map(drop),
        }
    }

    async fn insert(
        &self,
        id: String,
        new: &NewSponsor,
        secret: &str,
    ) -> Result<SponsorRow, Fault> {
        let row = SponsorRow {
            id,
            name: new.name.clone(),
            digest: digest(secret),
            credits: new.credits,
            user_daily: new.user_daily,
            created_at: self.0.clock.now(),
            disabled_at: None,
        };
        let mut tx = self.0.store.ledger().begin().await?;
        tx.insert_sponsor(&row).await?;
        for rule in stored_rules(&new.rules, &new.pools) {
            tx.insert_sponsor_rule(&row.id, &rule).await?;
        }
        tx.commit().await?;
        Ok(row)
    }

    /// Every sponsor, the oldest first.
    pub async fn list(&self) -> Result<Vec<SponsorRow>, Fault> {
        Ok(self.0.store.ledger().list_sponsors().await?)
    }

    /// A sponsor by its id, whether its key is valid or not.
    pub async fn find(&self, id: &str) -> Result<Sponsor, SponsorError> {
        let row = self.0.store.ledger().sponsor(id).await?;
        Ok(self.with_rules(row.ok_or(SponsorError::Unknown)?).await?)
    }

    /// Whose key this is, if it is a valid one. Credits may be those of a moment ago.
    pub async fn recognise(&self, secret: &str) -> Result<Option<Arc<Sponsor>>, Fault> {
        let (digest, now) = (digest(secret), self.0.clock.now());
        if let Some((sponsor, until)) = self.remembered().get(&digest)
            // The second half holds when the clock was set back.
            && (now < *until && until.duration_since(now) <= REMEMBERED)
        {
            return Ok(Some(Arc::clone(sponsor)));
        }
        let Some(row) = self.row_of(secret).await? else {
            return Ok(None);
        };
        let sponsor = Arc::new(self.with_rules(row).await?);
        let until = now.checked_add(REMEMBERED).unwrap_or(now);
        self.remembered().put(digest, (Arc::clone(&sponsor), until));
        Ok(Some(sponsor))
    }

    fn remembered(&self) -> MutexGuard<'_, Remembered> {
        let remembered = self.0.remembered.lock();
        remembered.unwrap_or_else(PoisonError::into_inner)
    }

    async fn row_of(&self, secret: &str) -> Result<Option<SponsorRow>, Fault> {
        if !looks_like_a_key(secret) {
            return Ok(None);
        }
        let digest = digest(secret);
        let row = self.0.store.ledger().find_sponsor(&digest).await?;
        let same = |row: &SponsorRow| bool::from(row.digest.ct_eq(&digest));
        Ok(row.filter(|row| same(row) && row.disabled_at.is_none()))
    }

    async fn with_rules(&self, row: SponsorRow) -> Result<Sponsor, Fault> {
        let stored = self.0.store.ledger().sponsor_rules(&row.id).await?;
        let (mut rules, mut pools) = (Rules::default(), Vec::new());
        for rule in stored {
            let call = CallRule {
                contract: rule.contract,
                selector: rule.selector,
            };
            match rule.kind {
                RuleKind::Allow => rules.allowed.push(call),
                RuleKind::Deny => rules.denied.push(call),
                RuleKind::Pool => pools.push(rule.contract),
            }
        }
        Ok(Sponsor { row, rules, pools })
    }

    /// Adds credits, in the smallest unit of STRK; says what there is then.
    pub async fn credit(&self, id: &str, amount: u128) -> Result<u128, SponsorError> {
        let mut tx = self.0.store.ledger().begin().await?;
        let row = tx.lock_sponsor(id).await?.ok_or(SponsorError::Unknown)?;
        let credits = row.credits.checked_add(amount);
        let credits = credits.ok_or(SponsorError::TooMuch)?;
        tx.set_credits(id, credits).await?;
        tx.commit().await?;
        Ok(credits)
    }

    /// Gives a sponsor another key, which is told once; the former one is none
    /// from now on.
    pub async fn rotate(&self, id: &str) -> Result<String, SponsorError> {
        let secret = new_secret(&*self.0.entropy);
        let mut tx = self.0.store.ledger().begin().await?;
        if !tx.rotate_sponsor(id, &digest(&secret)).await? {
            return Err(SponsorError::Unknown);
        }
        tx.commit().await?;
        Ok(secret)
    }

    /// Ends a sponsor's key for good; whoever just took it may do so for some seconds more.
    pub async fn disable(&self, id: &str) -> Result<(), SponsorError> {
        let mut tx = self.0.store.ledger().begin().await?;
        if !tx.disable_sponsor(id, self.0.clock.now()).await? {
            return Err(SponsorError::Unknown);
        }
        tx.commit().await?;
        Ok(())
    }

    /// What the sponsor of a key paid between two times of blocks, a week until
    /// now where nothing is said; none for what is no valid key.
    pub async fn report(
        &self,
        secret: &str,
        from: Option<Timestamp>,
        to: Option<Timestamp>,
    ) -> Result<Option<SponsorReport>, Fault> {
        let Some(row) = self.row_of(secret).await? else {
            return Ok(None);
        };
        let now = self.0.clock.now();
        let week = SignedDuration::from_hours(7 * 24);
        let from = from.unwrap_or_else(|| now.checked_sub(week).unwrap_or(Timestamp::MIN));
        let ledger = self.0.store.ledger();
        let activity = ledger.sponsor_activity(&row.id, from, to.unwrap_or(now));
        Ok(Some(SponsorReport {
            activity: activity.await?,
            name: row.name,
        }))
    }
}

fn stored_rules(rules: &Rules, pools: &[Address]) -> Vec<SponsorRule> {
    let of = |kind| {
        move |call: &CallRule| SponsorRule {
            kind,
            contract: call.contract,
            selector: call.selector,
        }
    };
    let pools = pools.iter().map(|pool| SponsorRule {
        kind: RuleKind::Pool,
        contract: *pool,
        selector: None,
    });
    let allowed = rules.allowed.iter().map(of(RuleKind::Allow));
    let denied = rules.denied.iter().map(of(RuleKind::Deny));
    allowed.chain(denied).chain(pools).collect()
}
