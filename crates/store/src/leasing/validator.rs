//! Validators.

use super::{LedgerTx, Performance, columns};
use crate::{
    LedgerStore,
    db::{Tx, on},
    error::{StoreError, in_table},
    row::row,
};
use leasing::{ListingStatus, Offer, RatingSum, Share, Shared, ValidatorTerms};
use primitives::{Lamports, PublicKey, Timestamp, Ulid};
use sqlx::QueryBuilder;

const TABLE: &str = "validator";
const NONCE: &str = "validator_nonce";

/// A registered validator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValidatorRow {
    /// The public id.
    pub id: Ulid,
    /// Who registered it.
    pub owner: Ulid,
    /// Its identity on the chain.
    pub identity: PublicKey,
    /// Where its share goes.
    pub payout_wallet: PublicKey,
    /// What people call it.
    pub name: Option<String>,
    /// Where lessees connect.
    pub endpoint: Option<String>,
    /// What it offers.
    pub terms: ValidatorTerms,
    /// Whether it can be seen and booked.
    pub status: ListingStatus,
    /// What the cluster said last.
    pub stake: StakeRow,
    /// What its lessees said.
    pub rating: RatingSum,
    /// How well it does.
    pub performance: Performance,
    /// Since when.
    pub created_at: Timestamp,
}

/// What the cluster said of a validator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StakeRow {
    /// The vote account with the most stake.
    pub vote_account: Option<PublicKey>,
    /// The stake of all of them.
    pub stake: Lamports,
    /// When.
    pub epoch: u64,
    /// Whether it had fallen behind.
    pub delinquent: bool,
}

impl ValidatorRow {
    /// The validator, as far as a booking depends on it.
    pub fn offer(&self) -> Offer<'_> {
        Offer {
            owner: self.owner,
            status: self.status,
            terms: &self.terms,
            payout_wallet: self.payout_wallet,
        }
    }
}

row! {
    pub(super) struct StoredValidator {
        id: String,
        owner_id: String,
        identity: Vec<u8>,
        payout_wallet: Vec<u8>,
        name: Option<String>,
        endpoint: Option<String>,
        price: i64,
        shared_price: Option<i64>,
        shared_seats: Option<i64>,
        tier: String,
        region: String,
        status: String,
        vote_account: Option<Vec<u8>>,
        stake: i64,
        stake_epoch: i64,
        delinquent: i64,
        rating_stars: i64,
        rating_count: i64,
        uptime: Option<i64>,
        effectiveness: Option<i64>,
        created_at: i64,
    }
}

impl StoredValidator {
    pub(super) fn decode(self) -> Result<ValidatorRow, StoreError> {
        let column = columns(TABLE);
        let share = |name, stored: Option<i64>| {
            let read =
                |stored| Share::from_millionths(stored).ok_or_else(|| column(name).corrupt());
            stored.map(read).transpose()
        };
        let shared = match (self.shared_price, self.shared_seats) {
            (Some(price), Some(seats)) => Some(Shared {
                price: column("shared_price").lamports(price)?,
                seats: column("shared_seats").narrow(seats)?,
            }),
            _ => None,
        };
        Ok(ValidatorRow {
            id: column("id").id(&self.id)?,
            owner: column("owner_id").id(&self.owner_id)?,
            identity: column("identity").key(&self.identity)?,
            payout_wallet: column("payout_wallet").key(&self.payout_wallet)?,
            name: self.name,
            endpoint: self.endpoint,
            terms: ValidatorTerms {
                price: column("price").lamports(self.price)?,
                shared,
                tier: column("tier").word(&self.tier)?,
                region: column("region").word(&self.region)?,
            },
            status: column("status").word(&self.status)?,
            stake: StakeRow {
                vote_account: column("vote_account").keys(self.vote_account.as_deref())?,
                stake: column("stake").lamports(self.stake)?,
                epoch: column("stake_epoch").counter(self.stake_epoch)?,
                delinquent: column("delinquent").flag(self.delinquent)?,
            },
            rating: RatingSum {
                stars: column("rating_stars").counter(self.rating_stars)?,
                count: column("rating_count").counter(self.rating_count)?,
            },
            performance: Performance {
                uptime: share("uptime", self.uptime)?,
                effectiveness: share("effectiveness", self.effectiveness)?,
            },
            created_at: column("created_at").time(self.created_at)?,
        })
    }
}

/// The commercial columns as they are stored.
struct Priced {
    price: i64,
    shared_price: Option<i64>,
    shared_seats: Option<i64>,
}

impl Priced {
    fn new(terms: &ValidatorTerms) -> Result<Self, StoreError> {
        let column = columns(TABLE);
        let shared_price = terms
            .shared
            .map(|shared| column("shared_price").to_stored_lamports(shared.price));
        Ok(Self {
            price: column("price").to_stored_lamports(terms.price)?,
            shared_price: shared_price.transpose()?,
            shared_seats: terms.shared.map(|shared| i64::from(shared.seats)),
        })
    }
}

impl LedgerTx {
    /// Uses a nonce of an identity up. `false` if it was used before.
    pub async fn use_nonce(
        &mut self,
        identity: PublicKey,
        nonce: &str,
        expires_at: Timestamp,
    ) -> Result<bool, StoreError> {
        let used = on!(tx &mut self.0, connection =>
            sqlx::query(
                "INSERT INTO validator_nonce (identity, nonce, expires_at) VALUES ($1, $2, $3)
                 ON CONFLICT (identity, nonce) DO NOTHING",
            )
            .bind(identity.as_bytes().as_slice())
            .bind(nonce)
            .bind(expires_at.as_microsecond())
            .execute(connection)
            .await
            .map(|done| done.rows_affected())
        )
        .map_err(in_table(NONCE))?;
        Ok(used == 1)
    }

    /// Adds a validator, which nobody has rated or watched. An identity that is there
    /// already is [`StoreError::Exists`].
    pub async fn insert_validator(&mut self, row: &ValidatorRow) -> Result<(), StoreError> {
        let column = columns(TABLE);
        let priced = Priced::new(&row.terms)?;
        let stake = column("stake").to_stored_lamports(row.stake.stake)?;
        let stake_epoch = column("stake_epoch").to_stored(row.stake.epoch)?;
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "INSERT INTO validator
                 (id, owner_id, identity, payout_wallet, name, endpoint, price, shared_price,
                  shared_seats, tier, region, status, vote_account, stake, stake_epoch,
                  delinquent, created_at)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
                         $17)",
            )
            .bind(row.id.to_string())
            .bind(row.owner.to_string())
            .bind(row.identity.as_bytes().as_slice())
            .bind(row.payout_wallet.as_bytes().as_slice())
            .bind(&row.name)
            .bind(&row.endpoint)
            .bind(priced.price)
            .bind(priced.shared_price)
            .bind(priced.shared_seats)
            .bind(row.terms.tier.as_str())
            .bind(row.terms.region.as_str())
            .bind(row.status.as_str())
            .bind(row.stake.vote_account.as_ref().map(|key| key.as_bytes().as_slice()))
            .bind(stake)
            .bind(stake_epoch)
            .bind(i64::from(row.stake.delinquent))
            .bind(row.created_at.as_microsecond())
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(TABLE))
    }

    /// The validator of an id, kept from others until the transaction ends:
    /// whoever changes its calendar does so one after the other.
    pub async fn lock_validator(&mut self, id: Ulid) -> Result<Option<ValidatorRow>, StoreError> {
        let id = id.to_string();
        let row: Option<StoredValidator> = match &mut self.0 {
            // The transaction has the write lock already.
            Tx::Sqlite(connection) => {
                sqlx::query_as("SELECT * FROM validator WHERE id = $1")
                    .bind(id)
                    .fetch_optional(&mut **connection)
                    .await
            }
            Tx::Postgres(connection) => {
                sqlx::query_as("SELECT * FROM validator WHERE id = $1 FOR NO KEY UPDATE")
                    .bind(id)
                    .fetch_optional(&mut **connection)
                    .await
            }
        }
        .map_err(in_table(TABLE))?;
        row.map(StoredValidator::decode).transpose()
    }

    /// Writes what an owner may change: terms, name, endpoint, status, wallet.
    pub async fn update_validator(&mut self, row: &ValidatorRow) -> Result<(), StoreError> {
        let priced = Priced::new(&row.terms)?;
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "UPDATE validator
                 SET payout_wallet = $2, name = $3, endpoint = $4, price = $5, shared_price = $6,
                     shared_seats = $7, tier = $8, region = $9, status = $10
                 WHERE id = $1",
            )
            .bind(row.id.to_string())
            .bind(row.payout_wallet.as_bytes().as_slice())
            .bind(&row.name)
            .bind(&row.endpoint)
            .bind(priced.price)
            .bind(priced.shared_price)
            .bind(priced.shared_seats)
            .bind(row.terms.tier.as_str())
            .bind(row.terms.region.as_str())
            .bind(row.status.as_str())
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(TABLE))
    }

    /// Gives a validator to another owner.
    pub async fn set_owner(&mut self, id: Ulid, owner: Ulid) -> Result<(), StoreError> {
        on!(tx &mut self.0, connection =>
            sqlx::query("UPDATE validator SET owner_id = $2 WHERE id = $1")
                .bind(id.to_string())
                .bind(owner.to_string())
                .execute(connection)
                .await
                .map(drop)
        )
        .map_err(in_table(TABLE))
    }

    /// Writes what the cluster said of a validator.
    pub async fn update_stake(&mut self, id: Ulid, stake: &StakeRow) -> Result<(), StoreError> {
        let column = columns(TABLE);
        let amount = column("stake").to_stored_lamports(stake.stake)?;
        let epoch = column("stake_epoch").to_stored(stake.epoch)?;
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "UPDATE validator
                 SET vote_account = $2, stake = $3, stake_epoch = $4, delinquent = $5
                 WHERE id = $1",
            )
            .bind(id.to_string())
            .bind(stake.vote_account.as_ref().map(|key| key.as_bytes().as_slice()))
            .bind(amount)
            .bind(epoch)
            .bind(i64::from(stake.delinquent))
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table(TABLE))
    }
}

impl LedgerStore {
    /// The validator of an id.
    pub async fn validator(&self, id: Ulid) -> Result<Option<ValidatorRow>, StoreError> {
        let row: Option<StoredValidator> = on!(reader self.db(), pool =>
            sqlx::query_as("SELECT * FROM validator WHERE id = $1")
                .bind(id.to_string())
                .fetch_optional(pool)
                .await
        )
        .map_err(in_table(TABLE))?;
        row.map(StoredValidator::decode).transpose()
    }

    /// The validator of an identity.
    pub async fn validator_of(
        &self,
        identity: PublicKey,
    ) -> Result<Option<ValidatorRow>, StoreError> {
        let row: Option<StoredValidator> = on!(reader self.db(), pool =>
            sqlx::query_as("SELECT * FROM validator WHERE identity = $1")
                .bind(identity.as_bytes().as_slice())
                .fetch_optional(pool)
                .await
        )
        .map_err(in_table(TABLE))?;
        row.map(StoredValidator::decode).transpose()
    }

    /// Validators by their ids, after one, whatever their status.
    pub async fn validators(
        &self,
        after: Option<Ulid>,
        limit: u16,
    ) -> Result<Vec<ValidatorRow>, StoreError> {
        let after = after.map_or_else(String::new, |id| id.to_string());
        let rows: Vec<StoredValidator> = on!(reader self.db(), pool =>
            sqlx::query_as("SELECT * FROM validator WHERE id > $1 ORDER BY id LIMIT $2")
                .bind(after)
                .bind(i64::from(limit))
                .fetch_all(pool)
                .await
        )
        .map_err(in_table(TABLE))?;
        rows.into_iter().map(StoredValidator::decode).collect()
    }

    /// The validators of some ids, in the order of these, whatever their status.
    pub async fn validators_named(&self, ids: &[Ulid]) -> Result<Vec<ValidatorRow>, StoreError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let rows: Vec<StoredValidator> = on!(reader self.db(), pool => {
            let mut select = QueryBuilder::new("SELECT * FROM validator WHERE id IN (");
            let mut list = select.separated(", ");
            for id in ids {
                list.push_bind(id.to_string());
            }
            select.push(") ORDER BY id");
            select.build_query_as().fetch_all(pool).await
        })
        .map_err(in_table(TABLE))?;
        rows.into_iter().map(StoredValidator::decode).collect()
    }

    /// Whether a nonce of an identity was used.
    pub async fn is_nonce_used(
        &self,
        identity: PublicKey,
        nonce: &str,
    ) -> Result<bool, StoreError> {
        let used: Option<i64> = on!(reader self.db(), pool =>
            sqlx::query_scalar(
                "SELECT expires_at FROM validator_nonce WHERE identity = $1 AND nonce = $2",
            )
            .bind(identity.as_bytes().as_slice())
            .bind(nonce)
            .fetch_optional(pool)
            .await
        )
        .map_err(in_table(NONCE))?;
        Ok(used.is_some())
    }
}
