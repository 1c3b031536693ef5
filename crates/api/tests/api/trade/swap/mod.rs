mod building;
mod quoting;
mod refusals;
mod support;
