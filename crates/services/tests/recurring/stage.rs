//! A world whose first account orders, a store that follows it, and keepers.

use chain::StarkSigner;
use market::following::Following;
use primitives::{Address, Clock, SignedDuration, U256, short_string};
use services::{
    CycleBenchmarks, IndexerOptions, Keeper, OrderFeed, RecurringOrders, STRK, Sender,
    SenderOptions, SenderPool, Swaps,
};
use simnet::StarknetNode;
use std::sync::Arc;
use store::{SendingAccount, Store};
use trading::recurring::{BuyBounds, NewOrder, Now, Order, cancel_call, order_calls};
use world::{Engine, Station, TestDatabase, World};

pub(crate) const HOUR: u64 = 3_600;

const ETH: &str = "0x49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7";
const USDC: &str = "0x53c91253bc9682c04929ca02ed00b3e423f6710d2ee7e0d5ebb06f3ecf368a8";

/// All of it.
pub(crate) struct Stage {
    pub(crate) world: World,
    pub(crate) station: Station,
    pub(crate) orders: RecurringOrders,
    pub(crate) feed: OrderFeed,
    database: TestDatabase,
}

impl Stage {
    pub(crate) async fn new(engine: Engine, seed: u64) -> Self {
        let mut world = World::with_history(seed, 8).await;
        let factory = StarknetNode::recurring_order_factory();
        world.known.following = Arc::new(Following {
            leads: vec![RecurringOrders::lead(factory)],
            ..Following::default()
        });
        let database = TestDatabase::new(engine).await;
        let store = open(&database).await;
        let station = world.station_on(store, IndexerOptions::default()).await;
        let (orders, feed) = fresh(&station);
        Self {
            world,
            station,
            orders,
            feed,
            database,
        }
    }

    /// The same store, with everything that works on it started anew.
    pub(crate) async fn restart(&mut self) {
        let store = open(&self.database).await;
        let world = &self.world;
        self.station = world.station_on(store, IndexerOptions::default()).await;
        (self.orders, self.feed) = fresh(&self.station);
    }

    /// Follows the node.
    pub(crate) async fn sync(&mut self) {
        self.station.sync().await;
        self.feed.look().await.unwrap();
    }

    /// Lets time pass, with a block at its end, and follows.
    pub(crate) async fn pass(&mut self, seconds: u64) {
        self.world.node.advance(seconds, 1).unwrap();
        self.sync().await;
    }

    pub(crate) async fn mine(&mut self) {
        self.world.node.mine(1).unwrap();
        self.sync().await;
    }

    /// Orders `cycles` hourly parts of a tenth of an ether and a rest of 7.
    pub(crate) async fn order(&mut self, cycles: u32, bounds: BuyBounds) -> Address {
        self.order_parts(10_u128.pow(17), cycles, bounds).await
    }

    /// Orders `cycles` hourly parts of so much and a rest of 7.
    pub(crate) async fn order_parts(
        &mut self,
        part: u128,
        cycles: u32,
        bounds: BuyBounds,
    ) -> Address {
        self.sync().await;
        let now = self.now().time;
        let per_cycle = U256::from(part);
        let amount = per_cycle * U256::from(cycles) + U256::from(7);
        let order = NewOrder::new(
            ETH.parse().unwrap(),
            USDC.parse().unwrap(),
            amount,
            per_cycle,
            "PT1H".parse().unwrap(),
            now,
            bounds,
            now,
        );
        let calls = order_calls(&order.unwrap(), self.orders.factory());
        self.world.execute(&calls).await;
        self.sync().await;
        let trader = self.world.trader().address;
        let newest = |book: &trading::recurring::OrderBook, _| {
            let order = book.of_trader(trader).next_back();
            order.map(|order| order.deployed.address)
        };
        self.orders.look(newest).unwrap().unwrap()
    }

    pub(crate) async fn cancel(&mut self, order: Address) {
        self.world.execute(&[cancel_call(order)]).await;
        self.sync().await;
    }

    pub(crate) fn now(&self) -> Now {
        self.orders.look(|_, now| now).unwrap()
    }

    pub(crate) fn find(&self, order: Address) -> Option<Order> {
        self.orders.look(|book, _| book.order(order).cloned())?
    }

    /// Every order, as it is known.
    pub(crate) fn all(&self) -> Vec<Order> {
        let all = self.orders.look(|book, _| book.orders().cloned().collect());
        all.unwrap_or_default()
    }

    /// What a feed that reads everything knows.
    pub(crate) async fn all_afresh(&self) -> Vec<Order> {
        let (orders, mut feed) = fresh(&self.station);
        feed.look().await.unwrap();
        orders
            .look(|book, _| book.orders().cloned().collect())
            .unwrap()
    }

    pub(crate) fn swaps(&self) -> Swaps {
        self.world.swaps(&self.station)
    }

    /// A keeper with the network's own account.
    pub(crate) fn keeper(&self) -> Keeper {
        let keeper = StarknetNode::keeper();
        let account = SendingAccount {
            chain_id: short_string("SN_STOA"),
            address: keeper.address,
        };
        let options = SenderOptions {
            fee_token: STRK,
            max_fee: 5 * 10_u128.pow(18),
            reserve: 10_u128.pow(18),
            in_flight: 64,
            room_percent: 50,
            patience: SignedDuration::from_secs(20),
            depth: 2,
            stuck_blocks: 5,
            replacements: 3,
        };
        let sender = Sender::new(
            self.station.store.clone(),
            vec![self.world.client.clone()],
            account,
            StarkSigner::new(keeper.private_key).unwrap(),
            Arc::clone(&self.world.clock) as Arc<dyn Clock>,
            options,
        );
        let pool = SenderPool::new(vec![sender]);
        Keeper::new(self.orders.clone(), self.swaps(), pool)
    }

    /// Who measures what was executed.
    pub(crate) fn benchmarks(&self) -> CycleBenchmarks {
        let (orders, store) = (self.orders.clone(), self.station.store.clone());
        CycleBenchmarks::new(orders, self.swaps(), store)
    }

    /// How much of what is sold somebody has.
    pub(crate) async fn ether(&self, owner: Address) -> U256 {
        self.balance(ETH.parse().unwrap(), owner).await
    }

    /// How much of a token somebody has.
    pub(crate) async fn balance(&self, token: Address, owner: Address) -> U256 {
        let head = self.world.node.head();
        let balance = self.world.client.balance(token, owner, head).await;
        balance.unwrap().unwrap()
    }
}

async fn open(database: &TestDatabase) -> Store {
    let store = Store::open(&database.location).await.unwrap();
    store.migrate().await.unwrap();
    store
}

fn fresh(station: &Station) -> (RecurringOrders, OrderFeed) {
    let orders = RecurringOrders::new(StarknetNode::recurring_order_factory());
    let feed = OrderFeed::new(
        orders.clone(),
        station.store.clone(),
        station.snapshots.clone(),
    );
    (orders, feed)
}
