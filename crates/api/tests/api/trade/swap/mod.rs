mod building;
mod freshness;
mod holdings;
mod operations;
mod quoting;
mod refusals;
mod support;
