//! Who may ask how often: API keys, and limits that replicas share.

mod keys;
mod limits;
mod redis_lost;
