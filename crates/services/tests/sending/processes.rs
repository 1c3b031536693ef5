//! Eight processes send from one account and are killed at any moment.

use crate::stage::{Stage, client, gift, options, somebody};
use chain::StarkSigner;
use primitives::{
    Address, Clock, SignedDuration, Timestamp, U256, felt_from_hex, felt_to_hex, short_string,
};
use services::{SendRefused, Sender};
use std::{
    collections::VecDeque,
    env,
    io::{BufRead as _, BufReader, Read as _},
    process::{Child, ChildStderr, Command, Stdio},
    sync::Arc,
    time::Duration,
};
use store::{Location, SendingAccount, Store};
use tokio::task::spawn_blocking;
use world::Engine;

const NAME: &str = "processes::each_send_of_killed_processes_happens_once";

const WORKERS: u64 = 8;
const GIFTS: u64 = 60;
const KILLS: u64 = 24;

/// Where a worker finds its account, token, key, node and store.
const ORDERS: &str = "STOA_TEST_SENDER_ORDERS";

/// A clock that shows the time: processes share nothing else.
#[derive(Debug)]
struct WallClock;

impl Clock for WallClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "no test moves a clock of several processes"
    )]
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// The same test is a worker if it is started with orders: it submits gifts,
/// each of which others submit too, and follows, until all are sent.
async fn work(orders: &str) {
    let orders: Vec<&str> = orders.split(' ').collect();
    let [number, account, token, key, node, store] = orders[..] else {
        panic!("{orders:?}")
    };
    let sender = sender(account, token, key, node, store).await;
    let token: Address = token.parse().unwrap();
    let first: u64 = number.parse().unwrap();
    for step in 0..GIFTS {
        let to = (first * 7 + step) % GIFTS;
        loop {
            match sender
                .submit(&format!("gift {to}"), &gift(token, somebody(to)))
                .await
            {
                Ok(_) => break eprintln!("gift {to}"),
                Err(SendRefused::InFlight(_)) => drop(sender.follow().await.unwrap()),
                Err(error) => panic!("{error:?}"),
            }
        }
    }
}

async fn sender(account: &str, token: &str, key: &str, node: &str, store: &str) -> Sender {
    let account = SendingAccount {
        chain_id: short_string("SN_STOA"),
        address: account.parse().unwrap(),
    };
    let store = Store::open(&Location::Postgres {
        url: store.to_owned(),
    })
    .await
    .unwrap();
    let signer = StarkSigner::new(felt_from_hex(key).unwrap()).unwrap();
    let mut options = options(token.parse().unwrap());
    options.patience = SignedDuration::from_millis(300);
    let nodes = vec![client(node.parse().unwrap())];
    Sender::new(store, nodes, account, signer, Arc::new(WallClock), options)
}

/// A process, and where it says what it has done.
struct Worker {
    process: Child,
    said: BufReader<ChildStderr>,
}

impl Worker {
    fn start(orders: &str) -> Self {
        let mut process = Command::new(env::current_exe().unwrap())
            .args(["--exact", NAME, "--nocapture"])
            .env(ORDERS, orders)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let said = BufReader::new(process.stderr.take().unwrap());
        Self { process, said }
    }

    /// Kills it somewhere behind its next so many sends.
    fn kill_after(mut self, sends: u64) {
        let mut line = String::new();
        for _ in 0..sends {
            self.said.read_line(&mut line).unwrap();
        }
    }

    /// Waits until it has ended well.
    fn finish(mut self) {
        let mut said = String::new();
        self.said.read_to_string(&mut said).unwrap();
        assert!(self.process.wait().unwrap().success(), "{said}");
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

#[tokio::test]
async fn each_send_of_killed_processes_happens_once() {
    if let Ok(orders) = env::var(ORDERS) {
        return work(&orders).await;
    }
    let stage = Arc::new(Stage::on(Engine::Postgres).await);
    let Location::Postgres { url: store } = &stage.database.location else {
        unreachable!()
    };
    let account = stage.account.address.to_string();
    let token = stage.options.fee_token.to_string();
    let key = felt_to_hex(stage.account.private_key);
    let node = stage.url.as_str();
    let orders = |number: u64| format!("{number} {account} {token} {key} {node} {store}");
    let blocks = tokio::spawn(produce(Arc::clone(&stage)));
    let mut workers: VecDeque<Worker> = (0..WORKERS).map(|it| Worker::start(&orders(it))).collect();
    for kill in 0..KILLS {
        let worker = workers.pop_front().unwrap();
        spawn_blocking(move || worker.kill_after(kill % 4))
            .await
            .unwrap();
        workers.push_back(Worker::start(&orders(kill)));
    }
    for worker in workers {
        spawn_blocking(|| worker.finish()).await.unwrap();
    }
    let follower = sender(&account, &token, &key, node, store).await;
    let everything = async {
        while !stage
            .store
            .ledger()
            .open_sends(follower.account())
            .await
            .unwrap()
            .is_empty()
        {
            follower.follow().await.unwrap();
        }
    };
    tokio::time::timeout(Duration::from_mins(1), everything)
        .await
        .unwrap();
    blocks.abort();
    for to in 0..GIFTS {
        assert_eq!(stage.held(somebody(to)).await, U256::ONE, "gift {to}");
        let row = stage.row(&format!("gift {to}")).await.unwrap();
        assert!(row.state.receipt().is_some(), "{row:?}");
    }
    assert_eq!(stage.used().await, GIFTS);
}

/// A chain goes on by itself.
async fn produce(stage: Arc<Stage>) {
    let mut ticks = tokio::time::interval(Duration::from_millis(25));
    loop {
        ticks.tick().await;
        stage.node.mine(1).unwrap();
    }
}
