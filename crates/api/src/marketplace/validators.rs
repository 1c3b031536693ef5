//! Validators: finding, registering, changing.

use super::{
    MarketplaceState, Problem,
    body::Body,
    catalog::Slug,
    data::{self, Data, List, Part},
    gate::{Anyone, Member, Visitor},
    lease_body::LeaseBody,
    leases::lease_state,
    query::{QueryKeys, Whole, one},
    refusals::refusals,
    registration::{self, AmendmentWish, PayoutWish, RegistrationWish},
    segment::Segment,
    validator_body::{DetailBody, ValidatorBody},
};
use axum::{extract::State, response::Response};
use leasing::{FieldError, Mode, Region, Tier};
use primitives::Lamports;
use serde::Deserialize;
use services::leasing::{
    Browse, Caller, OwnerError, PatchError, PayoutError, ReclaimError, RegisterError, Sort,
};
use utoipa::IntoParams;
use utoipa_axum::{router::UtoipaMethodRouter, routes};

pub(super) fn routes() -> [UtoipaMethodRouter<MarketplaceState>; 5] {
    [
        routes!(list_validators, register_validator),
        routes!(change_payout_wallet),
        routes!(reclaim_validator),
        routes!(validator, patch_validator),
        routes!(validator_leases),
    ]
}

/// Which validators are looked for.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
struct BrowseQuery {
    /// At least this price of an epoch, in the mode that is looked for.
    #[param(value_type = Option<u64>, example = 1_000_000_000)]
    price_min_lamports: Vec<String>,
    /// At most this price.
    #[param(value_type = Option<u64>, example = 2_000_000_000)]
    price_max_lamports: Vec<String>,
    /// Validators in the region of this code.
    #[param(value_type = Option<String>, example = "eu-central-1")]
    region: Vec<String>,
    /// Validators that offer themselves in this tier.
    #[param(value_type = Option<String>, pattern = "^(economy|standard|performance)$", example = "standard")]
    tier: Vec<String>,
    /// Offering this mode, `exclusive` or `shared`. Prices are of the exclusive
    /// one if it is not given.
    #[param(value_type = Option<String>, pattern = "^(exclusive|shared)$", example = "shared")]
    mode: Vec<String>,
    /// Bookable in this epoch.
    #[param(value_type = Option<i32>, example = 801)]
    available_epoch: Vec<String>,
    /// `price` (the cheapest first), `stake`, `uptime` or `effectiveness` (the
    /// most first), `rating` (the best average first) or `newest`.
    #[param(value_type = Option<String>, pattern = "^(price|stake|rating|uptime|effectiveness|newest)$", default = "price", example = "price")]
    sort: Vec<String>,
    /// At most so many.
    #[param(value_type = Option<u16>, minimum = 1, maximum = 50, default = 20, example = 20)]
    limit: Vec<String>,
    /// `meta.next_cursor` of the page before.
    #[param(value_type = Option<String>, example = "ATE1MDAwMDAwMDA6MDFLQTBYSjhRRzNWMUI3WjVOOUQyVDZNNFI")]
    cursor: Vec<String>,
}

/// The order that is asked for.
struct SortWord(Sort);

impl std::str::FromStr for SortWord {
    type Err = ();

    fn from_str(word: &str) -> Result<Self, ()> {
        match word {
            "price" => Ok(Self(Sort::Price)),
            "stake" => Ok(Self(Sort::Stake)),
            "rating" => Ok(Self(Sort::Rating)),
            "uptime" => Ok(Self(Sort::Uptime)),
            "effectiveness" => Ok(Self(Sort::Effectiveness)),
            "newest" => Ok(Self(Sort::Newest)),
            _ => Err(()),
        }
    }
}

impl BrowseQuery {
    fn read(
        &self,
        market: &MarketplaceState,
    ) -> Result<(Browse, Part<services::leasing::BrowseKey>), Problem> {
        let malformed = Slug::MalformedRequest;
        let price_min = price_bound("price_min_lamports", &self.price_min_lamports)?;
        let price_max = price_bound("price_max_lamports", &self.price_max_lamports)?;
        if price_min.zip(price_max).is_some_and(|(min, max)| min > max) {
            let told = "price_min_lamports must not be above price_max_lamports";
            return Err(Problem::new(Slug::InvalidPriceBound, told));
        }
        let region: Option<Region> = one("region", &self.region, malformed, "a region's code")?;
        let tiers = "economy, standard or performance";
        let tier: Option<Tier> = one("tier", &self.tier, malformed, tiers)?;
        let mode: Option<Mode> = one("mode", &self.mode, malformed, "exclusive or shared")?;
        let epochs = "an epoch of at most 32 bits";
        let range = Slug::InvalidEpochRange;
        let epoch: Option<Whole> = one("available_epoch", &self.available_epoch, range, epochs)?;
        let epoch = epoch.map(|Whole(epoch)| i32::try_from(epoch)).transpose();
        let wrong = |_| Problem::new(range, format!("available_epoch must be {epochs}"));
        let available_epoch = epoch.map_err(wrong)?;
        let sorts = "price, stake, rating, uptime, effectiveness or newest";
        let sort = one("sort", &self.sort, malformed, sorts)?;
        let mut browse = Browse {
            price_min,
            price_max,
            region,
            tier,
            mode,
            available_epoch,
            sort: sort.map_or(Sort::Price, |SortWord(sort)| sort),
            after: None,
            limit: 0,
        };
        // The filters and the order, as whoever gave the cursor saw them.
        let scope = format!("validators {browse:?}");
        let part = Part::read(&self.limit, &self.cursor, scope, market.cursors())?;
        (browse.after, browse.limit) = (part.after, part.limit);
        Ok((browse, part))
    }
}

fn price_bound(name: &str, values: &[String]) -> Result<Option<Lamports>, Problem> {
    let must = "a whole number of lamports from 0 to 9223372036854775807";
    let bound: Option<Whole> = one(name, values, Slug::InvalidPriceBound, must)?;
    let positive = bound.map(|Whole(bound)| u64::try_from(bound)).transpose();
    let negative = |_| Problem::new(Slug::InvalidPriceBound, format!("{name} must be {must}"));
    Ok(positive.map_err(negative)?.map(Lamports::new))
}

refusals!(BrowseRefusals: [COUNTED, KEPT], [
    InvalidLimit, InvalidCursor, InvalidPriceBound, InvalidEpochRange, MalformedRequest,
]);

/// Find validators
///
/// Listed validators, in an order and after a cursor. What it tells may be a
/// second old.
#[utoipa::path(
    get,
    path = "/v1/validators",
    operation_id = "listValidators",
    tag = "Validators",
    security(()),
    params(BrowseQuery),
    responses(
        (status = 200, description = "The validators.", body = List<ValidatorBody>),
        BrowseRefusals,
    ),
)]
async fn list_validators(
    State(market): State<MarketplaceState>,
    _: Anyone,
    QueryKeys(query): QueryKeys<BrowseQuery>,
) -> Result<Response, Problem> {
    let (browse, part) = query.read(&market)?;
    let page = market.leasing().validators.browse(&browse).await?;
    let write = || part.write(&page, market.cursors(), |view| ValidatorBody::from(view));
    Ok(data::written(market.pages().text(&browse, &page, write)))
}

refusals!(RegisterRefusals: [MEMBER, REGISTRATION, KEPT], [
    RegisterTimestampSkew, RegisterSignatureInvalid, Forbidden, RegisterNonceReplay,
    ValidatorAlreadyRegistered, RegisterPriceRequired, RegisterInvalidTier,
    RegisterInvalidRegion, RegisterSharedConfigIncomplete, RegisterSharedPriceInvalid,
    RegisterSharedSeatsInvalid, InvalidOnboardingToken, NotAChainValidator,
    ChainRpcUnavailable,
]);

/// Register a validator
///
/// For the user whose credentials or whose `onboard_token` is sent. The
/// identity key signs one line of text:
///
/// `lease-market:v2:register:<domain>:<account>:<identity>:<payout wallet>:<timestamp>:<nonce>:<digest>`
///
/// where the account is the `public_id` of that user, which `GET /v1/me` and
/// the onboarding session tell, and the digest is the SHA-256, in hexadecimal,
/// of the listing as JSON with sorted keys and without spaces, such as
/// `{"name":"Harbour","tee_endpoint":null,"terms":{"price_lamports":"1500000000","region":"eu-central-1","shared":{"price_lamports":"200000000","seats":8},"tier":"standard"}}`
/// (the name without spaces around it, `null` for what is not given,
/// `"shared":null` without seats). An unknown onboarding token is told before
/// the signature is looked at. The signature is over these bytes, or over
/// them in the envelope that `solana sign-offchain-message` makes. A nonce is
/// used up by a registration that succeeds; one that fails may be sent again.
#[utoipa::path(
    post,
    path = "/v1/validators",
    operation_id = "registerValidator",
    tag = "Validators",
    security((), ("bearer" = [])),
    request_body = RegistrationWish,
    responses(
        (status = 201, description = "The validator.", body = Data<DetailBody>),
        RegisterRefusals,
    ),
)]
async fn register_validator(
    State(market): State<MarketplaceState>,
    visitor: Visitor,
    Body(text): Body,
) -> Result<Response, Problem> {
    let (draft, token) = registration::read(&text)?;
    let registered = market
        .leasing()
        .validators
        .register(visitor.user(), &draft, token.as_deref());
    let refused = |error| market.not_registered(error, &visitor);
    let view = registered
        .await
        .map_err(|error| Problem::of(error, refused))?;
    Ok(data::created(DetailBody::from(&view)))
}

impl MarketplaceState {
    fn not_registered(&self, error: RegisterError, visitor: &Visitor) -> Problem {
        Problem::plain(match error {
            RegisterError::NoOwner => match visitor.0 {
                Some(Caller::Unprovisioned(_)) => Slug::UserNotProvisioned,
                Some(Caller::User { .. } | Caller::LeaseKey { .. } | Caller::Service { .. })
                | None => Slug::AuthRequired,
            },
            RegisterError::Forbidden => Slug::Forbidden,
            RegisterError::Field(error) => return self.field_problem(error),
            RegisterError::TimestampSkew => Slug::RegisterTimestampSkew,
            RegisterError::Signature => Slug::RegisterSignatureInvalid,
            RegisterError::NonceReplay => Slug::RegisterNonceReplay,
            RegisterError::OnboardingToken => Slug::InvalidOnboardingToken,
            RegisterError::AlreadyRegistered => Slug::ValidatorAlreadyRegistered,
            RegisterError::NotAChainValidator => Slug::NotAChainValidator,
        })
    }

    fn not_paid_there(&self, error: PayoutError) -> Problem {
        Problem::plain(match error {
            PayoutError::Field(error) => return self.field_problem(error),
            PayoutError::TimestampSkew => Slug::RegisterTimestampSkew,
            PayoutError::Signature => Slug::RegisterSignatureInvalid,
            PayoutError::NonceReplay => Slug::RegisterNonceReplay,
            PayoutError::NotFound => Slug::ValidatorNotFound,
            PayoutError::Forbidden => Slug::Forbidden,
        })
    }

    fn not_changed(&self, error: PatchError) -> Problem {
        Problem::plain(match error {
            PatchError::Empty => Slug::PatchValidatorEmpty,
            PatchError::Field(FieldError::SharedIncomplete) => Slug::SharedConfigIncomplete,
            PatchError::Field(error) => return self.field_problem(error),
            PatchError::NotFound => Slug::ValidatorNotFound,
            PatchError::Forbidden => Slug::Forbidden,
        })
    }
}

refusals!(PayoutRefusals: [MEMBER, REGISTRATION, KEPT], [
    RegisterTimestampSkew, RegisterSignatureInvalid, Forbidden, ValidatorNotFound,
    RegisterNonceReplay,
]);

/// Change a payout wallet
///
/// Needs the owner's credentials and the identity's signature over
///
/// `lease-market:v1:payout-wallet:<domain>:<identity>:<payout wallet>:<timestamp>:<nonce>`
///
/// Payments that were asked for before keep the wallet that they name.
#[utoipa::path(
    put,
    path = "/v1/validators/payout-wallet",
    operation_id = "changePayoutWallet",
    tag = "Validators",
    request_body = PayoutWish,
    responses(
        (status = 200, description = "The validator.", body = Data<DetailBody>),
        PayoutRefusals,
    ),
)]
async fn change_payout_wallet(
    State(market): State<MarketplaceState>,
    Member(user): Member,
    Body(text): Body,
) -> Result<Response, Problem> {
    let draft = registration::read_payout(&text)?;
    let changed = market
        .leasing()
        .validators
        .change_payout_wallet(&user, &draft)
        .await;
    let refused = |error| market.not_paid_there(error);
    let view = changed.map_err(|error| Problem::of(error, refused))?;
    Ok(data::ok(DetailBody::from(&view)))
}

refusals!(ReclaimRefusals: [MEMBER, REGISTRATION, KEPT], [
    RegisterTimestampSkew, RegisterSignatureInvalid, Forbidden, ValidatorNotFound,
    RegisterNonceReplay,
]);

/// Reclaim a validator
///
/// For whoever holds the identity's key of a validator that somebody else
/// registered. It becomes the caller's, with the wallet that is sent; what it
/// offers stays until it is changed. The identity signs
///
/// `lease-market:v1:reclaim:<domain>:<account>:<identity>:<payout wallet>:<timestamp>:<nonce>`
///
/// where the account is the caller's `public_id`. Payments that were asked for
/// before keep the wallet that they name.
#[utoipa::path(
    post,
    path = "/v1/validators/reclaim",
    operation_id = "reclaimValidator",
    tag = "Validators",
    request_body = PayoutWish,
    responses(
        (status = 200, description = "The validator.", body = Data<DetailBody>),
        ReclaimRefusals,
    ),
)]
async fn reclaim_validator(
    State(market): State<MarketplaceState>,
    Member(user): Member,
    Body(text): Body,
) -> Result<Response, Problem> {
    let draft = registration::read_payout(&text)?;
    let reclaimed = market.leasing().validators.reclaim(&user, &draft).await;
    let refused = |error| match error {
        ReclaimError::Forbidden => Problem::new(Slug::Forbidden, "this needs the role validator"),
        ReclaimError::Proof(error) => market.not_paid_there(error),
    };
    let view = reclaimed.map_err(|error| Problem::of(error, refused))?;
    Ok(data::ok(DetailBody::from(&view)))
}

refusals!(ViewRefusals: [VISITOR, KEPT], [ValidatorNotFound]);

/// Get a validator
///
/// With what can be booked of the next 60 epochs. One that is paused or stopped
/// is there for its owner and staff alone.
#[utoipa::path(
    get,
    path = "/v1/validators/{id}",
    operation_id = "validator",
    tag = "Validators",
    security((), ("bearer" = [])),
    params((
        "id" = String, Path,
        description = "The validator's `public_id`.",
        example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R",
    )),
    responses(
        (status = 200, description = "The validator.", body = Data<DetailBody>),
        ViewRefusals,
    ),
)]
async fn validator(
    State(market): State<MarketplaceState>,
    visitor: Visitor,
    segment: Segment,
) -> Result<Response, Problem> {
    let id = segment.id(Slug::ValidatorNotFound)?;
    let view = market.leasing().validators.find(id, visitor.user()).await?;
    let view = view.ok_or_else(|| Problem::plain(Slug::ValidatorNotFound))?;
    Ok(data::ok(DetailBody::from(&view)))
}

refusals!(PatchRefusals: [MEMBER, REGISTRATION, KEPT], [
    Forbidden, ValidatorNotFound, PatchValidatorEmpty, SharedConfigIncomplete,
    RegisterInvalidTier, RegisterInvalidRegion, RegisterSharedPriceInvalid,
    RegisterSharedSeatsInvalid,
]);

/// Change a validator
///
/// Only what is named changes. Leases that are booked keep their price.
#[utoipa::path(
    patch,
    path = "/v1/validators/{id}",
    operation_id = "patchValidator",
    tag = "Validators",
    params((
        "id" = String, Path,
        description = "The validator's `public_id`.",
        example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R",
    )),
    request_body = AmendmentWish,
    responses(
        (status = 200, description = "The validator.", body = Data<DetailBody>),
        PatchRefusals,
    ),
)]
async fn patch_validator(
    State(market): State<MarketplaceState>,
    Member(user): Member,
    segment: Segment,
    Body(text): Body,
) -> Result<Response, Problem> {
    let amendment = registration::read_amendment(&text)?;
    let id = segment.id(Slug::ValidatorNotFound);
    // What is wrong with the fields comes before what they are for.
    if amendment.is_empty() {
        return Err(Problem::plain(Slug::PatchValidatorEmpty));
    }
    let changed = market
        .leasing()
        .validators
        .patch(&user, id?, &amendment)
        .await;
    let refused = |error| market.not_changed(error);
    let view = changed.map_err(|error| Problem::of(error, refused))?;
    Ok(data::ok(DetailBody::from(&view)))
}

/// Which of a validator's leases are asked for.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(default)]
#[into_params(parameter_in = Query)]
struct HeldQuery {
    /// Leases in this state: `pending_payment`, `active`, `revoked`, `completed` or
    /// `expired`.
    #[param(value_type = Option<String>, example = "active")]
    state: Vec<String>,
    /// At most so many.
    #[param(value_type = Option<u16>, minimum = 1, maximum = 50, default = 20, example = 20)]
    limit: Vec<String>,
    /// `meta.next_cursor` of the page before.
    #[param(value_type = Option<String>, example = "ATAxS0EwWEo4UUczVjFCN1o1TjlEMlQ2TTRS")]
    cursor: Vec<String>,
}

refusals!(LeasesRefusals: [MEMBER, KEPT], [
    InvalidLimit, InvalidCursor, MalformedRequest, Forbidden, ValidatorNotFound,
]);

/// List the leases of a validator
///
/// Who holds what, for its owner and staff; the newest first.
#[utoipa::path(
    get,
    path = "/v1/validators/{id}/leases",
    operation_id = "validatorLeases",
    tag = "Validators",
    params(
        (
            "id" = String, Path,
            description = "The validator's `public_id`.",
            example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R",
        ),
        HeldQuery,
    ),
    responses(
        (status = 200, description = "The leases.", body = List<LeaseBody>),
        LeasesRefusals,
    ),
)]
async fn validator_leases(
    State(market): State<MarketplaceState>,
    Member(user): Member,
    segment: Segment,
    QueryKeys(query): QueryKeys<HeldQuery>,
) -> Result<Response, Problem> {
    let state = lease_state(&query.state)?;
    let scope = format!("leases of {} {state:?}", segment.0);
    let part = Part::read(&query.limit, &query.cursor, scope, market.cursors())?;
    let id = segment.id(Slug::ValidatorNotFound)?;
    let page = market
        .leasing()
        .leases
        .of_validator(&user, id, state, part.after, part.limit)
        .await;
    let refused = |error| match error {
        OwnerError::NotFound => Problem::plain(Slug::ValidatorNotFound),
        OwnerError::Forbidden => Problem::plain(Slug::Forbidden),
    };
    let page = page.map_err(|error| Problem::of(error, refused))?;
    let text = part.write(&page, market.cursors(), |view| market.lease_body(view));
    Ok(data::written(text))
}
