// What the contracts call of each other. It is put before each of them when they
// are compiled: every contract is one file to the compiler.
use starknet::{ClassHash, ContractAddress};

#[starknet::interface]
trait IErc20<T> {
    fn name(self: @T) -> felt252;
    fn symbol(self: @T) -> felt252;
    fn decimals(self: @T) -> u8;
    fn total_supply(self: @T) -> u256;
    fn totalSupply(self: @T) -> u256;
    fn balance_of(self: @T, account: ContractAddress) -> u256;
    fn balanceOf(self: @T, account: ContractAddress) -> u256;
    fn allowance(self: @T, owner: ContractAddress, spender: ContractAddress) -> u256;
    fn transfer(ref self: T, recipient: ContractAddress, amount: u256) -> bool;
    fn transfer_from(
        ref self: T, sender: ContractAddress, recipient: ContractAddress, amount: u256
    ) -> bool;
    fn approve(ref self: T, spender: ContractAddress, amount: u256) -> bool;
}

#[starknet::interface]
trait IPair<T> {
    fn name(self: @T) -> felt252;
    fn symbol(self: @T) -> felt252;
    fn decimals(self: @T) -> u8;
    fn total_supply(self: @T) -> u256;
    fn balance_of(self: @T, account: ContractAddress) -> u256;
    fn token0(self: @T) -> ContractAddress;
    fn token1(self: @T) -> ContractAddress;
    fn get_reserves(self: @T) -> (u256, u256, u64);
    fn mint(ref self: T, to: ContractAddress) -> u256;
    fn swap(
        ref self: T, amount0Out: u256, amount1Out: u256, to: ContractAddress, data: Array<felt252>
    );
    fn sync(ref self: T);
    fn replace_implementation_class(ref self: T, new_implementation_class: ClassHash);
}

#[starknet::interface]
trait IFactory<T> {
    fn create_pair(
        ref self: T, token0: ContractAddress, token1: ContractAddress
    ) -> ContractAddress;
    fn get_pair(self: @T, token0: ContractAddress, token1: ContractAddress) -> ContractAddress;
    fn get_all_pairs(self: @T) -> Array<ContractAddress>;
    fn get_num_of_pairs(self: @T) -> u32;
    fn set_pair_class(ref self: T, class_hash: ClassHash);
}

#[derive(Copy, Drop, Serde, PartialEq)]
struct i129 {
    mag: u128,
    sign: bool,
}

#[derive(Copy, Drop, Serde)]
struct PoolKey {
    token0: ContractAddress,
    token1: ContractAddress,
    fee: u128,
    tick_spacing: u128,
    extension: ContractAddress,
}

#[derive(Copy, Drop, Serde)]
struct Bounds {
    lower: i129,
    upper: i129,
}

#[derive(Copy, Drop, Serde)]
struct UpdatePositionParameters {
    salt: felt252,
    bounds: Bounds,
    liquidity_delta: i129,
}

#[derive(Copy, Drop, Serde)]
struct SwapParameters {
    amount: i129,
    is_token1: bool,
    sqrt_ratio_limit: u256,
    skip_ahead: u128,
}

#[derive(Copy, Drop, Serde)]
struct Delta {
    amount0: i129,
    amount1: i129,
}

#[derive(Copy, Drop, Serde)]
struct PoolPrice {
    sqrt_ratio: u256,
    tick: i129,
}

#[starknet::interface]
trait ICore<T> {
    fn get_pool_price(self: @T, pool_key: PoolKey) -> PoolPrice;
    fn get_pool_liquidity(self: @T, pool_key: PoolKey) -> u128;
    fn initialize_pool(ref self: T, pool_key: PoolKey, initial_tick: i129) -> u256;
    fn update_position(
        ref self: T, pool_key: PoolKey, params: UpdatePositionParameters
    ) -> Delta;
    fn swap(ref self: T, pool_key: PoolKey, params: SwapParameters) -> Delta;
    fn replace_class_hash(ref self: T, class_hash: ClassHash);
}

#[derive(Drop, Serde, Clone)]
struct Route {
    sell_token: ContractAddress,
    buy_token: ContractAddress,
    exchange_address: ContractAddress,
    percent: u128,
    additional_swap_params: Array<felt252>,
}

#[starknet::interface]
trait IExchange<T> {
    fn multi_route_swap(
        ref self: T,
        sell_token_address: ContractAddress,
        sell_token_amount: u256,
        buy_token_address: ContractAddress,
        buy_token_amount: u256,
        buy_token_min_amount: u256,
        beneficiary: ContractAddress,
        integrator_fee_amount_bps: u128,
        integrator_fee_recipient: ContractAddress,
        routes: Array<Route>,
    ) -> bool;
    fn swap_exact_token_to(
        ref self: T,
        sell_token_address: ContractAddress,
        sell_token_amount: u256,
        sell_token_max_amount: u256,
        buy_token_address: ContractAddress,
        buy_token_amount: u256,
        beneficiary: ContractAddress,
        integrator_fee_amount_bps: u128,
        integrator_fee_recipient: ContractAddress,
        routes: Array<Route>,
    ) -> bool;
    fn get_fees_recipient(self: @T) -> ContractAddress;
    fn get_fees_bps_0(self: @T) -> u128;
    fn get_fees_bps_1(self: @T) -> u128;
    fn get_swap_exact_token_to_fees_bps(self: @T) -> u128;
    fn get_token_fee_config(self: @T, token: ContractAddress) -> u32;
    fn is_integrator_whitelisted(self: @T, integrator: ContractAddress) -> bool;
    fn set_token_fee_config(ref self: T, token: ContractAddress, weight: u32);
}

#[derive(Copy, Drop, Serde)]
struct OrderTerms {
    sell_token_address: ContractAddress,
    sell_amount: u256,
    sell_amount_per_cycle: u256,
    buy_token_address: ContractAddress,
    cycle_months: u64,
    cycle_seconds: u64,
    start_date: u64,
    buy_amount_min: u256,
    buy_amount_max: u256,
}

#[starknet::interface]
trait IOrderFactory<T> {
    fn deploy_dca_order(ref self: T, terms: OrderTerms) -> ContractAddress;
    fn set_executor(ref self: T, executor: ContractAddress, allowed: bool);
    fn is_executor(self: @T, executor: ContractAddress) -> bool;
}
