//! A database of its own for each test, on either engine, gone when the test
//! ends, also when it fails.

use sqlx::{
    AssertSqlSafe, Connection as _, Executor as _, PgConnection, Row as _, SqliteConnection,
    migrate::Migrator, postgres::PgConnectOptions, sqlite::SqliteConnectOptions,
};
use std::{
    any::Any,
    path::Path,
    str::FromStr as _,
    sync::atomic::{AtomicU32, Ordering},
};
use store::{Location, Store};
use tempfile::TempDir;

/// Names the server on which PostgreSQL's cases run. Its user may make databases.
const SERVER: &str = "STOA_TEST_POSTGRES";

/// What keeps a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// Files in a folder of the test.
    Sqlite,
    /// A database of the test on a server that is there.
    Postgres,
}

/// An empty place for a store.
#[derive(Debug)]
pub struct TestDatabase {
    /// Where it is.
    pub location: Location,
    _folder: Option<TempDir>,
    server: Option<Server>,
}

#[derive(Debug)]
struct Server {
    url: String,
    database: String,
}

/// A column as the engine describes it, with types reduced to what both have.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ColumnShape {
    /// The table that has it.
    pub table: String,
    /// Its name.
    pub column: String,
    /// `integer`, `bytes` or `text`.
    pub kind: &'static str,
    /// Whether it may be empty.
    pub nullable: bool,
}

impl TestDatabase {
    /// On either engine; a server is named by `STOA_TEST_POSTGRES`.
    pub async fn new(engine: Engine) -> Self {
        match engine {
            Engine::Sqlite => {
                let folder = tempfile::tempdir().unwrap();
                Self {
                    location: Location::Sqlite {
                        dir: folder.path().join("data"),
                    },
                    _folder: Some(folder),
                    server: None,
                }
            }
            Engine::Postgres => Self::on_server().await,
        }
    }

    async fn on_server() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let url = std::env::var(SERVER).unwrap_or_else(|_| {
            panic!("{SERVER} names no PostgreSQL server: run ./test, which starts one")
        });
        let database = format!(
            "stoa_test_{}_{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        );
        // A killed process of the same number may have left one behind.
        administer(
            &url,
            &format!("DROP DATABASE IF EXISTS {database} WITH (FORCE)"),
        )
        .await;
        administer(
            &url,
            &format!("CREATE DATABASE {database} TEMPLATE template0"),
        )
        .await;
        let mut own = url::Url::parse(&url).unwrap();
        own.set_path(&database);
        Self {
            location: Location::Postgres { url: own.into() },
            _folder: None,
            server: Some(Server { url, database }),
        }
    }

    /// A connection to the store, not yet migrated.
    pub async fn open(&self) -> Store {
        Store::open(&self.location).await.unwrap()
    }

    /// A connection to the migrated store.
    pub async fn store(&self) -> Store {
        let store = self.open().await;
        store.migrate().await.unwrap();
        store
    }

    /// Brings one half to the version of an older program.
    pub async fn migrate_to(&self, schema: &'static str, version: i64) {
        let steps = |engine: &str| {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../store/migrations");
            Migrator::new(folder.join(engine).join(schema))
        };
        let until = |mut migrator: Migrator| {
            migrator
                .migrations
                .to_mut()
                .retain(|step| step.version <= version);
            migrator
        };
        match &self.location {
            Location::Sqlite { dir } => {
                let file = SqliteConnectOptions::new().filename(dir.join(format!("{schema}.db")));
                let mut connection = SqliteConnection::connect_with(&file).await.unwrap();
                let migrator = until(steps("sqlite").await.unwrap());
                let migrated = migrator.run_direct(None, &mut connection, false).await;
                migrated.unwrap();
                connection.close().await.unwrap();
            }
            Location::Postgres { url } => {
                let mut connection = postgres(url, schema).await.unwrap();
                let mut migrator = until(steps("postgres").await.unwrap());
                migrator.create_schema(schema);
                let migrated = migrator.run_direct(None, &mut connection, false).await;
                migrated.unwrap();
                connection.close().await.unwrap();
            }
        }
    }

    /// Runs SQL behind the store's back.
    pub async fn execute(&self, schema: &str, sql: &str) -> Result<(), sqlx::Error> {
        match &self.location {
            Location::Sqlite { dir } => {
                let file = SqliteConnectOptions::new().filename(dir.join(format!("{schema}.db")));
                let mut connection = SqliteConnection::connect_with(&file).await?;
                connection.execute(AssertSqlSafe(sql)).await?;
                connection.close().await
            }
            Location::Postgres { url } => {
                let mut connection = postgres(url, schema).await?;
                connection.execute(AssertSqlSafe(sql)).await?;
                connection.close().await
            }
        }
    }

    /// Keeps others from writing to a table until the answer is dropped.
    pub async fn hold_writes(&self, schema: &str, table: &str) -> Box<dyn Any> {
        match &self.location {
            Location::Sqlite { dir } => {
                let file = SqliteConnectOptions::new().filename(dir.join(format!("{schema}.db")));
                let mut connection = SqliteConnection::connect_with(&file).await.unwrap();
                connection.execute("BEGIN IMMEDIATE").await.unwrap();
                Box::new(connection)
            }
            Location::Postgres { url } => {
                let mut connection = postgres(url, schema).await.unwrap();
                let lock = format!("BEGIN; LOCK TABLE {table} IN EXCLUSIVE MODE");
                connection.execute(AssertSqlSafe(lock)).await.unwrap();
                Box::new(connection)
            }
        }
    }

    /// The columns of a schema, by table and name.
    pub async fn columns(&self, schema: &str) -> Vec<ColumnShape> {
        let rows: Vec<(String, String, String, bool)> = match &self.location {
            Location::Sqlite { dir } => {
                let file = SqliteConnectOptions::new().filename(dir.join(format!("{schema}.db")));
                let mut connection = SqliteConnection::connect_with(&file).await.unwrap();
                connection
                    .fetch_all(
                        "SELECT t.name, c.name, c.type, c.\"notnull\" = 0 AND c.pk = 0
                         FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
                         WHERE t.type = 'table'",
                    )
                    .await
                    .unwrap()
                    .iter()
                    .map(|row| (row.get(0), row.get(1), row.get(2), row.get(3)))
                    .collect()
            }
            Location::Postgres { url } => {
                let mut connection = postgres(url, schema).await.unwrap();
                connection
                    .fetch_all(
                        "SELECT table_name::text, column_name::text, data_type::text,
                                is_nullable = 'YES'
                         FROM information_schema.columns
                         WHERE table_schema = current_schema()",
                    )
                    .await
                    .unwrap()
                    .iter()
                    .map(|row| (row.get(0), row.get(1), row.get(2), row.get(3)))
                    .collect()
            }
        };
        let mut shapes: Vec<ColumnShape> = rows
            .into_iter()
            .filter(|(table, ..)| table != "_sqlx_migrations")
            .map(|(table, column, kind, nullable)| ColumnShape {
                table,
                column,
                kind: kind_of(&kind),
                nullable,
            })
            .collect();
        shapes.sort();
        shapes
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let Some(Server { url, database }) = &self.server else {
            return;
        };
        let (url, sql) = (
            url.clone(),
            format!("DROP DATABASE {database} WITH (FORCE)"),
        );
        // A runtime of its own: the test's one may be the thread that drops.
        let cleanup = std::thread::spawn(move || {
            tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap()
                .block_on(administer(&url, &sql));
        });
        let dropped = cleanup.join().is_ok();
        assert!(
            dropped || std::thread::panicking(),
            "cannot drop {database}"
        );
    }
}

fn kind_of(kind: &str) -> &'static str {
    match kind {
        "INTEGER" | "bigint" | "smallint" => "integer",
        "BLOB" | "bytea" => "bytes",
        "TEXT" | "text" => "text",
        other => panic!("a column type that the design does not have: {other}"),
    }
}

async fn postgres(url: &str, schema: &str) -> Result<PgConnection, sqlx::Error> {
    let options = PgConnectOptions::from_str(url)?.options([("search_path", schema)]);
    PgConnection::connect_with(&options).await
}

async fn administer(url: &str, sql: &str) {
    let mut connection = PgConnection::connect(url)
        .await
        .unwrap_or_else(|error| panic!("{SERVER} cannot be reached: {error}; run ./test"));
    connection.execute(AssertSqlSafe(sql)).await.unwrap();
    connection.close().await.unwrap();
}
