//! The body of every refusal.

use serde::Serialize;
use utoipa::ToSchema;

/// Why a request was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Error)]
pub struct ErrorBody {
    /// One message for each thing that is wrong; never empty.
    #[schema(min_items = 1, example = json!(["size must be a whole number from 1 to 100, not \"0\""]))]
    pub messages: Vec<String>,
}
