//! A database that fails at any statement of a booking, a settlement or a
//! sweep: nothing of it stays, and the next attempt does all of it.

use crate::leases::{actions, people, state};
use leasing::{LeaseState, Mode};
use rstest::rstest;
use services::{Fault, Refused, leasing::LeaseFilter};
use world::{
    Engine::{self, Postgres, Sqlite},
    Market, TestDatabase,
};

/// A market whose database can be made to fail.
struct Bench {
    engine: Engine,
    database: TestDatabase,
    market: Market,
}

impl Bench {
    async fn new(engine: Engine, seed: u64) -> Self {
        let database = TestDatabase::new(engine).await;
        let market = Market::at(seed, &database.location).await;
        if engine == Postgres {
            let function = "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
                            $$ BEGIN RAISE EXCEPTION 'spoiled'; END $$";
            database.execute("ledger", function).await.unwrap();
        }
        Self {
            engine,
            database,
            market,
        }
    }

    /// Makes every such statement fail.
    async fn spoil(&self, statement: &str, table: &str) {
        let action = match self.engine {
            Sqlite => "BEGIN SELECT RAISE (ABORT, 'spoiled'); END",
            Postgres => "FOR EACH ROW EXECUTE FUNCTION fail()",
        };
        let trigger = format!("CREATE TRIGGER spoiled BEFORE {statement} ON {table} {action}");
        self.database.execute("ledger", &trigger).await.unwrap();
    }

    async fn mend(&self, table: &str) {
        let mend = match self.engine {
            Sqlite => "DROP TRIGGER spoiled".to_owned(),
            Postgres => format!("DROP TRIGGER spoiled ON {table}"),
        };
        self.database.execute("ledger", &mend).await.unwrap();
    }
}

#[rstest]
#[tokio::test]
async fn a_booking_that_fails_at_any_statement_leaves_nothing(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let bench = Bench::new(engine, 1).await;
    let market = &bench.market;
    let (_, validator, trader) = people(market, 0).await;
    let booking = market.booking(validator, 1, 2, Mode::Exclusive);
    for (statement, table) in [
        ("INSERT", "lease"),
        ("INSERT", "validator_epoch"),
        ("INSERT", "payment"),
        ("INSERT", "audit_log"),
        ("UPDATE", "idempotency_key"),
    ] {
        bench.spoil(statement, table).await;
        let failed = market.book(&trader, &booking).await;
        assert!(
            matches!(failed, Err(Refused::Fault(Fault::Store(_)))),
            "{statement} {table}: {failed:?}"
        );
        bench.mend(table).await;
        let leases = market
            .leasing
            .leases
            .by_trader(trader.id, LeaseFilter::default(), None, 9)
            .await;
        assert!(leases.unwrap().items.is_empty(), "{statement} {table}");
        assert_eq!(market.leasing.leases.check_calendar().await.unwrap(), []);
    }
    market.book(&trader, &booking).await.unwrap();
}

#[rstest]
#[tokio::test]
async fn a_settlement_that_fails_at_any_statement_is_made_whole_by_the_next(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let bench = Bench::new(engine, 2).await;
    let market = &bench.market;
    let (_, validator, trader) = people(market, 0).await;
    for (ahead, (statement, table)) in (1..).zip([
        ("UPDATE", "lease"),
        ("UPDATE", "payment"),
        ("INSERT", "audit_log"),
        ("INSERT", "chain_cursor"),
    ]) {
        let booking = market.booking(validator, ahead, 1, Mode::Exclusive);
        let booked = market.book(&trader, &booking).await.unwrap();
        market
            .pay(booked.lease.payment.memo().as_str(), &market.wallet(2))
            .await;
        market.finalise();
        bench.spoil(statement, table).await;
        let failed = market.leasing.settlement().round().await;
        assert!(
            matches!(failed, Err(Fault::Store(_))),
            "{statement} {table}: {failed:?}"
        );
        bench.mend(table).await;
        let after = state(market, &booked).await;
        // The cursor moves after the payment has been applied.
        let applied = table == "chain_cursor";
        assert_eq!(
            after == LeaseState::Active,
            applied,
            "{statement} {table}: {after}"
        );
        market.settle().await;
        assert_eq!(state(market, &booked).await, LeaseState::Active);
        assert_eq!(
            actions(market, &booked).await,
            ["lease.booked", "lease.activated"]
        );
        let strays = market
            .store
            .ledger()
            .strays_of(booked.lease.payment.memo())
            .await;
        assert_eq!(strays.unwrap(), []);
    }
}

#[rstest]
#[tokio::test]
async fn a_sweep_that_fails_at_any_statement_is_made_whole_by_the_next(
    #[values(Sqlite, Postgres)] engine: Engine,
) {
    let bench = Bench::new(engine, 3).await;
    let market = &bench.market;
    let (_, validator, trader) = people(market, 1).await;
    for (statement, table) in [
        ("UPDATE", "lease"),
        ("UPDATE", "payment"),
        ("UPDATE", "validator_epoch"),
        ("DELETE", "validator_epoch"),
        ("INSERT", "audit_log"),
    ] {
        let booking = market.booking(validator, 1, 2, Mode::Shared);
        let booked = market.book(&trader, &booking).await.unwrap();
        market.advance(18 * 60);
        bench.spoil(statement, table).await;
        let failed = market.leasing.sweeper().round().await;
        assert!(
            matches!(failed, Err(Fault::Store(_))),
            "{statement} {table}: {failed:?}"
        );
        bench.mend(table).await;
        assert_eq!(state(market, &booked).await, LeaseState::PendingPayment);
        assert_eq!(market.leasing.leases.check_calendar().await.unwrap(), []);
        assert_eq!(market.sweep().await, 1);
        assert_eq!(market.leasing.leases.check_calendar().await.unwrap(), []);
    }
}
