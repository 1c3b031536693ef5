//! Bodies of requests for calls. Everything wrong with one is told at once.

use super::super::body_reader::BodyReader;
use crate::http::error::Rejection;
use primitives::{Address, U256};
use serde::Deserialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

/// Who acts, and nothing more.
#[derive(ToSchema)]
#[schema(as = StakingUser, rename_all = "camelCase")]
#[expect(dead_code, reason = "only describes the body, which is read in place")]
pub(super) struct UserDescription {
    /// The same as in the path.
    #[schema(example = "0x1234")]
    user_address: String,
}

/// Who acts, and on how much.
#[derive(ToSchema)]
#[schema(as = StakingAmount, rename_all = "camelCase")]
#[expect(dead_code, reason = "only describes the body, which is read in place")]
pub(super) struct AmountDescription {
    /// The same as in the path.
    #[schema(example = "0x1234")]
    user_address: String,
    /// Of the pool's token: decimal, or hexadecimal after `0x`.
    #[schema(example = "0xde0b6b3a7640000")]
    amount: String,
}

/// Who acts, and what becomes of rewards.
#[derive(ToSchema)]
#[schema(as = StakingClaim, rename_all = "camelCase")]
#[expect(dead_code, reason = "only describes the body, which is read in place")]
pub(super) struct ClaimDescription {
    /// The same as in the path.
    #[schema(example = "0x1234")]
    user_address: String,
    /// Whether the rewards are staked in the same pool: only where that takes STRK.
    restake: bool,
}

/// Any of them as it is sent: whatever a value is, the others are read too.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ActionRequest<'a> {
    #[serde(borrow)]
    user_address: Option<&'a RawValue>,
    #[serde(borrow)]
    amount: Option<&'a RawValue>,
    #[serde(borrow)]
    restake: Option<&'a RawValue>,
}

impl ActionRequest<'_> {
    /// A body that only says who.
    pub(super) fn check_user(&self, user: Address) -> Result<(), Rejection> {
        self.reader(user).finish()
    }

    /// The amount of a body that has one.
    pub(super) fn read_amount(&self, user: Address) -> Result<U256, Rejection> {
        let mut body = self.reader(user);
        let amount = body.amount("amount", self.amount);
        body.finish()?;
        // What is missing is a problem that was told.
        amount.ok_or(Rejection::Internal)
    }

    /// Whether rewards are to be staked, of a body that says so.
    pub(super) fn read_restake(&self, user: Address) -> Result<bool, Rejection> {
        let mut body = self.reader(user);
        let raw = body.required("restake", self.restake);
        let restake = raw.and_then(|raw| body.truth("restake", raw));
        body.finish()?;
        restake.ok_or(Rejection::Internal)
    }

    /// The body's user must be the path's.
    fn reader(&self, user: Address) -> BodyReader {
        let mut body = BodyReader::default();
        let name = "userAddress";
        let given = body.required_parsed::<Address>(name, self.user_address);
        if let Some(given) = given.filter(|given| *given != user) {
            body.problem(format!(
                "{name} is {given} in the body and {user} in the path: they must be the same"
            ));
        }
        body
    }
}
