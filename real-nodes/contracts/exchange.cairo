// The exchange that executes routes, with the public one's calls, fees and events:
// a sale of an exact amount, and a purchase of one, which sells more as long as
// that gave too little. It knows two kinds of venues and a vault.

#[starknet::interface]
trait IReferredVault<T> {
    fn deposit_with_referral(
        ref self: T, assets: u256, receiver: ContractAddress, referral: ByteArray
    ) -> u256;
}

#[starknet::contract]
mod Exchange {
    use core::integer::{u256_wide_mul, u512_safe_div_rem_by_u256};
    use starknet::{ContractAddress, get_caller_address, get_contract_address};
    use starknet::storage::{
        Map, StorageMapReadAccess, StorageMapWriteAccess, StoragePointerReadAccess,
        StoragePointerWriteAccess
    };
    use super::{ICoreDispatcher, ICoreDispatcherTrait, PoolKey, SwapParameters, i129};
    use super::{IErc20Dispatcher, IErc20DispatcherTrait};
    use super::{IFactoryDispatcher, IFactoryDispatcherTrait, IPairDispatcher, IPairDispatcherTrait};
    use super::{IReferredVaultDispatcher, IReferredVaultDispatcherTrait, Route};

    const WHOLE: u256 = 1000000000000;
    const SCALE: u256 = 10000;
    const MAX_INTEGRATOR_BPS: u128 = 500;
    const TOP_UPS: u32 = 3;
    const SKIP_AHEAD: u128 = 100;
    const MIN_SQRT_RATIO: u256 = 0x1000003f7f1380b75;
    const MAX_SQRT_RATIO: u256 = 0xfffffc080ed7b4556f3528fe26840249f4b191ef6dff7928;

    #[storage]
    struct Storage {
        // The factory of pairs, the core and the vault.
        factory: ContractAddress,
        core: ContractAddress,
        vault: ContractAddress,
        recipient: ContractAddress,
        one_route_bps: u128,
        more_routes_bps: u128,
        exact_out_bps: u128,
        weights: Map<ContractAddress, u32>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Swap: Swap,
    }

    #[derive(Drop, starknet::Event)]
    struct Swap {
        taker_address: ContractAddress,
        sell_address: ContractAddress,
        sell_amount: u256,
        buy_address: ContractAddress,
        buy_amount: u256,
        beneficiary: ContractAddress,
    }

    #[constructor]
    fn constructor(
        ref self: ContractState,
        factory: ContractAddress,
        core: ContractAddress,
        vault: ContractAddress,
        recipient: ContractAddress,
        one_route_bps: u128,
        more_routes_bps: u128,
        exact_out_bps: u128
    ) {
        self.factory.write(factory);
        self.core.write(core);
        self.vault.write(vault);
        self.recipient.write(recipient);
        self.one_route_bps.write(one_route_bps);
        self.more_routes_bps.write(more_routes_bps);
        self.exact_out_bps.write(exact_out_bps);
    }

    #[abi(embed_v0)]
    impl Exchange of super::IExchange<ContractState> {
        fn multi_route_swap(
            ref self: ContractState,
            sell_token_address: ContractAddress,
            sell_token_amount: u256,
            buy_token_address: ContractAddress,
            buy_token_amount: u256,
            buy_token_min_amount: u256,
            beneficiary: ContractAddress,
            integrator_fee_amount_bps: u128,
            integrator_fee_recipient: ContractAddress,
            routes: Array<Route>,
        ) -> bool {
            let (sold, bought) = (sell_token_address, buy_token_address);
            begin(sold, bought, beneficiary, routes.span());
            collect(sold, sell_token_amount);
            assert(integrator_fee_amount_bps <= MAX_INTEGRATOR_BPS, 'Integrator fees are too high');
            let own = if routes.len() > 1 {
                self.more_routes_bps.read()
            } else {
                self.one_route_bps.read()
            };
            let sold_pays = self.sold_pays(sold, bought);
            if sold_pays {
                take_fee(
                    sold, sell_token_amount, integrator_fee_amount_bps, integrator_fee_recipient
                );
                take_fee(sold, sell_token_amount, own, self.recipient.read());
            }
            self.walk(routes.span());
            let received = held(bought);
            if !sold_pays {
                take_fee(bought, received, integrator_fee_amount_bps, integrator_fee_recipient);
                take_fee(bought, received, own, self.recipient.read());
            }
            let paid = held(bought);
            assert(paid >= buy_token_min_amount, 'Insufficient tokens received');
            pay(bought, beneficiary, paid);
            self.end(sold, bought, sell_token_amount, paid, beneficiary, routes.span());
            true
        }

        fn swap_exact_token_to(
            ref self: ContractState,
            sell_token_address: ContractAddress,
            sell_token_amount: u256,
            sell_token_max_amount: u256,
            buy_token_address: ContractAddress,
            buy_token_amount: u256,
            beneficiary: ContractAddress,
            integrator_fee_amount_bps: u128,
            integrator_fee_recipient: ContractAddress,
            routes: Array<Route>,
        ) -> bool {
            let (sold, bought) = (sell_token_address, buy_token_address);
            let wanted = buy_token_amount;
            begin(sold, bought, beneficiary, routes.span());
            assert(sell_token_max_amount >= sell_token_amount, 'Invalid token from max amount');
            collect(sold, sell_token_amount);
            assert(integrator_fee_amount_bps <= MAX_INTEGRATOR_BPS, 'Integrator fees are too high');
            let bps: u256 = if is_zero(integrator_fee_recipient) {
                0
            } else {
                integrator_fee_amount_bps.into()
            };
            let mut target = wanted;
            let sold_pays = self.sold_pays(sold, bought);
            if sold_pays {
                let fee = mul_div(sell_token_amount, bps, SCALE + bps, false);
                pay(sold, integrator_fee_recipient, fee);
            } else {
                target += mul_div(wanted, bps, SCALE, false);
            }
            let all = self
                .reach(
                    sold, bought, sell_token_amount, sell_token_max_amount, target, routes.span()
                );
            let received = held(bought);
            pay(bought, beneficiary, wanted);
            pay(bought, integrator_fee_recipient, target - wanted);
            pay(bought, self.recipient.read(), received - target);
            self.end(sold, bought, all, wanted, beneficiary, routes.span());
            true
        }

        fn get_fees_recipient(self: @ContractState) -> ContractAddress {
            self.recipient.read()
        }
        fn get_fees_bps_0(self: @ContractState) -> u128 {
            self.one_route_bps.read()
        }
        fn get_fees_bps_1(self: @ContractState) -> u128 {
            self.more_routes_bps.read()
        }
        fn get_swap_exact_token_to_fees_bps(self: @ContractState) -> u128 {
            self.exact_out_bps.read()
        }
        fn get_token_fee_config(self: @ContractState, token: ContractAddress) -> u32 {
            self.weights.read(token)
        }
        fn is_integrator_whitelisted(self: @ContractState, integrator: ContractAddress) -> bool {
            false
        }
        fn set_token_fee_config(ref self: ContractState, token: ContractAddress, weight: u32) {
            self.weights.write(token, weight);
        }
    }

    #[generate_trait]
    impl Trading of TradingTrait {
        // Fees are paid in what is bought, unless what is sold has more weight.
        fn sold_pays(
            self: @ContractState, sold: ContractAddress, bought: ContractAddress
        ) -> bool {
            self.weights.read(sold) > self.weights.read(bought)
        }

        // Makes all swaps in their order, each with its share of what there is.
        fn walk(self: @ContractState, mut routes: Span<Route>) {
            while let Option::Some(route) = routes.pop_front() {
                let percent: u256 = (*route.percent).into();
                assert(percent > 0 && percent <= WHOLE, 'Invalid route percent');
                let amount = mul_div(held(*route.sell_token), percent, WHOLE, false);
                if *route.exchange_address == self.core.read() {
                    sell_to_core(self.core.read(), route, amount);
                } else if *route.exchange_address == self.vault.read() {
                    deposit(route, amount);
                } else {
                    assert(*route.exchange_address == self.factory.read(), 'Unknown exchange');
                    sell_to_pair(self.factory.read(), route, amount);
                }
            };
        }

        // Sells, and then more until the target is there. Answers with all that was
        // sold.
        fn reach(
            self: @ContractState,
            sold: ContractAddress,
            bought: ContractAddress,
            amount: u256,
            most: u256,
            target: u256,
            routes: Span<Route>
        ) -> u256 {
            self.walk(routes);
            let mut received = held(bought);
            let aim = target + mul_div(target, self.exact_out_bps.read().into(), SCALE, false);
            let (mut all, mut last, mut brought) = (amount, amount, received);
            let mut tries = 0;
            while received < target {
                assert(tries < TOP_UPS, 'Too many iterations');
                last = mul_div(last, aim - received, brought, true);
                assert(all + last <= most, 'Insufficient token from amount');
                collect(sold, last);
                self.walk(routes);
                let now = held(bought);
                brought = now - received;
                received = now;
                all += last;
                tries += 1;
            };
            all
        }

        fn end(
            ref self: ContractState,
            sold: ContractAddress,
            bought: ContractAddress,
            sell_amount: u256,
            buy_amount: u256,
            beneficiary: ContractAddress,
            mut routes: Span<Route>
        ) {
            while let Option::Some(route) = routes.pop_front() {
                assert(held(*route.sell_token) == 0, 'Residual tokens');
            };
            self
                .emit(
                    Swap {
                        taker_address: get_caller_address(),
                        sell_address: sold,
                        sell_amount,
                        buy_address: bought,
                        buy_amount,
                        beneficiary
                    }
                );
        }
    }

    fn begin(
        sold: ContractAddress,
        bought: ContractAddress,
        beneficiary: ContractAddress,
        routes: Span<Route>
    ) {
        assert(beneficiary == get_caller_address(), 'Beneficiary is not the caller');
        assert(!routes.is_empty(), 'Routes is empty');
        assert(*routes.at(0).sell_token == sold, 'Invalid token from');
        assert(*routes.at(routes.len() - 1).buy_token == bought, 'Invalid token to');
    }

    fn sell_to_pair(factory: ContractAddress, route: @Route, amount: u256) {
        let factory = IFactoryDispatcher { contract_address: factory };
        let pair = factory.get_pair(*route.sell_token, *route.buy_token);
        pay(*route.sell_token, pair, amount);
        let pair = IPairDispatcher { contract_address: pair };
        let (reserve0, reserve1, _) = pair.get_reserves();
        let sells_first = pair.token0() == *route.sell_token;
        let (into, from) = if sells_first {
            (reserve0, reserve1)
        } else {
            (reserve1, reserve0)
        };
        let counted = amount * 997;
        let out = counted * from / (into * 1000 + counted);
        let own = get_contract_address();
        if sells_first {
            pair.swap(0, out, own, array![]);
        } else {
            pair.swap(out, 0, own, array![]);
        }
    }

    // As the public adapter does: the vault is the token that is bought.
    fn deposit(route: @Route, amount: u256) {
        assert(route.additional_swap_params.span().is_empty(), 'Invalid swap params');
        IErc20Dispatcher { contract_address: *route.sell_token }.approve(*route.buy_token, amount);
        IReferredVaultDispatcher { contract_address: *route.buy_token }
            .deposit_with_referral(amount, get_contract_address(), "9F757");
    }

    fn sell_to_core(core: ContractAddress, route: @Route, amount: u256) {
        let mut params = route.additional_swap_params.span();
        let pool_key: PoolKey = Serde::deserialize(ref params).expect('Invalid swap params');
        let distance: u256 = (*params.pop_front().expect('Invalid swap params')).into();
        IErc20Dispatcher { contract_address: *route.sell_token }.approve(core, amount);
        let core = ICoreDispatcher { contract_address: core };
        let now = core.get_pool_price(pool_key).sqrt_ratio;
        let is_token1 = pool_key.token1 == *route.sell_token;
        let limit = if is_token1 {
            let limit = now + distance;
            if limit > MAX_SQRT_RATIO {
                MAX_SQRT_RATIO
            } else {
                limit
            }
        } else if now > distance + MIN_SQRT_RATIO {
            now - distance
        } else {
            MIN_SQRT_RATIO
        };
        let amount = i129 { mag: amount.try_into().expect('Unsupported amount'), sign: false };
        core
            .swap(
                pool_key,
                SwapParameters {
                    amount, is_token1, sqrt_ratio_limit: limit, skip_ahead: SKIP_AHEAD
                }
            );
    }

    fn take_fee(token: ContractAddress, amount: u256, bps: u128, recipient: ContractAddress) {
        if bps != 0 && !is_zero(recipient) {
            pay(token, recipient, mul_div(amount, bps.into(), SCALE, false));
        }
    }

    fn collect(token: ContractAddress, amount: u256) {
        assert(amount > 0, 'Token from amount is 0');
        IErc20Dispatcher { contract_address: token }
            .transfer_from(get_caller_address(), get_contract_address(), amount);
    }

    fn held(token: ContractAddress) -> u256 {
        IErc20Dispatcher { contract_address: token }.balance_of(get_contract_address())
    }

    fn pay(token: ContractAddress, to: ContractAddress, amount: u256) {
        if amount > 0 {
            IErc20Dispatcher { contract_address: token }.transfer(to, amount);
        }
    }

    fn is_zero(address: ContractAddress) -> bool {
        let address: felt252 = address.into();
        address == 0
    }

    fn mul_div(one: u256, other: u256, divisor: u256, round_up: bool) -> u256 {
        let (quotient, rest) = u512_safe_div_rem_by_u256(
            u256_wide_mul(one, other), divisor.try_into().expect('division by zero')
        );
        assert(quotient.limb2 == 0 && quotient.limb3 == 0, 'mul_div overflow');
        let quotient = u256 { low: quotient.limb0, high: quotient.limb1 };
        if round_up && rest != 0 {
            quotient + 1
        } else {
            quotient
        }
    }
}
