// A pair of JediSwap v1's layout: x·y = k, and so many thousandths of what comes
// in count. Its code can be replaced without a word.

#[starknet::contract]
mod Pair {
    use core::integer::u256_sqrt;
    use starknet::{ClassHash, ContractAddress, get_caller_address, get_contract_address};
    use starknet::SyscallResultTrait;
    use starknet::storage::{
        Map, StorageMapReadAccess, StorageMapWriteAccess, StoragePointerReadAccess,
        StoragePointerWriteAccess
    };
    use super::{IErc20Dispatcher, IErc20DispatcherTrait};

    // What is left of 1,000 that come in.
    const KEPT: u256 = 997;

    // Shares that nobody has.
    const FIRST_SHARES: u256 = 1000;

    #[storage]
    struct Storage {
        token0: ContractAddress,
        token1: ContractAddress,
        reserve0: u256,
        reserve1: u256,
        supply: u256,
        shares: Map<ContractAddress, u256>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Mint: Mint,
        Swap: Swap,
        Sync: Sync,
    }

    #[derive(Drop, starknet::Event)]
    struct Mint {
        sender: ContractAddress,
        amount0: u256,
        amount1: u256,
    }

    #[derive(Drop, starknet::Event)]
    struct Swap {
        sender: ContractAddress,
        amount0In: u256,
        amount1In: u256,
        amount0Out: u256,
        amount1Out: u256,
        to: ContractAddress,
    }

    #[derive(Drop, starknet::Event)]
    struct Sync {
        reserve0: u256,
        reserve1: u256,
    }

    #[constructor]
    fn constructor(ref self: ContractState, token0: ContractAddress, token1: ContractAddress) {
        self.token0.write(token0);
        self.token1.write(token1);
    }

    #[abi(embed_v0)]
    impl Pair of super::IPair<ContractState> {
        fn name(self: @ContractState) -> felt252 {
            'Pair'
        }
        fn symbol(self: @ContractState) -> felt252 {
            'PAIR'
        }
        fn decimals(self: @ContractState) -> u8 {
            18
        }
        fn total_supply(self: @ContractState) -> u256 {
            self.supply.read()
        }
        fn balance_of(self: @ContractState, account: ContractAddress) -> u256 {
            self.shares.read(account)
        }
        fn token0(self: @ContractState) -> ContractAddress {
            self.token0.read()
        }
        fn token1(self: @ContractState) -> ContractAddress {
            self.token1.read()
        }
        fn get_reserves(self: @ContractState) -> (u256, u256, u64) {
            (self.reserve0.read(), self.reserve1.read(), 0)
        }

        fn mint(ref self: ContractState, to: ContractAddress) -> u256 {
            let (balance0, balance1) = self.balances();
            let (reserve0, reserve1) = (self.reserve0.read(), self.reserve1.read());
            let (amount0, amount1) = (balance0 - reserve0, balance1 - reserve1);
            let supply = self.supply.read();
            let shares = if supply == 0 {
                u256 { low: u256_sqrt(amount0 * amount1), high: 0 } - FIRST_SHARES
            } else {
                let (by0, by1) = (amount0 * supply / reserve0, amount1 * supply / reserve1);
                if by0 < by1 {
                    by0
                } else {
                    by1
                }
            };
            assert(shares > 0, 'insufficient liquidity minted');
            let first = if supply == 0 {
                FIRST_SHARES
            } else {
                0
            };
            self.supply.write(supply + first + shares);
            self.shares.write(to, self.shares.read(to) + shares);
            self.settle(balance0, balance1);
            self.emit(Mint { sender: get_caller_address(), amount0, amount1 });
            shares
        }

        fn swap(
            ref self: ContractState,
            amount0Out: u256,
            amount1Out: u256,
            to: ContractAddress,
            data: Array<felt252>
        ) {
            assert(data.is_empty(), 'no call back');
            assert(amount0Out > 0 || amount1Out > 0, 'insufficient output amount');
            let (reserve0, reserve1) = (self.reserve0.read(), self.reserve1.read());
            assert(amount0Out < reserve0 && amount1Out < reserve1, 'insufficient liquidity');
            if amount0Out > 0 {
                IErc20Dispatcher { contract_address: self.token0.read() }.transfer(to, amount0Out);
            }
            if amount1Out > 0 {
                IErc20Dispatcher { contract_address: self.token1.read() }.transfer(to, amount1Out);
            }
            let (balance0, balance1) = self.balances();
            let amount0In = came(balance0, reserve0 - amount0Out);
            let amount1In = came(balance1, reserve1 - amount1Out);
            assert(amount0In > 0 || amount1In > 0, 'insufficient input amount');
            let counted0 = balance0 * 1000 - amount0In * (1000 - KEPT);
            let counted1 = balance1 * 1000 - amount1In * (1000 - KEPT);
            assert(counted0 * counted1 >= reserve0 * reserve1 * 1000000, 'invariant K');
            self.settle(balance0, balance1);
            let sender = get_caller_address();
            self.emit(Swap { sender, amount0In, amount1In, amount0Out, amount1Out, to });
        }

        fn sync(ref self: ContractState) {
            let (balance0, balance1) = self.balances();
            self.settle(balance0, balance1);
        }

        fn replace_implementation_class(
            ref self: ContractState, new_implementation_class: ClassHash
        ) {
            starknet::syscalls::replace_class_syscall(new_implementation_class).unwrap_syscall();
        }
    }

    #[generate_trait]
    impl Holding of HoldingTrait {
        fn balances(self: @ContractState) -> (u256, u256) {
            let own = get_contract_address();
            let token0 = IErc20Dispatcher { contract_address: self.token0.read() };
            let token1 = IErc20Dispatcher { contract_address: self.token1.read() };
            (token0.balance_of(own), token1.balance_of(own))
        }

        fn settle(ref self: ContractState, reserve0: u256, reserve1: u256) {
            self.reserve0.write(reserve0);
            self.reserve1.write(reserve1);
            self.emit(Sync { reserve0, reserve1 });
        }
    }

    fn came(balance: u256, left: u256) -> u256 {
        if balance > left {
            balance - left
        } else {
            0
        }
    }
}
