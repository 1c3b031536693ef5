//! Swaps through the exchange contract: estimated, simulated and made.

use super::sending::{json_of, read, send};
use super::*;
use crate::starknet::contract::halves;
use crate::starknet::contracts::ekubo;
use crate::starknet::contracts::erc20::approve_call;
use crate::starknet::contracts::exchange::EXCHANGE;
use crate::starknet::contracts::pairs::{JEDISWAP, TEN_K_SWAP, Venue};
use crate::starknet::transaction::{Call, SignedTransaction};
use crate::starknet::wallet::{BOUNDS, Wallet};
use primitives::transaction_hash::Terms;
use primitives::{U256, felt_from_hex};

const USDC: &str = "0x53c91253bc9682c04929ca02ed00b3e423f6710d2ee7e0d5ebb06f3ecf368a8";
const WHOLE: u64 = 1_000_000_000_000;

/// A chain with pools on which only the test acts.
fn quiet_market() -> StarknetNode {
    let config = StarknetConfig {
        seed: 9,
        block_time: None,
        history: History::blocks(6, Duration::from_secs(10)),
        transactions_per_block: 0,
        pools: 24,
        ..StarknetConfig::default()
    };
    let clock = ManualClock::new(Timestamp::from_second(1_800_000_000).unwrap());
    StarknetNode::new(config, Arc::new(clock))
}

fn tokens() -> [Felt; 2] {
    [ETH, USDC].map(|token| felt_from_hex(token).unwrap())
}

/// A route of ETH to USDC at a venue without parameters.
fn at(venue: &Venue, percent: u64) -> Vec<Felt> {
    let [eth, usdc] = tokens();
    let percent = Felt::from(percent);
    vec![eth, usdc, venue.rules.router, percent, Felt::ZERO]
}

/// The same at Ekubo's pool of five hundredths of a per cent.
fn at_ekubo(percent: u64) -> Vec<Felt> {
    let [eth, usdc] = tokens();
    let fee = u128::MAX / 10_000 * 5;
    let far = Felt::from(2).pow(192_u32);
    let mut route = vec![eth, usdc, ekubo::CORE, Felt::from(percent), Felt::from(6)];
    route.extend([
        eth,
        usdc,
        Felt::from(fee),
        Felt::from(1_000),
        Felt::ZERO,
        far,
    ]);
    route
}

/// Sells thousandths of an ETH for USDC: the approval and the swap, signed.
fn sale(wallet: &Wallet, milli: u64, routes: &[Vec<Felt>]) -> SignedTransaction {
    let [eth, usdc] = tokens();
    let amount = U256::from(milli) * U256::from(10_u64.pow(15));
    let mut calldata = vec![eth];
    calldata.extend(halves(amount));
    calldata.push(usdc);
    calldata.extend([U256::ZERO, U256::ONE].map(halves).concat());
    calldata.extend([wallet.address, Felt::ZERO, Felt::ZERO]);
    calldata.push(Felt::from(routes.len()));
    calldata.extend(routes.concat());
    let swap = Call {
        to: EXCHANGE,
        selector: selector("multi_route_swap"),
        calldata,
    };
    let mut bounds = BOUNDS;
    bounds.l2_gas.max_amount *= 100;
    let terms = Terms {
        bounds,
        ..Terms::default()
    };
    wallet.invoke_on(terms, &[approve_call(eth, EXCHANGE, amount), swap])
}

fn estimate(node: &StarknetNode, signed: &SignedTransaction) -> Value {
    let params = json!([[json_of(signed)], [], "pre_confirmed"]);
    read(node, "starknet_estimateFee", &params)[0].clone()
}

fn l2_gas(node: &StarknetNode, milli: u64, routes: &[Vec<Felt>]) -> u64 {
    let signed = sale(&Wallet::funded(node, 0), milli, routes);
    let gas = estimate(node, &signed)["l2_gas_consumed"].clone();
    let gas = gas.as_str().unwrap().trim_start_matches("0x");
    u64::from_str_radix(gas, 16).unwrap()
}

fn usdc_of(node: &StarknetNode, owner: Felt) -> U256 {
    let call = call_of(USDC, "balanceOf", &[&felt_to_hex(owner)]);
    let answer = read(node, "starknet_call", &json!([call, "pre_confirmed"]));
    let low = felt_from_hex(answer[0].as_str().unwrap()).unwrap();
    crate::starknet::hash::from_felt(low)
}

#[test]
fn a_swap_is_made_as_it_was_estimated_and_simulated() {
    let node = quiet_market();
    let alice = Wallet::funded(&node, 0);
    let routes = [at(&JEDISWAP, WHOLE / 3), at_ekubo(WHOLE)];
    let signed = sale(&alice, 1_500, &routes);
    let estimated = estimate(&node, &signed);
    let params = json!(["pre_confirmed", [json_of(&signed)], []]);
    let simulated = read(&node, "starknet_simulateTransactions", &params);
    assert_eq!(simulated[0]["fee_estimation"], estimated);
    let swap = &simulated[0]["transaction_trace"]["execute_invocation"]["calls"][1];
    assert_eq!(swap["contract_address"], felt_to_hex(EXCHANGE));
    assert_eq!(swap["result"], json!(["0x1"]));
    // Both venues' own routers are called.
    let inner = swap["calls"].as_array().unwrap();
    for router in [JEDISWAP.rules.router, ekubo::ROUTER] {
        let address = json!(felt_to_hex(router));
        assert!(inner.iter().any(|call| call["contract_address"] == address));
    }
    let told = swap["events"][0]["data"].as_array().unwrap();
    let before = usdc_of(&node, alice.address);
    let hash = send(&node, &signed).unwrap();
    let receipt = read(&node, "starknet_getTransactionReceipt", &json!([hash]));
    assert_eq!(receipt["execution_status"], "SUCCEEDED");
    assert_eq!(receipt["actual_fee"]["amount"], estimated["overall_fee"]);
    let gained = usdc_of(&node, alice.address) - before;
    assert_eq!(told[5], felt_to_hex(halves(gained)[0]));
    // A second one finds less liquidity.
    let again = usdc_of(&node, alice.address);
    let mut second = sale(&alice, 1_500, &routes);
    second.terms.nonce = 1;
    let params = json!(["pre_confirmed", [json_of(&second)], ["SKIP_VALIDATE"]]);
    let simulated = read(&node, "starknet_simulateTransactions", &params);
    let trace = &simulated[0]["transaction_trace"]["execute_invocation"];
    let less = trace["calls"][1]["events"][0]["data"][5].as_str().unwrap();
    let less = crate::starknet::hash::from_felt(felt_from_hex(less).unwrap());
    assert!(less < gained);
    assert_eq!(usdc_of(&node, alice.address), again);
}

#[test]
fn gas_grows_with_swaps_and_ticks_and_differs_by_venue() {
    let node = quiet_market();
    let jedi = |percent| at(&JEDISWAP, percent);
    let one = l2_gas(&node, 1, &[jedi(WHOLE)]);
    assert_eq!(l2_gas(&node, 1, &[jedi(WHOLE)]), one);
    // Amounts alone change nothing where there are no ticks.
    assert_eq!(l2_gas(&node, 900, &[jedi(WHOLE)]), one);
    let two = l2_gas(&node, 1, &[jedi(WHOLE / 2), at(&TEN_K_SWAP, WHOLE)]);
    assert!(two > one);
    let near = l2_gas(&node, 1, &[at_ekubo(WHOLE)]);
    assert_ne!(near, one);
    let far = l2_gas(&node, 900_000, &[at_ekubo(WHOLE)]);
    assert!(far > near);
}

#[test]
fn a_refusal_says_which_contract_and_why() {
    let node = quiet_market();
    let [eth, usdc] = tokens();
    let unknown = vec![eth, usdc, Felt::TWO, Felt::from(WHOLE), Felt::ZERO];
    let signed = sale(&Wallet::funded(&node, 0), 1, &[unknown]);
    let params = json!([[json_of(&signed)], [], "latest"]);
    let error = ask(&node, Spec::V0_9, "starknet_estimateFee", &params).unwrap_err();
    let inner = &error["data"]["execution_error"]["error"];
    assert_eq!(inner["contract_address"], felt_to_hex(EXCHANGE));
    assert_eq!(inner["error"], "Unknown exchange");
}

#[test]
fn the_terms_of_the_exchange_are_set_from_the_beginning() {
    let node = quiet_market();
    let view = |name: &str, of: &[&str]| {
        let call = call_of(&felt_to_hex(EXCHANGE), name, of);
        read(&node, "starknet_call", &json!([call, {"block_number": 0}]))
    };
    assert_eq!(view("get_fees_bps_0", &[]), json!(["0x2"]));
    assert_eq!(view("get_fees_bps_1", &[]), json!(["0xf"]));
    let aim = view("get_swap_exact_token_to_fees_bps", &[]);
    assert_eq!(aim, json!(["0x5"]));
    let weight = |token| view("get_token_fee_config", &[token]);
    assert_eq!(
        [USDC, ETH, "0x1234"].map(weight),
        [json!(["0x2"]), json!(["0x1"]), json!(["0x0"])]
    );
    assert_ne!(view("get_fees_recipient", &[]), json!(["0x0"]));
}
