//! Figures over time, in buckets of every resolution.

mod resolution;

pub use resolution::{Bucket, Resolution, Span};
