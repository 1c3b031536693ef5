//! Which lease a path is about, for the API's description.

use utoipa::IntoParams;

/// The path of something of a lease.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
#[expect(dead_code, reason = "only describes the path, which is read in place")]
pub(super) struct LeasePath {
    /// The lease's `public_id`.
    #[param(example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    id: String,
}

/// The path of something of a validator's lease.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
#[expect(dead_code, reason = "only describes the path, which is read in place")]
pub(super) struct ValidatorLeasePath {
    /// The validator's `public_id`.
    #[param(example = "01KA0XHZ2S8Q6N4C1W7E5R3T9Y")]
    id: String,
    /// The lease's `public_id`.
    #[param(example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R")]
    lease_id: String,
}

/// What a guarded request has in its head.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "only describes the head, which is read in place")]
pub(super) struct IdempotencyHeader {
    /// A ULID that the caller makes for this request.
    #[param(
        rename = "Idempotency-Key",
        min_length = 26,
        max_length = 26,
        example = "01KA0XJ8QG3V1B7Z5N9D2T6M4R"
    )]
    idempotency_key: String,
}
