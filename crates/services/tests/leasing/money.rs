//! Where every lamport is: for any history of bookings, extensions, revocations,
//! refunds and payments of all kinds, what was paid is what was earned, what is
//! owed, what was given back and what is stray; and the chain agrees.

use crate::{leases::people, paying::with_memo};
use leasing::{
    EpochWindow, ExtensionStage, Lease, LeaseState, Leg, Mode, Payment, Refund, RefundStage, Roles,
    Stage,
};
use primitives::{Lamports, Ulid};
use rstest::rstest;
use serde_json::json;
use services::leasing::{Settled, User};
use store::leasing::{LeaseQuery, RefundQuery};
use world::{
    Engine::{self, Postgres, Sqlite},
    Market, TestDatabase,
    market::sign,
};

/// What the chain takes for a transaction of one signature.
const CHAIN_FEE: u64 = 5_000;

const STEPS: usize = 40;

/// Numbers that look random.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % sides
    }

    fn pick<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        (!all.is_empty()).then(|| &all[self.roll(all.len())])
    }
}

struct History {
    market: Market,
    owner: User,
    trader: User,
    staff: User,
    validator: Ulid,
    dice: Dice,
    /// What the platform's wallet and the payout wallet had at first.
    had: u64,
    /// What they spent, with the chain's fees.
    spent: u64,
    /// What was sent to pay refunds.
    given: u64,
}

impl History {
    async fn new(engine: Engine, seed: u64) -> (TestDatabase, Self) {
        let database = TestDatabase::new(engine).await;
        let market = Market::at(seed, &database.location).await;
        let (owner, validator, trader) = people(&market, 2).await;
        let roles = Roles {
            staff: true,
            ..Roles::default()
        };
        let staff = market.user_with("staff", roles).await;
        let mut history = Self {
            owner,
            trader,
            staff,
            validator,
            dice: Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
            had: 0,
            spent: 0,
            given: 0,
            market,
        };
        history.had = history.holdings().await;
        (database, history)
    }

    /// What the two wallets have that leases are paid to.
    async fn holdings(&self) -> u64 {
        let mut sum = 0;
        for number in [0, 1] {
            let wallet = self.market.wallet(number).public_key();
            let told = self.market.ask("getBalance", &json!([wallet])).await;
            sum += told["value"].as_u64().unwrap();
        }
        sum
    }

    async fn leases(&self) -> Vec<Lease> {
        let query = LeaseQuery {
            limit: 1_000,
            ..LeaseQuery::default()
        };
        self.market.store.ledger().leases(&query).await.unwrap()
    }

    async fn refunds(&self) -> Vec<Refund> {
        let query = RefundQuery {
            limit: 1_000,
            ..RefundQuery::default()
        };
        self.market.store.ledger().refunds(&query).await.unwrap()
    }

    /// Everything that somebody was ever asked to pay for epochs.
    async fn payments(&self) -> Vec<Payment> {
        let mut payments = Vec::new();
        for lease in self.leases().await {
            let extensions = self.market.store.ledger().extensions_of(lease.id, 100);
            payments.extend(extensions.await.unwrap().into_iter().map(|it| it.payment));
            payments.push(lease.payment);
        }
        payments
    }

    async fn step(&mut self) {
        match self.dice.roll(17) {
            0 | 1 => self.book().await,
            2 | 3 | 12 => self.pay(0, true).await,
            4 => {
                let more = i64::try_from(self.dice.roll(3)).unwrap() - 1;
                self.pay(more * 7, true).await;
            }
            5 => self.pay(0, false).await,
            6 | 7 => self.extend().await,
            8 => {
                self.market.advance(20 * 60);
                self.market.sweep().await;
            }
            9 => {
                self.market.node.advance_epochs(1).unwrap();
                self.market.watch().await;
            }
            10 | 13 => self.revoke().await,
            15 | 16 => self.ask_back().await,
            _ => self.refund().await,
        }
        if self.dice.roll(2) == 0 {
            self.market.finalise();
            self.market.settle().await;
        }
    }

    async fn book(&mut self) {
        let ahead = i64::try_from(self.dice.roll(6)).unwrap();
        let count = i64::try_from(1 + self.dice.roll(3)).unwrap();
        let mode = [Mode::Exclusive, Mode::Shared][self.dice.roll(2)];
        let booking = self.market.booking(self.validator, ahead, count, mode);
        // Refused where somebody is.
        self.market.book(&self.trader, &booking).await.ok();
    }

    /// The leases that are active.
    async fn active(&self) -> Vec<Lease> {
        let is_active = |lease: &Lease| lease.state() == LeaseState::Active;
        self.leases().await.into_iter().filter(is_active).collect()
    }

    async fn extend(&mut self) {
        let leases = self.active().await;
        let count = i32::try_from(1 + self.dice.roll(2)).unwrap();
        if let Some(lease) = self.dice.pick(&leases) {
            self.market.extend(&self.trader, lease.id, count).await.ok();
        }
    }

    async fn revoke(&mut self) {
        let leases = match self.dice.roll(4) {
            0 => self.leases().await,
            _ => self.active().await,
        };
        if let Some(lease) = self.dice.pick(&leases) {
            self.market.revoke(&self.owner, lease).await.ok();
        }
    }

    /// Asks back what a transaction brought for nothing.
    async fn ask_back(&mut self) {
        let ledger = self.market.store.ledger();
        let strays = ledger.stray_transactions(None, None, 1_000).await.unwrap();
        if let Some(stray) = self.dice.pick(&strays) {
            let strays = &self.market.leasing.strays;
            // Refused where it came by a refund.
            strays.refund(&self.staff, stray.place.signature).await.ok();
        }
    }

    /// Pays something that was asked for once, in time or not, for the first time
    /// or again, with so much more for the validator, with its memo or without.
    async fn pay(&mut self, more: i64, named: bool) {
        let mut payments = self.payments().await;
        // Mostly what was asked for last.
        if self.dice.roll(3) > 0 {
            payments.truncate(2);
        }
        let Some(asked) = self.dice.pick(&payments) else {
            return;
        };
        let payout = asked.payout();
        let amount = payout.amount.get().checked_add_signed(more).unwrap();
        let payout = Leg {
            amount: Lamports::new(amount),
            ..payout
        };
        let payment = Payment::new(asked.memo().clone(), payout, asked.platform()).unwrap();
        let payer = self.market.wallet(2);
        let blockhash = self.market.blockhash().await;
        let unsigned = payment.transaction(payer.public_key(), blockhash).unwrap();
        let unsigned = if named {
            unsigned
        } else {
            with_memo(unsigned, None)
        };
        self.market.send(&sign(unsigned, &payer)).await;
        self.market.renew_blockhash();
    }

    /// Pays a refund, owed or paid already, from one of three wallets.
    async fn refund(&mut self) {
        let refunds = self.refunds().await;
        let number = [0, 1, 4][self.dice.roll(3)];
        let Some(refund) = self.dice.pick(&refunds) else {
            return;
        };
        let payer = self.market.wallet(number);
        let blockhash = self.market.blockhash().await;
        let unsigned = refund.transaction(payer.public_key(), blockhash).unwrap();
        self.market.send(&sign(unsigned, &payer)).await;
        self.market.renew_blockhash();
        let amount = refund.amount().get();
        self.given += amount;
        if number != 4 {
            self.spent += amount + CHAIN_FEE;
        }
    }

    async fn check(&self) {
        let found = self.accounts().await;
        let paid = self.holdings().await + self.spent - self.had;
        assert_eq!(
            paid,
            found.earned + found.refundable + found.refunded + found.stray,
            "{found:?}"
        );
        assert_eq!(self.given, found.refunded + found.refund_stray, "{found:?}");
        let drift = self.market.leasing.leases.check_calendar().await;
        assert_eq!(drift.unwrap(), []);
    }

    async fn accounts(&self) -> Accounts {
        let ledger = self.market.store.ledger();
        let mut accounts = Accounts::default();
        for lease in self.leases().await {
            accounts.add_lease(&lease);
            let mut total = lease.payment.total().get();
            for extension in ledger.extensions_of(lease.id, 100).await.unwrap() {
                if let ExtensionStage::Settled { receipt } = extension.stage {
                    accounts.earned += kept(&lease, extension.window, extension.price);
                    accounts.stray += receipt.surplus.get();
                    total += extension.payment.total().get();
                }
            }
            assert_eq!(lease.total.get(), total);
        }
        for refund in self.refunds().await {
            match refund.stage {
                RefundStage::Open => accounts.refundable += refund.amount().get(),
                RefundStage::Settled { receipt } => {
                    if refund.stray.is_some() {
                        accounts.stray_refunded += refund.amount().get();
                    }
                    accounts.refunded += refund.amount().get();
                    accounts.refund_stray += receipt.surplus.get();
                }
            }
        }
        let paid_to = [0, 1].map(|number| self.market.wallet(number).public_key());
        let strays = ledger.stray_transactions(None, None, 1_000).await.unwrap();
        for row in strays.iter().flat_map(|stray| &stray.legs) {
            let amount = row.leg.amount.get();
            match (paid_to.contains(&row.leg.wallet), row.refund) {
                // What is asked back is counted with the refunds.
                (true, Some(_)) => {}
                (true, None) => accounts.stray += amount,
                (false, refund) => {
                    assert_eq!(refund, None);
                    accounts.refund_stray += amount;
                }
            }
        }
        accounts
    }
}

/// Where the money is, by the ledger.
#[derive(Debug, Default)]
struct Accounts {
    earned: u64,
    refundable: u64,
    refunded: u64,
    stray: u64,
    /// What of it was refunded that had paid for nothing.
    stray_refunded: u64,
    /// What went back beyond what was owed.
    refund_stray: u64,
}

impl Accounts {
    fn add_lease(&mut self, lease: &Lease) {
        let Some(receipt) = lease.stage.settled_by() else {
            return;
        };
        let count = lease.payment.total().get() / lease.price.get();
        let start = i64::from(lease.window.start());
        let window = EpochWindow::new(start, i64::try_from(count).unwrap()).unwrap();
        self.earned += kept(lease, window, lease.price);
        self.stray += receipt.surplus.get();
    }
}

/// What is earned of epochs that were paid: those that were used, if the lease
/// was revoked, and otherwise all of them.
fn kept(lease: &Lease, window: EpochWindow, price: Lamports) -> u64 {
    let is_kept = |epoch: &i32| match lease.stage {
        Stage::Revoked { kept_until, .. } => *epoch < kept_until,
        _ => true,
    };
    let count = window.epochs().filter(is_kept).count();
    price.get() * u64::try_from(count).unwrap()
}

async fn run(engine: Engine, seed: u64) -> Accounts {
    let (_database, mut history) = History::new(engine, seed).await;
    for _ in 0..STEPS {
        history.step().await;
    }
    history.market.finalise();
    history.market.settle().await;
    assert_eq!(history.market.settle().await, Settled::default());
    history.check().await;
    history.accounts().await
}

#[rstest]
#[tokio::test]
async fn no_lamport_is_lost_in_any_history(#[values(Sqlite, Postgres)] engine: Engine) {
    let mut seen = Accounts::default();
    let histories = match engine {
        Sqlite => 1..=16,
        Postgres => 17..=20,
    };
    for seed in histories {
        let accounts = run(engine, seed).await;
        seen.earned += accounts.earned;
        seen.refundable += accounts.refundable;
        seen.refunded += accounts.refunded;
        seen.stray += accounts.stray;
        seen.stray_refunded += accounts.stray_refunded;
        seen.refund_stray += accounts.refund_stray;
    }
    // The histories had something of everything.
    if engine == Sqlite {
        for part in [
            seen.earned,
            seen.refundable,
            seen.refunded,
            seen.stray,
            seen.stray_refunded,
            seen.refund_stray,
        ] {
            assert!(part > 0, "{seen:?}");
        }
    }
}
