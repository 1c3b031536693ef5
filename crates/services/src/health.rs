//! Whether the service serves fresh data, part by part and product by product.

use crate::{
    digest::{NewestDigest, SnapshotDigest},
    indexer::{HistoryView, Progress, TakeoverView, seconds_left},
    leasing::{EpochView, Epochs, Settling},
    ledger_probe::{LedgerHealth, LedgerProbe},
    shared_redis::{RedisState, SharedRedis},
    snapshot::Snapshots,
};
use amm::book::Standing;
use primitives::{BlockRef, Clock, SignedDuration, Timestamp};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use store::leasing::Parked;

/// How long a node may be below the newest block that is served: nodes behind one
/// address need not be at the same height, and a reorganisation takes a moment.
const MAX_BELOW: SignedDuration = SignedDuration::from_secs(10);

/// What still counts as fresh.
#[derive(Debug, Clone, Copy)]
pub struct HealthLimits {
    /// Blocks that the snapshot may be behind the node's head.
    pub max_lag_blocks: u64,
    /// How long ago the node, or the store that is followed, may have answered.
    pub max_silence: SignedDuration,
    /// How old the head block may be.
    pub max_head_age: SignedDuration,
}

/// The state of one part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartHealth {
    /// The part's role in this process: it indexes, or it follows an indexer.
    pub role: &'static str,
    /// Whether it does its work.
    pub ready: bool,
    /// The newest block served.
    pub block: Option<BlockRef>,
    /// A short name for all that is served of it.
    pub digest: Option<SnapshotDigest>,
    /// Seconds since that block's time.
    pub age_s: Option<i64>,
    /// Blocks between it and the head that was last seen.
    pub lag_blocks: Option<u64>,
    /// What keeps it from being ready.
    pub problem: Option<&'static str>,
    /// What went wrong last, in the words of others.
    pub error: Option<String>,
    /// The nodes that may be asked, the preferred one first.
    pub nodes: Vec<NodeHealth>,
    /// How many pools are traded with, and why others are not. That none is does
    /// not make the part unready: data is served all the same.
    pub standing: Option<Arc<Standing>>,
    /// How far pools are taken over, while they are.
    pub takeover: Option<TakeoverHealth>,
    /// How far the history is, while what is served began near the chain's head.
    pub history: Option<HistoryView>,
}

/// How far pools are taken over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TakeoverHealth {
    /// Of the past that has to be read.
    pub percent: u64,
    /// How long the rest takes at the speed so far.
    pub seconds_left: Option<u64>,
}

impl TakeoverHealth {
    fn new(view: TakeoverView, now: Timestamp) -> Self {
        let TakeoverView { begun, done, of } = view;
        let left = of.saturating_sub(done);
        Self {
            percent: done.saturating_mul(100).checked_div(of).unwrap_or(0),
            seconds_left: seconds_left(now.duration_since(begun), done, left),
        }
    }
}

/// The state of one node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeHealth {
    /// Scheme, host and port.
    pub name: String,
    /// Its newest block when it last answered.
    pub block_number: Option<u64>,
    /// Seconds since then.
    pub silent_s: Option<i64>,
    /// What went wrong with it last.
    pub problem: Option<String>,
}

/// The state of the cluster that leases are paid on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterHealth {
    /// Whether it is known where the chain is.
    pub ready: bool,
    /// The epoch, as far as one can tell.
    pub epoch: Option<u64>,
    /// The slot, as far as one can tell.
    pub slot: Option<u64>,
    /// Seconds since a node said anything.
    pub silent_s: Option<i64>,
    /// What keeps it from being ready.
    pub problem: Option<&'static str>,
}

/// Whether all payments are seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SettlementHealth {
    /// Whether payments are looked for, and no transaction has waited for long.
    pub ready: bool,
    /// Transactions that a node lists and cannot show.
    pub parked: u64,
    /// Seconds for which the oldest has waited.
    pub parked_s: Option<i64>,
    /// What is wrong.
    pub problem: Option<&'static str>,
}

/// The state of what a lease market stands on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarketHealth {
    /// Whether it is known where the chain is that leases are paid on.
    pub cluster: ClusterHealth,
    /// Where leases are kept.
    pub ledger: LedgerHealth,
    /// Whether payments are seen, as far as this process looks for them. It takes
    /// nothing out of service: what was paid is seen later.
    pub settlement: SettlementHealth,
}

/// What a process may serve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Product {
    /// Quotes, builds and market data.
    Trading,
    /// The lease marketplace.
    Leasing,
    /// Paying for others' transactions.
    Paymaster,
}

/// The whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// What trading stands on.
    pub starknet: PartHealth,
    /// What leasing stands on, if there is a market.
    pub leasing: Option<MarketHealth>,
    /// Whether the Redis that replicas share is asked, if there is one. Nothing
    /// depends on it: each process goes on by itself.
    pub redis: Option<RedisState>,
    /// Whether there is a paymaster. It stands on what trading stands on.
    pub has_paymaster: bool,
    /// Whether the process was told to end: whoever sends it requests should choose
    /// another one.
    pub is_leaving: bool,
}

impl Report {
    /// Whether everything that is served is ready.
    pub fn is_ready(&self) -> bool {
        let all = [Product::Trading, Product::Leasing, Product::Paymaster];
        all.into_iter()
            .all(|product| self.is_product_ready(product).unwrap_or(true))
    }

    /// Whether a product is ready; `None` if it is not served here.
    pub fn is_product_ready(&self, product: Product) -> Option<bool> {
        let ready = match product {
            Product::Leasing => {
                let market = self.leasing.as_ref()?;
                market.cluster.ready && market.ledger.ready
            }
            Product::Paymaster if !self.has_paymaster => return None,
            Product::Trading | Product::Paymaster => self.starknet.ready,
        };
        Some(ready && !self.is_leaving)
    }
}

/// Judges freshness.
#[derive(Debug, Clone)]
pub struct Health {
    role: &'static str,
    snapshots: Snapshots,
    progress: Progress,
    clock: Arc<dyn Clock>,
    limits: HealthLimits,
    market: Option<(Epochs, Settling, LedgerProbe)>,
    redis: Option<SharedRedis>,
    has_paymaster: bool,
    is_leaving: Arc<AtomicBool>,
    digest: Arc<NewestDigest>,
}

impl Health {
    /// A judge of what is published and how the work goes.
    pub fn new(
        role: &'static str,
        snapshots: Snapshots,
        progress: Progress,
        clock: Arc<dyn Clock>,
        limits: HealthLimits,
    ) -> Self {
        Self {
            role,
            snapshots,
            progress,
            clock,
            limits,
            market: None,
            redis: None,
            has_paymaster: false,
            is_leaving: Arc::default(),
            digest: Arc::default(),
        }
    }

    /// The same, and of the Redis that replicas share.
    #[must_use]
    pub fn with_redis(self, redis: Option<SharedRedis>) -> Self {
        Self { redis, ..self }
    }

    /// The same, and of a lease market with its ledger, too.
    #[must_use]
    pub fn with_market(self, epochs: Epochs, settling: Settling, ledger: LedgerProbe) -> Self {
        Self {
            market: Some((epochs, settling, ledger)),
            ..self
        }
    }

    /// The same, and of a paymaster, if there is one.
    #[must_use]
    pub fn with_paymaster(self, has_paymaster: bool) -> Self {
        Self {
            has_paymaster,
            ..self
        }
    }

    /// From now on nothing is ready: the process was told to end.
    pub fn leave(&self) {
        self.is_leaving.store(true, Ordering::Relaxed);
    }

    /// The state now.
    pub fn report(&self) -> Report {
        Report {
            starknet: self.starknet(),
            leasing: self.market.as_ref().map(|(epochs, settling, ledger)| {
                let ledger = ledger.health();
                MarketHealth {
                    cluster: self.solana(epochs),
                    settlement: self.settlement(settling, ledger.parked),
                    ledger,
                }
            }),
            redis: self.redis.as_ref().map(SharedRedis::state),
            has_paymaster: self.has_paymaster,
            is_leaving: self.is_leaving.load(Ordering::Relaxed),
        }
    }

    fn settlement(&self, settling: &Settling, parked: Parked) -> SettlementHealth {
        let now = self.clock.now();
        let waited = parked.oldest.map(|since| now.duration_since(since));
        let failed = settling.failing_since();
        let failed = failed.map(|since| now.duration_since(since));
        let is_long = |time: Option<SignedDuration>| time > Some(self.limits.max_silence);
        let problem = if is_long(failed) {
            Some("payments cannot be looked for")
        } else if is_long(waited) {
            Some("a node lists transactions that it cannot show: payments may be among them")
        } else {
            None
        };
        SettlementHealth {
            ready: problem.is_none(),
            parked: parked.count,
            parked_s: waited.map(|waited| waited.as_secs().max(0)),
            problem,
        }
    }

    fn solana(&self, epochs: &Epochs) -> ClusterHealth {
        let view = epochs.current();
        let problem = cluster_problem(view, self.limits.max_silence);
        ClusterHealth {
            ready: problem.is_none(),
            epoch: view.map(|view| view.position.epoch),
            slot: view.map(|view| view.position.slot),
            silent_s: view.map(|view| view.silence.as_secs()),
            problem,
        }
    }

    fn starknet(&self) -> PartHealth {
        let now = self.clock.now();
        let view = self.progress.view();
        let snapshot = self.snapshots.load();
        let age = snapshot
            .as_ref()
            .map(|snapshot| now.duration_since(snapshot.head_time));
        let lag_blocks = snapshot
            .as_ref()
            .zip(view.node_head)
            .map(|(snapshot, head)| head.number.saturating_sub(snapshot.head.number));
        let silence = view.answered_at.map(|at| now.duration_since(at));
        let below = view.below_since.map(|since| now.duration_since(since));
        let failing = view.failing_since.map(|since| now.duration_since(since));
        let problem = if snapshot.is_none() && view.takeover.is_some() {
            Some("pools are taken over near the chain's head")
        } else if snapshot.is_none() {
            Some("no block is indexed yet")
        } else if silence.is_none_or(|silence| silence > self.limits.max_silence) {
            Some("the node does not answer")
        } else if below.is_some_and(|below| below > MAX_BELOW) {
            Some("the node is below the newest block that is served")
        } else if failing.is_some_and(|failing| failing > self.limits.max_silence) {
            Some("the chain's newest blocks cannot be taken up")
        } else if lag_blocks.is_none_or(|lag| lag > self.limits.max_lag_blocks) {
            Some("catching up with the chain")
        } else if age.is_none_or(|age| age > self.limits.max_head_age) {
            Some("the chain's newest block is old")
        } else {
            None
        };
        PartHealth {
            role: self.role,
            ready: problem.is_none(),
            block: snapshot.as_ref().map(|snapshot| snapshot.head),
            digest: snapshot.as_ref().map(|snapshot| self.digest.of(snapshot)),
            standing: snapshot.map(|snapshot| Arc::clone(&snapshot.standing)),
            age_s: age.map(|age| age.as_secs().max(0)),
            lag_blocks,
            problem,
            error: view.error.clone(),
            nodes: view
                .nodes
                .iter()
                .map(|node| NodeHealth {
                    name: node.name.clone(),
                    block_number: node.head.map(|head| head.number),
                    silent_s: node
                        .answered_at
                        .map(|at| now.duration_since(at).as_secs().max(0)),
                    problem: node.problem.clone(),
                })
                .collect(),
            takeover: view.takeover.map(|view| TakeoverHealth::new(view, now)),
            history: view.history.clone(),
        }
    }
}

fn cluster_problem(view: Option<EpochView>, patience: SignedDuration) -> Option<&'static str> {
    match view {
        None => Some("no node has said where the chain is yet"),
        Some(view) if view.silence > patience && view.is_foreign => {
            Some("the node is of another cluster")
        }
        Some(view) if view.silence > patience => Some("the node does not answer"),
        Some(view) if view.standstill > patience => Some("the chain stands still"),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{recent_blocks::RecentBlocks, snapshot::Snapshot, trail::Trail};
    use amm::book::Pools;
    use leasing::EpochPosition;
    use market::figures::Figures;
    use primitives::{Felt, ManualClock};

    fn block(number: u64) -> BlockRef {
        BlockRef {
            number,
            hash: Felt::from(number),
        }
    }

    struct Bench {
        clock: Arc<ManualClock>,
        snapshots: Snapshots,
        progress: Progress,
        health: Health,
    }

    fn bench() -> Bench {
        let clock = Arc::new(ManualClock::new(Timestamp::UNIX_EPOCH));
        let (snapshots, progress) = (Snapshots::default(), Progress::default());
        let limits = HealthLimits {
            max_lag_blocks: 5,
            max_silence: SignedDuration::from_secs(30),
            max_head_age: SignedDuration::from_secs(60),
        };
        let health = Health::new(
            "indexer",
            snapshots.clone(),
            progress.clone(),
            clock.clone(),
            limits,
        );
        Bench {
            clock,
            snapshots,
            progress,
            health,
        }
    }

    impl Bench {
        fn indexed(&self, number: u64) {
            self.snapshots.publish(Snapshot {
                head: block(number),
                head_time: self.clock.now(),
                tokens: Arc::default(),
                pools: Pools::default(),
                graph: Arc::default(),
                trail: Trail::default(),
                recent: RecentBlocks::default(),
                figures: Figures::default(),
                shunned: Arc::default(),
                standing: Arc::default(),
                provisional: false,
            });
        }

        fn answered(&self, head: u64) {
            let ours = self.snapshots.load().map(|snapshot| snapshot.head);
            self.progress.answered(block(head), ours, self.clock.now());
        }

        fn problem(&self) -> Option<&'static str> {
            let report = self.health.report();
            assert_eq!(report.is_ready(), report.starknet.problem.is_none());
            let product = |product| report.is_product_ready(product);
            assert_eq!(product(Product::Trading), Some(report.is_ready()));
            assert_eq!(product(Product::Leasing), None);
            report.starknet.problem
        }
    }

    #[test]
    fn fresh_data_is_ready() {
        let bench = bench();
        bench.indexed(7);
        bench.answered(9);
        assert_eq!(bench.problem(), None);
        assert_eq!(bench.health.report().starknet.lag_blocks, Some(2));
    }

    #[test]
    fn a_takeover_says_how_far_it_is_and_how_long_it_takes() {
        let bench = bench();
        bench.progress.begins_to_take_over(bench.clock.now());
        let told = |bench: &Bench| bench.health.report().starknet.takeover;
        let none = TakeoverHealth {
            percent: 0,
            seconds_left: None,
        };
        assert_eq!(told(&bench), Some(none));
        assert_eq!(
            bench.problem(),
            Some("pools are taken over near the chain's head")
        );
        bench.progress.takes_over(4);
        bench.clock.advance(SignedDuration::from_secs(10));
        bench.progress.took_over();
        let quarter = TakeoverHealth {
            percent: 25,
            seconds_left: Some(30),
        };
        assert_eq!(told(&bench), Some(quarter));
        bench.progress.ends_to_take_over();
        assert_eq!(told(&bench), None);
    }

    #[test]
    fn a_node_may_be_below_us_for_a_moment_only() {
        let bench = bench();
        bench.indexed(9);
        let seconds = SignedDuration::from_secs;
        bench.answered(5);
        bench.clock.advance(seconds(10));
        bench.answered(6);
        assert_eq!(bench.problem(), None);
        bench.clock.advance(seconds(1));
        bench.answered(7);
        assert_eq!(
            bench.problem(),
            Some("the node is below the newest block that is served")
        );
        bench.answered(9);
        assert_eq!(bench.problem(), None);
        bench.answered(8);
        assert_eq!(bench.problem(), None);
    }

    #[test]
    fn a_node_whose_blocks_cannot_be_taken_up_is_a_problem_at_any_height() {
        let bench = bench();
        bench.indexed(9);
        for _ in 0..31 {
            bench.answered(9);
            bench.progress.failed("unlinked", bench.clock.now());
            assert_eq!(bench.problem(), None);
            bench.clock.advance(SignedDuration::from_secs(1));
        }
        bench.answered(9);
        assert_eq!(
            bench.problem(),
            Some("the chain's newest blocks cannot be taken up")
        );
        bench.progress.recovered();
        assert_eq!(bench.problem(), None);
        bench.progress.failed("unlinked", bench.clock.now());
        assert_eq!(bench.problem(), None);
    }

    #[test]
    fn each_reason_for_stale_data_is_named() {
        let bench = bench();
        assert_eq!(bench.problem(), Some("no block is indexed yet"));
        bench.indexed(7);
        assert_eq!(bench.problem(), Some("the node does not answer"));
        bench.answered(13);
        assert_eq!(bench.problem(), Some("catching up with the chain"));
        bench.indexed(13);
        bench.clock.advance(SignedDuration::from_secs(61));
        bench.progress.failed("refused", bench.clock.now());
        assert_eq!(bench.problem(), Some("the node does not answer"));
        let error = bench.health.report().starknet.error;
        assert_eq!(error.as_deref(), Some("refused"));
        bench.progress.recovered();
        bench.answered(13);
        assert_eq!(bench.problem(), Some("the chain's newest block is old"));
    }

    #[test]
    fn each_reason_for_not_knowing_the_epoch_is_named() {
        let patience = SignedDuration::from_secs(30);
        let (short, long) = (patience, SignedDuration::from_secs(31));
        let problem = |silence, standstill, is_foreign| {
            let view = EpochView {
                position: EpochPosition::new(1, 40, 8, 32).unwrap(),
                ends_at: None,
                silence,
                standstill,
                is_foreign,
            };
            cluster_problem(Some(view), patience)
        };
        let unknown = cluster_problem(None, patience);
        assert_eq!(unknown, Some("no node has said where the chain is yet"));
        assert_eq!(problem(short, short, false), None);
        assert_eq!(problem(short, short, true), None);
        let silent = problem(long, long, false);
        assert_eq!(silent, Some("the node does not answer"));
        let foreign = problem(long, long, true);
        assert_eq!(foreign, Some("the node is of another cluster"));
        let standing = problem(short, long, false);
        assert_eq!(standing, Some("the chain stands still"));
    }
}
