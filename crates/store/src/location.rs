//! Where a store is, as people write it. A password is never shown.

use sqlx::postgres::PgConnectOptions;
use std::{fmt, path::PathBuf, str::FromStr};
use thiserror::Error;
use url::Url;

const MASK: &str = "***";

/// Parameters of a PostgreSQL address that hold no secret. Any other may:
/// `password`, `sslpassword`, a key in `sslkey`, and what is yet to come.
const SHOWN: [&str; 15] = [
    "application_name",
    "dbname",
    "host",
    "hostaddr",
    "options",
    "port",
    "ssl-ca",
    "ssl-cert",
    "ssl-mode",
    "ssl-root-cert",
    "sslcert",
    "sslmode",
    "sslrootcert",
    "statement-cache-capacity",
    "user",
];

/// Where a store is.
#[derive(Clone, PartialEq, Eq)]
pub enum Location {
    /// Files in one folder.
    Sqlite {
        /// The folder, made when it is missing.
        dir: PathBuf,
    },
    /// One database of a server.
    Postgres {
        /// `postgres://user:password@host:port/database`.
        url: String,
    },
}

/// Why a text names no store. The text is not repeated: it may hold a password.
#[derive(Debug, Error)]
pub enum LocationError {
    /// Neither engine's prefix.
    #[error("a store is sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE")]
    Scheme,
    /// Nothing after `sqlite:`.
    #[error("sqlite: needs the path of a folder, such as sqlite:./data")]
    NoFolder,
    /// `sqlite:` with the slashes of a web address, or an in-memory database.
    #[error(
        "sqlite: takes the plain path of a folder, such as sqlite:./data or sqlite:/var/lib/stoa"
    )]
    NotAFolder,
    /// Not an address that PostgreSQL understands.
    #[error("not a PostgreSQL address")]
    Postgres(#[source] sqlx::Error),
}

impl FromStr for Location {
    type Err = LocationError;

    fn from_str(text: &str) -> Result<Self, LocationError> {
        if let Some(path) = text.strip_prefix("sqlite:") {
            return match path {
                "" => Err(LocationError::NoFolder),
                _ if path.starts_with("//") || path.starts_with(':') => {
                    Err(LocationError::NotAFolder)
                }
                _ => Ok(Self::Sqlite { dir: path.into() }),
            };
        }
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            PgConnectOptions::from_str(text).map_err(LocationError::Postgres)?;
            return Ok(Self::Postgres { url: text.into() });
        }
        Err(LocationError::Scheme)
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite { dir } => write!(f, "sqlite:{}", dir.display()),
            Self::Postgres { url } => f.write_str(&masked(url)),
        }
    }
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Location")
            .field(&format_args!("{self}"))
            .finish()
    }
}

/// The address with its secrets, of which the query may hold some too, hidden.
fn masked(url: &str) -> String {
    let Ok(mut url) = Url::parse(url) else {
        return format!("postgres://{MASK}");
    };
    if url.password().is_some() && url.set_password(Some(MASK)).is_err() {
        return format!("postgres://{MASK}");
    }
    let query: Vec<(String, String)> = url.query_pairs().into_owned().collect();
    let is_shown = |key: &str| SHOWN.contains(&key);
    if !query.iter().all(|(key, _)| is_shown(key)) {
        url.query_pairs_mut()
            .clear()
            .extend_pairs(query.iter().map(|(key, value)| {
                let shown = if is_shown(key) { value } else { MASK };
                (key, shown)
            }));
    }
    url.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_folder_or_a_server_is_a_location() {
        let location: Location = "sqlite:./data".parse().unwrap();
        assert_eq!(
            location,
            Location::Sqlite {
                dir: "./data".into()
            }
        );
        assert_eq!(location.to_string(), "sqlite:./data");
        for url in ["postgres://stoa@db/stoa", "postgresql://stoa@db:5433/stoa"] {
            let location: Location = url.parse().unwrap();
            assert_eq!(location.to_string(), url);
        }
    }

    #[test]
    fn each_wrong_text_is_told_what_is_wrong() {
        for (text, message) in [
            ("", "a store is sqlite:PATH or"),
            ("./data", "a store is sqlite:PATH or"),
            ("mysql://root@db", "a store is sqlite:PATH or"),
            ("sqlite:", "needs the path of a folder"),
            ("sqlite://data", "plain path of a folder"),
            ("sqlite::memory:", "plain path of a folder"),
            ("postgres://db:notaport/x", "not a PostgreSQL address"),
        ] {
            let error = text.parse::<Location>().unwrap_err().to_string();
            assert!(error.contains(message), "{text}: {error}");
        }
    }

    #[test]
    fn passwords_are_never_shown() {
        for text in [
            "postgres://stoa:hunter2@db/stoa",
            "postgres://stoa@db/stoa?application_name=x&password=hunter2",
            "postgres://stoa@db/stoa?sslmode=verify-full&sslpassword=hunter2",
            "postgres://stoa@db/stoa?sslkey=hunter2",
            "postgres://stoa@db/stoa?passfile=hunter2&host=/run",
        ] {
            let location: Location = text.parse().unwrap();
            for shown in [location.to_string(), format!("{location:?}")] {
                assert!(!shown.contains("hunter2"), "{shown}");
                assert!(shown.contains("***"), "{shown}");
            }
        }
        let location: Location = "postgres://stoa@db/stoa?sslmode=require&sslpassword=x"
            .parse()
            .unwrap();
        assert_eq!(
            location.to_string(),
            "postgres://stoa@db/stoa?sslmode=require&sslpassword=***"
        );
        let unparsed = Location::Postgres {
            url: "postgres://stoa:hunter2@:x".into(),
        };
        assert!(!unparsed.to_string().contains("hunter2"));
    }

    proptest! {
        #[test]
        fn no_text_makes_the_parser_panic(text in "(sqlite:|postgres://)?.{0,60}") {
            let _ = text.parse::<Location>().map(|location| location.to_string());
        }
    }
}
