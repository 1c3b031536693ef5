//! Every way the marketplace refuses a request: the one table that answers,
//! the page of each slug and the API's description are made of.

use axum::http::StatusCode;

/// What is the same for every refusal of one kind.
#[derive(Debug, Clone, Copy)]
pub struct CatalogEntry {
    /// The name that clients branch on.
    pub slug: &'static str,
    /// The statuses that it comes with; the first one is the usual one.
    pub statuses: &'static [u16],
    /// A short summary.
    pub title: &'static str,
    /// When it is answered.
    pub meaning: &'static str,
    /// What the caller can do.
    pub remedy: &'static str,
}

macro_rules! catalog {
    ($($name:ident $slug:literal [$($status:literal),+] $title:literal, $meaning:literal, $remedy:literal;)+) => {
        /// A kind of refusal.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[expect(missing_docs, reason = "the table says what each one means")]
        pub enum Slug {
            $($name,)+
        }

        impl Slug {
            /// All of them, by status.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// Its row of the table.
            pub const fn entry(self) -> &'static CatalogEntry {
                match self {
                    $(Self::$name => &CatalogEntry {
                        slug: $slug,
                        statuses: &[$($status),+],
                        title: $title,
                        meaning: $meaning,
                        remedy: $remedy,
                    },)+
                }
            }
        }
    };
}

impl Slug {
    /// The kind of this name.
    pub fn named(slug: &str) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|it| it.entry().slug == slug)
    }

    /// The status that it usually comes with.
    pub(super) fn status(self) -> StatusCode {
        let first = self.entry().statuses.first().copied();
        let status = first.and_then(|code| StatusCode::from_u16(code).ok());
        status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

catalog! {
    IdempotencyKeyMissing "idempotency-key-missing" [400]
        "Idempotency key missing",
        "The request must carry the header `Idempotency-Key`, and does not.",
        "Make a ULID, send it with the request, and send the same one when you repeat the request.";
    IdempotencyKeyMalformed "idempotency-key-malformed" [400]
        "Idempotency key malformed",
        "The `Idempotency-Key` is not a ULID: 26 characters of Crockford's base32, the first one from 0 to 7.",
        "Send a ULID, without quotes.";
    InvalidCursor "invalid-cursor" [400]
        "Invalid cursor",
        "The `cursor` was not given by this API, or was given for other filters or another order.",
        "Take `meta.next_cursor` of the page before, with the same filters, or begin without a cursor.";
    InvalidLimit "invalid-limit" [400]
        "Invalid limit",
        "The `limit` is not a whole number in the range that the list allows.",
        "Send a limit from 1 to the maximum: 50 for lists of validators and leases, 200 for the audit log.";
    InvalidEpochStart "invalid-epoch-start" [400]
        "Invalid first epoch",
        "`epoch_start` is not a whole number that fits 32 bits with a sign. Past epochs are not refused.",
        "Send the number of an epoch; `GET /v1/epoch` tells the current one.";
    InvalidEpochCount "invalid-epoch-count" [400]
        "Invalid number of epochs",
        "`epoch_count` is not a whole number from 1 to 30.",
        "Send a number from 1 to 30.";
    InvalidEpochRange "invalid-epoch-range" [400]
        "Invalid range of epochs",
        "The epochs asked for are none that can be: before epoch 0, beyond 32 bits, or, for a leader schedule, neither the current epoch nor the next.",
        "Ask for epochs that exist.";
    InvalidPriceBound "invalid-price-bound" [400]
        "Invalid price bound",
        "`price_min_lamports` or `price_max_lamports` is not a whole number of lamports, or the lower one is above the upper one.",
        "Send whole numbers from 0 to 9223372036854775807, the lower one first.";
    LeaseTotalOverflow "lease-total-overflow" [400]
        "Lease total too large",
        "The price of the epochs together is more than 9223372036854775807 lamports.",
        "Book fewer epochs.";
    InvalidStars "invalid-stars" [400]
        "Invalid stars",
        "The stars of a rating are not a whole number from 1 to 5.",
        "Send 1, 2, 3, 4 or 5.";
    InvalidComment "invalid-comment" [400]
        "Invalid comment",
        "The comment of a rating is too long, blank, or has control characters.",
        "Send a shorter plain text, or none.";
    InvalidReplyText "invalid-reply-text" [400]
        "Invalid reply",
        "The reply to a rating is too long, blank, or has control characters.",
        "Send a shorter plain text.";
    RegisterTimestampSkew "register-timestamp-skew" [400]
        "Challenge too old or too new",
        "The `timestamp` of the signed challenge is more than 5 minutes from the server's time.",
        "Set the clock of the signing machine, and sign a new challenge.";
    RegisterInvalidField "register-invalid-field" [400]
        "Invalid registration field",
        "A field of the registration is missing, unknown, or not of its form; the detail names it.",
        "Correct the field that the detail names, and sign again if it is part of the challenge.";
    TooManyReports "too-many-reports" [400]
        "Too many reports",
        "A batch of usage has more than 1024 reports.",
        "Send smaller batches.";
    SignsDeltaOverflow "signs-delta-overflow" [400]
        "Usage out of range",
        "A report's `signs_delta` is negative, or the counter would not hold the sum.",
        "Correct the report.";
    MalformedRequest "malformed-request" [400]
        "Malformed request",
        "The request is not what the route reads: broken JSON, a field that is missing, unknown or of the wrong type, a query value that cannot be read, or not exactly one `Host` header.",
        "Compare the request with the API's description; the detail says what is wrong.";
    AuthRequired "auth-required" [401]
        "Authentication required",
        "There are no bearer credentials, or they are unknown, expired or revoked; at sign-in, the challenge or its signature does not hold.",
        "Sign in with a wallet, or use a living API token, as `Authorization: Bearer …`.";
    UserNotProvisioned "user-not-provisioned" [401]
        "User not provisioned",
        "The session is valid, but its wallet has no user here yet.",
        "Create the user with `POST /v1/users`.";
    RegisterSignatureInvalid "register-signature-invalid" [401]
        "Challenge signature invalid",
        "The signature is not one of the validator's identity key over the challenge of these very fields.",
        "Sign the challenge that the API's description shows, with the identity key, and change nothing afterwards.";
    Forbidden "forbidden" [403]
        "Forbidden",
        "The caller does not own what it wants to change, or lacks the role that this needs.",
        "Use the credentials of the owner, or ask the operator for the role.";
    CannotLeaseOwnValidator "cannot-lease-own-validator" [403]
        "Cannot lease own validator",
        "The validator was registered by the trader who books it.",
        "Book another validator.";
    LeaseNotActive "lease-not-active" [422, 403]
        "Lease not active",
        "The state of the lease does not allow this. Tokens are refused with 403, everything else with 422.",
        "Read the lease: while it is pending, pay and wait for the settlement; a revoked, completed or expired one stays so.";
    LeaseEpochOutOfRange "lease-epoch-out-of-range" [403]
        "Outside the lease's epochs",
        "A token is asked for outside the epochs that are paid.",
        "Wait for the first epoch of the lease, or extend it.";
    LeaseNotFound "lease-not-found" [404]
        "Lease not found",
        "No lease of this id is visible to the caller.",
        "Check the id and the credentials.";
    ValidatorNotFound "validator-not-found" [404]
        "Validator not found",
        "No validator of this id is listed.",
        "Look for it in `GET /v1/validators`.";
    CredentialsAlreadyShown "credentials-already-shown" [404]
        "Credentials already shown",
        "The lease's credentials are shown once, and were.",
        "Make new ones by rotating the lease's API key.";
    RatingNotFound "rating-not-found" [404]
        "Rating not found",
        "There is no rating of this id.",
        "Check the id.";
    OnboardingSessionNotFound "onboarding-session-not-found" [404]
        "Onboarding session not found",
        "The onboarding token is unknown or has expired.",
        "Open a new session with `POST /v1/onboarding/sessions`.";
    ChainPayMemoNotFound "chain-pay-memo-not-found" [404]
        "Nothing to pay",
        "There is no open payment of this memo: it is unknown, was paid, was given up, or its 15 minutes are over.",
        "Book again.";
    NotFound "not-found" [404]
        "Nothing here",
        "There is nothing at this path, or nothing of this id that the caller may see.",
        "See `/docs` for the paths that there are.";
    MethodNotAllowed "method-not-allowed" [405]
        "Method not allowed",
        "The path exists, but not for this method.",
        "Use one of the methods that the `Allow` header names.";
    RequestTimeout "request-timeout" [408]
        "Body too slow",
        "The request's body did not arrive in the time that a request may take.",
        "Send it again, a guarded request with the same key.";
    LeaseSlotTaken "lease-slot-taken" [409]
        "Slot taken",
        "An epoch of an exclusive booking or extension is held by another lease; `extensions.conflicting_lease_id` names it where it can be told.",
        "Choose other epochs or another validator; `availability` of the validator shows what is free.";
    SharedCapacityFull "shared-capacity-full" [409]
        "No seat left",
        "A shared booking finds every seat taken in at least one of its epochs; `extensions.first_full_epoch` names the first.",
        "Choose other epochs or another validator.";
    IdempotencyConflict "idempotency-conflict" [409]
        "Request in flight",
        "A request with the same key is still being worked on.",
        "Wait a second, and send the same request with the same key.";
    ExtensionAlreadyPending "extension-already-pending" [409]
        "Extension already pending",
        "The lease has an extension that is not paid yet.",
        "Pay it, or wait until it lapses.";
    ExtensionRace "extension-race" [409]
        "Extensions raced",
        "Two extensions of the lease were asked for at once, and this one lost.",
        "Try once more.";
    AlreadyRated "already-rated" [409]
        "Already rated",
        "The lease has its rating.",
        "Nothing; there is one rating for a lease.";
    AlreadyReplied "already-replied" [409]
        "Already replied",
        "The rating has its reply.",
        "Nothing; there is one reply to a rating.";
    ConcurrentRotation "concurrent-rotation" [409]
        "Rotations raced",
        "Two rotations of the lease's key were asked for at once, or the key is no longer the expected one.",
        "Read the lease's `key_version`, and try once more.";
    TooManyUnpaidBookings "too-many-unpaid-bookings" [409]
        "Too many unpaid bookings",
        "The trader has as many bookings that wait for their payment as one may have; `extensions.limit` says how many.",
        "Pay one of them, give one up, or wait until one lapses.";
    RegisterNonceReplay "register-nonce-replay" [409]
        "Nonce already used",
        "The nonce of the challenge was used by this identity before.",
        "Sign a challenge with a new nonce.";
    ValidatorAlreadyRegistered "validator-already-registered" [409]
        "Validator already registered",
        "A validator of this identity is registered.",
        "Change it with `PATCH /v1/validators/{id}`; if somebody else registered it, take it with `POST /v1/validators/reclaim`.";
    LeaseAlreadyRevoked "lease-already-revoked" [409]
        "Lease already revoked",
        "The lease is revoked, as was asked.",
        "Nothing; treat it as success.";
    PayerIsPayoutWallet "payer-is-payout-wallet" [409]
        "Payer is the payout wallet",
        "The paying account is the wallet that the payment goes to, so that nobody could see that it was paid.",
        "Pay from another account.";
    PayloadTooLarge "payload-too-large" [413]
        "Body too large",
        "The request's body is larger than the server reads.",
        "Send less.";
    UnsupportedMediaType "unsupported-media-type" [415]
        "Not JSON",
        "The request's body is not declared to be JSON, or has a `Content-Encoding`.",
        "Send the body as JSON, with `Content-Type: application/json`, and not compressed.";
    IdempotencyKeyReused "idempotency-key-reused" [422]
        "Idempotency key reused",
        "The key was used for another body. A repeated request must have the very same bytes.",
        "Make a new key for a new request.";
    SharedNotOffered "shared-not-offered" [422]
        "Shared leases not offered",
        "The booking is for a seat, and the validator offers none.",
        "Book exclusively, or another validator; `mode=shared` finds those with seats.";
    LeaseExpired "lease-expired" [422]
        "Lease over",
        "The epochs that were paid have passed.",
        "Book a new lease.";
    ExtensionExceedsCap "extension-exceeds-cap" [422]
        "Extension too long",
        "The lease would be longer than 30 epochs in all.",
        "Extend by fewer epochs, or book a new lease.";
    RatingNotYetEligible "rating-not-yet-eligible" [422]
        "Not yet to be rated",
        "The lease is not completed, or fewer than 10,000 signatures were made with it.",
        "Rate it later.";
    InvalidAccount "invalid-account" [422]
        "Invalid account",
        "The paying `account` is not a base58 public key, or is one that cannot pay this.",
        "Send the payer's public key in base58.";
    InvalidOnboardingToken "invalid-onboarding-token" [422]
        "Invalid onboarding token",
        "The `onboard_token` is unknown, has expired, or was used.",
        "Open a new session with `POST /v1/onboarding/sessions`.";
    NotAChainValidator "not-a-chain-validator" [422]
        "Not a validator",
        "The public key is not the identity of any vote account of the chain.",
        "Use the validator's identity, not its vote account; a new one must have voted.";
    PaymentBelowRent "payment-below-rent" [422]
        "Payment too small for the chain",
        "The chain would refuse the payment: a wallet that it goes to would hold less than the chain's minimum; the detail names it.",
        "Ask the validator to put a little into the wallet, or book more epochs.";
    RegisterPriceRequired "register-price-required" [422]
        "Price required",
        "The registration has no `price_sol`.",
        "Name the price of an epoch.";
    RegisterInvalidTier "register-invalid-tier" [422]
        "Unknown tier",
        "The `tier` is not `economy`, `standard` or `performance`.",
        "Send one of them.";
    RegisterInvalidRegion "register-invalid-region" [422]
        "Unknown region",
        "The `region` is not in the list of this marketplace.",
        "Send one of the regions that the detail names.";
    RegisterSharedConfigIncomplete "register-shared-config-incomplete" [422]
        "Shared offer incomplete",
        "Seats are offered without both `shared_price_sol` and `max_concurrent_shared_leases`.",
        "Send both, or neither.";
    RegisterSharedPriceInvalid "register-shared-price-invalid" [422]
        "Invalid shared price",
        "`shared_price_sol` is not a price: a decimal above 0 with at most 9 digits after the point.",
        "Send such a decimal.";
    RegisterSharedSeatsInvalid "register-shared-seats-invalid" [422]
        "Invalid number of seats",
        "`max_concurrent_shared_leases` is not a whole number of at least 1.",
        "Send how many traders may share the validator.";
    SharedConfigIncomplete "shared-config-incomplete" [422]
        "Shared offer incomplete",
        "The change would leave seats without a price, or a price without seats.",
        "Send the price and the number of seats together.";
    PatchValidatorEmpty "patch-validator-empty" [422]
        "Nothing to change",
        "The change names no field.",
        "Send at least one field.";
    RateLimitExceeded "rate-limit-exceeded" [429]
        "Too many requests",
        "The caller's bucket of requests is empty, or too many streams are open.",
        "Wait as many seconds as `Retry-After` says.";
    DatabaseError "database-error" [500]
        "Database error",
        "The database did not do what it was asked.",
        "Try again with growing pauses; a guarded request with the same key.";
    InternalError "internal-error" [500]
        "Internal error",
        "Something went wrong on our side.",
        "Try again with growing pauses, and tell the operator the request's id.";
    JwtSignFailed "jwt-sign-failed" [500]
        "Token could not be signed",
        "The key that signs lease tokens did not answer.",
        "Keep the current token until it ends, and try again.";
    AuditRowEncodingFailed "audit-row-encoding-failed" [500]
        "Audit row could not be written",
        "A token is never given without its row in the audit log, and that row could not be written.",
        "Try again; tell the operator if it stays.";
    TokenHashFailure "token-hash-failure" [500]
        "Secret could not be hashed",
        "A secret was made but could not be hashed, and was thrown away.",
        "Try again; tell the operator if it stays.";
    AdminUserNotProvisioned "admin-user-not-provisioned" [500]
        "Acting staff user missing",
        "The credentials are of staff, but the user whom they act for does not exist.",
        "Make the user with `POST /v1/users` and the same credentials.";
    ChainRpcUnavailable "chain-rpc-unavailable" [503, 502]
        "Chain not reachable",
        "The chain's node does not answer. Leader schedules are refused with 502, everything else with 503.",
        "Try again with growing pauses; nothing was changed.";
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_slug_names_one_kind() {
        let names: BTreeSet<_> = Slug::ALL.iter().map(|slug| slug.entry().slug).collect();
        assert_eq!(names.len(), Slug::ALL.len());
        for slug in Slug::ALL {
            assert_eq!(Slug::named(slug.entry().slug), Some(*slug));
        }
        assert_eq!(Slug::named("no-such-slug"), None);
    }

    #[test]
    fn every_row_is_filled_in() {
        for slug in Slug::ALL {
            let entry = slug.entry();
            let words = [entry.title, entry.meaning, entry.remedy];
            assert!(words.iter().all(|text| text.len() > 4), "{}", entry.slug);
            assert!(!entry.statuses.is_empty());
            assert!(
                entry
                    .statuses
                    .iter()
                    .all(|status| (400..=599).contains(status))
            );
            assert!(
                entry
                    .slug
                    .bytes()
                    .all(|it| it.is_ascii_lowercase() || it == b'-')
            );
        }
    }
}
