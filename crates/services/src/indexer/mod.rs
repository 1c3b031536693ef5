//! Follows a chain: fetch, check, apply, commit, publish.
//!
//! One block comes in once. Its effects and the cursor are committed in one
//! transaction, and only then does it become visible. When the node has
//! replaced blocks that we hold, we go back to the last common one; the result
//! equals never having seen the others.

mod ancestor;
mod catching_up;
mod doorbell;
mod figures;
mod following;
mod forgetting;
mod gauge;
mod head_start;
mod judging;
mod leap;
mod log_limiter;
mod nodes;
mod options;
mod outlook;
mod pools;
mod progress;
mod recoding;
mod round;
mod run;
mod state;
mod taken_blocks;
mod takeover;
mod undoing;
mod vaults;
mod verifying;
mod views;
mod writer;

pub use doorbell::Doorbell;
pub use head_start::{HeadStart, NearStore};
pub use nodes::{NodeView, Nodes};
pub use options::IndexerOptions;
pub(crate) use progress::seconds_left;
pub use progress::{HistoryView, Progress, ProgressView, TakeoverView};
pub use round::Round;
pub(crate) use state::State;
pub use state::stored_standing;
pub use verifying::{Difference, Verifier};
pub use writer::Indexer;
