// One contract with all pools, in Ekubo's layout: positions between ticks, and
// swaps that walk from tick to tick. It computes what Ekubo's core computes, and
// says what that says. Tokens are settled at once instead of at the end of a lock:
// what it takes it pulls from its caller, who has approved that. Fees stay in it.

#[starknet::contract]
mod Core {
    use core::integer::{u256_overflow_mul, u256_overflowing_add, u256_overflow_sub};
    use core::integer::{u256_wide_mul, u512_safe_div_rem_by_u256};
    use core::poseidon::poseidon_hash_span;
    use starknet::{ClassHash, ContractAddress, get_caller_address, get_contract_address};
    use starknet::SyscallResultTrait;
    use starknet::storage::{
        Map, StorageMapReadAccess, StorageMapWriteAccess, StoragePointerReadAccess,
        StoragePointerWriteAccess
    };
    use super::{IErc20Dispatcher, IErc20DispatcherTrait};
    use super::{
        Bounds, Delta, PoolKey, PoolPrice, SwapParameters, UpdatePositionParameters, i129
    };

    // How the price after a sale of the first token is rounded: after each of two
    // divisions, or once.
    const ROUNDS_ONCE: bool = true;

    const MAX_TICK: i64 = 88722883;
    const MIN_SQRT_RATIO: u256 = 0x1000003f7f1380b75;
    const MAX_SQRT_RATIO: u256 = 0xfffffc080ed7b4556f3528fe26840249f4b191ef6dff7928;
    const MAX: u256 = 0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff;
    const ONE: u256 = 0x100000000000000000000000000000000;

    // Usable ticks in a word of the map in which ticks are searched.
    const WORD: i64 = 251;

    #[storage]
    struct Storage {
        sqrt_ratio: Map<felt252, u256>,
        tick: Map<felt252, i64>,
        liquidity: Map<felt252, u128>,
        positions: Map<(felt252, felt252), u128>,
        // The ticks that ever bounded a position, and what lies at them.
        tick_count: Map<felt252, u32>,
        ticks: Map<(felt252, u32), i64>,
        gross: Map<(felt252, i64), u128>,
        net: Map<(felt252, i64), i128>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        PoolInitialized: PoolInitialized,
        PositionUpdated: PositionUpdated,
        Swapped: Swapped,
        ClassHashReplaced: ClassHashReplaced,
    }

    #[derive(Drop, starknet::Event)]
    struct PoolInitialized {
        pool_key: PoolKey,
        initial_tick: i129,
        sqrt_ratio: u256,
    }

    #[derive(Drop, starknet::Event)]
    struct PositionUpdated {
        locker: ContractAddress,
        pool_key: PoolKey,
        params: UpdatePositionParameters,
        delta: Delta,
    }

    #[derive(Drop, starknet::Event)]
    struct Swapped {
        locker: ContractAddress,
        pool_key: PoolKey,
        params: SwapParameters,
        delta: Delta,
        sqrt_ratio_after: u256,
        tick_after: i129,
        liquidity_after: u128,
    }

    #[derive(Drop, starknet::Event)]
    struct ClassHashReplaced {
        new_class_hash: ClassHash,
    }

    // A part of a swap, within a range of prices.
    #[derive(Copy, Drop)]
    struct Step {
        consumed: u128,
        calculated: u128,
        sqrt_ratio: u256,
    }

    #[abi(embed_v0)]
    impl Core of super::ICore<ContractState> {
        fn get_pool_price(self: @ContractState, pool_key: PoolKey) -> PoolPrice {
            let id = pool_id(@pool_key);
            PoolPrice { sqrt_ratio: self.sqrt_ratio.read(id), tick: signed(self.tick.read(id)) }
        }

        fn get_pool_liquidity(self: @ContractState, pool_key: PoolKey) -> u128 {
            self.liquidity.read(pool_id(@pool_key))
        }

        fn initialize_pool(
            ref self: ContractState, pool_key: PoolKey, initial_tick: i129
        ) -> u256 {
            let id = pool_id(@pool_key);
            assert(self.sqrt_ratio.read(id) == 0, 'ALREADY_INITIALIZED');
            let (token0, token1): (felt252, felt252) = (
                pool_key.token0.into(), pool_key.token1.into()
            );
            let (token0, token1): (u256, u256) = (token0.into(), token1.into());
            assert(token0 < token1, 'TOKEN_ORDER');
            let sqrt_ratio = sqrt_ratio_at(unsigned(initial_tick));
            self.sqrt_ratio.write(id, sqrt_ratio);
            self.tick.write(id, unsigned(initial_tick));
            self.emit(PoolInitialized { pool_key, initial_tick, sqrt_ratio });
            sqrt_ratio
        }

        fn update_position(
            ref self: ContractState, pool_key: PoolKey, params: UpdatePositionParameters
        ) -> Delta {
            let id = pool_id(@pool_key);
            let sqrt_ratio = self.sqrt_ratio.read(id);
            assert(sqrt_ratio != 0, 'NOT_INITIALIZED');
            let (lower, upper) = (unsigned(params.bounds.lower), unsigned(params.bounds.upper));
            assert(lower < upper, 'BOUNDS_ORDER');
            let spacing: i64 = pool_key.tick_spacing.try_into().unwrap();
            assert(floor(lower, spacing) * spacing == lower, 'BOUNDS_TICK_SPACING');
            assert(floor(upper, spacing) * spacing == upper, 'BOUNDS_TICK_SPACING');
            let locker = get_caller_address();
            let change = params.liquidity_delta;
            self.change_position(id, position_id(params.salt, locker, lower, upper), change);
            self.change_tick(id, lower, change, change);
            self.change_tick(id, upper, change, i129 { mag: change.mag, sign: !change.sign });
            let tick = self.tick.read(id);
            if lower <= tick && tick < upper {
                self.liquidity.write(id, changed(self.liquidity.read(id), change));
            }
            let (amount0, amount1) = worth(sqrt_ratio, lower, upper, change);
            let delta = Delta {
                amount0: i129 { mag: amount0, sign: change.sign && amount0 > 0 },
                amount1: i129 { mag: amount1, sign: change.sign && amount1 > 0 },
            };
            self.emit(PositionUpdated { locker, pool_key, params, delta });
            settle(@pool_key, delta);
            delta
        }

        fn swap(ref self: ContractState, pool_key: PoolKey, params: SwapParameters) -> Delta {
            let id = pool_id(@pool_key);
            let mut sqrt_ratio = self.sqrt_ratio.read(id);
            assert(sqrt_ratio != 0, 'NOT_INITIALIZED');
            let mut tick = self.tick.read(id);
            let mut liquidity = self.liquidity.read(id);
            let spacing: i64 = pool_key.tick_spacing.try_into().unwrap();
            let is_bought = params.amount.sign;
            // Selling the second token or buying the first one raises the price.
            let rises = params.is_token1 != is_bought;
            let limit = params.sqrt_ratio_limit;
            assert((limit > sqrt_ratio) == rises, 'LIMIT_DIRECTION');
            assert(limit >= MIN_SQRT_RATIO && limit <= MAX_SQRT_RATIO, 'LIMIT_MAG');
            let mut left = params.amount.mag;
            let mut other = 0_u128;
            while left != 0 && sqrt_ratio != limit {
                let (next, bounds_position) = self
                    .next_tick(id, spacing, tick, rises, params.skip_ahead);
                let end = sqrt_ratio_at(next);
                let stop = if (end < limit) == rises {
                    end
                } else {
                    limit
                };
                let step = step(
                    pool_key.fee, left, is_bought, params.is_token1, sqrt_ratio, liquidity, stop
                );
                left -= step.consumed;
                other += step.calculated;
                if step.sqrt_ratio == end {
                    tick = if rises {
                        next
                    } else {
                        next - 1
                    };
                    if bounds_position {
                        liquidity = crossed(liquidity, self.net.read((id, next)), rises);
                    }
                } else if step.sqrt_ratio != sqrt_ratio {
                    tick = tick_at(step.sqrt_ratio);
                }
                sqrt_ratio = step.sqrt_ratio;
            };
            self.sqrt_ratio.write(id, sqrt_ratio);
            self.tick.write(id, tick);
            self.liquidity.write(id, liquidity);
            let used = params.amount.mag - left;
            let named = i129 { mag: used, sign: is_bought && used > 0 };
            let other = i129 { mag: other, sign: !is_bought && other > 0 };
            let delta = if params.is_token1 {
                Delta { amount0: other, amount1: named }
            } else {
                Delta { amount0: named, amount1: other }
            };
            self
                .emit(
                    Swapped {
                        locker: get_caller_address(),
                        pool_key,
                        params,
                        delta,
                        sqrt_ratio_after: sqrt_ratio,
                        tick_after: signed(tick),
                        liquidity_after: liquidity,
                    }
                );
            settle(@pool_key, delta);
            delta
        }

        fn replace_class_hash(ref self: ContractState, class_hash: ClassHash) {
            starknet::syscalls::replace_class_syscall(class_hash).unwrap_syscall();
            self.emit(ClassHashReplaced { new_class_hash: class_hash });
        }
    }

    #[generate_trait]
    impl Ticks of TicksTrait {
        fn change_position(
            ref self: ContractState, pool: felt252, position: felt252, change: i129
        ) {
            let held = self.positions.read((pool, position));
            self.positions.write((pool, position), changed(held, change));
        }

        fn change_tick(
            ref self: ContractState, pool: felt252, tick: i64, gross: i129, net: i129
        ) {
            let before = self.gross.read((pool, tick));
            if before == 0 && self.net.read((pool, tick)) == 0 {
                let count = self.tick_count.read(pool);
                self.ticks.write((pool, count), tick);
                self.tick_count.write(pool, count + 1);
            }
            self.gross.write((pool, tick), changed(before, gross));
            let size: i128 = net.mag.try_into().unwrap();
            let now = self.net.read((pool, tick));
            self.net.write((pool, tick), if net.sign {
                now - size
            } else {
                now + size
            });
        }

        // The next tick that bounds a position, or the end of the word in which the
        // search ends, and which of both it is.
        fn next_tick(
            self: @ContractState,
            pool: felt252,
            spacing: i64,
            from: i64,
            rises: bool,
            skip_ahead: u128
        ) -> (i64, bool) {
            let skipped: i64 = skip_ahead.try_into().unwrap();
            let usable = floor(from, spacing);
            let mut found = if rises {
                (floor(usable + 1, WORD) + skipped) * WORD + WORD - 1
            } else {
                (floor(usable, WORD) - skipped) * WORD
            } * spacing;
            if found > MAX_TICK {
                found = MAX_TICK;
            }
            if found < -MAX_TICK {
                found = -MAX_TICK;
            }
            let mut bounds_position = false;
            let count = self.tick_count.read(pool);
            let mut index = 0;
            while index < count {
                let tick = self.ticks.read((pool, index));
                let lies_ahead = if rises {
                    tick > from && tick <= found
                } else {
                    tick <= from && tick >= found
                };
                if lies_ahead && self.gross.read((pool, tick)) > 0 {
                    found = tick;
                    bounds_position = true;
                }
                index += 1;
            };
            (found, bounds_position)
        }
    }

    fn pool_id(key: @PoolKey) -> felt252 {
        let mut felts = array![];
        key.serialize(ref felts);
        poseidon_hash_span(felts.span())
    }

    fn position_id(salt: felt252, owner: ContractAddress, lower: i64, upper: i64) -> felt252 {
        poseidon_hash_span(array![salt, owner.into(), lower.into(), upper.into()].span())
    }

    // Pulls what the core takes from its caller, and pays what it gives.
    fn settle(key: @PoolKey, delta: Delta) {
        settle_one(*key.token0, delta.amount0);
        settle_one(*key.token1, delta.amount1);
    }

    fn settle_one(token: ContractAddress, amount: i129) {
        let token = IErc20Dispatcher { contract_address: token };
        let size = u256 { low: amount.mag, high: 0 };
        if amount.mag == 0 {
            return;
        }
        if amount.sign {
            token.transfer(get_caller_address(), size);
        } else {
            token.transfer_from(get_caller_address(), get_contract_address(), size);
        }
    }

    fn signed(tick: i64) -> i129 {
        if tick < 0 {
            i129 { mag: magnitude(tick).into(), sign: true }
        } else {
            i129 { mag: magnitude(tick).into(), sign: false }
        }
    }

    fn unsigned(tick: i129) -> i64 {
        let size: i64 = tick.mag.try_into().unwrap();
        assert(size <= MAX_TICK, 'TICK_MAGNITUDE');
        if tick.sign {
            -size
        } else {
            size
        }
    }

    fn magnitude(number: i64) -> u64 {
        let number: felt252 = if number < 0 {
            (-number).into()
        } else {
            number.into()
        };
        number.try_into().unwrap()
    }

    // The quotient, rounded down.
    fn floor(number: i64, divisor: i64) -> i64 {
        let divisor = magnitude(divisor);
        let size = magnitude(number);
        if number < 0 {
            -((size + divisor - 1) / divisor).try_into().unwrap()
        } else {
            (size / divisor).try_into().unwrap()
        }
    }

    fn changed(number: u128, change: i129) -> u128 {
        if change.sign {
            number - change.mag
        } else {
            number + change.mag
        }
    }

    fn crossed(liquidity: u128, net: i128, rises: bool) -> u128 {
        let gained = (net >= 0) == rises;
        let size: felt252 = if net < 0 {
            (-net).into()
        } else {
            net.into()
        };
        changed(liquidity, i129 { mag: size.try_into().unwrap(), sign: !gained })
    }

    // One factor for each bit of a tick: roots of the price's step to the powers of
    // -1, -2, -4 and so on.
    fn factors() -> Span<u128> {
        array![
            0xfffff79c8499329c7cbb2510d893283b,
            0xffffef390978c398134b4ff3764fe410,
            0xffffde72140b00a354bd3dc828e976c9,
            0xffffbce42c7be6c998ad6318193c0b18,
            0xffff79c86a8f6150a32d9778eceef97c,
            0xfffef3911b7cff24ba1b3dbb5f8f5974,
            0xfffde72350725cc4ea8feece3b5f13c8,
            0xfffbce4b06c196e9247ac87695d53c60,
            0xfff79ca7a4d1bf1ee8556cea23cdbaa5,
            0xffef3995a5b6a6267530f207142a5764,
            0xffde7444b28145508125d10077ba83b8,
            0xffbceceeb791747f10df216f2e53ec57,
            0xff79eb706b9a64c6431d76e63531e929,
            0xfef41d1a5f2ae3a20676bec6f7f9459a,
            0xfde95287d26d81bea159c37073122c73,
            0xfbd701c7cbc4c8a6bb81efd232d1e4e7,
            0xf7bf5211c72f5185f372aeb1d48f937e,
            0xefc2bf59df33ecc28125cf78ec4f167f,
            0xe08d35706200796273f0b3a981d90cfd,
            0xc4f76b68947482dc198a48a54348c4ed,
            0x978bcb9894317807e5fa4498eee7c0fa,
            0x59b63684b86e9f486ec54727371ba6ca,
            0x1f703399d88f6aa83a28b22d4a1f56e3,
            0x03dc5dac7376e20fc8679758d1bcdcfc,
            0x000ee7e32d61fdb0a5e622b820f681d0,
            0x000000de2ee4bc381afa7089aa84bb66,
            0x000000000000c0d55d4d7152c25fb139,
        ]
            .span()
    }

    fn sqrt_ratio_at(tick: i64) -> u256 {
        let mut bits = magnitude(tick);
        let mut product = ONE;
        let mut factors = factors();
        while bits != 0 {
            let factor = *factors.pop_front().unwrap();
            if bits & 1 == 1 {
                product = u256 { low: (product * factor.into()).high, high: 0 };
            }
            bits = bits / 2;
        };
        if tick > 0 {
            MAX / product
        } else {
            product
        }
    }

    // The greatest tick whose ratio is not above this one: nearly, bit by bit, and
    // then by comparison.
    fn tick_at(sqrt_ratio: u256) -> i64 {
        let below = if sqrt_ratio > ONE {
            MAX / sqrt_ratio
        } else {
            sqrt_ratio
        };
        let mut product = ONE;
        let mut near = 0_i64;
        let mut power = 0x4000000_i64;
        let mut factors = factors();
        while let Option::Some(factor) = factors.pop_back() {
            let next = u256 { low: (product * (*factor).into()).high, high: 0 };
            if next >= below {
                product = next;
                near += power;
            }
            power = floor(power, 2);
        };
        let mut tick = if sqrt_ratio > ONE {
            near
        } else {
            -near
        };
        while tick > -MAX_TICK && sqrt_ratio_at(tick) > sqrt_ratio {
            tick -= 1;
        };
        while tick < MAX_TICK && sqrt_ratio_at(tick + 1) <= sqrt_ratio {
            tick += 1;
        };
        tick
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

    fn amount0(from: u256, to: u256, liquidity: u128, round_up: bool) -> u128 {
        let (low, high) = ordered(from, to);
        let whole = u256 { low: 0, high: liquidity };
        let scaled = mul_div(whole, high - low, high, round_up);
        mul_div(scaled, 1, low, round_up).try_into().expect('amount0 overflow')
    }

    fn amount1(from: u256, to: u256, liquidity: u128, round_up: bool) -> u128 {
        let (low, high) = ordered(from, to);
        mul_div(liquidity.into(), high - low, ONE, round_up).try_into().expect('amount1 overflow')
    }

    fn ordered(one: u256, other: u256) -> (u256, u256) {
        if one < other {
            (one, other)
        } else {
            (other, one)
        }
    }

    fn amount_between(
        is_token1: bool, from: u256, to: u256, liquidity: u128, round_up: bool
    ) -> u128 {
        if is_token1 {
            amount1(from, to, liquidity, round_up)
        } else {
            amount0(from, to, liquidity, round_up)
        }
    }

    // What a position takes when its liquidity grows, or gives when it shrinks.
    fn worth(sqrt_ratio: u256, lower: i64, upper: i64, change: i129) -> (u128, u128) {
        let (low, high) = (sqrt_ratio_at(lower), sqrt_ratio_at(upper));
        let grows = !change.sign;
        if sqrt_ratio <= low {
            (amount0(low, high, change.mag, grows), 0)
        } else if sqrt_ratio < high {
            (
                amount0(sqrt_ratio, high, change.mag, grows),
                amount1(low, sqrt_ratio, change.mag, grows)
            )
        } else {
            (0, amount1(low, high, change.mag, grows))
        }
    }

    // The fee on an amount that includes it.
    fn fee_of(amount: u128, fee: u128) -> u128 {
        mul_div(amount.into(), fee.into(), ONE, true).low
    }

    // The least of which the fee leaves as much.
    fn before_fee(amount: u128, fee: u128) -> u128 {
        mul_div(amount.into(), ONE, ONE - fee.into(), true).try_into().expect('fee overflow')
    }

    // The root after so much of the first token came, or went; nothing beyond all
    // limits.
    fn after_amount0(
        sqrt_ratio: u256, liquidity: u128, amount: u128, is_bought: bool
    ) -> Option<u256> {
        if amount == 0 {
            return Option::Some(sqrt_ratio);
        }
        let whole = u256 { low: 0, high: liquidity };
        if is_bought {
            let (product, overflows) = u256_overflow_mul(sqrt_ratio, amount.into());
            if overflows || product >= whole {
                return Option::None;
            }
            return Option::Some(mul_div(whole, sqrt_ratio, whole - product, true));
        }
        Option::Some(if ROUNDS_ONCE {
            mul_div(whole, sqrt_ratio, whole + sqrt_ratio * amount.into(), true)
        } else {
            mul_div(whole, 1, whole / sqrt_ratio + amount.into(), true)
        })
    }

    // The root after so much of the second token came, or went.
    fn after_amount1(
        sqrt_ratio: u256, liquidity: u128, amount: u128, is_bought: bool
    ) -> Option<u256> {
        let change = mul_div(u256 { low: 0, high: amount }, 1, liquidity.into(), is_bought);
        let (after, overflows) = if is_bought {
            u256_overflow_sub(sqrt_ratio, change)
        } else {
            u256_overflowing_add(sqrt_ratio, change)
        };
        if overflows {
            Option::None
        } else {
            Option::Some(after)
        }
    }

    fn step(
        fee: u128,
        amount: u128,
        is_bought: bool,
        is_token1: bool,
        sqrt_ratio: u256,
        liquidity: u128,
        limit: u256
    ) -> Step {
        if liquidity == 0 {
            return Step { consumed: 0, calculated: 0, sqrt_ratio: limit };
        }
        let rises = is_token1 != is_bought;
        let moving = if is_bought {
            amount
        } else {
            amount - fee_of(amount, fee)
        };
        let next = if is_token1 {
            after_amount1(sqrt_ratio, liquidity, moving, is_bought)
        } else {
            after_amount0(sqrt_ratio, liquidity, moving, is_bought)
        };
        // A price that falls onto the limit was stopped by it; one that rises was not.
        let reached = match next {
            Option::Some(next) => (next > limit) != rises,
            Option::None => false,
        };
        if !reached {
            let own = amount_between(is_token1, sqrt_ratio, limit, liquidity, !is_bought);
            let other = amount_between(!is_token1, sqrt_ratio, limit, liquidity, is_bought);
            return if is_bought {
                Step { consumed: own, calculated: before_fee(other, fee), sqrt_ratio: limit }
            } else {
                Step { consumed: before_fee(own, fee), calculated: other, sqrt_ratio: limit }
            };
        }
        let end = next.unwrap();
        // Too little to move the price: all of it is the fee.
        if end == sqrt_ratio && !is_bought {
            return Step { consumed: amount, calculated: 0, sqrt_ratio: end };
        }
        let other = amount_between(!is_token1, sqrt_ratio, end, liquidity, is_bought);
        let calculated = if is_bought {
            before_fee(other, fee)
        } else {
            other
        };
        Step { consumed: amount, calculated, sqrt_ratio: end }
    }
}
