//! The lease marketplace: accounts, validators, leases and their payment.
//!
//! Every refusal under its paths is a problem document, whoever refuses.
//! Handlers begin with an extractor of [`gate`], which looks at credentials and
//! then at the caller's bucket; what follows is the order of checks that the
//! API promises: key, body, fields, what is asked for, whose it is, its state,
//! conflicts, what stands behind.

mod admin;
mod admin_leases;
mod admin_users;
mod admin_validators;
mod audit_log;
mod auth;
mod availability;
mod body;
mod buckets;
mod catalog;
mod chain_pay;
mod config;
mod cursor;
mod data;
mod epoch;
mod error_pages;
mod extensions;
mod fields;
mod gate;
mod idempotency;
mod known_bearers;
mod lease_body;
mod lease_events;
mod lease_keys;
mod lease_path;
mod lease_tokens;
mod leases;
mod link;
mod onboarding;
mod openapi;
mod pages;
mod payment_body;
mod problem;
mod query;
mod ratings;
mod refunds;
mod refusals;
mod registration;
mod responses;
mod revocations;
mod routes;
mod segment;
mod service_tokens;
mod stake;
mod state;
mod stream;
mod tokens;
mod usage;
mod users;
mod validator_body;
mod validators;
mod webhook_body;
mod webhook_deliveries;
mod webhooks;

pub use catalog::{CatalogEntry, Slug};
pub use config::{MarketplaceConfig, MarketplaceLimits};
pub(crate) use openapi::slugs;
use problem::Problem;
pub(crate) use routes::document;
pub(crate) use state::MarketplaceState;
