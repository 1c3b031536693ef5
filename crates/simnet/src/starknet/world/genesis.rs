//! What a world is made from.

/// The same genesis gives the same world.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Genesis {
    pub(crate) seed: u64,
    /// Pools of the exchanges at the beginning.
    pub(crate) pools: usize,
    /// Whether prices jump and nobody keeps them together.
    pub(crate) wild: bool,
}
