//! What a pool's extension means for its quotes.

/// A contract that a pool calls around its swaps, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Extension {
    /// The pool stands alone.
    None,
    /// Records prices, and leaves the swap as it is.
    Oracle,
    /// Executes long orders up to the time of the block before each swap.
    Twamm,
    /// Takes filled orders out of the pool after each swap.
    LimitOrders,
    /// Moves the pool's liquidity along a curve of its own.
    Spline,
    /// Any other contract.
    Unknown,
}

impl Extension {
    /// Whether the pool's own state tells what a swap gives.
    #[must_use]
    pub const fn is_quotable(self) -> bool {
        self.obstacle().is_none()
    }

    /// Why it does not.
    #[must_use]
    pub const fn obstacle(self) -> Option<&'static str> {
        match self {
            Self::None | Self::Oracle => None,
            Self::Twamm => Some("its orders trade up to the time of the block first"),
            Self::LimitOrders => Some("its orders leave the pool as the price passes them"),
            Self::Spline => Some("its liquidity is moved by another contract"),
            Self::Unknown => Some("its extension is not known"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_extensions_that_leave_the_swap_alone_are_quotable() {
        let all = [
            Extension::None,
            Extension::Oracle,
            Extension::Twamm,
            Extension::LimitOrders,
            Extension::Spline,
            Extension::Unknown,
        ];
        let quotable = all.map(Extension::is_quotable);
        assert_eq!(quotable, [true, true, false, false, false, false]);
        assert!(
            all.iter()
                .all(|any| any.is_quotable() == any.obstacle().is_none())
        );
    }
}
