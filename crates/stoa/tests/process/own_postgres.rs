//! A PostgreSQL of a test's own, which can be stopped or left without space.

use crate::{harness::text, squeeze::SmallDisk};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
};
use tempfile::TempDir;

/// Runs until it is dropped.
pub(crate) struct OwnPostgres {
    folder: TempDir,
    pub(crate) url: String,
}

impl OwnPostgres {
    pub(crate) fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let script = format!(
            "start_postgres {} fsync=off >/dev/null; echo $STOA_TEST_POSTGRES",
            folder.path().display()
        );
        let url = shell(folder.path(), &script);
        Self { folder, url }
    }

    /// As if it had crashed.
    pub(crate) fn stop(&self) {
        self.shell("as_postgres $programs/pg_ctl -D $data -m immediate stop >/dev/null");
    }

    pub(crate) fn start_again(&self) {
        self.shell(
            "as_postgres $programs/pg_ctl -D $data -w start \
             -o \"-k $(dirname $data) -c listen_addresses= -c fsync=off\" >/dev/null 2>&1",
        );
    }

    /// The address of a new database whose tables are on a small disk. What the
    /// server needs for itself is elsewhere.
    pub(crate) async fn database_on(&self, disk: &SmallDisk) -> String {
        let tables = disk.path.join("tables");
        let tables = tables.display();
        self.shell(&format!("as_postgres mkdir -m 700 {tables}"));
        let mut server = PgConnection::connect(&self.url).await.unwrap();
        for statement in [
            format!("CREATE TABLESPACE small LOCATION '{tables}'"),
            "CREATE DATABASE small TABLESPACE small TEMPLATE template0".to_owned(),
        ] {
            let statement = AssertSqlSafe(statement);
            sqlx::raw_sql(statement).execute(&mut server).await.unwrap();
        }
        self.url.replace("/postgres?", "/small?")
    }

    /// A folder that the server may enter.
    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn shell(&self, what: &str) -> String {
        shell(self.folder.path(), what)
    }
}

impl Drop for OwnPostgres {
    fn drop(&mut self) {
        self.shell("as_postgres $programs/pg_ctl -D $data -m immediate stop || true");
    }
}

fn shell(folder: &Path, what: &str) -> String {
    let scripts = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/postgres.sh");
    let script = format!(
        "set -e; . {scripts}; cd /; data={}/postgres/data; programs=$(postgres_programs); {what}",
        folder.display()
    );
    let output = Command::new("bash").args(["-c", &script]).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout).trim().to_owned()
}
