//! Ratings of leases that are over, and replies to them.

use super::{
    MarketplaceState, Problem,
    body::Body,
    catalog::Slug,
    data::{self, Data, List, Part},
    fields::Fields,
    gate::{Member, Visitor},
    query::QueryKeys,
    refusals::refusals,
    segment::Segment,
};
use axum::{extract::State, response::Response};
use leasing::{RateError, Remark, SIGNS_TO_RATE, Stars};
use serde::{Deserialize, Serialize};
use services::leasing::{RatingError, RatingRow, ReplyError};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::UtoipaMethodRouter, routes};

pub(super) fn routes() -> [UtoipaMethodRouter<MarketplaceState>; 3] {
    [
        routes!(rate_lease),
        routes!(validator_ratings),
        routes!(reply_to_rating),
    ]
}

/// What a trader says.
#[derive(ToSchema)]
#[schema(as = RatingRequest)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only describes the body, which is read in place")]
struct RatingWish {
    /// 1 to 5.
    #[schema(minimum = 1, maximum = 5, example = 4)]
    stars: i64,
    /// At most 2000 characters, none of control or format, and not only blanks.
    #[schema(max_length = 2000, example = "Answered every handshake.")]
    comment: Option<String>,
}

/// What an owner answers.
#[derive(ToSchema)]
#[schema(as = ReplyRequest)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only describes the body, which is read in place")]
struct ReplyWish {
    /// 1 to 2000 characters, none of control or format, and not only blanks.
    #[schema(min_length = 1, max_length = 2000, example = "Thank you.")]
    text: String,
}

/// What a trader said of a lease that is over.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Rating)]
struct RatingBody {
    /// A ULID.
    #[schema(example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    public_id: String,
    /// The validator's `public_id`.
    #[schema(example = "01KA0XHZ2S8Q6N4C1W7E5R3T9Y")]
    validator_id: String,
    /// 1 to 5.
    #[schema(example = 4)]
    stars: u8,
    /// In words; null if there are none.
    #[schema(required, example = "Answered every handshake.")]
    comment: Option<String>,
    /// When.
    #[schema(format = DateTime, example = "2026-01-31T12:00:00Z")]
    created_at: String,
    /// What the validator's owner replied; null if nothing.
    #[schema(required)]
    reply: Option<ReplyBody>,
}

/// What the validator's owner replied to a rating.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RatingReply)]
struct ReplyBody {
    /// In words.
    #[schema(example = "Thank you.")]
    text: String,
    /// When.
    #[schema(format = DateTime, example = "2026-01-31T13:00:00Z")]
    created_at: String,
}

impl From<&RatingRow> for RatingBody {
    fn from(row: &RatingRow) -> Self {
        Self {
            public_id: row.id.to_string(),
            validator_id: row.validator.to_string(),
            stars: row.stars.get(),
            comment: row.comment.clone(),
            created_at: row.created_at.to_string(),
            reply: row.reply.as_ref().map(|(text, at)| ReplyBody {
                text: text.clone(),
                created_at: at.to_string(),
            }),
        }
    }
}

fn not_rated(error: RatingError) -> Problem {
    match error {
        RatingError::Rate(RateError::NotFound) => Problem::plain(Slug::LeaseNotFound),
        RatingError::Rate(RateError::Forbidden) => Problem::plain(Slug::Forbidden),
        RatingError::Rate(RateError::NotCompleted(state)) => {
            let told = format!("the lease is {state}; one that is completed can be rated");
            Problem::new(Slug::RatingNotYetEligible, told)
        }
        RatingError::Rate(RateError::TooLittleUsed(signs)) => {
            let told = format!(
                "the lease was used for {signs} signatures; with {SIGNS_TO_RATE} it can be rated"
            );
            Problem::new(Slug::RatingNotYetEligible, told)
        }
        RatingError::AlreadyRated => Problem::plain(Slug::AlreadyRated),
    }
}

refusals!(RateRefusals: [MEMBER, BODY, KEPT], [
    InvalidStars, InvalidComment, Forbidden, LeaseNotFound, RatingNotYetEligible, AlreadyRated,
]);

/// Rate a lease
///
/// For the trader who booked it, once, when it is completed and its validator's
/// gateway has reported at least 10,000 signatures. A rating is final.
#[utoipa::path(
    post,
    path = "/v1/leases/{id}/rating",
    operation_id = "rateLease",
    tag = "Ratings",
    params((
        "id" = String, Path,
        description = "The lease's `public_id`.",
        example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R",
    )),
    request_body = RatingWish,
    responses(
        (status = 201, description = "The rating.", body = Data<RatingBody>),
        RateRefusals,
    ),
)]
async fn rate_lease(
    State(market): State<MarketplaceState>,
    Member(user): Member,
    segment: Segment,
    Body(text): Body,
) -> Result<Response, Problem> {
    let fields = Fields::read(&text, Slug::MalformedRequest)?.only(&["stars", "comment"])?;
    let stars = fields.whole("stars").ok().flatten().and_then(Stars::new);
    let stars = stars.ok_or_else(|| Problem::plain(Slug::InvalidStars))?;
    let invalid = || Problem::plain(Slug::InvalidComment);
    let comment = match fields.text("comment").map_err(|_| invalid())? {
        Some(text) => Some(Remark::new(&text).ok_or_else(invalid)?),
        None => None,
    };
    let id = segment.id(Slug::LeaseNotFound)?;
    let ratings = &market.leasing().ratings;
    let rated = ratings.rate(&user, id, stars, comment.as_ref()).await;
    let row = rated.map_err(|error| Problem::of(error, not_rated))?;
    Ok(data::created(RatingBody::from(&row)))
}

/// Which of a validator's ratings are asked for.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
struct RatingsQuery {
    /// At most so many.
    #[param(value_type = Option<u16>, minimum = 1, maximum = 50, default = 20, example = 20)]
    limit: Vec<String>,
    /// `meta.next_cursor` of the page before.
    #[param(value_type = Option<String>, example = "ATAxS0EwWEo4UUczVjFCN1o1TjlEMlQ2TTRS")]
    cursor: Vec<String>,
}

refusals!(RatingsRefusals: [VISITOR, KEPT], [
    InvalidLimit, InvalidCursor, MalformedRequest, ValidatorNotFound,
]);

/// List the ratings of a validator
///
/// With what its owner replied, the newest first. Those of one that is paused
/// or stopped are there for its owner and staff alone.
#[utoipa::path(
    get,
    path = "/v1/validators/{id}/ratings",
    operation_id = "validatorRatings",
    tag = "Ratings",
    security((), ("bearer" = [])),
    params(
        (
            "id" = String, Path,
            description = "The validator's `public_id`.",
            example = "01KA0XHZ2S8Q6N4C1W7E5R3T9Y",
        ),
        RatingsQuery,
    ),
    responses(
        (status = 200, description = "The ratings.", body = List<RatingBody>),
        RatingsRefusals,
    ),
)]
async fn validator_ratings(
    State(market): State<MarketplaceState>,
    visitor: Visitor,
    segment: Segment,
    QueryKeys(query): QueryKeys<RatingsQuery>,
) -> Result<Response, Problem> {
    let scope = format!("ratings of {}", segment.0);
    let part = Part::read(&query.limit, &query.cursor, scope, market.cursors())?;
    let id = segment.id(Slug::ValidatorNotFound)?;
    let page = market
        .leasing()
        .ratings
        .of_validator(id, visitor.user(), part.after, part.limit)
        .await?;
    let page = page.ok_or_else(|| Problem::plain(Slug::ValidatorNotFound))?;
    let text = part.write(&page, market.cursors(), |row| RatingBody::from(row));
    Ok(data::written(text))
}

refusals!(ReplyRefusals: [MEMBER, BODY, KEPT], [
    InvalidReplyText, Forbidden, RatingNotFound, AlreadyReplied,
]);

/// Reply to a rating
///
/// For the owner of the validator, once. A reply is final.
#[utoipa::path(
    post,
    path = "/v1/ratings/{id}/reply",
    operation_id = "replyToRating",
    tag = "Ratings",
    params((
        "id" = String, Path,
        description = "The rating's `public_id`.",
        example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R",
    )),
    request_body = ReplyWish,
    responses(
        (status = 201, description = "The rating with its reply.", body = Data<RatingBody>),
        ReplyRefusals,
    ),
)]
async fn reply_to_rating(
    State(market): State<MarketplaceState>,
    Member(user): Member,
    segment: Segment,
    Body(text): Body,
) -> Result<Response, Problem> {
    let fields = Fields::read(&text, Slug::MalformedRequest)?.only(&["text"])?;
    let reply = fields.text("text").ok().flatten();
    let reply = reply.and_then(|text| Remark::new(&text));
    let reply = reply.ok_or_else(|| Problem::plain(Slug::InvalidReplyText))?;
    let id = segment.id(Slug::RatingNotFound)?;
    let replied = market.leasing().ratings.reply(&user, id, &reply).await;
    let refused = |error| {
        Problem::plain(match error {
            ReplyError::NotFound => Slug::RatingNotFound,
            ReplyError::Forbidden => Slug::Forbidden,
            ReplyError::AlreadyReplied => Slug::AlreadyReplied,
        })
    };
    let row = replied.map_err(|error| Problem::of(error, refused))?;
    Ok(data::created(RatingBody::from(&row)))
}
