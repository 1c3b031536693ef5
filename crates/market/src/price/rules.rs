//! The figures of the method.

/// The figures of the method.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rules {
    /// USD of support from which on a token is trusted.
    pub enter_usd: f64,
    /// USD of support below which a token is trusted no longer.
    pub leave_usd: f64,
    /// What a USD of depth counts that is seen through one more token.
    pub per_hop: f64,
    /// The relative distance up to which a pool agrees with a price.
    pub agreement: f64,
    /// A price that changes by more than this factor jumps.
    pub jump: f64,
    /// The part of its former support that confirms a jump.
    pub confirmation: f64,
    /// Blocks for which a jump that is not confirmed is held back, at most.
    pub held_blocks: u8,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            enter_usd: 1_000.0,
            leave_usd: 500.0,
            per_hop: 0.9,
            agreement: 0.02,
            jump: 1.3,
            confirmation: 0.5,
            held_blocks: 5,
        }
    }
}
