// A vault with the public one's calls, views and events: deposits of a token for
// shares of all that it has, rounded down. What it is given besides makes shares
// worth more.

#[starknet::interface]
trait IVault<T> {
    fn asset(self: @T) -> ContractAddress;
    fn total_assets(self: @T) -> u256;
    fn deposit(ref self: T, assets: u256, receiver: ContractAddress) -> u256;
    fn deposit_with_referral(
        ref self: T, assets: u256, receiver: ContractAddress, referral: ByteArray
    ) -> u256;
}

#[starknet::contract]
mod Vault {
    use core::num::traits::Zero;
    use starknet::{ContractAddress, get_caller_address, get_contract_address};
    use starknet::storage::{
        Map, StorageMapReadAccess, StorageMapWriteAccess, StoragePointerReadAccess,
        StoragePointerWriteAccess
    };
    use super::{IErc20Dispatcher, IErc20DispatcherTrait};

    #[storage]
    struct Storage {
        asset: ContractAddress,
        supply: u256,
        balances: Map<ContractAddress, u256>,
        allowances: Map<(ContractAddress, ContractAddress), u256>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Transfer: Transfer,
        Approval: Approval,
        Deposit: Deposit,
        Referral: Referral,
    }

    #[derive(Drop, starknet::Event)]
    struct Transfer {
        #[key]
        from: ContractAddress,
        #[key]
        to: ContractAddress,
        value: u256,
    }

    #[derive(Drop, starknet::Event)]
    struct Approval {
        #[key]
        owner: ContractAddress,
        #[key]
        spender: ContractAddress,
        value: u256,
    }

    #[derive(Drop, starknet::Event)]
    struct Deposit {
        #[key]
        sender: ContractAddress,
        #[key]
        owner: ContractAddress,
        assets: u256,
        shares: u256,
    }

    #[derive(Drop, starknet::Event)]
    struct Referral {
        #[key]
        referrer: ByteArray,
        #[key]
        referee: ContractAddress,
        assets: u256,
    }

    #[constructor]
    fn constructor(ref self: ContractState, asset: ContractAddress) {
        self.asset.write(asset);
    }

    #[abi(embed_v0)]
    impl Vault of super::IVault<ContractState> {
        fn asset(self: @ContractState) -> ContractAddress {
            self.asset.read()
        }
        fn total_assets(self: @ContractState) -> u256 {
            IErc20Dispatcher { contract_address: self.asset.read() }
                .balance_of(get_contract_address())
        }
        fn deposit(ref self: ContractState, assets: u256, receiver: ContractAddress) -> u256 {
            let all = self.total_assets();
            let supply = self.supply.read();
            let shares = if supply == 0 {
                assets
            } else {
                assets * supply / all
            };
            assert(shares > 0, 'ZERO_SHARES');
            let sender = get_caller_address();
            IErc20Dispatcher { contract_address: self.asset.read() }
                .transfer_from(sender, get_contract_address(), assets);
            self.supply.write(supply + shares);
            self.balances.write(receiver, self.balances.read(receiver) + shares);
            self.emit(Transfer { from: Zero::zero(), to: receiver, value: shares });
            self.emit(Deposit { sender, owner: receiver, assets, shares });
            shares
        }
        fn deposit_with_referral(
            ref self: ContractState, assets: u256, receiver: ContractAddress, referral: ByteArray
        ) -> u256 {
            let shares = self.deposit(assets, receiver);
            self.emit(Referral { referrer: referral, referee: receiver, assets });
            shares
        }
    }

    #[abi(embed_v0)]
    impl Token of super::IErc20<ContractState> {
        fn name(self: @ContractState) -> felt252 {
            'Staked Ether'
        }
        fn symbol(self: @ContractState) -> felt252 {
            'xRETH'
        }
        fn decimals(self: @ContractState) -> u8 {
            18
        }
        fn total_supply(self: @ContractState) -> u256 {
            self.supply.read()
        }
        fn totalSupply(self: @ContractState) -> u256 {
            self.supply.read()
        }
        fn balance_of(self: @ContractState, account: ContractAddress) -> u256 {
            self.balances.read(account)
        }
        fn balanceOf(self: @ContractState, account: ContractAddress) -> u256 {
            self.balances.read(account)
        }
        fn allowance(
            self: @ContractState, owner: ContractAddress, spender: ContractAddress
        ) -> u256 {
            self.allowances.read((owner, spender))
        }
        fn transfer(ref self: ContractState, recipient: ContractAddress, amount: u256) -> bool {
            self.give(get_caller_address(), recipient, amount);
            true
        }
        fn transfer_from(
            ref self: ContractState,
            sender: ContractAddress,
            recipient: ContractAddress,
            amount: u256
        ) -> bool {
            let spender = get_caller_address();
            let allowed = self.allowances.read((sender, spender));
            assert(allowed >= amount, 'insufficient allowance');
            self.allowances.write((sender, spender), allowed - amount);
            self.give(sender, recipient, amount);
            true
        }
        fn approve(ref self: ContractState, spender: ContractAddress, amount: u256) -> bool {
            let owner = get_caller_address();
            self.allowances.write((owner, spender), amount);
            self.emit(Approval { owner, spender, value: amount });
            true
        }
    }

    #[generate_trait]
    impl Giving of GivingTrait {
        fn give(
            ref self: ContractState, from: ContractAddress, to: ContractAddress, value: u256
        ) {
            let held = self.balances.read(from);
            assert(held >= value, 'insufficient balance');
            self.balances.write(from, held - value);
            self.balances.write(to, self.balances.read(to) + value);
            self.emit(Transfer { from, to, value });
        }
    }
}
