//! Finding validators.

use super::validator::{StoredValidator, ValidatorRow};
use crate::{
    LedgerStore,
    db::on,
    error::{StoreError, in_table},
};
use leasing::{Mode, Region, Tier};
use primitives::Ulid;
use sqlx::QueryBuilder;

/// Which validators are looked for, among those that are listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrowseQuery {
    /// At least this price, in lamports, of the mode looked for.
    pub price_min: Option<i64>,
    /// At most this price.
    pub price_max: Option<i64>,
    /// In this region; in any without it.
    pub region: Option<Region>,
    /// Of this class.
    pub tier: Option<Tier>,
    /// That offer this mode.
    pub mode: Option<Mode>,
    /// That can be booked in this epoch.
    pub available_epoch: Option<i32>,
    /// In this order, which `after` goes by.
    pub order: BrowseOrder,
    /// After the one with this value and id.
    pub after: Option<(i64, Ulid)>,
    /// At most so many.
    pub limit: u16,
}

/// An order of validators. Its value is in the first column, ids decide where
/// values are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrowseOrder {
    /// By price, the cheapest first.
    Price,
    /// By stake, the most first.
    Stake,
    /// By the average rating, the best first, those without any last.
    Rating,
    /// By uptime, the most first, those without any last.
    Uptime,
    /// By effectiveness, the most first, those without any last.
    Effectiveness,
    /// By id, the newest first.
    Newest,
}

/// The average rating in thousandths; 0 where there is none.
const RATING: &str = "COALESCE(v.rating_stars * 1000 / NULLIF(v.rating_count, 0), 0)";

/// What makes an epoch impossible to book, by the mode looked for.
fn occupied(mode: Option<Mode>) -> &'static str {
    match mode {
        Some(Mode::Exclusive) => "(e.exclusive_lease IS NOT NULL OR e.shared_used > 0)",
        Some(Mode::Shared) => "(e.exclusive_lease IS NOT NULL OR e.shared_used >= v.shared_seats)",
        None => {
            "(e.exclusive_lease IS NOT NULL
              OR (e.shared_used > 0 AND e.shared_used >= COALESCE(v.shared_seats, 0)))"
        }
    }
}

impl LedgerStore {
    /// Listed validators.
    pub async fn browse(&self, query: &BrowseQuery) -> Result<Vec<ValidatorRow>, StoreError> {
        let price = match query.mode {
            Some(Mode::Shared) => "v.shared_price",
            Some(Mode::Exclusive) | None => "v.price",
        };
        let (value, direction, beyond) = match query.order {
            BrowseOrder::Price => (price, "ASC", ">"),
            BrowseOrder::Stake => ("v.stake", "DESC", "<"),
            BrowseOrder::Rating => (RATING, "DESC", "<"),
            BrowseOrder::Uptime => ("COALESCE(v.uptime, -1)", "DESC", "<"),
            BrowseOrder::Effectiveness => ("COALESCE(v.effectiveness, -1)", "DESC", "<"),
            BrowseOrder::Newest => ("0", "DESC", "<"),
        };
        let rows: Vec<StoredValidator> = on!(reader self.db(), pool => {
            let mut select =
                QueryBuilder::new("SELECT v.* FROM validator AS v WHERE v.status = 'listed'");
            if query.mode == Some(Mode::Shared) {
                select.push(" AND v.shared_price IS NOT NULL");
            }
            if let Some(least) = query.price_min {
                select.push(format_args!(" AND {price} >= ")).push_bind(least);
            }
            if let Some(most) = query.price_max {
                select.push(format_args!(" AND {price} <= ")).push_bind(most);
            }
            if let Some(region) = &query.region {
                select.push(" AND v.region = ").push_bind(region.as_str());
            }
            if let Some(tier) = query.tier {
                select.push(" AND v.tier = ").push_bind(tier.as_str());
            }
            if let Some(epoch) = query.available_epoch {
                select
                    .push(
                        " AND NOT EXISTS (SELECT 1 FROM validator_epoch AS e
                          WHERE e.validator_id = v.id AND e.epoch = ",
                    )
                    .push_bind(i64::from(epoch))
                    .push(format_args!(" AND {})", occupied(query.mode)));
            }
            if let Some((after, id)) = query.after {
                if query.order == BrowseOrder::Newest {
                    select.push(" AND v.id < ").push_bind(id.to_string());
                } else {
                    select
                        .push(format_args!(" AND ({value}, v.id) {beyond} ("))
                        .push_bind(after)
                        .push(", ")
                        .push_bind(id.to_string())
                        .push(")");
                }
            }
            if query.order == BrowseOrder::Newest {
                select.push(" ORDER BY v.id DESC");
            } else {
                select.push(format_args!(" ORDER BY {value} {direction}, v.id {direction}"));
            }
            select.push(" LIMIT ").push_bind(i64::from(query.limit));
            select.build_query_as().fetch_all(pool).await
        })
        .map_err(in_table("validator"))?;
        rows.into_iter().map(StoredValidator::decode).collect()
    }
}
