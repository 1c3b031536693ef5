mod caching;
mod dialects;
mod operations;
mod prices;
mod records;
mod refusals;
mod series;
mod support;
