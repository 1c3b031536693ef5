//! The table that everything of the chain hangs on, and who reads and writes it.

use crate::{column::Column, db::Db};

/// The name of the table.
pub(crate) const BLOCK: &str = "block";
pub(crate) const NUMBER: Column = column("number");
pub(crate) const HASH: Column = column("hash");
pub(crate) const TIME: Column = column("time");

const fn column(name: &'static str) -> Column {
    Column { table: BLOCK, name }
}

/// What can be read from the chain again.
#[derive(Debug, Clone)]
pub struct ChainStore(Db);

impl ChainStore {
    pub(crate) fn new(db: Db) -> Self {
        Self(db)
    }

    pub(crate) fn db(&self) -> &Db {
        &self.0
    }
}
