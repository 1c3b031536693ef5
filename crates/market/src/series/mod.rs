//! Figures over time, in buckets of every resolution.
//!
//! A series has a record only for the buckets in which something happened to
//! it; every other bucket follows from the records around it. What is said of a
//! coarse bucket is always exactly what the finer ones in it say together.
//! Records lie in pages, which copies of a series share until they change, and
//! which are written and read as bytes.

mod codec;
mod dense;
mod lane;
mod level;
mod price;
mod resolution;
mod sum;
mod track;

#[cfg(test)]
mod amounts_tests;

pub use codec::PageError;
pub use dense::Dense;
pub use level::LevelTrack;
pub(crate) use price::{Course, Make};
pub use price::{Ohlc, PriceBoard, PriceTrack};
pub use resolution::{Bucket, Resolution, Span};
pub(crate) use sum::Worths;
pub use sum::{Sum, SumTrack};
pub use track::{TrackPage, page_at};
