mod finding;
mod listing;
mod refusals;
mod swap;
