//! What a pool says of itself when it is asked.

use serde::{Deserialize, Serialize};

/// What a pool's contract says when it is asked, and no event does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Facts {
    /// The fee on either token, in the venue's own scale.
    pub fees: [u64; 2],
    /// The decimals of the tokens.
    pub decimals: [u8; 2],
    /// How flat a stable curve is.
    pub amplification: u32,
}
