//! PostgreSQL is copied by its own programs, which know its every version:
//! `pg_dump` in one transaction, `pg_restore` in another.

use super::{
    error::{BackupError, at},
    part::Halves,
};
use crate::{
    error::StoreError,
    location::Location,
    migrations::{CHAIN, LEDGER},
};
use sqlx::{Connection as _, PgConnection};
use std::{
    path::Path,
    process::{Command, Stdio},
};
use url::Url;

const DUMP_FILE: &str = "stoa.dump";

/// Writes the schemas of a store into a folder.
pub(super) async fn dump(url: &str, into: &Path, halves: Halves) -> Result<(), BackupError> {
    if !has_schema(url, LEDGER.name).await? {
        return Err(BackupError::NoStore(location(url)));
    }
    let file = into.join(DUMP_FILE);
    crate::sqlite::private_file(&file).map_err(at(&file))?;
    let mut arguments = vec![
        "--format=custom",
        "--no-owner",
        "--no-privileges",
        "--schema",
    ];
    arguments.push(LEDGER.name);
    if halves == Halves::Both {
        arguments.extend(["--schema", CHAIN.name]);
    }
    let mut command = program("pg_dump", url);
    command.args(arguments).arg("--file").arg(&file);
    run("pg_dump", command).await
}

/// Makes the schemas anew, in one transaction.
pub(super) async fn restore(url: &str, from: &Path) -> Result<(), BackupError> {
    let file = from.join(DUMP_FILE);
    if !file.exists() {
        return Err(BackupError::NoBackup {
            folder: from.to_owned(),
            engine: "PostgreSQL",
            file: DUMP_FILE,
        });
    }
    for schema in [LEDGER.name, CHAIN.name] {
        if has_schema(url, schema).await? {
            return Err(BackupError::Occupied(location(url)));
        }
    }
    let mut command = program("pg_restore", url);
    command
        .args(["--no-owner", "--no-privileges"])
        .args(["--single-transaction", "--exit-on-error"])
        .arg(&file);
    run("pg_restore", command).await
}

async fn has_schema(url: &str, schema: &str) -> Result<bool, StoreError> {
    let mut connection = PgConnection::connect(url).await?;
    let found = sqlx::query_scalar("SELECT count(*) > 0 FROM pg_namespace WHERE nspname = $1")
        .bind(schema)
        .fetch_one(&mut connection)
        .await?;
    connection.close().await?;
    Ok(found)
}

fn location(url: &str) -> Location {
    Location::Postgres {
        url: url.to_owned(),
    }
}

/// A program that is told where the database is. The password is in its
/// environment, since everybody on the machine sees its arguments.
fn program(name: &'static str, url: &str) -> Command {
    let mut command = Command::new(name);
    let (address, password) = libpq(url);
    command.arg("--dbname").arg(address).stdin(Stdio::null());
    if let Some(password) = password {
        command.env("PGPASSWORD", password);
    }
    command
}

/// The address as PostgreSQL's own library takes it, and the password apart.
fn libpq(url: &str) -> (String, Option<String>) {
    let Ok(mut address) = Url::parse(url) else {
        return (url.to_owned(), None);
    };
    let mut password = address.password().map(percent_decoded);
    if password.is_some() && address.set_password(None).is_err() {
        return (url.to_owned(), None);
    }
    let mut parameters = Vec::new();
    for (name, value) in address.query_pairs().into_owned() {
        match name.as_str() {
            "password" => password = Some(value),
            "statement-cache-capacity" => {}
            "ssl-mode" => parameters.push(("sslmode".to_owned(), value)),
            "ssl-ca" | "ssl-root-cert" => parameters.push(("sslrootcert".to_owned(), value)),
            "ssl-cert" => parameters.push(("sslcert".to_owned(), value)),
            "ssl-key" => parameters.push(("sslkey".to_owned(), value)),
            _ => parameters.push((name, value)),
        }
    }
    if address.query().is_some() {
        address.query_pairs_mut().clear().extend_pairs(parameters);
    }
    // Spaces are `%20` there, never `+`.
    (String::from(address).replace('+', "%20"), password)
}

/// The text that a part of an address stands for.
fn percent_decoded(part: &str) -> String {
    let text = format!("={}", part.replace('+', "%2B"));
    let mut pairs = url::form_urlencoded::parse(text.as_bytes());
    pairs
        .next()
        .map_or_else(String::new, |(_, value)| value.into_owned())
}

async fn run(name: &'static str, mut command: Command) -> Result<(), BackupError> {
    let ended = tokio::task::spawn_blocking(move || command.output()).await;
    let ended = ended.unwrap_or_else(|stopped| Err(std::io::Error::other(stopped)));
    let output = ended.map_err(|source| BackupError::NoProgram {
        program: name,
        source,
    })?;
    if output.status.success() {
        return Ok(());
    }
    Err(BackupError::Program {
        program: name,
        said: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_taken_out_of_the_address() {
        for (url, address, password) in [
            ("postgres://a@h/d", "postgres://a@h/d", None),
            (
                "postgres://a:p%40ss+w@h:5/d",
                "postgres://a@h:5/d",
                Some("p@ss+w"),
            ),
            (
                "postgres://a@h/d?password=s&ssl-mode=require&statement-cache-capacity=0",
                "postgres://a@h/d?sslmode=require",
                Some("s"),
            ),
            (
                "postgres://a@localhost/d?host=/run/a%20b",
                "postgres://a@localhost/d?host=%2Frun%2Fa%20b",
                None,
            ),
        ] {
            let password = password.map(str::to_owned);
            assert_eq!(libpq(url), (address.to_owned(), password), "{url}");
        }
    }
}
