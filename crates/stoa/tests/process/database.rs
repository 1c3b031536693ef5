//! A database of its own on the tests' PostgreSQL, gone when the test ends.

use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};
use url::Url;

/// Names the server. Its user may make databases.
const SERVER: &str = "STOA_TEST_POSTGRES";

pub(crate) struct TestDatabase {
    /// What `--store` takes.
    pub(crate) url: String,
    server: String,
    name: String,
}

impl TestDatabase {
    pub(crate) async fn new() -> Self {
        let server = std::env::var(SERVER);
        let server = server.expect("STOA_TEST_POSTGRES names a server: run ./test");
        let name = format!("stoa_process_{}", std::process::id());
        // A killed process of the same number may have left one behind.
        drop_database(&server, &name).await;
        administer(
            &server,
            &format!("CREATE DATABASE {name} TEMPLATE template0"),
        )
        .await;
        let mut url: Url = server.parse().unwrap();
        url.set_path(&name);
        Self {
            url: url.into(),
            server,
            name,
        }
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let (server, name) = (self.server.clone(), self.name.clone());
        let dropped = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread();
            let runtime = { runtime }.enable_all().build().unwrap();
            runtime.block_on(drop_database(&server, &name));
        });
        let _ = dropped.join();
    }
}

async fn drop_database(server: &str, name: &str) {
    let drop = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
    administer(server, &drop).await;
}

async fn administer(server: &str, statement: &str) {
    let mut connection = PgConnection::connect(server).await.unwrap();
    // The names are our own.
    connection
        .execute(AssertSqlSafe(statement.to_owned()))
        .await
        .unwrap();
}
