//! Prices under honest and under hostile pools.
