//! Use cases and background work: following a chain, publishing snapshots,
//! keys, limits and health; the lease market.
//!
//! Nothing here knows HTTP or SQL. Requests read the published [`Snapshot`]
//! and never wait for the indexer.

mod answer_signer;
mod digest;
mod duty;
mod fault;
mod fee_token;
mod follower;
mod generational_cache;
mod global;
mod health;
mod impossible;
mod indexer;
mod keys;
mod known;
pub mod leasing;
mod ledger_probe;
pub mod paymaster;
mod rate;
mod recent_blocks;
mod recurring;
mod refused;
mod rehearsals;
mod rounds;
mod sender;
mod shared_redis;
mod snapshot;
mod staking;
mod swap;
mod trades;
mod trail;
mod worth;

pub use answer_signer::AnswerSigner;
pub use digest::SnapshotDigest;
pub use duty::{Duty, TERM as DUTY_TERM};
pub use fault::Fault;
pub use fee_token::{STRK, fee_token};
pub use follower::Follower;
pub use generational_cache::GenerationalCache;
pub use global::{
    GlobalFeed, GlobalKey, GlobalMarket, GlobalOptions, GlobalPlan, GlobalPoller, GlobalSetupError,
};
pub use health::{
    ClusterHealth, Health, HealthLimits, MarketHealth, NodeHealth, PartHealth, Product, Report,
    SettlementHealth, TakeoverHealth,
};
pub use impossible::tell_what_is_impossible;
pub use indexer::{
    Difference, Doorbell, HeadStart, HistoryView, Indexer, IndexerOptions, NearStore, NodeView,
    Nodes, Progress, ProgressView, Round, TakeoverView, Verifier, stored_standing,
};
pub use keys::{ApiKeys, DEMO_SPONSOR_KEY, KeyCaller, NewKey, Recollection};
pub use known::Known;
pub use ledger_probe::{LedgerHealth, LedgerProbe};
pub use rate::{Decision, Policy, RateLimiter};
pub use recent_blocks::{BlockHead, Missed, RecentBlocks};
pub use recurring::{CycleBenchmarks, Keeper, OrderFeed, PastPrices, RecurringOrders};
pub use refused::Refused;
pub use rehearsals::Rehearsals;
pub use sender::{
    Payer, PoolSurvey, SendRefused, Sender, SenderOptions, SenderPool, Sighting, Survey,
};
pub use shared_redis::{RedisState, SharedRedis};
pub use snapshot::{Snapshot, Snapshots};
pub use staking::{
    DayRate, MemberAt, PastDeed, PoolFigures, Restake, Staker, StakerVersion, Staking,
    StakingFigures, StakingOptions, StakingPool,
};
pub use store::leasing::Parked;
pub use swap::{
    BestQuote, BuildError, BuildRequest, Built, ExchangeTerms, FreshnessLimits, GasEstimates,
    GasWatch, Offer, QUOTE_GAP, QUOTE_SECONDS, QuoteError, QuoteStore, Stale, SwapOptions,
    SwapTerms, Swaps, Taker,
};
pub use trades::{ToldTrade, TradeHistory, TradePage, TradePlace, TradesAsked};
pub use trail::Trail;
