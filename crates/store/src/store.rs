//! The store as a whole: open, migrate, close.

use crate::{
    block_table::ChainStore,
    db::Db,
    error::StoreError,
    fence::{self, Fence},
    identity,
    ledger::LedgerStore,
    location::Location,
    migrations::{CHAIN, LEDGER, MigrationReport},
    postgres::{self, ServerUse},
    sqlite::{self, Durability},
};
use std::{fs::DirBuilder, io, os::unix::fs::DirBuilderExt as _, path::Path};

/// The files of SQLite.
pub(crate) const CHAIN_FILE: &str = "chain.db";
pub(crate) const LEDGER_FILE: &str = "ledger.db";

/// Makes a folder that only its owner can look into, and those above it.
pub fn private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// The durable state of one Stoa. Clones share their connections.
#[derive(Debug, Clone)]
pub struct Store {
    chain: ChainStore,
    ledger: LedgerStore,
}

impl Store {
    /// Connects, without changing the schema. A store of a newer program is
    /// [`StoreError::SchemaNewer`], one that has lost its ledger
    /// [`StoreError::LedgerMissing`].
    pub async fn open(location: &Location) -> Result<Self, StoreError> {
        Self::open_with(location, ServerUse::default()).await
    }

    /// The same, with a server used as `server` says.
    pub async fn open_with(location: &Location, server: ServerUse) -> Result<Self, StoreError> {
        if let Location::Sqlite { dir } = location
            && dir.join(CHAIN_FILE).exists()
            && !dir.join(LEDGER_FILE).exists()
        {
            return Err(StoreError::LedgerMissing);
        }
        Self::connect(location, server).await
    }

    /// The same, with an empty ledger if there is none, and with one that was
    /// written beside another chain.
    pub async fn open_with_new_ledger(
        location: &Location,
        server: ServerUse,
    ) -> Result<Self, StoreError> {
        let store = Self::connect(location, server).await?;
        LEDGER.migrate(store.ledger_db()).await?;
        CHAIN.migrate(store.chain_db()).await?;
        identity::untie(store.chain_db()).await?;
        Ok(store)
    }

    async fn connect(location: &Location, server: ServerUse) -> Result<Self, StoreError> {
        // The ledger first: a chain without one has lost it.
        let (ledger, chain) = match location {
            Location::Sqlite { dir } => {
                private_folder(dir).map_err(|source| StoreError::Folder {
                    path: dir.clone(),
                    source,
                })?;
                (
                    sqlite::open(&dir.join(LEDGER_FILE), Durability::Acknowledged).await?,
                    sqlite::open(&dir.join(CHAIN_FILE), Durability::Derived).await?,
                )
            }
            Location::Postgres { url } => (
                postgres::open(url, LEDGER.name, server).await?,
                postgres::open(url, CHAIN.name, server).await?,
            ),
        };
        let store = Self {
            chain: ChainStore::new(chain),
            ledger: LedgerStore::new(ledger),
        };
        for (schema, db, durability) in [
            (CHAIN, store.chain_db(), Durability::Derived),
            (LEDGER, store.ledger_db(), Durability::Acknowledged),
        ] {
            let known = schema.refuse_newer(db).await;
            known.map_err(durability.in_file(db))?;
        }
        Ok(store)
    }

    /// Reads every page of SQLite's files, and says which one is damaged.
    pub async fn examine(&self) -> Result<(), StoreError> {
        sqlite::examine(self.ledger_db(), Durability::Acknowledged).await?;
        sqlite::examine(self.chain_db(), Durability::Derived).await
    }

    /// Brings both schemas to the program's version. Safe when several
    /// processes do it at once; does nothing when nothing is to be done.
    pub async fn migrate(&self) -> Result<MigrationReport, StoreError> {
        self.refuse_lost_ledger().await?;
        let ledger = LEDGER.migrate(self.ledger_db()).await?;
        let chain = CHAIN.migrate(self.chain_db()).await?;
        identity::tie(self.chain_db(), self.ledger_db()).await?;
        Ok(MigrationReport { chain, ledger })
    }

    /// The ledger is migrated first: who finds a chain finds its ledger, unless it
    /// was lost.
    async fn refuse_lost_ledger(&self) -> Result<(), StoreError> {
        if !CHAIN.is_empty(self.chain_db()).await? && LEDGER.is_empty(self.ledger_db()).await? {
            return Err(StoreError::LedgerMissing);
        }
        Ok(())
    }

    /// [`StoreError::SchemaOlder`] when [`Store::migrate`] has work to do.
    pub async fn require_migrated(&self) -> Result<(), StoreError> {
        self.refuse_lost_ledger().await?;
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

    /// The same store, whose chain is written only while a duty of it is held.
    #[must_use]
    pub fn with_fenced_chain(&self, fence: &Fence) -> Self {
        Self {
            chain: self.chain.fenced(fence),
            ledger: self.ledger.clone(),
        }
    }

    /// The same store, whose ledger is written in transactions only while a duty of
    /// it is held.
    #[must_use]
    pub fn with_fenced_ledger(&self, fence: &Fence) -> Self {
        Self {
            chain: self.chain.clone(),
            ledger: self.ledger.fenced(fence),
        }
    }

    /// Lets all duties be taken at once, where those who held them are gone. Were they
    /// not, they would find it out with their next write.
    pub async fn end_duties(&self) -> Result<(), StoreError> {
        fence::end_all(self.chain_db()).await?;
        fence::end_all(self.ledger_db()).await
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
