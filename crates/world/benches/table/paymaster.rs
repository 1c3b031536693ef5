//! Building and relaying against what cannot be left out: a node's estimate of the
//! same thing, a signature, a row that lasts; and building without a node against a "hello".

use crate::{
    Goal, Row,
    http::{Extras, Server},
    median,
};
use chain::{Broadcast, ContractCall, StarkSigner};
use primitives::transaction_hash::ResourceBounds;
use primitives::{Address, Felt, U256, short_string};
use serde_json::json;
use services::paymaster::{BuildRequest, BuiltTransaction, ExecuteRequest, Paymaster};
use services::{ApiKeys, STRK};
use simnet::{PrefundedAccount, StarknetNode};
use std::sync::Arc;
use tokio::time::Instant;
use trading::paymaster::{FeeMode, SelectedCall, Tip, Transaction, forwarded};
use world::{Station, World, paymaster_options, relayer_options, signed};

const TURNS: usize = 7;
const PER_TURN: u64 = 20;
const PER_CONNECTION: usize = 300;

const PAID: FeeMode = FeeMode::Default(STRK);

pub(crate) fn rows() -> Vec<Row> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let world = World::new(1).await;
        let mut station = world.station("bench").await;
        station.sync().await;
        let mut rows = vec![private(&world, &station).await];
        rows.push(built(&world, &station).await);
        rows.push(executed(&world, &mut station).await);
        rows
    })
}

fn paymaster(world: &World, station: &Station) -> Paymaster {
    let mut relaying = relayer_options();
    relaying.in_flight = 1_000;
    world.paymaster(station, paymaster_options(), relaying)
}

fn payment(to: u64) -> SelectedCall {
    let calldata = vec![Felt::from(to + 1), Felt::ONE, Felt::ZERO];
    SelectedCall::named(STRK, "transfer", calldata)
}

async fn build(paymaster: &Paymaster, user: Address, to: u64) -> BuiltTransaction {
    let request = BuildRequest {
        transaction: Transaction::Invoke {
            user,
            calls: vec![payment(to)],
        },
        mode: PAID,
        tip: Tip::Normal,
        bounds: None,
    };
    paymaster.build(&request, None).await.unwrap()
}

/// A payment of a user and one to the forwarder, as they are estimated.
async fn imagined(world: &World, station: &Station, user: Address) -> Broadcast {
    let head = station.snapshots.load().unwrap().head;
    let call = ContractCall::new(STRK, "transfer", payment(1).calldata);
    let nonces = world.client.nonces(&[user], head).await.unwrap();
    let nonce = nonces.first().unwrap().unwrap();
    Broadcast::calls(
        user,
        &[call.clone(), call],
        nonce,
        ResourceBounds::default(),
    )
}

async fn built(world: &World, station: &Station) -> Row {
    let paymaster = paymaster(world, station);
    let user = user(world).address;
    let imagined = imagined(world, station, user).await;
    let head = station.snapshots.load().unwrap().head;
    build(&paymaster, user, 0).await;
    let mut ratios = Vec::new();
    for _ in 0..TURNS {
        let start = Instant::now();
        for _ in 0..PER_TURN {
            world.client.estimate_fee(&imagined, head).await.unwrap();
        }
        let bare = start.elapsed();
        let start = Instant::now();
        for to in 0..PER_TURN {
            build(&paymaster, user, to).await;
        }
        ratios.push(start.elapsed().as_secs_f64() / bare.as_secs_f64());
    }
    Row {
        what: "building an invoke, time",
        baseline: "a bare estimate of the same node",
        ratio: median(ratios),
        goal: Goal::AtMost(1.5),
    }
}

/// What a relayer does for a request, as the paymaster has it simulated.
fn relayed_call(built: &BuiltTransaction, request: &ExecuteRequest) -> ContractCall {
    let (execution, signed) = (built.execution.as_ref(), request.signed.as_ref());
    let (execution, signed) = (execution.unwrap(), signed.unwrap());
    let SelectedCall {
        to,
        selector,
        calldata,
    } = forwarded(
        paymaster_options().forwarder,
        signed.user,
        execution,
        &signed.signature,
        (STRK, U256::ONE),
    );
    ContractCall {
        to,
        selector,
        calldata,
    }
}

async fn executed(world: &World, station: &mut Station) -> Row {
    let paymaster = paymaster(world, station);
    let user = user(world);
    let [relayer, _] = StarknetNode::relayers();
    let signer = StarkSigner::new(relayer.private_key).unwrap();
    let (clock, entropy) = (Arc::clone(&world.clock), Arc::clone(&world.entropy));
    let keys = ApiKeys::new(station.store.clone(), clock, entropy);
    let mut ratios = Vec::new();
    for _ in 0..TURNS {
        let (mut requests, mut calls) = (Vec::new(), Vec::new());
        for to in 0..PER_TURN {
            let [rehearsed, sent] = [
                build(&paymaster, user.address, to).await,
                build(&paymaster, user.address, to).await,
            ];
            // Others than those that are relayed: the node remembers what it checked.
            let request = signed(&user, &rehearsed, PAID);
            calls.push(relayed_call(&rehearsed, &request));
            requests.push(signed(&user, &sent, PAID));
        }
        let head = station.snapshots.load().unwrap().head;
        let nonces = world.client.nonces(&[relayer.address], head).await;
        let nonce = nonces.unwrap().first().unwrap().unwrap();
        let start = Instant::now();
        for call in calls {
            let mut simulated =
                Broadcast::calls(relayer.address, &[call], nonce, ResourceBounds::default());
            world.client.estimate_fee(&simulated, head).await.unwrap();
            simulated.sign(&signer, short_string("SN_STOA")).unwrap();
            keys.create("row").await.unwrap();
        }
        let bare = start.elapsed();
        let start = Instant::now();
        for request in &requests {
            paymaster.execute(request, None).await.unwrap();
        }
        ratios.push(start.elapsed().as_secs_f64() / bare.as_secs_f64());
        world.node.mine(3).unwrap();
        station.sync().await;
        paymaster.round().await.unwrap();
    }
    Row {
        what: "relaying what was signed, time",
        baseline: "its simulation, a signature, a synced row",
        ratio: median(ratios),
        goal: Goal::AtMost(2.0),
    }
}

/// Private actions, which no node is asked about twice in a block.
async fn private(world: &World, station: &Station) -> Row {
    let hello = Server::hello();
    let extras = Extras {
        paymaster: Some(paymaster(world, station)),
        ..Extras::default()
    };
    let stoa = Server::stoa_with(world, station, extras);
    let call = json!({
        "jsonrpc": "2.0",
        "id": 1,
        "method": "paymaster_buildTransaction",
        "params": {
            "transaction": {
                "type": "apply_action",
                "apply_action": {"pool_address": StarknetNode::privacy_pool()},
            },
            "parameters": {
                "version": "0x1",
                "fee_mode": {"mode": "default", "gas_token": STRK},
            },
        },
    });
    let body = call.to_string();
    let head = "Host: bench\r\nContent-Type: application/json";
    let length = body.len();
    let asked = [format!(
        "POST / HTTP/1.1\r\n{head}\r\nContent-Length: {length}\r\n\r\n{body}"
    )];
    let answer = String::from_utf8(stoa.body(&asked[0]).await).unwrap();
    assert!(answer.contains("fee_action"), "{answer}");
    let mut ratios = Vec::new();
    for _ in 0..TURNS {
        let without = hello.cost_of_hello().await;
        ratios.push(without / stoa.cost(&asked, PER_CONNECTION).await);
    }
    Row {
        what: "building private actions, requests",
        baseline: "bare hello, per CPU second of the server",
        ratio: median(ratios),
        goal: Goal::AtLeast(0.3),
    }
}

fn user(world: &World) -> PrefundedAccount {
    world.node.accounts().swap_remove(0)
}
