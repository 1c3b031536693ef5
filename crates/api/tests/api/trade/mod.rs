mod finding;
mod listing;
mod refusals;
