//! What addresses a name has.

use futures_util::{FutureExt as _, future::BoxFuture};
use std::{fmt, io, net::IpAddr};

/// Whoever knows the addresses of names.
pub trait Lookup: fmt::Debug + Send + Sync {
    /// The addresses of a name.
    fn addresses(&self, name: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>>;
}

/// The operating system.
#[derive(Debug, Clone, Copy)]
pub struct SystemLookup;

impl Lookup for SystemLookup {
    fn addresses(&self, name: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        let name = name.to_owned();
        async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        }
        .boxed()
    }
}
