//! Concentrated pools against the maths that others published, and against
//! exact arithmetic in Python. Every case follows from a seed;
//! `STOA_ORACLE_CASES` sets how many there are.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests fail by panicking"
)]

mod draw;
mod ekubo;
mod python;
mod v3;
