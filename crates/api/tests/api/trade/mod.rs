mod dca;
mod finding;
mod listing;
mod refusals;
mod staking;
mod swap;
