//! What both halves of a store are: a database, and the duty that writing to it needs,
//! if any. One pointer, as stores are handed about by the dozen.

use crate::{
    db::{Db, Tx},
    error::StoreError,
    fence::Fence,
};
use std::sync::Arc;

#[derive(Debug, Clone)]
pub(crate) struct Half(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    db: Db,
    fence: Option<Fence>,
}

impl Half {
    pub(crate) fn new(db: Db) -> Self {
        Self(Arc::new(Parts { db, fence: None }))
    }

    pub(crate) fn db(&self) -> &Db {
        &self.0.db
    }

    /// A duty of writing here, which nobody has taken yet.
    pub(crate) fn fence(&self, duty: &'static str) -> Fence {
        Fence::new(self.db().clone(), duty)
    }

    /// The same, which is written to only while a duty is held.
    pub(crate) fn fenced(&self, fence: &Fence) -> Self {
        Self(Arc::new(Parts {
            db: self.db().clone(),
            fence: Some(fence.clone()),
        }))
    }

    /// Refuses a transaction if a duty is needed and not held.
    pub(crate) async fn check(&self, tx: &mut Tx) -> Result<(), StoreError> {
        match &self.0.fence {
            Some(fence) => fence.check(tx).await,
            None => Ok(()),
        }
    }
}
