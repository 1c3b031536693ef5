//! A paymaster in a world, and users who sign.

use crate::{Station, World};
use chain::StarkSigner;
use primitives::{Clock, Entropy, SignedDuration, short_string, typed_data::TypedData};
use services::paymaster::{
    BuiltTransaction, ExecuteRequest, Paymaster, PaymasterGround, PaymasterOptions, SignedExecution,
};
use services::{STRK, Sender, SenderOptions, SenderPool};
use simnet::{PrefundedAccount, StarknetNode};
use std::sync::Arc;
use store::SendingAccount;
use trading::paymaster::{FeeMode, NonceKey, Rules};

const CHAIN: &str = "SN_STOA";

/// As an operator has it.
pub fn paymaster_options() -> PaymasterOptions {
    PaymasterOptions {
        chain_id: short_string(CHAIN),
        chain_name: CHAIN.to_owned(),
        forwarder: StarknetNode::forwarder(),
        factory: Some(StarknetNode::account_factory()),
        build_only: false,
        pools: vec![StarknetNode::privacy_pool()],
        rules: Rules::default(),
        tokens: Vec::new(),
        margin: 30,
        most: 3_000,
        relay_gas: 1_500_000,
        relay_data_gas: 256,
        signers_gas: 46_640_000,
        private_gas: 80_000_000,
        pool_fee: 0,
    }
}

/// As an operator has them, but final after two blocks.
pub fn relayer_options() -> SenderOptions {
    SenderOptions {
        fee_token: STRK,
        max_fee: 5_000_000_000_000_000_000,
        reserve: 1_000_000_000_000_000_000,
        in_flight: 64,
        room_percent: 50,
        patience: SignedDuration::from_secs(20),
        depth: 2,
        stuck_blocks: 5,
        replacements: 3,
    }
}

impl World {
    /// A paymaster over what a station publishes, with the simulated relayers, as any
    /// process has one.
    pub fn paymaster(
        &self,
        station: &Station,
        options: PaymasterOptions,
        relaying: SenderOptions,
    ) -> Paymaster {
        let nodes = vec![self.client.clone()];
        let clock = || Arc::clone(&self.clock) as Arc<dyn Clock>;
        let sender = |relayer: PrefundedAccount| {
            let account = SendingAccount {
                chain_id: short_string(CHAIN),
                address: relayer.address,
            };
            let signer = StarkSigner::new(relayer.private_key).expect("a key");
            let store = station.store.clone();
            Sender::new(store, nodes.clone(), account, signer, clock(), relaying)
        };
        let relayers = StarknetNode::relayers().into_iter().map(sender).collect();
        let ground = PaymasterGround {
            store: station.store.clone(),
            swaps: self.swaps(station),
            relayers: Some(SenderPool::new(relayers)),
            key: NonceKey::new(&[9; 32]),
            clock: clock(),
            entropy: Arc::clone(&self.entropy) as Arc<dyn Entropy>,
            nodes,
        };
        Paymaster::new(options, ground)
    }
}

/// What a user sends back of what was built.
pub fn signed(user: &PrefundedAccount, built: &BuiltTransaction, mode: FeeMode) -> ExecuteRequest {
    let execution = built.execution.as_ref().expect("something to sign");
    let typed_data = execution.typed_data(CHAIN);
    let document = TypedData::parse(&typed_data).expect("a document");
    let hash = document.hash(user.address.felt()).expect("a hash");
    let signer = StarkSigner::new(user.private_key).expect("a key");
    let signature = signer.sign(hash).expect("a signature").to_vec();
    ExecuteRequest {
        deployment: None,
        signed: Some(SignedExecution {
            user: user.address,
            typed_data,
            signature,
        }),
        actions: None,
        mode,
    }
}
