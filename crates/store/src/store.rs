//! The store as a whole: open, migrate, close.

use crate::{
    chain::ChainStore,
    db::Db,
    error::StoreError,
    ledger::LedgerStore,
    location::Location,
    migrations::{CHAIN, LEDGER, MigrationReport},
    postgres,
    sqlite::{self, Durability},
};

/// The durable state of one Stoa. Clones share their connections.
#[derive(Debug, Clone)]
pub struct Store {
    chain: ChainStore,
    ledger: LedgerStore,
}

impl Store {
    /// Connects, without changing the schema. A store of a newer program is
    /// [`StoreError::SchemaNewer`].
    pub async fn open(location: &Location) -> Result<Self, StoreError> {
        let (chain, ledger) = match location {
            Location::Sqlite { dir } => {
                std::fs::create_dir_all(dir).map_err(|source| StoreError::Folder {
                    path: dir.clone(),
                    source,
                })?;
                (
                    sqlite::open(&dir.join("chain.db"), Durability::Derived).await?,
                    sqlite::open(&dir.join("ledger.db"), Durability::Acknowledged).await?,
                )
            }
            Location::Postgres { url } => (
                postgres::open(url, CHAIN.name).await?,
                postgres::open(url, LEDGER.name).await?,
            ),
        };
        let store = Self {
            chain: ChainStore::new(chain),
            ledger: LedgerStore::new(ledger),
        };
        CHAIN.refuse_newer(store.chain_db()).await?;
        LEDGER.refuse_newer(store.ledger_db()).await?;
        Ok(store)
    }

    /// Brings both schemas to the program's version. Safe when several
    /// processes do it at once; does nothing when nothing is to be done.
    pub async fn migrate(&self) -> Result<MigrationReport, StoreError> {
        Ok(MigrationReport {
            chain: CHAIN.migrate(self.chain_db()).await?,
            ledger: LEDGER.migrate(self.ledger_db()).await?,
        })
    }

    /// [`StoreError::SchemaOlder`] when [`Store::migrate`] has work to do.
    pub async fn require_migrated(&self) -> Result<(), StoreError> {
        CHAIN.refuse_older(self.chain_db()).await?;
        LEDGER.refuse_older(self.ledger_db()).await
    }

    /// What can be read from the chain again.
    pub fn chain(&self) -> &ChainStore {
        &self.chain
    }

    /// What cannot.
    pub fn ledger(&self) -> &LedgerStore {
        &self.ledger
    }

    /// Whether both halves answer.
    pub async fn ping(&self) -> Result<(), StoreError> {
        self.chain_db().ping().await?;
        self.ledger_db().ping().await
    }

    /// Ends every connection, of all clones too.
    pub async fn close(&self) {
        self.chain_db().close().await;
        self.ledger_db().close().await;
    }

    fn chain_db(&self) -> &Db {
        self.chain.db()
    }

    fn ledger_db(&self) -> &Db {
        self.ledger.db()
    }
}
