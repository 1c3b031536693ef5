//! Ratings, and what owners reply.

use super::{LedgerTx, columns};
use crate::{
    LedgerStore,
    db::on,
    error::{StoreError, in_table},
    row::row,
};
use leasing::Stars;
use primitives::{Timestamp, Ulid};

const TABLE: &str = "rating";

/// What a trader said of a lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RatingRow {
    /// The public id.
    pub id: Ulid,
    /// The lease that it is about, which has no other one.
    pub lease: Ulid,
    /// The validator that it was of.
    pub validator: Ulid,
    /// One to five.
    pub stars: Stars,
    /// In words.
    pub comment: Option<String>,
    /// When.
    pub created_at: Timestamp,
    /// What the validator's owner replied, and when.
    pub reply: Option<(String, Timestamp)>,
}

row! {
    struct StoredRating {
        id: String,
        lease_id: String,
        validator_id: String,
        stars: i64,
        comment: Option<String>,
        created_at: i64,
        reply: Option<String>,
        replied_at: Option<i64>,
    }
}

impl StoredRating {
    fn decode(self) -> Result<RatingRow, StoreError> {
        let column = columns(TABLE);
        let replied_at = column("replied_at").times(self.replied_at)?;
        Ok(RatingRow {
            id: column("id").id(&self.id)?,
            lease: column("lease_id").id(&self.lease_id)?,
            validator: column("validator_id").id(&self.validator_id)?,
            stars: Stars::new(self.stars).ok_or_else(|| column("stars").corrupt())?,
            comment: self.comment,
            created_at: column("created_at").time(self.created_at)?,
            reply: self.reply.zip(replied_at),
        })
    }
}

impl LedgerTx {
    /// Adds a rating, to the sums of its validator too. `false` if the lease has
    /// one.
    pub async fn insert_rating(&mut self, row: &RatingRow) -> Result<bool, StoreError> {
        let stars = i64::from(row.stars.get());
        let inserted = on!(tx &mut self.0, connection =>
            sqlx::query(
                "INSERT INTO rating (id, lease_id, validator_id, stars, comment, created_at)
                 VALUES ($1, $2, $3, $4, $5, $6)
                 ON CONFLICT (lease_id) DO NOTHING",
            )
            .bind(row.id.to_string())
            .bind(row.lease.to_string())
            .bind(row.validator.to_string())
            .bind(stars)
            .bind(&row.comment)
            .bind(row.created_at.as_microsecond())
            .execute(connection)
            .await
            .map(|done| done.rows_affected())
        )
        .map_err(in_table(TABLE))?;
        if inserted == 0 {
            return Ok(false);
        }
        on!(tx &mut self.0, connection =>
            sqlx::query(
                "UPDATE validator
                 SET rating_stars = rating_stars + $2, rating_count = rating_count + 1
                 WHERE id = $1",
            )
            .bind(row.validator.to_string())
            .bind(stars)
            .execute(connection)
            .await
            .map(drop)
        )
        .map_err(in_table("validator"))?;
        Ok(true)
    }

    /// Writes the reply to a rating. `false` if it has one, or is not there.
    pub async fn reply_to_rating(
        &mut self,
        id: Ulid,
        text: &str,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        let replied = on!(tx &mut self.0, connection =>
            sqlx::query(
                "UPDATE rating SET reply = $2, replied_at = $3 WHERE id = $1 AND reply IS NULL",
            )
            .bind(id.to_string())
            .bind(text)
            .bind(at.as_microsecond())
            .execute(connection)
            .await
            .map(|done| done.rows_affected())
        )
        .map_err(in_table(TABLE))?;
        Ok(replied == 1)
    }
}

impl LedgerStore {
    /// The rating of an id.
    pub async fn rating(&self, id: Ulid) -> Result<Option<RatingRow>, StoreError> {
        let row: Option<StoredRating> = on!(reader self.db(), pool =>
            sqlx::query_as("SELECT * FROM rating WHERE id = $1")
                .bind(id.to_string())
                .fetch_optional(pool)
                .await
        )
        .map_err(in_table(TABLE))?;
        row.map(StoredRating::decode).transpose()
    }

    /// The ratings of a validator, the newest first, after one.
    pub async fn ratings_of(
        &self,
        validator: Ulid,
        after: Option<Ulid>,
        limit: u16,
    ) -> Result<Vec<RatingRow>, StoreError> {
        // No id begins with an 8.
        let before = after.map_or_else(|| "8".to_owned(), |id| id.to_string());
        let rows: Vec<StoredRating> = on!(reader self.db(), pool =>
            sqlx::query_as(
                "SELECT * FROM rating WHERE validator_id = $1 AND id < $2
                 ORDER BY id DESC LIMIT $3",
            )
            .bind(validator.to_string())
            .bind(before)
            .bind(i64::from(limit))
            .fetch_all(pool)
            .await
        )
        .map_err(in_table(TABLE))?;
        rows.into_iter().map(StoredRating::decode).collect()
    }
}
