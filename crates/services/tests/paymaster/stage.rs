//! A node, a store, a paymaster with relayers, and users who sign.

use primitives::{Address, Felt, SignedDuration, U256, short_string};
use services::paymaster::{
    BuildRequest, BuiltTransaction, ExecuteRequest, Executed, NewSponsor, Paymaster,
    PaymasterError, PaymasterOptions,
};
use services::{IndexerOptions, STRK};
use simnet::PrefundedAccount;
use store::Store;
use trading::paymaster::{FeeMode, Refusal, Rules, SelectedCall, Tip, Transaction};
pub(crate) use world::signed;
use world::{Engine, Station, TestDatabase, World, paymaster_options, relayer_options};

pub(crate) const ONE: u128 = 1_000_000_000_000_000_000;
pub(crate) const CHAIN: &str = "SN_STOA";

/// Blocks that make something final.
pub(crate) const DEPTH: u64 = 2;

/// After it, what was forgotten is sent again.
pub(crate) const PATIENCE: SignedDuration = SignedDuration::from_secs(20);

pub(crate) struct Stage {
    pub(crate) world: World,
    pub(crate) station: Station,
    pub(crate) options: PaymasterOptions,
    _database: TestDatabase,
}

impl Stage {
    pub(crate) async fn new(engine: Engine, seed: u64) -> Self {
        let world = World::new(seed).await;
        let database = TestDatabase::new(engine).await;
        let store = database.store().await;
        let mut station = world.station_on(store, IndexerOptions::default()).await;
        station.sync().await;
        Self {
            world,
            station,
            options: paymaster_options(),
            _database: database,
        }
    }

    pub(crate) fn store(&self) -> &Store {
        &self.station.store
    }

    /// A paymaster as any process has one.
    pub(crate) fn paymaster(&self) -> Paymaster {
        let (world, options) = (&self.world, self.options.clone());
        world.paymaster(&self.station, options, relayer_options())
    }

    /// A sponsor with so much, and its key.
    pub(crate) async fn sponsor(&self, credits: u128) -> (String, String) {
        self.sponsor_with(credits, None, Rules::default()).await
    }

    pub(crate) async fn sponsor_with(
        &self,
        credits: u128,
        user_daily: Option<u128>,
        rules: Rules,
    ) -> (String, String) {
        let new = NewSponsor {
            name: "Ada".to_owned(),
            credits,
            user_daily,
            rules,
            pools: Vec::new(),
        };
        let made = self.paymaster().sponsors().create(&new).await.unwrap();
        (made.0.id, made.1)
    }

    pub(crate) fn user(&self, place: usize) -> PrefundedAccount {
        self.world.node.accounts().swap_remove(place)
    }

    /// So many blocks, as everybody sees them.
    pub(crate) async fn mine(&mut self, blocks: u32) {
        self.world.node.mine(blocks).unwrap();
        self.station.sync().await;
    }

    /// Until everything that was sent is final, and charged.
    pub(crate) async fn settle(&mut self, paymaster: &Paymaster) {
        for _ in 0..12 {
            self.mine(1).await;
            self.world.clock.advance(PATIENCE);
            self.station.sync().await;
            paymaster.round().await.unwrap();
        }
        let open = self.store().ledger();
        let open = open.open_sponsored(short_string(CHAIN)).await.unwrap();
        assert_eq!(open, []);
    }

    pub(crate) async fn build(
        &self,
        paymaster: &Paymaster,
        user: &PrefundedAccount,
        calls: &[SelectedCall],
        mode: FeeMode,
        key: Option<&str>,
    ) -> Result<BuiltTransaction, Refusal> {
        let request = BuildRequest {
            transaction: Transaction::Invoke {
                user: user.address,
                calls: calls.to_vec(),
            },
            mode,
            tip: Tip::Normal,
            bounds: None,
        };
        refusal(paymaster.build(&request, key).await)
    }
}

/// What was refused; nothing else may go wrong.
pub(crate) fn refusal<T>(outcome: Result<T, PaymasterError>) -> Result<T, Refusal> {
    outcome.map_err(|error| match error {
        PaymasterError::Refused(refusal) => refusal,
        PaymasterError::Fault(fault) => panic!("{fault:?}"),
    })
}

pub(crate) async fn execute(
    paymaster: &Paymaster,
    request: &ExecuteRequest,
    key: Option<&str>,
) -> Result<Executed, Refusal> {
    refusal(paymaster.execute(request, key).await)
}

/// A payment of STRK.
pub(crate) fn payment(to: Address, amount: u128) -> SelectedCall {
    let calldata = vec![to.felt(), Felt::from(amount), Felt::ZERO];
    SelectedCall::named(STRK, "transfer", calldata)
}

/// Somebody who has nothing.
pub(crate) fn nobody(number: u64) -> Address {
    Address::new(Felt::from(0xabc_0000 + number))
}

impl Stage {
    pub(crate) async fn balance(&self, token: Address, owner: Address) -> U256 {
        let head = self.world.client.head().await.unwrap();
        let balance = self.world.client.balance(token, owner, head).await;
        balance.unwrap().unwrap()
    }

    /// What a receipt of the node says was paid; none while there is none.
    pub(crate) async fn fee(&self, hash: Felt) -> Option<(u128, bool)> {
        let receipts = self.world.client.transaction_receipts(&[hash]).await;
        let receipt = receipts.unwrap().remove(0)?;
        let reverted = receipt.executed.revert_reason.is_some();
        receipt.block.map(|_| (receipt.fee, reverted))
    }
}
