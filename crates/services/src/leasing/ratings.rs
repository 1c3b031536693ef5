//! Ratings: what traders say of leases that are over, and what owners reply.

use super::{audit::Subject, context::Context, page::Page, validators::is_visible};
use crate::{fault::Fault, refused::Refused};
use leasing::{RateError, Remark, Stars};
use primitives::Ulid;
use serde_json::json;
use std::sync::Arc;
use store::leasing::{Actor, RatingRow, User};

/// Ratings of a market. Clones share everything.
#[derive(Debug, Clone)]
pub struct Ratings(pub(super) Arc<Context>);

/// Why a lease was not rated, in the order of the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RatingError {
    /// This user cannot rate it, or not yet.
    Rate(RateError),
    /// A lease is rated once, and this one was.
    AlreadyRated,
}

/// Why there is no reply, in the order of the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyError {
    /// There is no such rating.
    NotFound,
    /// The user does not own the validator.
    Forbidden,
    /// It has a reply already.
    AlreadyReplied,
}

impl Ratings {
    /// Rates a lease, for the trader who booked it, once.
    pub async fn rate(
        &self,
        user: &User,
        lease: Ulid,
        stars: Stars,
        comment: Option<&Remark>,
    ) -> Result<RatingRow, Refused<RatingError>> {
        let context = &*self.0;
        let ledger = context.store.ledger();
        let reject = |error| Refused::Rejected(RatingError::Rate(error));
        let found = ledger.lease(lease).await?;
        let found = found.ok_or_else(|| reject(RateError::NotFound))?;
        let usage = ledger.usage_of(lease).await?;
        found.may_rate(user.party(), usage.signs).map_err(reject)?;
        let row = RatingRow {
            id: context.new_id(),
            lease,
            validator: found.validator,
            stars,
            comment: comment.map(|remark| remark.as_str().to_owned()),
            created_at: context.now(),
            reply: None,
        };
        let mut tx = ledger.begin().await?;
        if !tx.insert_rating(&row).await? {
            return Err(Refused::Rejected(RatingError::AlreadyRated));
        }
        let (what, actor) = (Subject::new("lease", &lease), Actor::User(user.id));
        let detail = json!({"rating": row.id, "stars": stars.get()});
        context
            .audit(&mut tx, actor, "lease.rated", what, &detail)
            .await?;
        tx.commit().await?;
        context.pages.forget();
        Ok(row)
    }

    /// Replies to a rating, for the owner of the validator, once.
    pub async fn reply(
        &self,
        user: &User,
        id: Ulid,
        text: &Remark,
    ) -> Result<RatingRow, Refused<ReplyError>> {
        let context = &*self.0;
        let reject = |error| Err(Refused::Rejected(error));
        let ledger = context.store.ledger();
        let Some(mut row) = ledger.rating(id).await? else {
            return reject(ReplyError::NotFound);
        };
        let validator = ledger.validator(row.validator).await?;
        if validator.is_none_or(|validator| validator.owner != user.id) {
            return reject(ReplyError::Forbidden);
        }
        let (text, now) = (text.as_str(), context.now());
        let mut tx = ledger.begin().await?;
        if !tx.reply_to_rating(id, text, now).await? {
            return reject(ReplyError::AlreadyReplied);
        }
        let (what, actor) = (Subject::new("rating", &id), Actor::User(user.id));
        let detail = json!({"lease": row.lease});
        context
            .audit(&mut tx, actor, "rating.replied", what, &detail)
            .await?;
        tx.commit().await?;
        row.reply = Some((text.to_owned(), now));
        Ok(row)
    }

    /// The ratings of a validator, the newest first; `None` if there is no such
    /// validator for this viewer.
    pub async fn of_validator(
        &self,
        validator: Ulid,
        viewer: Option<&User>,
        after: Option<Ulid>,
        limit: u16,
    ) -> Result<Option<Page<RatingRow, Ulid>>, Fault> {
        let ledger = self.0.store.ledger();
        let row = ledger.validator(validator).await?;
        if !row.is_some_and(|row| is_visible(&row, viewer)) {
            return Ok(None);
        }
        let more = limit.saturating_add(1);
        let rows = ledger.ratings_of(validator, after, more).await?;
        Ok(Some(Page::new(rows, usize::from(limit), |row| row.id)))
    }
}
