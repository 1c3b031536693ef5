//! Staking with the configured staker: what the chain tells of it, read again and
//! again by a task, and of its members, asked for each request.

mod day_rates;
mod figures;
mod handle;
mod history;
mod member;
mod options;
mod rates;
mod reader;
mod restake;
mod staker;

pub use day_rates::DayRate;
pub use figures::{PoolFigures, StakerVersion, StakingFigures};
pub use handle::Staking;
pub use history::PastDeed;
pub use member::MemberAt;
pub use options::StakingOptions;
pub use restake::Restake;
pub use staker::{Staker, StakingPool};
