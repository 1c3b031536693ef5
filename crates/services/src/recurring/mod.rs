//! Recurring orders: known by the events of their factory, and executed.

mod benchmark;
mod feed;
mod keeper;
mod orders;
mod past_prices;

pub use benchmark::CycleBenchmarks;
pub use feed::OrderFeed;
pub use keeper::Keeper;
pub use orders::RecurringOrders;
pub use past_prices::PastPrices;
