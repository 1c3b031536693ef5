// The network's staking contract, its supplier of rewards and the only delegation
// pool of its only staker, in one: each is asked by names of its own. A stake of a
// token earns a unit for each of its million units and second.

#[derive(Copy, Drop, Serde)]
struct PoolMember {
    reward_address: ContractAddress,
    amount: u128,
    unclaimed_rewards: u128,
    commission: u16,
    unpool_amount: u128,
    unpool_time: Option<u64>,
}

#[derive(Drop, Serde)]
struct StakerInfo {
    reward_address: ContractAddress,
    operational_address: ContractAddress,
    unstake_time: Option<u64>,
    amount_own: u128,
    unclaimed_rewards_own: u128,
    pool_info: Option<u128>,
}

#[starknet::contract]
mod Staking {
    use starknet::{ContractAddress, get_block_timestamp, get_caller_address, get_contract_address};
    use starknet::storage::{
        Map, StorageMapReadAccess, StorageMapWriteAccess, StoragePointerReadAccess,
        StoragePointerWriteAccess
    };
    use super::{IErc20Dispatcher, IErc20DispatcherTrait, PoolMember, StakerInfo};

    const COMMISSION: u16 = 500;
    const EXIT_SECONDS: u64 = 1814400;
    const EPOCH_SECONDS: u64 = 86400;
    const OWN_STAKE: u128 = 500000000000000000000000;

    #[storage]
    struct Storage {
        staker: ContractAddress,
        token: ContractAddress,
        staked: u128,
        reward_address: Map<ContractAddress, ContractAddress>,
        amount: Map<ContractAddress, u128>,
        unclaimed: Map<ContractAddress, u128>,
        changed: Map<ContractAddress, u64>,
        unpool_amount: Map<ContractAddress, u128>,
        unpool_time: Map<ContractAddress, u64>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        NewPoolMember: NewPoolMember,
        PoolMemberBalanceChanged: PoolMemberBalanceChanged,
        PoolMemberExitIntent: PoolMemberExitIntent,
        PoolMemberExitAction: PoolMemberExitAction,
        PoolMemberRewardClaimed: PoolMemberRewardClaimed,
    }

    #[derive(Drop, starknet::Event)]
    struct NewPoolMember {
        #[key]
        pool_member: ContractAddress,
        #[key]
        staker_address: ContractAddress,
        reward_address: ContractAddress,
        amount: u128,
    }

    #[derive(Drop, starknet::Event)]
    struct PoolMemberBalanceChanged {
        #[key]
        pool_member: ContractAddress,
        old_delegated_stake: u128,
        new_delegated_stake: u128,
    }

    #[derive(Drop, starknet::Event)]
    struct PoolMemberExitIntent {
        #[key]
        pool_member: ContractAddress,
        exit_timestamp: u64,
        amount: u128,
    }

    #[derive(Drop, starknet::Event)]
    struct PoolMemberExitAction {
        #[key]
        pool_member: ContractAddress,
        unpool_amount: u128,
    }

    #[derive(Drop, starknet::Event)]
    struct PoolMemberRewardClaimed {
        #[key]
        pool_member: ContractAddress,
        #[key]
        reward_address: ContractAddress,
        amount: u128,
    }

    #[constructor]
    fn constructor(ref self: ContractState, staker: ContractAddress, token: ContractAddress) {
        self.staker.write(staker);
        self.token.write(token);
    }

    #[external(v0)]
    fn get_staker_info_v1(
        self: @ContractState, staker_address: ContractAddress
    ) -> Option<StakerInfo> {
        if staker_address != self.staker.read() {
            return Option::None;
        }
        Option::Some(
            StakerInfo {
                reward_address: staker_address,
                operational_address: staker_address,
                unstake_time: Option::None,
                amount_own: OWN_STAKE,
                unclaimed_rewards_own: 0,
                pool_info: Option::None,
            }
        )
    }

    #[external(v0)]
    fn staker_pool_info(
        self: @ContractState, staker_address: ContractAddress
    ) -> (Option<u16>, Span<(ContractAddress, ContractAddress, u128)>) {
        assert(staker_address == self.staker.read(), 'Staker does not exist');
        let pool = (get_contract_address(), self.token.read(), self.staked.read());
        (Option::Some(COMMISSION), array![pool].span())
    }

    // The least stake, the token, a class of attestation and of pools, the supplier
    // and how long a withdrawal takes.
    #[external(v0)]
    fn contract_parameters_v1(
        self: @ContractState
    ) -> (u128, ContractAddress, felt252, felt252, ContractAddress, u64) {
        (1, self.token.read(), 0, 0, get_contract_address(), EXIT_SECONDS)
    }

    #[external(v0)]
    fn get_epoch_info(self: @ContractState) -> (u64, u64, u64, u64, u64, u64) {
        (EPOCH_SECONDS, 43200, 0, 0, 0, 0)
    }

    #[external(v0)]
    fn get_current_total_staking_power(self: @ContractState) -> (u128, u128) {
        (self.staked.read() + OWN_STAKE, 0)
    }

    #[external(v0)]
    fn calculate_current_epoch_rewards(self: @ContractState) -> (u128, u128) {
        ((self.staked.read() + OWN_STAKE) / 1000000 * EPOCH_SECONDS.into(), 0)
    }

    #[external(v0)]
    fn get_pool_member_info_v1(
        self: @ContractState, pool_member: ContractAddress
    ) -> Option<PoolMember> {
        if !self.is_member(pool_member) {
            return Option::None;
        }
        let time = self.unpool_time.read(pool_member);
        Option::Some(
            PoolMember {
                reward_address: self.reward_address.read(pool_member),
                amount: self.amount.read(pool_member),
                unclaimed_rewards: self.earned(pool_member),
                commission: COMMISSION,
                unpool_amount: self.unpool_amount.read(pool_member),
                unpool_time: if time == 0 {
                    Option::None
                } else {
                    Option::Some(time)
                },
            }
        )
    }

    #[external(v0)]
    fn enter_delegation_pool(
        ref self: ContractState, reward_address: ContractAddress, amount: u128
    ) {
        let pool_member = get_caller_address();
        assert(!self.is_member(pool_member), 'Pool member exists');
        self.reward_address.write(pool_member, reward_address);
        let staker_address = self.staker.read();
        self.emit(NewPoolMember { pool_member, staker_address, reward_address, amount });
        self.take(pool_member, amount);
    }

    #[external(v0)]
    fn add_to_delegation_pool(
        ref self: ContractState, pool_member: ContractAddress, amount: u128
    ) -> u128 {
        assert(self.is_member(pool_member), 'Pool member does not exist');
        self.take(pool_member, amount);
        self.amount.read(pool_member)
    }

    #[external(v0)]
    fn exit_delegation_pool_intent(ref self: ContractState, amount: u128) {
        let pool_member = get_caller_address();
        let total = self.amount.read(pool_member) + self.unpool_amount.read(pool_member);
        assert(amount <= total, 'Amount is too high');
        let exit_timestamp = get_block_timestamp() + EXIT_SECONDS;
        self.unpool_amount.write(pool_member, amount);
        self.unpool_time.write(pool_member, exit_timestamp);
        self.emit(PoolMemberExitIntent { pool_member, exit_timestamp, amount });
        self.change(pool_member, total - amount);
    }

    #[external(v0)]
    fn exit_delegation_pool_action(
        ref self: ContractState, pool_member: ContractAddress
    ) -> u128 {
        let time = self.unpool_time.read(pool_member);
        assert(time != 0, 'Undelegate intent is missing');
        assert(get_block_timestamp() >= time, 'Intent window is not finished');
        let unpool_amount = self.unpool_amount.read(pool_member);
        self.unpool_time.write(pool_member, 0);
        self.unpool_amount.write(pool_member, 0);
        self.emit(PoolMemberExitAction { pool_member, unpool_amount });
        self.pay(pool_member, unpool_amount);
        unpool_amount
    }

    #[external(v0)]
    fn claim_rewards(ref self: ContractState, pool_member: ContractAddress) -> u128 {
        let amount = self.earned(pool_member);
        let reward_address = self.reward_address.read(pool_member);
        self.unclaimed.write(pool_member, 0);
        self.changed.write(pool_member, get_block_timestamp());
        self.emit(PoolMemberRewardClaimed { pool_member, reward_address, amount });
        self.pay(reward_address, amount);
        amount
    }

    #[generate_trait]
    impl Membership of MembershipTrait {
        fn is_member(self: @ContractState, member: ContractAddress) -> bool {
            let reward_address: felt252 = self.reward_address.read(member).into();
            reward_address != 0
        }

        fn earned(self: @ContractState, member: ContractAddress) -> u128 {
            let seconds: u128 = (get_block_timestamp() - self.changed.read(member)).into();
            self.unclaimed.read(member) + self.amount.read(member) / 1000000 * seconds
        }

        fn change(ref self: ContractState, member: ContractAddress, amount: u128) {
            self.unclaimed.write(member, self.earned(member));
            self.changed.write(member, get_block_timestamp());
            let old = self.amount.read(member);
            self.amount.write(member, amount);
            self.staked.write(self.staked.read() - old + amount);
            self
                .emit(
                    PoolMemberBalanceChanged {
                        pool_member: member, old_delegated_stake: old, new_delegated_stake: amount
                    }
                );
        }

        fn take(ref self: ContractState, member: ContractAddress, amount: u128) {
            assert(amount > 0, 'Amount is zero');
            IErc20Dispatcher { contract_address: self.token.read() }
                .transfer_from(get_caller_address(), get_contract_address(), amount.into());
            self.change(member, self.amount.read(member) + amount);
        }

        fn pay(ref self: ContractState, to: ContractAddress, amount: u128) {
            IErc20Dispatcher { contract_address: self.token.read() }.transfer(to, amount.into());
        }
    }
}
