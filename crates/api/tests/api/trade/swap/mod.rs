mod building;
mod operations;
mod quoting;
mod refusals;
mod support;
