//! Lease tokens: short-lived JWTs (ES256) by which the gateway of a validator
//! knows a lessee without asking the market.
//!
//! Making one is in three steps, for the key may be elsewhere: the claims, the
//! text that is signed, the token.

mod claims;
mod key;
mod revocations;
mod verifying;

pub use claims::{LeaseClaims, TOKEN_LIFETIME, assembled, signing_input};
pub use key::{Jwk, Jwks, NotTokenKey, TokenKey, TokenSecret};
pub use revocations::Revocations;
pub use verifying::{Gateway, TokenRefusal, verify_lease_token};
