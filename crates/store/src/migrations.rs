//! Versions of the two schemas. A step has the texts of both engines side by
//! side, so that neither can be forgotten.

use crate::{
    db::{Db, on},
    error::StoreError,
    postgres,
};
use sqlx::{
    Connection as _, SqlSafeStr as _,
    migrate::{MigrateError, Migration, MigrationType, Migrator},
};

/// What a migration did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MigrationReport {
    /// The half that is derived from the chain.
    pub chain: SchemaChange,
    /// The half that is not.
    pub ledger: SchemaChange,
}

/// The versions of one schema before and after a migration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchemaChange {
    /// 0 when the schema was empty.
    pub from: i64,
    /// The program's own version, or the newer one of a program beside it.
    pub to: i64,
}

/// One half of the store, and the steps that lead to its present form.
#[derive(Debug)]
pub(crate) struct Schema {
    pub(crate) name: &'static str,
    steps: &'static [Step],
}

/// Once released, a step is never edited: the next one corrects it. A step adds;
/// what programs of the version before still need is taken away by a later one,
/// which raises `compatibility.least`, so that both versions run side by side.
#[derive(Debug)]
struct Step {
    version: i64,
    description: &'static str,
    sqlite: &'static str,
    postgres: &'static str,
}

macro_rules! step {
    ($version:literal, $schema:literal, $file:literal) => {
        Step {
            version: $version,
            description: $file,
            sqlite: include_str!(concat!(
                "../migrations/sqlite/",
                $schema,
                "/",
                $file,
                ".sql"
            )),
            postgres: include_str!(concat!(
                "../migrations/postgres/",
                $schema,
                "/",
                $file,
                ".sql"
            )),
        }
    };
}

pub(crate) const CHAIN: Schema = Schema {
    name: "chain",
    steps: &[
        step!(1, "chain", "0001_token_list"),
        step!(2, "chain", "0002_pools"),
        step!(3, "chain", "0003_figures"),
        step!(4, "chain", "0004_shunned_tokens"),
        step!(5, "chain", "0005_identity"),
        step!(6, "chain", "0006_following"),
        step!(7, "chain", "0007_event_subject"),
        step!(8, "chain", "0008_event_fees"),
        step!(9, "chain", "0009_cycle_benchmarks"),
        step!(10, "chain", "0010_state_roots"),
        step!(11, "chain", "0011_compatibility"),
        step!(12, "chain", "0012_trades"),
        step!(13, "chain", "0013_duties"),
        step!(14, "chain", "0014_wider_market"),
    ],
};

pub(crate) const LEDGER: Schema = Schema {
    name: "ledger",
    steps: &[
        step!(1, "ledger", "0001_api_keys"),
        step!(2, "ledger", "0002_leasing"),
        step!(3, "ledger", "0003_identity"),
        step!(4, "ledger", "0004_sending"),
        step!(5, "ledger", "0005_one_cluster"),
        step!(6, "ledger", "0006_sponsors"),
        step!(7, "ledger", "0007_token_keys"),
        step!(8, "ledger", "0008_lease_keys"),
        step!(9, "ledger", "0009_lease_life"),
        step!(10, "ledger", "0010_usage"),
        step!(11, "ledger", "0011_standing"),
        step!(12, "ledger", "0012_audit_chain"),
        step!(13, "ledger", "0013_replacements"),
        step!(14, "ledger", "0014_sponsored_states"),
        step!(15, "ledger", "0015_sponsored_pool_fees"),
        step!(16, "ledger", "0016_external_identity"),
        step!(17, "ledger", "0017_webhooks"),
        step!(18, "ledger", "0018_forgotten_reports"),
        step!(19, "ledger", "0019_stray_refunds"),
        step!(20, "ledger", "0020_stream_tickets"),
        step!(21, "ledger", "0021_compatibility"),
        step!(22, "ledger", "0022_duties"),
    ],
};

impl Schema {
    /// Refuses a schema that only a newer program understands. One that a newer
    /// program has added to is fine.
    pub(crate) async fn refuse_newer(&self, db: &Db) -> Result<(), StoreError> {
        let (found, known) = (applied_version(db).await?, self.newest());
        if found > known && least_version(db).await? > known {
            return Err(StoreError::SchemaNewer {
                schema: self.name,
                found,
                known,
            });
        }
        Ok(())
    }

    /// Refuses a schema that this program would have to migrate first.
    pub(crate) async fn refuse_older(&self, db: &Db) -> Result<(), StoreError> {
        let (found, known) = (applied_version(db).await?, self.newest());
        if found < known {
            return Err(StoreError::SchemaOlder {
                schema: self.name,
                found,
                known,
            });
        }
        Ok(())
    }

    /// Brings the schema to the newest version. Several processes may do so at
    /// once: each step happens once.
    pub(crate) async fn migrate(&self, db: &Db) -> Result<SchemaChange, StoreError> {
        self.refuse_newer(db).await?;
        let from = applied_version(db).await?;
        if from >= self.newest() {
            // Without a right to make tables, which nothing is to be made with.
            self.refuse_edited(db).await?;
            return Ok(SchemaChange { from, to: from });
        }
        match db {
            Db::Sqlite { writer, .. } => {
                // One transaction around all steps, which become savepoints.
                let mut tx = writer.begin_with("BEGIN IMMEDIATE").await?;
                self.migrator(|step| step.sqlite)
                    .run_direct(None, &mut *tx, false)
                    .await
                    .map_err(|error| self.failed(error))?;
                tx.commit().await?;
            }
            Db::Postgres(pool) => {
                let mut migrator = self.migrator(|step| step.postgres);
                let mut connection =
                    postgres::migration_connection(&pool.connect_options(), self.name).await?;
                // Who made the schema need not have a right to make others.
                let is_there: bool = sqlx::query_scalar("SELECT to_regnamespace($1) IS NOT NULL")
                    .bind(self.name)
                    .fetch_one(&mut connection)
                    .await?;
                if !is_there {
                    migrator.create_schema(self.name);
                }
                migrator
                    .run_direct(None, &mut connection, false)
                    .await
                    .map_err(|error| self.failed(error))?;
                connection.close().await?;
            }
        }
        Ok(SchemaChange {
            from,
            to: self.newest(),
        })
    }

    /// Refuses a schema that was made by other steps than this program has.
    async fn refuse_edited(&self, db: &Db) -> Result<(), StoreError> {
        let applied: Vec<(i64, Vec<u8>)> = on!(reader db, pool =>
            sqlx::query_as("SELECT version, checksum FROM _sqlx_migrations").fetch_all(pool).await
        )?;
        let migrator = self.migrator(|step| match db {
            Db::Sqlite { .. } => step.sqlite,
            Db::Postgres(_) => step.postgres,
        });
        for step in migrator.iter() {
            let is_same = |(version, checksum): &(i64, Vec<u8>)| {
                *version == step.version && **checksum == *step.checksum
            };
            if !applied.iter().any(is_same) {
                return Err(self.failed(MigrateError::VersionMismatch(step.version)));
            }
        }
        Ok(())
    }

    /// Whether nothing was ever written to the schema.
    pub(crate) async fn is_empty(&self, db: &Db) -> Result<bool, StoreError> {
        Ok(applied_version(db).await? == 0)
    }

    fn newest(&self) -> i64 {
        self.steps.last().map_or(0, |step| step.version)
    }

    fn migrator(&self, sql: impl Fn(&Step) -> &'static str) -> Migrator {
        Migrator::with_migrations(
            self.steps
                .iter()
                .map(|step| {
                    Migration::new(
                        step.version,
                        step.description.into(),
                        MigrationType::Simple,
                        sql(step).into_sql_str(),
                        false,
                    )
                })
                .collect(),
        )
    }

    fn failed(&self, error: MigrateError) -> StoreError {
        StoreError::Migration {
            schema: self.name,
            source: Box::new(error),
        }
    }
}

/// The oldest version whose programs may use a schema that is newer than this one.
async fn least_version(db: &Db) -> Result<i64, StoreError> {
    Ok(on!(reader db, pool =>
        sqlx::query_scalar("SELECT least FROM compatibility").fetch_one(pool).await
    )?)
}

/// The highest step that was applied, 0 for none.
async fn applied_version(db: &Db) -> Result<i64, StoreError> {
    let begun: bool = match db {
        Db::Sqlite { reader, .. } => {
            sqlx::query_scalar(
                "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = '_sqlx_migrations')",
            )
            .fetch_one(reader)
            .await?
        }
        Db::Postgres(pool) => {
            sqlx::query_scalar("SELECT to_regclass('_sqlx_migrations') IS NOT NULL")
                .fetch_one(pool)
                .await?
        }
    };
    if !begun {
        return Ok(0);
    }
    Ok(on!(reader db, pool =>
        sqlx::query_scalar("SELECT COALESCE(MAX(version), 0) FROM _sqlx_migrations")
            .fetch_one(pool)
            .await
    )?)
}
